import RoomModel
import RoomPorts
import RoomRules

/// Which room was created under which idempotency key: a repeat leads to the room that the first one created.
struct KeyedCreations {
    struct Name: Hashable {
        var application: ApplicationID
        /// Whose key it is.
        var user: UserID
        var key: String
    }

    struct Creation {
        var room: RoomKey
        var fingerprint: UInt64
        fileprivate var time: Int64
    }

    private var creations: [Name: Creation] = [:]

    /// - Parameter now: in milliseconds since 1970; keys are known as long as those of other commands.
    mutating func creation(_ name: Name, now: Int64) -> Creation? {
        creations = creations.filter { now - $0.value.time < AnswerLedger.lifetimeMs }
        return creations[name]
    }

    mutating func note(_ name: Name, of room: RoomKey, _ fingerprint: UInt64, at time: Int64) {
        creations[name] = Creation(room: room, fingerprint: fingerprint, time: time)
    }

    /// The room was not stored: another attempt with the same key is a new one.
    mutating func forget(_ room: RoomKey) { creations = creations.filter { $0.value.room != room } }
}
