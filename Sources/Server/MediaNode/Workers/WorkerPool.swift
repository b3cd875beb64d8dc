internal import DTLS
internal import DatagramIO
internal import Forwarding
import RoomModel
internal import RoomPorts
internal import Synchronization
internal import Timing

/// The workers of the media plane, and which of them has what. Every call returns at once, or waits for one worker's answer; commands
/// about one stage or one peer are done in the order in which they are given here.
final class WorkerPool: Sendable {
    /// One worker as others reach it.
    struct Worker: Sendable {
        let mailbox: Mailbox
        let port: UInt16
        let gauge: LoadGauge
        let thread: WorkerThread
    }

    /// A room has no more.
    private static let seats = 16

    private let workers: [Worker]
    /// What a branch is opened with, beside its route.
    private struct Opened {
        var slots: Int
        var kind: StageKind
        var hasMix: Bool
    }

    private struct State {
        var routes: Routes
        var opened: [StageID: Opened] = [:]
        var bridges = Bridges()
    }

    /// Held while a command is posted, so that the order in which workers see commands is the order in which routes change.
    private let state: Mutex<State>

    /// Opens the sockets and starts the workers, all of them or none.
    static func start(
        _ configuration: MediaNodeConfiguration, facts: FactStream, clock: @escaping @Sendable () -> Instant
    ) async throws(MediaNodeError) -> WorkerPool {
        let certificate: DTLSCertificate
        do { certificate = try DTLSCertificate.selfSigned() } catch { throw .cryptography(error.message) }
        var workers: [Worker] = []
        do throws(MediaNodeError) {
            for number in 0..<configuration.workers {
                workers.append(
                    try await start(number, configuration, certificate: certificate, facts: facts, clock: clock))
            }
        } catch {
            for worker in workers { _ = worker.mailbox.post(.stop) }
            for worker in workers { worker.thread.join() }
            throw error
        }
        if workers.count > 1 {
            for (number, worker) in workers.enumerated() {
                let next = workers[(number + 1) % workers.count].mailbox
                _ = worker.mailbox.post(.passOn(to: next, workers: workers.count))
            }
        }
        return WorkerPool(workers, fullHome: configuration.fullHome)
    }

    private static func start(
        _ number: Int, _ configuration: MediaNodeConfiguration, certificate: DTLSCertificate, facts: FactStream,
        clock: @escaping @Sendable () -> Instant
    ) async throws(MediaNodeError) -> Worker {
        let port = configuration.port == 0 ? 0 : configuration.port + UInt16(number)
        let gauge = LoadGauge()
        let launch = Launch()
        let thread: WorkerThread
        do {
            thread = try WorkerThread(name: "media-\(number)") {
                do throws(MediaNodeError) {
                    let worker = try MediaWorker(
                        configuration, port: port, sharedTCPPort: number == 0 ? configuration.sharedTCPPort : nil,
                        certificate: certificate, facts: FactPublisher(facts), gauge: gauge, clock: clock)
                    launch.finish(.success((worker.mailbox, worker.port)))
                    worker.run()
                } catch {
                    launch.finish(.failure(error))
                }
            }
        } catch {
            throw .socket(error)
        }
        let (mailbox, boundPort) = try await launch.result().get()
        return Worker(mailbox: mailbox, port: boundPort, gauge: gauge, thread: thread)
    }

    private init(_ workers: [Worker], fullHome: Double) {
        self.workers = workers
        state = Mutex(State(routes: Routes(workers: workers.count, fullHome: fullHome)))
    }

    deinit { stopAll() }

    /// The UDP ports in use, a worker each.
    var ports: [UInt16] { workers.map(\.port) }
    private var loads: [Double] { workers.map(\.gauge.value) }

    func drain() { for worker in workers { _ = worker.mailbox.post(.drain) } }

    /// Says goodbye to all peers and ends the workers. May be called more than once.
    func stop() {
        stopAll()
        for worker in workers { worker.thread.join() }
    }

    private func stopAll() { for worker in workers { _ = worker.mailbox.post(.stop) } }

    /// What the workers have done so far; nil once they have stopped.
    func counters() async -> MediaCounters? {
        var sum: MediaCounters?
        for worker in workers {
            let counters: MediaCounters? = await withCheckedContinuation { continuation in
                if !worker.mailbox.post(.readCounters { continuation.resume(returning: $0) }) {
                    continuation.resume(returning: nil)
                }
            }
            guard let counters else { return nil }
            sum = sum.map { $0 + counters } ?? counters
        }
        return sum
    }

    // MARK: Stages

    /// - Parameter makeFeed: the way to the mixer, if the stage has a mix; it is given what wakes the stage's worker.
    func openStage(
        _ stage: StageID, slots: Int, kind: StageKind, makeFeed: (_ wake: @escaping @Sendable () -> Void) -> MixFeed?
    ) {
        state.withLock { state in
            guard let home = state.routes.open(stage, isWhole: kind.pictures != nil, loads: loads) else { return }
            let mailbox = workers[home].mailbox
            let feed = makeFeed { mailbox.wake() }
            let count = min(max(slots, 1), Self.seats)
            state.opened[stage] = Opened(slots: count, kind: kind, hasMix: feed != nil)
            _ = mailbox.post(.openStage(stage, slots: count, kind, feed: feed))
        }
    }

    func closeStage(_ stage: StageID) {
        state.withLock { state in
            for bridge in state.bridges.bridges(of: stage) {
                guard let other = state.bridges.close(bridge, of: stage), let home = state.routes[other]?.home else {
                    continue
                }
                _ = workers[home].mailbox.post(.partBridge(bridge, other, confirmed: {}))
            }
            state.opened[stage] = nil
            for worker in state.routes.close(stage)?.workers ?? [] {
                _ = workers[worker].mailbox.post(.closeStage(stage))
            }
        }
    }

    func assign(
        slot: Int, to peer: PeerID?, muted: Bool, dark: Bool, on stage: StageID,
        confirmed: @escaping @Sendable () -> Void
    ) {
        let isPosted = state.withLock { state in
            let home = state.routes[stage]?.home ?? 0
            return workers[home].mailbox.post(
                .assign(
                    slot: slot, peer, muted: muted, dark: dark, stage, confirmed: confirmed))
        }
        // Nothing leaves a stopped worker.
        if !isPosted { confirmed() }
    }

    func assignScreen(to peer: PeerID?, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        let isPosted = state.withLock { state in
            workers[state.routes[stage]?.home ?? 0].mailbox.post(.assignScreen(peer, stage, confirmed: confirmed))
        }
        if !isPosted { confirmed() }
    }

    // MARK: Bridges

    func openBridge(
        _ bridge: BridgeID, place: Int, muted: Bool, on stage: StageID, confirmed: @escaping @Sendable () -> Void
    ) {
        let isPosted = state.withLock { state in
            guard let home = state.routes[stage]?.home, (0..<StageGuests.places).contains(place) else { return false }
            let end = Bridges.End(stage: stage, place: place, isMuted: muted)
            switch state.bridges.open(bridge, end) {
            case .waits: return false
            case .muted(let isMuted):
                return workers[home].mailbox.post(.muteGuest(isMuted, bridge, stage, confirmed: confirmed))
            case .joined(let first, let second):
                join(bridge, first, second, &state)
                return false
            }
        }
        if !isPosted { confirmed() }
    }

    private func join(_ bridge: BridgeID, _ first: Bridges.End, _ second: Bridges.End, _ state: inout State) {
        guard let one = state.routes[first.stage]?.home, let two = state.routes[second.stage]?.home else { return }
        let (here, there) = (workers[one].mailbox, workers[two].mailbox)
        let out = BridgeWay(wakeTaker: { there.ring() }, wakeGiver: { here.ring() })
        let back = BridgeWay(wakeTaker: { here.ring() }, wakeGiver: { there.ring() })
        _ = here.post(
            .joinBridge(
                BridgeTerms(
                    bridge: bridge, stage: first.stage, otherStage: second.stage, place: first.place,
                    isMuted: first.isMuted, member: state.bridges.name(), wayIn: back, wayOut: out, mailbox: there)))
        _ = there.post(
            .joinBridge(
                BridgeTerms(
                    bridge: bridge, stage: second.stage, otherStage: first.stage, place: second.place,
                    isMuted: second.isMuted, member: state.bridges.name(), wayIn: out, wayOut: back, mailbox: here)))
    }

    func closeBridge(_ bridge: BridgeID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let ends = [stage, state.bridges.close(bridge, of: stage)].compactMap { $0 }
            let both = Countdown(ends.count, confirmed)
            for end in ends {
                let isPosted =
                    state.routes[end].map {
                        workers[$0.home].mailbox.post(.partBridge(bridge, end, confirmed: { both.count() }))
                    } ?? false
                if !isPosted { both.count() }
            }
        }
    }

    // MARK: Peers

    func view(_ picture: PictureView, as layer: PictureLayer, by peer: PeerID, on stage: StageID) {
        state.withLock { state in
            // Who has no path gets nothing, and says it again when they have one.
            guard let worker = state.routes[stage]?.peers[peer] else { return }
            _ = workers[worker].mailbox.post(.view(picture, layer, peer, stage))
        }
    }

    func admit(_ peer: PeerID, on stage: StageID) { state.withLock { $0.routes.admit(peer, on: stage) } }

    func closePeer(_ peer: PeerID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        let isPosted = state.withLock { state in
            let worker = state.routes.expel(peer, on: stage) ?? 0
            return workers[worker].mailbox.post(.closePeer(peer, stage, confirmed: confirmed))
        }
        if !isPosted { confirmed() }
    }

    func stateRoundTrip(_ roundTrip: Interval, of peer: PeerID, on stage: StageID) {
        state.withLock { state in
            guard let worker = state.routes.note(roundTrip, of: peer, on: stage) else { return }
            _ = workers[worker].mailbox.post(.stateRoundTrip(roundTrip, peer, stage))
        }
    }

    /// The UDP port at which the peer's path will end. Refuses whom the room has not let in.
    func port(for peer: PeerID, on stage: StageID) throws(MediaRefusal) -> UInt16 {
        let place = state.withLock { state in
            Result<Int, MediaRefusal> { () throws(MediaRefusal) in
                try state.routes.place(peer, on: stage, loads: loads)
            }
        }
        return workers[try place.get()].port
    }

    /// Asked again at this moment whether the room still lets the peer in: whatever ends its stay follows the offer.
    func answer(_ offer: ParsedOffer) async throws(MediaRefusal) -> NegotiatedOffer {
        let result: Result<NegotiatedOffer, MediaRefusal> = await withCheckedContinuation { continuation in
            let refusal: MediaRefusal? = state.withLock { state in
                do throws(MediaRefusal) {
                    let worker = try state.routes.place(offer.peer, on: offer.stage, loads: loads)
                    openBranch(of: offer.stage, on: worker, &state)
                    var offer = offer
                    offer.statedRoundTrip = state.routes[offer.stage]?.statedRoundTrips[offer.peer]
                    let isPosted = workers[worker].mailbox.post(
                        .offer(offer) { [self, peer = offer.peer, stage = offer.stage] result, hasPath in
                            // The next try may find another worker with more time.
                            self.state.withLock { $0.routes.noteAnswer(to: peer, on: stage, hasPath: hasPath) }
                            continuation.resume(returning: result)
                        })
                    guard isPosted else { return .stopped }
                    state.routes.noteOffer(of: offer.peer, on: offer.stage)
                    return nil
                } catch {
                    return error
                }
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    private func openBranch(of stage: StageID, on worker: Int, _ state: inout State) {
        guard state.routes.branch(stage, to: worker), let opened = state.opened[stage],
            let home = state.routes[stage]?.home
        else { return }
        let (there, here) = (workers[worker].mailbox, workers[home].mailbox)
        let link = BranchLink(wakeBranch: { there.ring() }, wakeStage: { here.ring() })
        _ = there.post(
            .openBranch(
                BranchTerms(
                    stage: stage, kind: opened.kind, slots: opened.slots, hasMix: opened.hasMix, link: link,
                    mailbox: here)))
        _ = here.post(.addBranch(stage, link, there))
    }
}

/// How the start of a thread ends, known once.
private final class Launch: Sendable {
    typealias Outcome = Result<(Mailbox, UInt16), MediaNodeError>
    private let stream: AsyncStream<Outcome>
    private let continuation: AsyncStream<Outcome>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func finish(_ outcome: Outcome) {
        continuation.yield(outcome)
        continuation.finish()
    }

    func result() async -> Outcome {
        for await outcome in stream { return outcome }
        return .failure(.cryptography("the media thread ended before it began"))
    }
}

/// Runs something when so many others have said that they are ready, from any thread.
private final class Countdown: Sendable {
    private let left: Mutex<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        left = Mutex(count)
        self.done = done
    }

    func count() {
        let isDone = left.withLock {
            $0 -= 1
            return $0 == 0
        }
        if isDone { done() }
    }
}
