internal import PeerSession
internal import RoomPorts
internal import Wire

/// The peers of one worker: by handle for the packet path, by id for commands, by path and ICE name for datagrams.
final class PeerTable {
    /// As many as the ICE agent keeps; a peer with more has its oldest forgotten.
    static let maximumPaths = 8

    private var peers: ContiguousArray<Peer?> = []
    private var free: [Int] = []
    private var generation: UInt32 = 0
    private var byID: [PeerID: Int] = [:]
    private var byPath: [NetworkPath: Int] = [:]
    private var byUfrag: [UfragKey: Int] = [:]
    /// The machines' ways out by handle, without reference counting, for the one line that runs for every packet and listener.
    /// Each belongs to a machine that `peers` keeps alive.
    private let lanes: UnsafeMutablePointer<SendLane?>
    private let capacity: Int
    /// Told of each path by which nobody is reached any more.
    var onForget: ((NetworkPath) -> Void)?

    /// Where a new peer will stand.
    struct Place: Equatable {
        var handle: Int
        var generation: UInt32
    }

    init(capacity: Int) {
        self.capacity = capacity
        lanes = .allocate(capacity: capacity)
        lanes.initialize(repeating: nil, count: capacity)
    }

    deinit { lanes.deallocate() }

    var count: Int { byID.count }
    var isFull: Bool { byID.count >= capacity }
    var all: [Peer] { peers.compactMap { $0 } }

    /// nil if the table is full. The place is taken by `insert`.
    func nextPlace() -> Place? {
        guard !isFull else { return nil }
        return Place(handle: free.last ?? peers.count, generation: generation &+ 1)
    }

    func insert(_ peer: Peer) {
        generation = peer.generation
        if peer.handle == peers.count { peers.append(peer) } else { peers[peer.handle] = peer }
        if free.last == peer.handle { free.removeLast() }
        lanes[peer.handle] = peer.media.lane
        byID[peer.id] = peer.handle
    }

    func remove(_ peer: Peer) {
        lanes[peer.handle] = nil
        peers[peer.handle] = nil
        free.append(peer.handle)
        byID[peer.id] = nil
        for path in peer.paths { forget(path, of: peer) }
        for key in peer.ufrags.compactMap({ UfragKey($0.utf8) }) where byUfrag[key] == peer.handle {
            byUfrag[key] = nil
        }
    }

    subscript(handle: Int) -> Peer? { peers.indices.contains(handle) ? peers[handle] : nil }
    subscript(id: PeerID) -> Peer? { byID[id].flatMap { peers[$0] } }

    func peer(at path: NetworkPath) -> Peer? { byPath[path].flatMap { peers[$0] } }

    /// The way out of a present peer.
    @inline(__always)
    func lane(_ handle: Int) -> SendLane? { lanes[handle] }

    // MARK: Paths and names

    /// Datagrams by `path` are this peer's from now on: it has just proven by ICE that it is there, or that it can send
    /// as if it were. A path that a living peer uses is therefore not taken from it.
    func learn(_ path: NetworkPath, of peer: Peer) {
        let owner = byPath[path]
        if owner == peer.handle { return }
        if let other = owner.flatMap({ peers[$0] }), other.isConnected, !other.isLost, other.media.mediaPath == path {
            return
        }
        byPath[path] = peer.handle
        peer.paths.removeAll { $0 == path }
        peer.paths.append(path)
        guard peer.paths.count > Self.maximumPaths else { return }
        let used = peer.media.mediaPath
        guard let oldest = peer.paths.firstIndex(where: { $0 != used }) else { return }
        forget(peer.paths.remove(at: oldest), of: peer)
    }

    private func forget(_ path: NetworkPath, of peer: Peer) {
        guard byPath[path] == peer.handle else { return }
        byPath[path] = nil
        onForget?(path)
    }

    /// Connectivity checks that name `ufrag` are for this peer, beside those for names that it had before.
    func learn(ufrag: String, of peer: Peer) {
        guard let key = UfragKey(ufrag.utf8) else { return }
        byUfrag[key] = peer.handle
        peer.ufrags.append(ufrag)
        // The agent answers for a while to its last name, never to older ones.
        guard peer.ufrags.count > 2, let oldest = UfragKey(peer.ufrags.removeFirst().utf8) else { return }
        byUfrag[oldest] = nil
    }

    func peer(named ufrag: some Sequence<UInt8>) -> Peer? {
        UfragKey(ufrag).flatMap { byUfrag[$0] }.flatMap { peers[$0] }
    }
}

/// Our own ICE names as a number, so that looking one up takes no string: they have eight characters.
private struct UfragKey: Hashable {
    let value: UInt64

    /// nil for names that cannot be ours.
    init?(_ bytes: some Sequence<UInt8>) {
        var value: UInt64 = 0
        var count = 0
        for byte in bytes {
            guard count < 8 else { return nil }
            value = value << 8 | UInt64(byte)
            count += 1
        }
        guard count > 0 else { return nil }
        self.value = value
    }
}
