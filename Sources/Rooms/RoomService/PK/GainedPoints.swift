import RoomEvents
import RoomModel
import RoomRules
import Timing

/// Points that a PK has brought and that are not stored yet.
struct GainedPoints {
    /// So many likes of one person count: more is a machine.
    static let perPerson = Allowance(burst: 5, perSecond: 5)

    /// Of those who have liked since the PK began.
    private var allowances: [UserID: TokenBucket] = [:]
    private var gained: UInt64 = 0

    mutating func add(likes: Int, by user: UserID, at now: Instant) {
        var allowance = allowances[user] ?? TokenBucket(Self.perPerson, now: now)
        var counted: UInt64 = 0
        while counted < likes, allowance.take(now: now) { counted += 1 }
        allowances[user] = allowance
        gained += counted
    }

    mutating func add(coins: Int) { gained += UInt64(coins) }

    mutating func take() -> UInt64 {
        defer { gained = 0 }
        return gained
    }

    /// No PK runs.
    mutating func forgetPeople() { allowances = [:] }
}

extension RoomTurn {
    /// Somebody likes: it counts while a PK runs.
    mutating func gain(likes: Int, by user: UserID) {
        if isCountingPoints(at: wallNow) { points.add(likes: likes, by: user, at: now) }
    }

    /// Somebody has given something: what it cost counts for the PK that ran when it was paid.
    /// - Parameter time: in milliseconds since 1970.
    mutating func gain(coins: Int, at time: Int64) { if isCountingPoints(at: time) { points.add(coins: coins) } }

    private func isCountingPoints(at time: Int64) -> Bool {
        guard let match = state.links.pk.match, match.phase == .running, let start = match.startAt,
            let end = match.endAt
        else { return false }
        return (start..<end).contains(time)
    }

    /// The event that goes with the likes or gifts that are stored now.
    mutating func takeGained() -> RoomEvent? { state.links.pointsGained(points.take()) }
}
