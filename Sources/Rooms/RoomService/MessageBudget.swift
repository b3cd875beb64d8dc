import RoomModel
import Timing

/// What a room lets through of its messages (G04). Beyond the budget a message is refused before it is stored, and its sender is told; the
/// lower its priority, the sooner. Seats, roles and whatever else the room decides are no messages, and cost nothing of it.
struct MessageBudget {
    private var bucket: TokenBucket?
    private var perSecond = 0

    /// Takes one message out of the budget, or gives the milliseconds until there is one for that priority.
    /// - Parameter perSecond: the budget; a second's worth may come at once.
    mutating func take(_ priority: MessagePriority, of perSecond: Int, at now: Instant) -> Int? {
        if self.perSecond != perSecond { bucket = nil }
        self.perSecond = perSecond
        let burst = Double(perSecond)
        var left = bucket ?? TokenBucket(Allowance(burst: burst, perSecond: burst), now: now)
        defer { bucket = left }
        // What must be left for those that matter more: while there is as much, they find room at once.
        let reserve = min(burst * priority.reserve, burst - 1)
        return left.take(leaving: reserve, now: now) ? nil : left.wait(leaving: reserve, now: now)
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
