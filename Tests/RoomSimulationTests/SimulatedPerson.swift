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

/// Somebody with one session in one room, and what they know of it from what they were told.
final class SimulatedPerson {
    let profile: UserProfile
    var session = SessionToken(rawValue: 0)
    var outbox = RecordingOutbox()
    var entry = Answered()
    /// Whether they have a connection.
    var isConnected = false
    /// From the entry on.
    var isInside = false
    /// How far they have seen the room.
    var point: ResumePoint?
    var wishes: [Wish] = []
    /// Answered with success under its key: the first answer holds.
    var granted: [(wish: Wish, result: CommandResult)] = []
    /// What nobody knows the outcome of.
    var doubtful: [Wish] = []

    /// Where an entry's answer arrives.
    final class Answered: Sendable {
        private let value = Mutex<Result<RoomEntry, RoomError>?>(nil)
        func set(_ result: Result<RoomEntry, RoomError>) { value.withLock { $0 = result } }
        func take() -> Result<RoomEntry, RoomError>? {
            value.withLock { value in
                defer { value = nil }
                return value
            }
        }
    }

    init(_ profile: UserProfile) { self.profile = profile }

    /// Connects anew: what was on its way to the former connection is lost.
    func connect() -> Attendee {
        outbox = RecordingOutbox()
        entry = Answered()
        isConnected = true
        isInside = false
        return Attendee(session: session, profile: profile, outbox: outbox, departed: { _, _ in })
    }

    func disconnect() {
        isConnected = false
        isInside = false
        doubtful = (doubtful + wishes).suffix(20)
        wishes = []
    }
}
