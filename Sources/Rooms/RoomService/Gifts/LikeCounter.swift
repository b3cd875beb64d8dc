import RoomModel
import Timing

/// Likes that are not stored yet: a crowd's likes of a moment become one journal entry, and each sender's answer waits
/// for it.
struct LikeCounter {
    /// Alone a like is stored at once, in a crowd at most so often.
    static let interval = Interval.milliseconds(100)
    /// How many of the senders are named.
    static let named = 3

    private(set) var count: UInt64 = 0
    private(set) var users: [UserID] = []
    private(set) var answers: [PlannedAnswer] = []
    private var lastTaken = Instant.distantPast

    var isEmpty: Bool { count == 0 }

    mutating func add(_ likes: UInt64, by user: UserID, answer: PlannedAnswer) {
        count += likes
        if users.count < Self.named, !users.contains(user) { users.append(user) }
        answers.append(answer)
    }

    /// When they may be stored.
    func ready(_ now: Instant) -> Instant {
        let next = lastTaken + Self.interval
        return next > now ? next : now
    }

    mutating func take(at now: Instant) -> LikeCounter {
        let taken = self
        self = LikeCounter()
        lastTaken = now
        return taken
    }
}
