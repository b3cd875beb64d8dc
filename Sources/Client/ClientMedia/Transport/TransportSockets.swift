internal import DatagramIO
internal import SDP
internal import Timing
internal import Wire

/// The sockets of one media path and the poller that waits for them. Used by the path's thread alone.
final class TransportSockets {
    /// While the kernel takes nothing, what is queued grows stale; look again after this.
    private static let blockedInterval = Interval.milliseconds(5)
    /// Pairs of addresses to try. Each costs a check every 50 ms until one works.
    private static let maximumPaths = 24

    private let poller: Poller
    private let sockets: [DatagramSocket]
    private(set) var isBlocked = false

    /// Empty: all addresses of this host.
    init(addresses: [IPAddress]) throws(SocketFailure) {
        poller = try Poller()
        sockets = try Self.open(addresses)
        for (tag, socket) in sockets.enumerated() { try poller.add(socket, tag: tag) }
    }

    private static func open(_ addresses: [IPAddress]) throws(SocketFailure) -> [DatagramSocket] {
        guard !addresses.isEmpty else {
            do {
                return [try DatagramSocket(binding: TransportAddress(ip: IPAddress(high: 0, low: 0), port: 0))]
            } catch {
                guard error.isFamilyUnsupported else { throw error }
                return [try DatagramSocket(binding: TransportAddress(ip: IPAddress(v4: 0, 0, 0, 0), port: 0))]
            }
        }
        var sockets: [DatagramSocket] = []
        for ip in addresses.prefix(Poller.maximumSockets) {
            sockets.append(try DatagramSocket(binding: TransportAddress(ip: ip, port: 0), isDualStack: false))
        }
        return sockets
    }

    var waker: Poller.Waker { poller.waker }

    /// Where datagrams may leave from: the sockets' own addresses, or those of the interfaces behind an unspecified one.
    /// Looked up anew each time, since interfaces come and go.
    func localAddresses() -> [TransportAddress] {
        var interfaces: [IPAddress]?
        return sockets.flatMap { socket -> [TransportAddress] in
            guard socket.local.ip.isUnspecified else { return [socket.local] }
            let found = interfaces ?? (try? InterfaceAddresses.current()) ?? []
            interfaces = found
            return found.map { TransportAddress(ip: $0, port: socket.local.port) }.filter(socket.serves)
        }
    }

    /// Each of our addresses with each candidate that it can reach, the server's preferred ones first.
    static func paths(from locals: [TransportAddress], to candidates: [ICECandidate]) -> [NetworkPath] {
        var paths: [NetworkPath] = []
        for candidate in candidates where candidate.transport == "udp" {
            guard let ip = IPAddress(text: candidate.address) else { continue }
            let remote = TransportAddress(ip: ip, port: candidate.port)
            let usable = locals.filter { $0.ip.isIPv4 == ip.isIPv4 && $0.ip.isLoopback == ip.isLoopback }
            // A server on this host is reached from its own address.
            paths += usable.sorted { $0.ip == ip && $1.ip != ip }.map { NetworkPath(local: $0, remote: remote) }
        }
        return Array(paths.prefix(maximumPaths))
    }

    /// Blocks until there is something to read, somebody wakes us, or `deadline` is reached. Bit n of `readable` is socket n.
    func wait(until deadline: Instant, now: Instant) -> (isWoken: Bool, readable: UInt32) {
        let deadline = isBlocked ? min(deadline, now + Self.blockedInterval) : deadline
        let ready = poller.wait(until: deadline == .distantFuture ? nil : deadline, now: now)
        return (ready.woken, ready.readable)
    }

    /// Hands what has come to `body`, see `DatagramSocket.receive`.
    func receive(
        _ readable: UInt32, at now: Instant,
        _ body: (_ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath, _ arrival: Instant) -> Void
    ) {
        for (tag, socket) in sockets.enumerated() where readable & (1 << UInt32(tag)) != 0 {
            while socket.receive(at: now, body) == DatagramSocket.receiveSlots {}
        }
    }

    /// A slot to write into before the path is known; `commit` takes it from there.
    func nextSlot() -> UnsafeMutableRawBufferPointer { sockets[0].nextSlot() }

    /// Queues what stands in the slot last given by `nextSlot`, at whichever socket the path wants.
    func commit(_ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {
        guard let socket = sockets.first(where: { $0.serves(path.local) }) else { return }
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
