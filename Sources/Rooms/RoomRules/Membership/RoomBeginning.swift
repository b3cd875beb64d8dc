package import RoomEvents
package import RoomModel

/// How a room began.
package struct RoomBeginning: Equatable, Sendable {
    package var kind: RoomKind = .voice
    /// Milliseconds since 1970.
    package var createdAt: Int64 = 0
    /// The epoch in which it was created.
    package var createdIn: UInt64 = 0
    /// Whether it goes on while its owner is away.
    package var lasts = false
    /// The answer to the command that created the room, if it came with a key.
    package var creation: KeyedAnswer?

    mutating func erase(_ user: UserID) { if creation?.user == user { creation = nil } }
}

extension RoomBeginning: Codable {
    private enum CodingKeys: String, CodingKey { case kind, createdAt, createdIn, lasts, creation }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        kind = try fields.decodeIfPresent(RoomKind.self, forKey: .kind) ?? .voice
        guard kind.isKnown else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: fields,
                debugDescription: "a room of the kind \(kind.rawValue) is from a newer server")
        }
        createdAt = try fields.decodeIfPresent(Int64.self, forKey: .createdAt) ?? 0
        createdIn = try fields.decodeIfPresent(UInt64.self, forKey: .createdIn) ?? 0
        lasts = try fields.decodeIfPresent(Bool.self, forKey: .lasts) ?? false
        creation = try fields.decodeIfPresent(KeyedAnswer.self, forKey: .creation)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(createdAt, forKey: .createdAt)
        try fields.encode(createdIn, forKey: .createdIn)
        if lasts { try fields.encode(true, forKey: .lasts) }
        try fields.encodeIfPresent(creation, forKey: .creation)
    }
}
