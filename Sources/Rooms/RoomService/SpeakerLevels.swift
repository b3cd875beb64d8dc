import RoomModel
import Timing

/// Merges the media plane's levels into news: at most five a second while anyone speaks, and one empty one at silence.
struct SpeakerLevels {
    static let interval = Interval.milliseconds(200)

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
    func ready(_ now: Instant) -> Instant? {
        guard changed else { return nil }
        let next = lastSent + Self.interval
        return next > now ? next : now
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
