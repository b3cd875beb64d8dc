internal import CNet
internal import Glibc
internal import Platform
internal import Timing
package import Wire

/// A TCP connection that carries datagrams.
final class FramedConnection {
    enum Phase {
        /// What has come of the first datagram, which says whose the connection is.
        case opening([UInt8], since: Instant)
        case proven
        case closed
    }

    /// Of the kernel's memory, for what the network has not taken: the rest waits here, where it can be dropped.
    static let unsentBytes: Int32 = 32 << 10

    let path: NetworkPath
    /// It came to the port that all workers share.
    let isShared: Bool
    let descriptor: Int32
    var phase: Phase
    var inbound = InboundFrames()
    var outbound = OutboundFrames()
    /// The kernel takes more.
    var isWritable = true
    /// It stands among those that have something to send.
    var isWaiting = false

    init(descriptor: Int32, path: NetworkPath, isShared: Bool, phase: Phase) {
        self.descriptor = descriptor
        self.path = path
        self.isShared = isShared
        self.phase = phase
    }

    var isClosed: Bool { if case .closed = phase { true } else { false } }
    var isProven: Bool { if case .proven = phase { true } else { false } }

    func flush(at now: Instant) -> OutboundFrames.Progress {
        outbound.flush(at: now) { Int(cnet_tcp_write(descriptor, $0.baseAddress, $0.count)) }
    }
}

/// A connection on its way from one worker to another: nobody has read beyond these bytes. It is closed if nobody takes it.
package final class HandedConnection: Sendable {
    package let local: TransportAddress
    package let remote: TransportAddress
    /// So many workers have looked whose it is.
    package let hops: Int
    let bytes: [UInt8]
    private let descriptor: Int32
    private let isTaken = Atomic(false)

    init(_ connection: FramedConnection, bytes: [UInt8], hops: Int) {
        local = connection.path.local
        remote = connection.path.remote
        descriptor = connection.descriptor
        self.bytes = bytes
        self.hops = hops
    }

    deinit { if !isTaken.load(ordering: .relaxed) { Glibc.close(descriptor) } }

    /// The descriptor, for the first who asks.
    func take() -> Int32? { isTaken.exchange(true, ordering: .relaxed) ? nil : descriptor }
}
