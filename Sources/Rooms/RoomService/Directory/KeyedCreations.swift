import DequeModule
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
    private var names: [RoomKey: [Name]] = [:]
    /// In the order in which they were noted: whichever is too old is taken from the front.
    private var order: Deque<(name: Name, time: Int64)> = []

    /// - Parameter now: in milliseconds since 1970; keys are known as long as those of other commands.
    mutating func creation(_ name: Name, now: Int64) -> Creation? {
        while let oldest = order.first, now - oldest.time >= AnswerLedger.lifetimeMs {
            order.removeFirst()
            // Another attempt with that key may be younger.
            if let creation = creations[oldest.name], creation.time == oldest.time {
                remove(oldest.name, of: creation.room)
            }
        }
        return creations[name]
    }

    mutating func note(_ name: Name, of room: RoomKey, _ fingerprint: UInt64, at time: Int64) {
        if let former = creations[name] { remove(name, of: former.room) }
        creations[name] = Creation(room: room, fingerprint: fingerprint, time: time)
        names[room, default: []].append(name)
        order.append((name, time))
    }

    /// The room was not stored: another attempt with the same key is a new one.
    mutating func forget(_ room: RoomKey) {
        for name in names.removeValue(forKey: room) ?? [] { creations[name] = nil }
    }

    private mutating func remove(_ name: Name, of room: RoomKey) {
        creations[name] = nil
        names[room]?.removeAll { $0 == name }
        if names[room]?.isEmpty == true { names[room] = nil }
    }
}
