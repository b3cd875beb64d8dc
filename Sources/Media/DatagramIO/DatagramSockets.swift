package import Timing
package import Wire

/// The sockets of one thread, all with the same port, and the poller that waits for them: what is to be sent leaves by the socket that
/// its path wants. Used by that thread alone.
package final class DatagramSockets {
    /// While the kernel takes nothing, what is queued grows stale; look again after this.
    private static let blockedInterval = Interval.milliseconds(5)

    package let port: UInt16
    private let poller: Poller
    private let sockets: [DatagramSocket]
    package let connections: FramedConnections?
    /// Of the poller's tags, one is the connections'.
    static let maximumAddresses = Poller.maximumSockets - 1
    private static let connectionsTag = Poller.maximumSockets - 1
    private static let portTries = 8
    /// Some socket holds datagrams that the kernel refuses to take for now.
    package private(set) var isBlocked = false

    /// - Parameters:
    ///   - addresses: one socket each, at most `maximumAddresses`. Empty: all addresses of both families by one socket, or by an
    ///     IPv4 socket where the system has no IPv6.
    ///   - port: 0 for one that is free.
    ///   - bufferBytes: asked of the kernel for either direction of each.
    ///   - takesTCP: connections to the same port carry datagrams too.
    ///   - sharedTCPPort: connections to that port too, as those of a port that is shared with other threads.
    ///   - connectsByTCP: connections can be made to others.
    package init(
        addresses: [IPAddress], port: UInt16, bufferBytes: Int32 = DatagramSocket.bufferBytes, takesTCP: Bool = false,
        sharedTCPPort: UInt16? = nil, connectsByTCP: Bool = false
    ) throws(SocketFailure) {
        poller = try Poller()
        let opened = try Self.open(
            addresses, port: port, bufferBytes, takesTCP: takesTCP, sharedTCPPort: sharedTCPPort)
        sockets = opened.0
        connections = connectsByTCP && opened.1 == nil ? try FramedConnections() : opened.1
        self.port = sockets[0].local.port
        for (tag, socket) in sockets.enumerated() { try poller.add(socket, tag: tag) }
        if let connections { try poller.add(connections, tag: Self.connectionsTag) }
    }

    private static func open(
        _ addresses: [IPAddress], port: UInt16, _ bufferBytes: Int32, takesTCP: Bool, sharedTCPPort: UInt16?
    ) throws(SocketFailure) -> ([DatagramSocket], FramedConnections?) {
        // The system chooses a port that is free for UDP; whether it is for TCP too is found out by trying.
        for _ in 1..<portTries {
            let sockets = try open(addresses, port: port, bufferBytes)
            do throws(SocketFailure) {
                return (sockets, try listen(beside: sockets, takesTCP: takesTCP, sharedTCPPort: sharedTCPPort))
            } catch {
                guard port == 0, error.isAddressInUse, error.address?.port != sharedTCPPort else { throw error }
            }
        }
        let sockets = try open(addresses, port: port, bufferBytes)
        return (sockets, try listen(beside: sockets, takesTCP: takesTCP, sharedTCPPort: sharedTCPPort))
    }

    private static func listen(
        beside sockets: [DatagramSocket], takesTCP: Bool, sharedTCPPort: UInt16?
    ) throws(SocketFailure) -> FramedConnections? {
        guard takesTCP || sharedTCPPort != nil else { return nil }
        let connections = try FramedConnections()
        for socket in sockets {
            if takesTCP {
                _ = try connections.listen(on: socket.local, isDualStack: socket.isDualStack, isShared: false)
            }
            if let sharedTCPPort {
                var address = socket.local
                address.port = sharedTCPPort
                _ = try connections.listen(on: address, isDualStack: socket.isDualStack, isShared: true)
            }
        }
        return connections
    }

    private static func open(
        _ addresses: [IPAddress], port: UInt16, _ bufferBytes: Int32
    ) throws(SocketFailure) -> [DatagramSocket] {
        guard !addresses.isEmpty else {
            do {
                let any = TransportAddress(ip: IPAddress(high: 0, low: 0), port: port)
                return [try DatagramSocket(binding: any, bufferBytes: bufferBytes)]
            } catch {
                guard error.isFamilyUnsupported else { throw error }
                let any = TransportAddress(ip: IPAddress(v4: 0, 0, 0, 0), port: port)
                return [try DatagramSocket(binding: any, bufferBytes: bufferBytes)]
            }
        }
        var sockets: [DatagramSocket] = []
        for ip in addresses.prefix(maximumAddresses) {
            let address = TransportAddress(ip: ip, port: sockets.first?.local.port ?? port)
            // Beside other sockets, one for all of IPv6 must leave IPv4 to them.
            sockets.append(
                try DatagramSocket(binding: address, isDualStack: addresses.count == 1, bufferBytes: bufferBytes))
        }
        return sockets
    }

    package var waker: Poller.Waker { poller.waker }

    /// What each is bound to.
    package var locals: [TransportAddress] { sockets.map(\.local) }

    package var stats: [DatagramSocket.Stats] { sockets.map(\.stats) }

    /// Whether datagrams may leave from that address.
    package func serves(_ local: TransportAddress) -> Bool { sockets.contains { $0.serves(local) } }

    /// Lets the kernel throw away media from those addresses, but for one datagram in `DatagramSocket.passingOneIn`; in place of what
    /// was refused before.
    package func refuseMedia(from remotes: [TransportAddress]) {
        for socket in sockets { socket.refuseMedia(from: remotes) }
    }

    /// Blocks until there is something to read, somebody wakes us, or `deadline` is reached.
    package func wait(
        until deadline: Instant, now: Instant
    ) -> (isWoken: Bool, readable: [DatagramSocket], hasConnections: Bool) {
        var deadline = isBlocked ? min(deadline, now + Self.blockedInterval) : deadline
        if let connections { deadline = min(deadline, connections.nextDeadline) }
        let ready = poller.wait(until: deadline == .distantFuture ? nil : deadline, now: now)
        let connectionsBit: UInt32 = 1 << UInt32(Self.connectionsTag)
        return (
            ready.woken, readable(ready.readable & ~connectionsBit), ready.readable & connectionsBit != 0
        )
    }

    private func readable(_ bits: UInt32) -> [DatagramSocket] {
        // No new array for the usual case of one socket.
        if sockets.count == 1 { return bits == 0 ? [] : sockets }
        return sockets.indices.filter { bits & (1 << UInt32($0)) != 0 }.map { sockets[$0] }
    }

    /// The socket from which datagrams leave by `path`.
    @inline(__always)
    private func socket(for path: NetworkPath) -> DatagramSocket? {
        if sockets.count == 1 { return sockets[0] }
        return sockets.first { $0.serves(path.local) }
    }

    /// A slot to write into before the path is known; `commit` takes it from there.
    package func nextSlot() -> UnsafeMutableRawBufferPointer { sockets[0].nextSlot() }

    /// Queues what stands in the slot last given by `nextSlot`, at whichever socket the path wants.
    package func commit(_ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {
        guard path.connection == 0 else {
            connections?.commit(UnsafeRawBufferPointer(rebasing: slot[..<length]), path: path, at: now)
            return
        }
        guard let socket = socket(for: path) else { return }
        if socket !== sockets[0] {
            socket.nextSlot().copyMemory(from: UnsafeRawBufferPointer(rebasing: slot[..<length]))
        }
        socket.commit(length: length, path: path, at: now)
    }

    /// Queues what `write` puts into a slot of the socket from which `path` leaves, if it says how long that is. For each packet.
    @inline(__always)
    package func send(
        by path: NetworkPath, at now: Instant, _ write: (UnsafeMutableRawBufferPointer) -> Int?
    ) {
        guard path.connection == 0 else {
            let slot = nextSlot()
            if let length = write(slot) { commit(slot, length: length, path: path, at: now) }
            return
        }
        guard let socket = socket(for: path), let length = write(socket.nextSlot()) else { return }
        socket.commit(length: length, path: path, at: now)
    }

    /// Gives the kernel what is queued.
    package func flush(at now: Instant) {
        connections?.flush(at: now)
        connections?.advance(at: now)
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
