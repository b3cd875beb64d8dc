import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Synchronization

/// What somebody has asked under a key or by a text that nobody else uses.
final class Wish: Sendable {
    let command: RoomCommand
    let key: IdempotencyKey
    private struct Answers {
        var fresh: [Result<CommandOutcome, RoomError>] = []
        var count = 0
    }
    private let answers = Mutex(Answers())

    init(_ command: RoomCommand, _ key: IdempotencyKey) {
        self.command = command
        self.key = key
    }

    func answer(_ result: Result<CommandOutcome, RoomError>) {
        answers.withLock {
            $0.fresh.append(result)
            $0.count += 1
        }
    }

    var isAnswered: Bool { answers.withLock { $0.count > 0 } }

    /// Those that have come since the last call.
    func takeAnswers() -> [Result<CommandOutcome, RoomError>] {
        answers.withLock { answers in
            defer { answers.fresh = [] }
            return answers.fresh
        }
    }
}

/// Something that comes from another thread's turn, to be looked at in the simulation's.
final class Arrived<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func add(_ value: Value) { values.withLock { $0.append(value) } }

    func take() -> [Value] {
        values.withLock { values in
            defer { values = [] }
            return values
        }
    }
}

/// What somebody has told the operator, in words that nobody else uses.
struct Complaint {
    let words: String
    let answer = Arrived<Result<Void, RoomError>>()
}

/// Somebody with one session in one room, and what they know of it from what they were told.
final class SimulatedPerson {
    private(set) var profile: UserProfile
    var session: SessionToken?
    private(set) var outbox = RecordingOutbox()
    private(set) var entry = Arrived<Result<RoomEntry, RoomError>>()
    private(set) var departures = Arrived<Departure>()
    /// Whether they have a connection.
    private(set) var isConnected = false
    /// From the entry on.
    var isInside = false
    /// How far they have seen the room, and which life of it that was.
    var point: ResumePoint?
    var life: Int64?
    var wishes: [Wish] = []
    var complaints: [Complaint] = []
    /// Answered with success under its key: the first answer holds.
    var granted: [(wish: Wish, result: CommandResult)] = []
    /// What nobody knows the outcome of.
    var doubtful: [Wish] = []
    /// So often they have been another person.
    private var lives = 0

    init(_ id: UserID) {
        profile = UserProfile(id: id)
        name()
    }

    /// Nobody else's, and no part of another name.
    private func name() { profile.name = "\(profile.id.rawValue)~\(lives)~" }

    /// Connects anew: what was on its way to the former connection is lost.
    func connect() -> Attendee? {
        guard let session else { return nil }
        outbox = RecordingOutbox()
        entry = Arrived()
        departures = Arrived()
        isConnected = true
        isInside = false
        return Attendee(
            session: session, profile: profile, outbox: outbox,
            departed: { [departures] _, departure in departures.add(departure) })
    }

    func disconnect() {
        isConnected = false
        isInside = false
        doubtful = (doubtful + wishes).suffix(20)
        wishes = []
        complaints = []
    }

    /// Their stay is over.
    func depart() {
        disconnect()
        session = nil
        point = nil
    }

    /// Another life of the room has begun, in which nobody has asked for anything.
    func forgetWishes() {
        granted = []
        doubtful = []
    }

    /// The operator erases them. Who comes back is somebody else.
    func beErased() {
        depart()
        forgetWishes()
        lives += 1
        name()
    }
}
