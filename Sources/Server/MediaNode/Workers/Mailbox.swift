internal import DatagramIO
internal import Forwarding
internal import RoomPorts
internal import SDP
internal import Synchronization
internal import Timing

/// What others want of a media worker. Commands of one sender are done in the order in which they were posted.
enum WorkerCommand: Sendable {
    /// With a feed to the mixer if the stage has a mix.
    case openStage(StageID, slots: Int, StageKind, feed: MixFeed?)
    case closeStage(StageID)
    case offer(ParsedOffer, reply: @Sendable (Result<NegotiatedOffer, MediaRefusal>) -> Void)
    /// Its offers are answered until it is closed.
    case admit(PeerID, StageID)
    case closePeer(PeerID, StageID, confirmed: @Sendable () -> Void)
    /// What a client has measured itself, perhaps before its first offer.
    case stateRoundTrip(Interval, PeerID, StageID)
    case assign(slot: Int, PeerID?, muted: Bool, StageID, confirmed: @Sendable () -> Void)
    case readCounters(reply: @Sendable (MediaCounters) -> Void)
    /// No new peers from now on.
    case drain
    case stop
}

/// An offer that has been read, since reading takes longer than the media thread should be held up.
struct ParsedOffer: Sendable {
    var stage: StageID
    var peer: PeerID
    var number: UInt32
    var description: SessionDescription
    var candidates: [ICECandidate]
}

/// What the worker agreed to; writing it down is left to the caller's side as well.
struct NegotiatedOffer: Sendable {
    var number: UInt32
    var session: NegotiatedSession
    /// The slot that carries the mix.
    var mixSlot: Int?
}

/// The way into a media worker from any thread: a lock for a queue, and a wake for the poller.
final class Mailbox: Sendable {
    private struct State {
        var commands: [WorkerCommand] = []
        var waker: Poller.Waker
        var isClosed = false
    }

    private let state: Mutex<State>

    init(waker: Poller.Waker) { state = Mutex(State(waker: waker)) }

    /// False if the worker has stopped: the command will never be looked at.
    func post(_ command: WorkerCommand) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            // A worker that has commands has been woken already. Waking under the lock keeps the poller alive meanwhile.
            if state.commands.count == 1 { state.waker.wake() }
            return true
        }
    }

    /// Lets the worker look around, at its feeds for example.
    func wake() { state.withLock { if !$0.isClosed { $0.waker.wake() } } }

    /// Everything posted since the last call. For the worker.
    func take() -> [WorkerCommand] {
        state.withLock { state in
            guard !state.commands.isEmpty else { return [] }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Takes what is left and refuses everything from now on. For the worker, before its poller goes.
    func close() -> [WorkerCommand] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}
