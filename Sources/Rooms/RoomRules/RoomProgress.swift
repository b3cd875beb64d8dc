package import RoomModel

/// Which room it is, and how far its journal has come.
package struct RoomProgress: Equatable, Sendable {
    package enum Phase: String, Hashable, Sendable, Codable {
        /// Known by its id only. → `open`
        case unborn
        /// → `ended`
        case open
        /// A room that is created again with the same id is another room, with a journal of its own.
        case ended
    }

    package let room: RoomID
    package var phase: Phase = .unborn
    /// Number of accepted commands since the first; the position of the last journal entry.
    package var position: UInt64 = 0
    /// Number of the last numbered event.
    package var seq: UInt64 = 0
    /// Number of the last message.
    package var chat: UInt64 = 0

    init(room: RoomID) { self.room = room }
}

extension RoomProgress: Codable {
    private enum CodingKeys: String, CodingKey { case room, phase, position, seq, chat }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        room = try fields.decode(RoomID.self, forKey: .room)
        phase = try fields.decode(Phase.self, forKey: .phase)
        position = try fields.decode(UInt64.self, forKey: .position)
        seq = try fields.decodeIfPresent(UInt64.self, forKey: .seq) ?? 0
        chat = try fields.decodeIfPresent(UInt64.self, forKey: .chat) ?? 0
    }
}
