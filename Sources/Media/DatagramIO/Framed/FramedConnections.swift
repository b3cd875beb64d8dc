internal import CNet
internal import Glibc
package import Timing
package import Wire

/// Whoever is meant by what connections bring.
package protocol ConnectionOwner: AnyObject {
    /// Whether a connection's first datagram names somebody here.
    func isNamed(by datagram: UnsafeRawBufferPointer) -> Bool
    /// Takes a datagram: the whole slot (it may be written to and is valid until the next one), and the length within. True if it is an
    /// authentic check, so that the connection may stay: the first one has to be.
    func receive(_ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) -> Bool
    /// Whether there is time for another connection in this turn.
    var readsOn: Bool { get }
    /// It names nobody here.
    func pass(_ connection: HandedConnection)
}

/// The TCP connections of one thread, for those whose network lets no UDP through (RFC 6544; a server's are passive): each carries what would
/// otherwise come in datagrams, with a length before each (RFC 4571).
///
/// Strangers can connect. So a connection has to begin with an authentic connectivity check, soon, and there are few that have not; it
/// goes when its owner forgets its path. The thread that owns this is the only one that may use it.
package final class FramedConnections {
    package struct Limits: Sendable, Hashable {
        /// With two for each peer, one for an old path and one for a new one, this is beyond what a worker serves.
        package var open = 20_000
        /// Those that have not said whose they are. Beyond it the oldest goes: an honest one says so within a round trip.
        package var opening = 256
        /// Of those, from one address, or one network of IPv6 (64 bits): whoever opens many pushes out their own. More than an office opens
        /// within a round trip.
        package var openingFromOne = 32
        /// A check is repeated after half a second at most: so long, even a poor line has had three.
        package var openingTime = Interval.seconds(5)

        package init() {}
    }

    package struct Stats: Sendable, Hashable {
        package var open: UInt64 = 0
        package var accepted: UInt64 = 0
        /// Closed before they had said whose they are, or because of what they said.
        package var refused: UInt64 = 0
        package var received: UInt64 = 0
        package var sent: UInt64 = 0
        /// Waited too long, or did not fit.
        package var dropped: UInt64 = 0

        package init() {}

        package static func + (a: Stats, b: Stats) -> Stats {
            var sum = a
            sum.open &+= b.open
            sum.accepted &+= b.accepted
            sum.refused &+= b.refused
            sum.received &+= b.received
            sum.sent &+= b.sent
            sum.dropped &+= b.dropped
            return sum
        }
    }

    /// Read from one connection before others get their turn. Not more, since it may be thousands of tiny datagrams.
    private static let readBytes = 16 << 10
    private static let readyCapacity = 16

    private let limits: Limits
    private let poller: cnet_poller
    private let ready: UnsafeMutablePointer<cnet_ready>
    private let scratch: UnsafeMutableRawBufferPointer
    private let slot: UnsafeMutableRawBufferPointer
    private var listeners: ConnectionListeners
    private var table = ConnectionTable()
    /// In the order in which they came.
    private var opening: [FramedConnection] = []
    /// Have something to send.
    private var waiting: ContiguousArray<FramedConnection> = []
    private var counted = Stats()
    /// Since when the oldest datagram waits that a connection has not taken.
    package private(set) var waitsSince: Instant?

    package init(limits: Limits = Limits()) throws(SocketFailure) {
        self.limits = limits
        poller = cnet_poller_open()
        guard poller.epoll >= 0 else { throw SocketFailure(.poll, code: -poller.epoll) }
        listeners = ConnectionListeners(poller)
        ready = .allocate(capacity: Self.readyCapacity)
        ready.initialize(repeating: cnet_ready(), count: Self.readyCapacity)
        scratch = .allocate(byteCount: Self.readBytes, alignment: 64)
        slot = .allocate(byteCount: DatagramSocket.slotBytes, alignment: 64)
    }

    deinit {
        for connection in table.all { Glibc.close(connection.descriptor) }
        listeners.close()
        cnet_poller_close(poller)
        ready.deallocate()
        scratch.deallocate()
        slot.deallocate()
    }

    /// Readable when something is to be done here.
    var descriptor: Int32 { poller.epoll }

    package var stats: Stats {
        var stats = counted
        stats.open = UInt64(table.count)
        for connection in table.all { stats.count(connection) }
        return stats
    }

    // MARK: Listening

    /// Takes connections to `address`. Those to a shared port may be meant for other threads. Returns where it is bound.
    package func listen(
        on address: TransportAddress, isDualStack: Bool, isShared: Bool
    ) throws(SocketFailure) -> TransportAddress {
        try listeners.listen(on: address, isDualStack: isDualStack, isShared: isShared)
    }

    // MARK: Connecting

    /// Begins a connection to a server, which may carry datagrams at once: what waits longer than it takes to stand is dropped.
    /// - Returns: its path; nil if there is no way there.
    package func connect(to remote: TransportAddress) -> NetworkPath? {
        var name = cnet_address(remote)
        let descriptor = cnet_tcp_connect(remote.ip.isIPv4 ? 4 : 6, &name, FramedConnection.unsentBytes)
        guard descriptor >= 0 else { return nil }
        let any = remote.ip.isIPv4 ? IPAddress(v4: 0, 0, 0, 0) : IPAddress(high: 0, low: 0)
        let connection = insert(
            descriptor, local: TransportAddress(ip: any, port: 0), remote: remote, isShared: false, phase: .proven)
        connection?.isWritable = false
        return connection?.path
    }

    @discardableResult
    private func insert(
        _ descriptor: Int32, local: TransportAddress, remote: TransportAddress, isShared: Bool, bytes: [UInt8],
        at now: Instant
    ) -> FramedConnection? {
        makeRoom(for: remote.ip)
        let connection = insert(
            descriptor, local: local, remote: remote, isShared: isShared, phase: .opening(bytes, since: now))
        if let connection { opening.append(connection) }
        return connection
    }

    /// One that has been proven is written to once it can be.
    private func insert(
        _ descriptor: Int32, local: TransportAddress, remote: TransportAddress, isShared: Bool,
        phase: FramedConnection.Phase
    ) -> FramedConnection? {
        let index = table.nextNumber
        var isProven = false
        if case .proven = phase { isProven = true }
        guard index < limits.open, cnet_poller_watch(poller, descriptor, UInt32(index), isProven, true) == 0 else {
            counted.refused &+= 1
            Glibc.close(descriptor)
            return nil
        }
        return table.insert { name in
            FramedConnection(
                descriptor: descriptor, path: NetworkPath(local: local, remote: remote, connection: name),
                isShared: isShared, phase: phase)
        }
    }

    private func makeRoom(for ip: IPAddress) {
        let own = opening.filter { $0.path.remote.ip.isNear(ip) }
        if own.count >= limits.openingFromOne {
            refuse(own[0])
        } else if opening.count >= limits.opening {
            refuse(opening[0])
        }
    }

    // MARK: Receiving

    private func accept(from tag: UInt32, at now: Instant) {
        listeners.accept(from: tag, at: now) { accepted in
            counted.accepted &+= 1
            insert(
                accepted.descriptor, local: accepted.local, remote: accepted.remote, isShared: accepted.isShared,
                bytes: [], at: now)
        }
    }

    /// Takes in what has come, as the poller has reported it.
    package func receive(at now: Instant, for owner: some ConnectionOwner) {
        let count = cnet_poller_wait(poller, ready, Int32(Self.readyCapacity), 0)
        guard count > 0 else { return }
        for entry in UnsafeBufferPointer(start: ready, count: Int(count)) {
            if ConnectionListeners.owns(entry.tag) {
                accept(from: entry.tag, at: now)
                continue
            }
            guard let connection = table[Int(entry.tag)] else { continue }
            if entry.writable { setWritable(connection, true) }
            // The poller reports again what is left.
            guard owner.readsOn else { continue }
            if entry.readable { read(connection, at: now, for: owner) }
        }
    }

    /// Takes in a connection that another thread has passed on.
    package func adopt(_ handed: HandedConnection, at now: Instant, for owner: some ConnectionOwner) {
        guard let descriptor = handed.take() else { return }
        let connection = insert(
            descriptor, local: handed.local, remote: handed.remote, isShared: true, bytes: handed.bytes, at: now)
        guard let connection else { return }
        open(connection, handed.bytes, hops: handed.hops + 1, at: now, for: owner)
    }

    private func read(_ connection: FramedConnection, at now: Instant, for owner: some ConnectionOwner) {
        let count = cnet_tcp_read(connection.descriptor, scratch.baseAddress, scratch.count)
        guard count > 0 else {
            if count != -Int64(EAGAIN) { close(connection) }
            return
        }
        let chunk = UnsafeRawBufferPointer(rebasing: scratch[..<Int(count)])
        switch connection.phase {
        case .opening(var bytes, let since):
            bytes += chunk
            connection.phase = .opening(bytes, since: since)
            open(connection, bytes, hops: 1, at: now, for: owner)
        case .proven: take(chunk, from: connection, at: now, for: owner)
        case .closed: break
        }
    }

    /// Finds out whose a connection is, once its first datagram is whole.
    private func open(
        _ connection: FramedConnection, _ bytes: [UInt8], hops: Int, at now: Instant, for owner: some ConnectionOwner
    ) {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= InboundFrames.headerLength else { return }
            let end = InboundFrames.headerLength + Int(bytes.bigEndianUInt16(at: 0))
            guard end <= InboundFrames.headerLength + InboundFrames.maximumLength else { return refuse(connection) }
            guard bytes.count >= end else { return }
            let first = UnsafeRawBufferPointer(rebasing: bytes[InboundFrames.headerLength..<end])
            guard owner.isNamed(by: first) else {
                guard connection.isShared else { return refuse(connection) }
                let handed = HandedConnection(connection, bytes: Array(bytes), hops: hops)
                forget(connection)
                return owner.pass(handed)
            }
            take(bytes, from: connection, at: now, for: owner)
        }
    }

    private func take(
        _ chunk: UnsafeRawBufferPointer, from connection: FramedConnection, at now: Instant,
        for owner: some ConnectionOwner
    ) {
        let isUnderstood = connection.inbound.take(chunk) { datagram in
            slot.copyMemory(from: datagram)
            counted.received &+= 1
            let isAuthentic = owner.receive(slot, length: datagram.count, path: connection.path, at: now)
            if case .opening = connection.phase {
                guard isAuthentic else {
                    refuse(connection)
                    return false
                }
                connection.phase = .proven
                opening.removeAll { $0 === connection }
            }
            return !connection.isClosed
        }
        if !isUnderstood { refuse(connection) }
    }

    // MARK: Sending

    /// Queues a datagram, if its connection still is there.
    package func commit(_ datagram: UnsafeRawBufferPointer, path: NetworkPath, at now: Instant) {
        guard let connection = table.find(path) else { return }
        connection.outbound.append(datagram, at: now)
        guard !connection.isWaiting else { return }
        connection.isWaiting = true
        waiting.append(connection)
    }

    /// Gives the kernel what is queued. What it does not take stays, for as long as somebody may want it.
    package func flush(at now: Instant) {
        waitsSince = nil
        guard !waiting.isEmpty else { return }
        var failed: [FramedConnection] = []
        waiting.removeAll { connection in
            var progress = OutboundFrames.Progress.blocked
            if connection.isWritable {
                progress = connection.flush(at: now)
            } else {
                connection.outbound.dropOverdue(at: now)
            }
            switch progress {
            case .allSent: connection.isWaiting = false
            case .failed:
                connection.isWaiting = false
                failed.append(connection)
            case .blocked:
                setWritable(connection, false)
                if let since = connection.outbound.waitsSince { waitsSince = min(waitsSince ?? since, since) }
            }
            return !connection.isWaiting
        }
        for connection in failed { close(connection) }
    }

    private func setWritable(_ connection: FramedConnection, _ isWritable: Bool) {
        guard connection.isWritable != isWritable else { return }
        connection.isWritable = isWritable
        guard let index = table.number(of: connection.path) else { return }
        _ = cnet_poller_watch(poller, connection.descriptor, UInt32(index), !isWritable, false)
    }

    // MARK: Time

    /// When `advance` or `flush` has something to do; `.distantFuture` for never.
    package var nextDeadline: Instant {
        var next = listeners.nextDeadline
        if let first = opening.first, case .opening(_, let since) = first.phase {
            next = min(next, since + limits.openingTime)
        }
        if let waitsSince { next = min(next, waitsSince + OutboundFrames.patience) }
        return next
    }

    /// Closes what has not said whose it is, and listens again after a pause.
    package func advance(at now: Instant) {
        while let first = opening.first, case .opening(_, let since) = first.phase, since + limits.openingTime <= now {
            refuse(first)
        }
        listeners.advance(at: now)
    }

    // MARK: Closing

    /// Nobody uses the path any more: what still fits leaves, such as a goodbye.
    package func close(_ path: NetworkPath, at now: Instant) {
        guard let connection = table.find(path) else { return }
        connection.outbound.dropOverdue(at: now)
        if connection.isWritable { _ = connection.flush(at: now) }
        close(connection)
    }

    private func refuse(_ connection: FramedConnection) {
        guard !connection.isClosed else { return }
        counted.refused &+= 1
        close(connection)
    }

    private func close(_ connection: FramedConnection) {
        guard !connection.isClosed else { return }
        forget(connection)
        Glibc.close(connection.descriptor)
    }

    private func forget(_ connection: FramedConnection) {
        if !connection.isProven { opening.removeAll { $0 === connection } }
        connection.phase = .closed
        counted.count(connection)
        cnet_poller_forget(poller, connection.descriptor)
        if connection.isWaiting { waiting.removeAll { $0 === connection } }
        connection.isWaiting = false
        table.remove(connection.path)
    }
}

extension IPAddress {
    /// Whether one person may have both: the same address, or the same 64 bits of IPv6 (RFC 6177).
    fileprivate func isNear(_ other: IPAddress) -> Bool {
        high == other.high && (high != 0 || low == other.low)
    }
}

extension FramedConnections.Stats {
    fileprivate mutating func count(_ connection: FramedConnection) {
        sent &+= connection.outbound.sent
        dropped &+= connection.outbound.dropped
    }
}
