import Commerce
import RoomEvents
import RoomModel

// How a room stands in a snapshot, written by hand (snapshot version 1). A snapshot outlives the program that wrote it: a key keeps
// its meaning for ever, a key that was added later has a default here, and `Tests/ServerAppTests/Fixtures` has a file of each release.
// A word that this program does not know (a phase, a kind of room) is from a newer server, and an error.

extension DurableRoomState: Codable {
    private enum CodingKeys: String, CodingKey {
        case room, phase, position, seq, chat, kind, settings, owner, admins, seats, likes, peak, gifts, attributes
        case createdAt, createdIn, lasts, answers, creation
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(room: try fields.decode(RoomID.self, forKey: .room))
        phase = try fields.decode(Phase.self, forKey: .phase)
        position = try fields.decode(UInt64.self, forKey: .position)
        owner = try fields.decode(UserProfile.self, forKey: .owner)
        seq = try fields.decodeIfPresent(UInt64.self, forKey: .seq) ?? 0
        chat = try fields.decodeIfPresent(UInt64.self, forKey: .chat) ?? 0
        kind = try fields.decodeIfPresent(RoomKind.self, forKey: .kind) ?? .voice
        guard kind.isKnown else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: fields,
                debugDescription: "a room of the kind \(kind.rawValue) is from a newer server")
        }
        settings = try fields.decodeIfPresent(RoomSettings.self, forKey: .settings) ?? RoomSettings(name: "")
        admins = try fields.decodeIfPresent([UserID].self, forKey: .admins) ?? []
        seats = try fields.decodeIfPresent(Seats.self, forKey: .seats) ?? Seats()
        invitations = try Invitations(from: decoder)
        likes = try fields.decodeIfPresent(UInt64.self, forKey: .likes) ?? 0
        gifts = try fields.decodeIfPresent(GiftBook.self, forKey: .gifts) ?? GiftBook()
        restrictions = try Restrictions(from: decoder)
        attributes = try fields.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:]
        // What stands beside these, each subject says.
        chorus = try Chorus(from: decoder)
        stage = try LiveStage(from: decoder)
        links = try HostLinks(from: decoder)
        peak = try fields.decodeIfPresent(Int.self, forKey: .peak) ?? 0
        createdAt = try fields.decodeIfPresent(Int64.self, forKey: .createdAt) ?? 0
        createdIn = try fields.decodeIfPresent(UInt64.self, forKey: .createdIn) ?? 0
        lasts = try fields.decodeIfPresent(Bool.self, forKey: .lasts) ?? false
        answers = try fields.decodeIfPresent(AnswerLedger.self, forKey: .answers) ?? AnswerLedger()
        creation = try fields.decodeIfPresent(KeyedAnswer.self, forKey: .creation)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try fields.encode(phase, forKey: .phase)
        try fields.encode(position, forKey: .position)
        try fields.encode(seq, forKey: .seq)
        try fields.encode(chat, forKey: .chat)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(settings, forKey: .settings)
        try fields.encode(owner, forKey: .owner)
        try fields.encode(admins, forKey: .admins)
        try fields.encode(seats, forKey: .seats)
        try invitations.encode(to: encoder)
        try fields.encode(likes, forKey: .likes)
        if !gifts.isEmpty { try fields.encode(gifts, forKey: .gifts) }
        try restrictions.encode(to: encoder)
        if !attributes.isEmpty { try fields.encode(attributes, forKey: .attributes) }
        try chorus.encode(to: encoder)
        try stage.encode(to: encoder)
        try links.encode(to: encoder)
        try fields.encode(peak, forKey: .peak)
        try fields.encode(createdAt, forKey: .createdAt)
        if lasts { try fields.encode(true, forKey: .lasts) }
        try fields.encode(createdIn, forKey: .createdIn)
        try fields.encode(answers, forKey: .answers)
        try fields.encodeIfPresent(creation, forKey: .creation)
    }
}
