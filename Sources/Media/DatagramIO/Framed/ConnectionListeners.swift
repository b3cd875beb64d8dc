internal import CNet
internal import Glibc
internal import Timing
internal import Wire

/// The sockets at which connections come in. They pause while the system has no descriptor or memory for another connection.
struct ConnectionListeners {
    /// A connection that has come.
    struct Accepted {
        var descriptor: Int32
        var local: TransportAddress
        var remote: TransportAddress
        /// It came to the port that all workers share.
        var isShared: Bool
    }

    private struct Listener {
        var descriptor: Int32
        var isShared: Bool
    }

    /// Tags from here on are listeners'.
    private static let firstTag: UInt32 = 0xffff_0000
    /// Connections that are accepted before others get their turn.
    private static let acceptedAtOnce = 16
    /// After the system had no descriptor or memory for another one.
    private static let pause = Interval.seconds(1)

    private let poller: cnet_poller
    private var listeners: [Listener] = []
    /// Until then nothing is accepted.
    private var pausedUntil: Instant?

    init(_ poller: cnet_poller) { self.poller = poller }

    func close() { for listener in listeners { Glibc.close(listener.descriptor) } }

    /// Takes connections to `address`. Returns where it is bound.
    mutating func listen(
        on address: TransportAddress, isDualStack: Bool, isShared: Bool
    ) throws(SocketFailure) -> TransportAddress {
        let family: Int32 = address.ip.isIPv4 ? 4 : 6
        var name = cnet_address(address)
        let descriptor = cnet_tcp_listen(family, &name, isDualStack)
        guard descriptor >= 0 else { throw SocketFailure(.listen, address: address, code: -descriptor) }
        let port = cnet_udp_port(descriptor)
        let watched = watch(descriptor, listeners.count)
        guard port >= 0, watched == 0 else {
            Glibc.close(descriptor)
            throw SocketFailure(.listen, address: address, code: port < 0 ? -port : -watched)
        }
        listeners.append(Listener(descriptor: descriptor, isShared: isShared))
        return TransportAddress(ip: address.ip, port: UInt16(truncatingIfNeeded: port), scope: address.scope)
    }

    private func watch(_ descriptor: Int32, _ number: Int) -> Int32 {
        cnet_poller_watch(poller, descriptor, Self.firstTag + UInt32(number), false, true)
    }

    /// Whether the poller means a listener by that tag.
    static func owns(_ tag: UInt32) -> Bool { tag >= firstTag }

    /// Accepts what waits at the listener of that tag, as much as has its turn now.
    mutating func accept(from tag: UInt32, at now: Instant, _ body: (Accepted) -> Void) {
        let listener = listeners[Int(tag - Self.firstTag)]
        for _ in 0..<Self.acceptedAtOnce {
            var local = cnet_address()
            var remote = cnet_address()
            let descriptor = cnet_tcp_accept(listener.descriptor, FramedConnection.unsentBytes, &local, &remote)
            switch descriptor {
            case 0...:
                body(
                    Accepted(
                        descriptor: descriptor, local: TransportAddress(local, port: local.port),
                        remote: TransportAddress(remote, port: remote.port), isShared: listener.isShared))
            case -EAGAIN, -EINTR: return
            case -EMFILE, -ENFILE, -ENOBUFS, -ENOMEM:
                pausedUntil = now + Self.pause
                for listener in listeners { cnet_poller_forget(poller, listener.descriptor) }
                return
            // That connection is gone again (accept(2) gives its errors here).
            default: continue
            }
        }
    }

    /// When it listens again after a pause; `.distantFuture` while there is none.
    var nextDeadline: Instant { pausedUntil ?? .distantFuture }

    mutating func advance(at now: Instant) {
        guard let end = pausedUntil, end <= now else { return }
        pausedUntil = nil
        for (number, listener) in listeners.enumerated() { _ = watch(listener.descriptor, number) }
    }
}
