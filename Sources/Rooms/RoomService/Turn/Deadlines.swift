import RoomModel
import RoomPorts
import Timing

/// What a room waits for. An expired timer runs in a turn of the room; a timer that has lost its reason does nothing.
enum Deadline: Hashable, Sendable {
    /// The session's connection must be back by then.
    case grace(SessionToken)
    /// Somebody who is in the room without any session (after a restart, or replaced) must have entered by then.
    case absence(UserID)
    case ownerAbsence
    case invitation(String)
    case consent(UserID)
    /// The song is over.
    case song
    /// Gathered news leave.
    case news
    case likes
    case gifts
    /// The ledger is asked what became of gifts at which it failed.
    case doubts
    case levels
    case network
    case count
    /// The text of entries is kept no longer.
    case sharedText
    /// Something between rooms is due.
    case pk
    /// A host whose connection is lost must be back by then, or the PK ends.
    case host
    /// Letters that another room has not confirmed are said again.
    case letters
    /// Rooms that this one is linked to are asked whether they are there.
    case greeting
    /// The other room is told the points.
    case points
    /// The newest still is too old to be shown.
    case still
    /// The media plane must have confirmed a cut by then.
    case confirmation
}

/// A room's timers.
struct Deadlines {
    private var times: [Deadline: (at: Instant, serial: UInt64)] = [:]
    private var serial: UInt64 = 0
    /// No later than the earliest deadline; it may be earlier after a cancellation, then a wake finds nothing due.
    private(set) var earliest = Instant.distantFuture

    mutating func set(_ deadline: Deadline, at time: Instant) {
        serial += 1
        times[deadline] = (time, serial)
        earliest = min(earliest, time)
    }

    mutating func cancel(_ deadline: Deadline) { times[deadline] = nil }

    func isSet(_ deadline: Deadline) -> Bool { times[deadline] != nil }
    func time(of deadline: Deadline) -> Instant? { times[deadline]?.at }

    /// Nothing is waited for any more.
    mutating func end() {
        times = [:]
        earliest = .distantFuture
    }

    /// Takes out what is due, in the order of the times.
    mutating func due(at now: Instant) -> [Deadline] {
        guard earliest <= now else { return [] }
        let due = times.filter { $0.value.at <= now }.sorted {
            ($0.value.at, $0.value.serial) < ($1.value.at, $1.value.serial)
        }
        for (deadline, _) in due { times[deadline] = nil }
        earliest = times.values.map(\.at).min() ?? .distantFuture
        return due.map(\.key)
    }
}
