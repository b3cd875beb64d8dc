import DatagramIO
import Synchronization
import Timing
import Wire

/// Stands between a client and the server on this host and loses some of the sound in either direction: every n-th packet of
/// media, so that repeats get through.
final class LossyProxy: Sendable {
    let port: UInt16
    private let waker: Poller.Waker
    private let thread: WorkerThread

    private struct Parts: @unchecked Sendable {
        let poller: Poller
        let client: DatagramSocket
        let server: DatagramSocket
    }

    private final class Shared: Sendable {
        let isStopping = Atomic(false)
        let lost = Atomic<Int>(0)
        let forwarded = Atomic<Int>(0)
    }

    private let shared = Shared()

    /// Datagrams of the client that went on to the server.
    var forwarded: Int { shared.forwarded.load(ordering: .relaxed) }

    var packetsLost: Int { shared.lost.load(ordering: .relaxed) }

    /// `every`: of so many media packets one is lost, from the 50th on.
    init(to server: TransportAddress, every: Int) throws {
        let ip = server.ip
        let parts = Parts(
            poller: try Poller(), client: try DatagramSocket(binding: TransportAddress(ip: ip, port: 0)),
            server: try DatagramSocket(binding: TransportAddress(ip: ip, port: 0)))
        try parts.poller.add(parts.client, tag: 0)
        try parts.poller.add(parts.server, tag: 1)
        port = parts.client.local.port
        waker = parts.poller.waker
        thread = try WorkerThread(name: "proxy") { [shared] in
            var back: NetworkPath?
            var counts = [0, 0]
            while !shared.isStopping.load(ordering: .acquiring) {
                _ = parts.poller.wait(until: nil, now: SystemClock.now())
                let now = SystemClock.now()
                func forward(_ from: DatagramSocket, _ to: DatagramSocket, _ index: Int, _ path: () -> NetworkPath?) {
                    _ = from.receive(at: now) { slot, length, came, _ in
                        if index == 0 { back = NetworkPath(local: parts.client.local, remote: came.remote) }
                        // RFC 5761: media, not RTCP.
                        if (128...191).contains(slot[0]), !(192...223).contains(slot[1]) {
                            counts[index] += 1
                            if counts[index] > 50, counts[index] % every == 0 {
                                shared.lost.add(1, ordering: .relaxed)
                                return
                            }
                        }
                        guard let path = path() else { return }
                        if index == 0 { shared.forwarded.add(1, ordering: .relaxed) }
                        to.nextSlot().copyMemory(from: UnsafeRawBufferPointer(rebasing: slot[..<length]))
                        to.commit(length: length, path: path, at: now)
                    }
                    to.flush(at: now)
                }
                forward(parts.client, parts.server, 0) { NetworkPath(local: parts.server.local, remote: server) }
                forward(parts.server, parts.client, 1) { back }
            }
        }
    }

    func stop() {
        shared.isStopping.store(true, ordering: .releasing)
        waker.wake()
        thread.join()
    }
}
