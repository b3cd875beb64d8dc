/// Something that people of a room are told: its fields, as they stand beside `type` on the wire. Each is declared once, with the values
/// of its subject; server, journal and clients share it.
package protocol EventPayload: Codable, Hashable, Sendable {
    /// What it is called on the wire.
    var type: EventType { get }
    /// Its length on the wire, as `WireSize` counts. One that carries texts adds them.
    var wireSize: Int { get }
}

extension EventPayload {
    package var wireSize: Int { 4 * WireSize.object }
}

/// One that stands in the journal as it is told, but for who did it: the journal has that once for the whole command.
package protocol StoredPayload: EventPayload {
    var by: UserID? { get set }
}

extension StoredPayload {
    package func done(by author: UserID?) -> Self {
        var done = self
        done.by = author
        return done
    }
}

/// Which payload the events of a type have, and what is made of it.
package enum EventForm: Sendable {
    case numbered(any EventPayload.Type, read: @Sendable (any Decoder) throws -> RoomChange.What)
    case unnumbered(any EventPayload.Type, read: @Sendable (any Decoder) throws -> RoomNewsEvent)

    package var payload: any EventPayload.Type {
        switch self {
        case .numbered(let payload, _), .unnumbered(let payload, _): payload
        }
    }

    static func change<Payload: EventPayload>(
        _ make: @escaping @Sendable (Payload) -> RoomChange.What
    ) -> EventForm {
        .numbered(Payload.self) { make(try Payload(from: $0)) }
    }

    static func news<Payload: EventPayload>(
        _ make: @escaping @Sendable (Payload) -> RoomNewsEvent
    ) -> EventForm {
        .unnumbered(Payload.self) { make(try Payload(from: $0)) }
    }

    static func passing<Payload: EventPayload>(
        _ make: @escaping @Sendable (Payload) -> PassingNews
    ) -> EventForm {
        .unnumbered(Payload.self) { .passing(make(try Payload(from: $0))) }
    }
}
