import RoomModel
import RoomRules
import Timing

/// What a room lets through of its messages (G04). Beyond the budget a message is refused before it is stored, and its sender is told; the
/// lower its priority, the sooner. One person has a share of it and no more, but for those who run the room. Seats, roles and whatever
/// else the room decides are no messages, and cost nothing of it.
struct MessageBudget {
    /// Whose share is spent, and the milliseconds until there is one for that priority.
    enum Refusal: Equatable {
        case room(wait: Int)
        case person(wait: Int)
        /// The room's slow mode.
        case slow(wait: Int)
        /// Not the room's to give.
        case elsewhere(RoomError)
        /// What it says is not let through.
        case words(RoomError)
    }

    private var limits: MessageLimits?
    private var bucket = TokenBucket(Allowance(burst: 0, perSecond: 0), now: Instant(nanoseconds: 0))
    private var people = TokenBuckets<UserID>(Allowance(burst: 0, perSecond: 0))
    private var slowSeconds = 0
    private var slow = TokenBuckets<UserID>(Allowance(burst: 1, perSecond: 1))

    /// Takes one message out of the budget and out of the sender's share.
    /// - Parameters:
    ///   - person: the sender; `nil` has no share to keep to.
    ///   - limits: a second's worth of the room's may come at once, two seconds' of a person's: who has thought for a while writes some
    ///     short lines together.
    ///   - slowSeconds: how long one person waits between two messages; 0: not at all.
    ///   - words: reads it, once there is room for it; `nil` if nothing stands against it. Reading costs, so it takes of the sender's
    ///     share, and of nobody else's; the sender need not wait to say it better.
    ///   - elsewhere: takes it out of another allowance too, asked last; `nil` if there is one.
    mutating func take(
        _ priority: MessagePriority, by person: UserID?, of limits: MessageLimits, slowSeconds: Int = 0,
        at now: Instant,
        words: () -> RoomError? = { nil },
        elsewhere: () -> RoomError? = { nil }
    ) -> Refusal? {
        let burst = Double(limits.room)
        if self.limits != limits {
            self.limits = limits
            bucket = TokenBucket(Allowance(burst: burst, perSecond: burst), now: now)
            people = TokenBuckets(
                Allowance(burst: 2 * Double(limits.person), perSecond: Double(limits.person)))
        }
        if self.slowSeconds != slowSeconds {
            self.slowSeconds = slowSeconds
            slow = TokenBuckets<UserID>(Allowance(burst: 1, perSecond: 1 / Double(max(1, slowSeconds))))
        }
        if let person {
            let wait = people.wait(person, now: now)
            if wait > 0 { return .person(wait: wait) }
            if slowSeconds > 0 {
                let wait = slow.wait(person, now: now)
                if wait > 0 { return .slow(wait: wait) }
            }
        }
        // What must be left for those that matter more: while there is as much, they find room at once.
        let reserve = min(burst * priority.reserve, burst - 1)
        let wait = bucket.wait(leaving: reserve, now: now)
        if wait > 0 { return .room(wait: wait) }
        if let error = words() {
            if let person { _ = people.take(person, now: now) }
            return .words(error)
        }
        if let error = elsewhere() { return .elsewhere(error) }
        // What was refused costs nothing.
        _ = bucket.take(leaving: reserve, now: now)
        if let person {
            _ = people.take(person, now: now)
            if slowSeconds > 0 { _ = slow.take(person, now: now) }
        }
        return nil
    }
}

extension MessagePriority {
    /// The share of the budget that messages of this priority leave untouched.
    fileprivate var reserve: Double {
        switch self {
        case .high: 0
        case .normal: 0.25
        case .low: 0.5
        }
    }
}
