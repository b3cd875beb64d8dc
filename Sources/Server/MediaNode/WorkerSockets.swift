internal import DatagramIO
internal import Timing
internal import Wire

/// The sockets of one worker, all with the same port, and the poller that waits for them.
final class WorkerSockets {
    /// While the kernel takes nothing, what is queued grows stale; look again after this.
    private static let blockedInterval = Interval.milliseconds(5)

    let port: UInt16
    private let poller: Poller
    private let sockets: [DatagramSocket]
    /// Some socket holds datagrams that the kernel refuses to take for now.
    private(set) var isBlocked = false

    /// All addresses of both families by one socket, or by an IPv4 socket where the system has no IPv6; else one socket
    /// an address.
    init(_ configuration: MediaNodeConfiguration) throws(SocketFailure) {
        poller = try Poller()
        sockets = try Self.open(configuration)
        port = sockets[0].local.port
        for (tag, socket) in sockets.enumerated() { try poller.add(socket, tag: tag) }
    }

    private static func open(_ configuration: MediaNodeConfiguration) throws(SocketFailure) -> [DatagramSocket] {
        guard !configuration.bindAddresses.isEmpty else {
            let any6 = TransportAddress(ip: IPAddress(high: 0, low: 0), port: configuration.port)
            do {
                return [try DatagramSocket(binding: any6)]
            } catch {
                guard error.isFamilyUnsupported else { throw error }
                let any4 = TransportAddress(ip: IPAddress(v4: 0, 0, 0, 0), port: configuration.port)
                return [try DatagramSocket(binding: any4)]
            }
        }
        var sockets: [DatagramSocket] = []
        for ip in configuration.bindAddresses.prefix(Poller.maximumSockets) {
            let port = sockets.first?.local.port ?? configuration.port
            // Beside other sockets, one for all of IPv6 must leave IPv4 to them.
            sockets.append(
                try DatagramSocket(
                    binding: TransportAddress(ip: ip, port: port),
                    isDualStack: configuration.bindAddresses.count == 1))
        }
        return sockets
    }

    var waker: Poller.Waker { poller.waker }

    var stats: [DatagramSocket.Stats] { sockets.map(\.stats) }

    /// Blocks until there is something to read, somebody wakes us, or `deadline` is reached.
    func wait(until deadline: Instant, now: Instant) -> (isWoken: Bool, readable: [DatagramSocket]) {
        let deadline = isBlocked ? min(deadline, now + Self.blockedInterval) : deadline
        let ready = poller.wait(until: deadline == .distantFuture ? nil : deadline, now: now)
        return (ready.woken, readable(ready.readable))
    }

    private func readable(_ bits: UInt32) -> [DatagramSocket] {
        // No new array for the usual case of one socket.
        if sockets.count == 1 { return bits == 0 ? [] : sockets }
        return sockets.indices.filter { bits & (1 << UInt32($0)) != 0 }.map { sockets[$0] }
    }

    /// The socket from which datagrams leave by `path`.
    @inline(__always)
    func socket(for path: NetworkPath) -> DatagramSocket? {
        if sockets.count == 1 { return sockets[0] }
        return sockets.first { $0.serves(path.local) }
    }

    /// A slot to write into before the path is known; `commit` takes it from there.
    func nextSlot() -> UnsafeMutableRawBufferPointer { sockets[0].nextSlot() }

    /// Queues what stands in the slot last given by `nextSlot`, at whichever socket the path wants.
    func commit(_ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath, at now: Instant) {
        guard let socket = socket(for: path) else { return }
        if socket !== sockets[0] {
            socket.nextSlot().copyMemory(from: UnsafeRawBufferPointer(rebasing: slot[..<length]))
        }
        socket.commit(length: length, path: path, at: now)
    }

    /// Gives the kernel what is queued.
    func flush(at now: Instant) {
        let wasBlocked = isBlocked
        isBlocked = false
        for socket in sockets {
            if socket.hasQueued { socket.flush(at: now) }
            isBlocked = isBlocked || socket.isBlocked
        }
        guard isBlocked != wasBlocked else { return }
        for (tag, socket) in sockets.enumerated() { poller.setWatchesWriting(isBlocked, of: socket, tag: tag) }
    }
}
