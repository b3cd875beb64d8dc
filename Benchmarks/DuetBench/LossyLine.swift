import DatagramIO
import SeededRandom
import Synchronization
import Timing
import Wire

/// A way to a media server on this host that loses packets of sound at random, the same share in each direction, and delays nothing.
final class LossyLine: Sendable {
    let port: UInt16
    private let waker: Poller.Waker
    private let thread: WorkerThread
    private let isStopping: Flag

    private final class Flag: Sendable { let value = Atomic(false) }

    /// Sendable by this rule: handed to the line's thread, which alone uses them from then on.
    private struct Parts: @unchecked Sendable {
        let poller: Poller
        let client: DatagramSocket
        let server: DatagramSocket
    }

    /// - Parameter loss: 0…1.
    init(to server: TransportAddress, loss: Double, seed: UInt64) throws {
        let parts = Parts(
            poller: try Poller(), client: try DatagramSocket(binding: TransportAddress(ip: server.ip, port: 0)),
            server: try DatagramSocket(binding: TransportAddress(ip: server.ip, port: 0)))
        try parts.poller.add(parts.client, tag: 0)
        try parts.poller.add(parts.server, tag: 1)
        port = parts.client.local.port
        waker = parts.poller.waker
        let isStopping = Flag()
        self.isStopping = isStopping
        thread = try WorkerThread(name: "line", urgency: .sound) {
            var random = SeededGenerator(seed: seed)
            var client: NetworkPath?
            while !isStopping.value.load(ordering: .acquiring) {
                _ = parts.poller.wait(until: nil, now: SystemClock.now())
                let now = SystemClock.now()
                func carry(_ from: DatagramSocket, _ to: DatagramSocket, _ path: (NetworkPath) -> NetworkPath?) {
                    _ = from.receive(at: now) { slot, length, came, _ in
                        let path = path(came)
                        // RFC 7983 and RFC 5761: media, not RTCP.
                        let isMedia = (128...191).contains(slot[0]) && !(192...223).contains(slot[1])
                        guard let path, !(isMedia && random.chance(loss)) else { return }
                        to.nextSlot().copyMemory(from: UnsafeRawBufferPointer(rebasing: slot[..<length]))
                        to.commit(length: length, path: path, at: now)
                    }
                    to.flush(at: now)
                }
                carry(parts.client, parts.server) { came in
                    client = NetworkPath(local: parts.client.local, remote: came.remote)
                    return NetworkPath(local: parts.server.local, remote: server)
                }
                carry(parts.server, parts.client) { _ in client }
            }
        }
    }

    func stop() {
        isStopping.value.store(true, ordering: .releasing)
        waker.wake()
        thread.join()
    }
}
