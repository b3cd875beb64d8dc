internal import DatagramIO
internal import PeerSession
internal import Timing
internal import Wire

/// Finds out whose each datagram is, and leaves unopened what far exceeds what one may send.
final class DatagramIntake {
    private(set) var counters = MediaCounters()
    private let table: PeerTable
    private let peers: PeerLifecycle
    private let forwarder: PacketForwarder
    private let time: WorkerTime
    private var floods = Floods()

    init(table: PeerTable, peers: PeerLifecycle, forwarder: PacketForwarder, time: WorkerTime) {
        self.table = table
        self.peers = peers
        self.forwarder = forwarder
        self.time = time
    }

    /// When `takeRefused` has something to look at.
    var nextDeadline: Instant { floods.nextDeadline }

    /// - Returns: from where the kernel is to refuse media, if that has changed.
    func takeRefused() -> [TransportAddress]? { floods.takeChange(at: time.now) }

    /// Nobody is there any more.
    func forget(_ remote: TransportAddress) { floods.forget(remote) }

    /// - Returns: whether it was an authentic check.
    @discardableResult
    func receive(
        _ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath, _ arrival: Instant
    ) -> Bool {
        let datagram = UnsafeRawBufferPointer(rebasing: slot[..<length])
        guard let route = Route(datagram, path, in: table) else {
            counters.unknownDatagrams &+= 1
            return false
        }
        let peer = route.peer
        time.refresh()
        let judgement = peer.judge(datagram, at: time.now)
        guard judgement == .open else {
            counters.mediaLeftUnopened &+= 1
            if judgement == .leaveAndRefuse, path.connection == 0 { floods.begin(path.remote, at: time.now) }
            return false
        }
        let at = peer.time(arrival)
        var isAuthentic = false
        switch peer.media.receive(slot, length: length, path: path, at: at) {
        case .media(let media):
            if !floods.isEmpty { floods.notePassed(path.remote) }
            forwarder.forward(media, in: datagram, from: peer, at: at)
        // An authentic check: what comes by this way is this peer's from now on.
        case .handled:
            isAuthentic = route.isNamed
            if isAuthentic { table.learn(path, of: peer) }
        case .dropped: break
        }
        peers.settle(peer)
        return isAuthentic
    }
}
