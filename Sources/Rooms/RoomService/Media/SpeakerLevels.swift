import RoomModel
import Timing

/// Merges the media plane's levels into news: at most five a second while anyone speaks, fewer in a crowd, and one empty one at silence.
struct SpeakerLevels {
    static let interval = Interval.milliseconds(200)
    /// Each goes to everybody: together no more than this many a second, until they come once a second.
    static let toldPerSecond = 10_000
    static let longestInterval = Interval.seconds(1)

    private var loudest: [UserID: Int] = [:]
    private var changed = false
    private var silent = true
    private var lastSent = Instant.distantPast
    /// What was last told.
    private(set) var told: [UserID: Int] = [:]

    /// The loudest within the interval counts, so that a short word is not missed.
    mutating func hear(_ levels: [UserID: Int]) {
        if levels.isEmpty, loudest.isEmpty, told.isEmpty { return }
        changed = true
        silent = levels.isEmpty
        for (user, level) in levels { loudest[user] = max(loudest[user] ?? 0, level) }
    }

    /// When the next news may leave; `nil` if there are none.
    /// - Parameter listeners: how many get them.
    func ready(_ now: Instant, listeners: Int = 1) -> Instant? {
        guard changed else { return nil }
        let next = lastSent + Self.interval(listeners)
        return next > now ? next : now
    }

    private static func interval(_ listeners: Int) -> Interval {
        let shared = Interval.microseconds(Int64(listeners) * 1_000_000 / Int64(toldPerSecond))
        return min(longestInterval, max(interval, shared))
    }

    mutating func take(at now: Instant) -> [UserID: Int] {
        let levels = loudest
        told = levels
        loudest = [:]
        // Silence began while a last level was waiting to be sent: it is sent next.
        changed = silent && !levels.isEmpty
        lastSent = now
        return levels
    }
}
