internal import RoomPorts
internal import Timing

/// Which worker a stage lives on, and which worker has whose path. Decides by loads that it is told; moves nobody.
struct Routes {
    /// Far more than people who sing at once.
    static let statementsKept = 256

    struct Route {
        let home: Int
        /// It has no branches: pictures do not leave their worker.
        let isWhole: Bool
        /// Other workers that have listeners of the stage.
        fileprivate(set) var branches: Set<Int> = []
        /// Whom the room has let in: as many as it has members.
        fileprivate(set) var admitted: Set<PeerID> = []
        /// Where those have a path, or are to get one.
        fileprivate(set) var peers: [PeerID: Int] = [:]
        /// Offers that a worker has not answered yet: until then a peer's place stays.
        fileprivate var offersInFlight: [PeerID: Int] = [:]
        /// What clients have told of their ways, those whose path is not open yet among them.
        fileprivate(set) var statedRoundTrips: [PeerID: Interval] = [:]

        /// All workers that know the stage.
        var workers: [Int] { [home] + branches.sorted() }
    }

    /// Listeners go to their stage's home until it is this busy, 0…1.
    private let fullHome: Double
    private var routes: [StageID: Route] = [:]
    /// How many stages have their home at each worker, and how many peers have their path there.
    private var homes: [Int]
    private var peers: [Int]

    init(workers: Int, fullHome: Double) {
        self.fullHome = fullHome
        homes = [Int](repeating: 0, count: workers)
        peers = homes
    }

    subscript(stage: StageID) -> Route? { routes[stage] }

    // MARK: Stages

    /// - Returns: its home; nil if the stage is open.
    mutating func open(_ stage: StageID, isWhole: Bool = false, loads: [Double]) -> Int? {
        guard routes[stage] == nil else { return nil }
        let home = Self.least(of: loads, homes)
        routes[stage] = Route(home: home, isWhole: isWhole)
        homes[home] += 1
        return home
    }

    mutating func close(_ stage: StageID) -> Route? {
        guard let route = routes.removeValue(forKey: stage) else { return nil }
        homes[route.home] -= 1
        for worker in route.peers.values { peers[worker] -= 1 }
        return route
    }

    /// The least busy worker. Where loads hardly differ, `counts` decide: a load takes a second to show.
    private static func least(of loads: [Double], _ counts: [Int]) -> Int {
        let idlest = loads.min() ?? 0
        let candidates = loads.indices.filter { loads[$0] - idlest <= 0.1 }
        return candidates.min { (counts[$0], $0) < (counts[$1], $1) } ?? 0
    }

    // MARK: People

    mutating func admit(_ peer: PeerID, on stage: StageID) { routes[stage]?.admitted.insert(peer) }

    /// - Returns: where its path is, or would be; nil for a stage that is not open.
    mutating func expel(_ peer: PeerID, on stage: StageID) -> Int? {
        guard let route = routes[stage] else { return nil }
        routes[stage]?.admitted.remove(peer)
        displace(peer, on: stage)
        routes[stage]?.offersInFlight[peer] = nil
        routes[stage]?.statedRoundTrips[peer] = nil
        return route.peers[peer] ?? route.home
    }

    /// - Returns: the worker that has its path; nil if none has.
    mutating func note(_ roundTrip: Interval, of peer: PeerID, on stage: StageID) -> Int? {
        guard var route = routes[stage] else { return nil }
        // Nobody needs it of those who are no longer there.
        if route.statedRoundTrips.count >= Self.statementsKept, route.statedRoundTrips[peer] == nil {
            route.statedRoundTrips = route.statedRoundTrips.filter { route.peers[$0.key] != nil }
            guard route.statedRoundTrips.count < Self.statementsKept else { return route.peers[peer] }
        }
        routes[stage]?.statedRoundTrips = route.statedRoundTrips
        routes[stage]?.statedRoundTrips[peer] = roundTrip
        return route.peers[peer]
    }

    /// The worker for a peer's offers, which stays the same as long as the peer is admitted.
    mutating func place(_ peer: PeerID, on stage: StageID, loads: [Double]) throws(MediaRefusal) -> Int {
        guard let route = routes[stage] else { throw .unknownStage }
        guard route.admitted.contains(peer) else { throw .notAdmitted }
        if let present = route.peers[peer] { return present }
        let worker = choose(route, loads: loads)
        routes[stage]?.peers[peer] = worker
        peers[worker] += 1
        return worker
    }

    /// An offer of the peer is on its way to where it was placed.
    mutating func noteOffer(of peer: PeerID, on stage: StageID) {
        routes[stage]?.offersInFlight[peer, default: 0] += 1
    }

    /// It has been answered. A peer that has no path there after its last offer may be placed elsewhere with the next one.
    mutating func noteAnswer(to peer: PeerID, on stage: StageID, hasPath: Bool) {
        guard let inFlight = routes[stage]?.offersInFlight[peer] else { return }
        routes[stage]?.offersInFlight[peer] = inFlight > 1 ? inFlight - 1 : nil
        if inFlight == 1, !hasPath { displace(peer, on: stage) }
    }

    private mutating func displace(_ peer: PeerID, on stage: StageID) {
        if let worker = routes[stage]?.peers.removeValue(forKey: peer) { peers[worker] -= 1 }
    }

    /// The home while it has time; then a branch that has some; then whoever has most.
    private func choose(_ route: Route, loads: [Double]) -> Int {
        if route.isWhole { return route.home }
        return route.workers.first { loads[$0] < fullHome } ?? Self.least(of: loads, peers)
    }

    /// - Returns: whether the stage is new there.
    mutating func branch(_ stage: StageID, to worker: Int) -> Bool {
        guard let route = routes[stage], worker != route.home else { return false }
        return routes[stage]?.branches.insert(worker).inserted ?? false
    }
}
