package import RoomModel

/// One event of `room.events` as a client reads it. What a newer server says in words unknown here is passed over, but its
/// number counts.
package enum HeardEvent: Sendable, Hashable {
    case known(RoomNewsEvent)
    /// Of another type than this client knows, or with contents that it cannot read; `seq` if it is a durable one.
    case unknown(seq: UInt64?)

    package var known: RoomNewsEvent? { if case .known(let event) = self { event } else { nil } }
}

extension HeardEvent: Decodable {
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: WireEvent.Keys.self)
        let seq = try? fields.decode(UInt64.self, forKey: .seq)
        let event = try? Self.event(fields, seq, decoder)
        self = event.map { .known($0) } ?? .unknown(seq: seq)
    }

    private static func event(
        _ fields: KeyedDecodingContainer<WireEvent.Keys>, _ seq: UInt64?, _ decoder: any Decoder
    ) throws -> RoomNewsEvent? {
        guard let type = EventType(rawValue: try fields.decode(String.self, forKey: .type)) else { return nil }
        switch (type.form, seq) {
        case (.numbered(_, let read), let seq?):
            let time = try fields.decode(Int64.self, forKey: .time)
            return .change(RoomChange(seq: seq, time: time, what: try read(decoder)))
        case (.unnumbered(_, let read), nil): return try read(decoder)
        // A server that numbers an event of the other kind is newer, and its number counts.
        case (.numbered, nil), (.unnumbered, _?): return nil
        }
    }
}
