import RoomModel
import RoomPorts
import RoomRules
import Timing

/// The newest still of a live room, and the one before. They live in memory alone: after a restart the next one comes within seconds.
struct StillHolder {
    /// Hosts send one every 20 s; what comes twice as fast is refused.
    static let interval = Interval.seconds(10)
    /// One that is older shows what is no longer so.
    static let lifetime = Interval.seconds(60)

    private struct Taken {
        let still: RoomStill
        let ends: Instant
    }

    private var newest: Taken?
    /// Who has read the list a moment ago asks for this one.
    private var replaced: Taken?
    private var sender: UserID?
    private var lastTaken = Instant.distantPast

    /// What is shown.
    var current: RoomStill? { newest?.still }
    /// What is found under its number too.
    var earlier: RoomStill? { replaced?.still }
    /// When the next of them has lived its time.
    var ends: Instant? { replaced?.ends ?? newest?.ends }

    /// Whether another one would be taken now.
    /// - Throws: `rate_limited`.
    func check(at now: Instant) throws(RoomError) {
        let next = lastTaken + Self.interval
        guard now >= next else {
            throw RoomError(.rateLimited, retryAfterMs: Int((next - now).nanoseconds / 1_000_000) + 1)
        }
    }

    mutating func take(_ picture: StillPicture, of user: UserID, at now: Instant) {
        lastTaken = now
        sender = user
        replaced = newest
        newest = Taken(still: RoomStill(picture), ends: now + Self.lifetime)
    }

    mutating func expire(at now: Instant) {
        if let replaced, replaced.ends <= now { self.replaced = nil }
        if let newest, newest.ends <= now { remove() }
    }

    /// Both, at once: a still says that everybody in the room sees this person.
    mutating func remove() {
        newest = nil
        replaced = nil
        sender = nil
    }

    /// Whoever it shows must still be the host, and be seen: a still says what everybody in the room sees.
    mutating func review(_ state: DurableRoomState) {
        if let sender, !state.shows(host: sender) { remove() }
    }
}

extension DurableRoomState {
    /// Whether that person is the host of the live room, on stage with a camera that is on.
    func shows(host user: UserID) -> Bool {
        beginning.kind == .live && progress.phase == .open && user == owner.id
            && (seat(of: user).map { seats[$0].isSeen } ?? false)
    }
}
