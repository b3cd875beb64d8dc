/// The kind of a room. Newer servers may have more kinds; their rooms are listed but cannot be entered.
@nonexhaustive public enum RoomKind: Codable, Hashable, Sendable, CaseIterable, RawRepresentable {
    /// A salon with seats for speakers.
    case voice
    /// A chorus room: a voice room, usually with two seats, in which a song is played in time for everybody.
    case chorus
    /// A room with pictures: the owner on seat 0 is its anchor, the other seats are co-anchors'.
    case live
    /// A kind that this version does not know, with its wire name.
    case unknown(String)

    /// The kinds that this version knows.
    public static let allCases: [RoomKind] = [.voice, .chorus, .live]

    /// Creates a kind from its wire name.
    public init(rawValue: String) { self = RoomKind.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue) }

    /// The wire name.
    public var rawValue: String {
        switch self {
        case .voice: "voice"
        case .chorus: "chorus"
        case .live: "live"
        case .unknown(let name): name
        }
    }

    /// Whether this version knows how to be in such a room.
    public var isKnown: Bool { if case .unknown = self { false } else { true } }

    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// What the owner and the admins decide about a room.
package struct RoomSettings: Codable, Hashable, Sendable {
    /// 1…64 characters.
    package var name: String
    /// An `https:`, `http:` or relative URL, or empty.
    package var cover: String
    /// At most five, of 1…24 characters.
    package var tags: [String]
    /// Whether one must ask before sitting down.
    package var needsRequest: Bool
    /// Whether `needsRequest` is a hint for clients: the server seats whoever sits down without asking.
    package var isAdvisory = false
    /// What the pictures of a live room come in; stays as it was when the room was created.
    package var pictureFormat: PictureFormat
    /// What the chat takes, and from whom.
    package var chat = ChatSettings()

    /// What is not given is empty or off; pictures are VP8.
    package init(
        name: String, cover: String = "", tags: [String] = [], needsRequest: Bool = false,
        pictureFormat: PictureFormat = .vp8
    ) {
        self.name = name
        self.cover = cover
        self.tags = tags
        self.needsRequest = needsRequest
        self.pictureFormat = pictureFormat
    }

    private enum CodingKeys: String, CodingKey {
        case name, cover, tags, needsRequest, pictureFormat, chat
        case isAdvisory = "advisory"
    }

    // By hand, since settings stand in the journal: what is added later has a default here.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try fields.decode(String.self, forKey: .name),
            cover: try fields.decodeIfPresent(String.self, forKey: .cover) ?? "",
            tags: try fields.decodeIfPresent([String].self, forKey: .tags) ?? [],
            needsRequest: try fields.decodeIfPresent(Bool.self, forKey: .needsRequest) ?? false,
            pictureFormat: try fields.decodeIfPresent(PictureFormat.self, forKey: .pictureFormat) ?? .vp8)
        isAdvisory = try fields.decodeIfPresent(Bool.self, forKey: .isAdvisory) ?? false
        chat = try fields.decodeIfPresent(ChatSettings.self, forKey: .chat) ?? ChatSettings()
    }

    // VP8, an open chat and a rule that holds are not said, so that what is in journals reads as it always has.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(cover, forKey: .cover)
        try fields.encode(tags, forKey: .tags)
        try fields.encode(needsRequest, forKey: .needsRequest)
        if isAdvisory { try fields.encode(true, forKey: .isAdvisory) }
        if pictureFormat != .vp8 { try fields.encode(pictureFormat, forKey: .pictureFormat) }
        if !chat.isOpen { try fields.encode(chat, forKey: .chat) }
    }
}

/// What the pictures of a live room come in: one format for all of them.
@nonexhaustive public enum PictureFormat: Codable, Hashable, Sendable, CaseIterable, RawRepresentable {
    /// What every browser sends and shows.
    case vp8
    /// H.264, constrained baseline: what OBS and cameras send. Browsers without it get no pictures.
    case h264
    /// VP9, profile 0: a better picture at the same rate for more work of the sender's machine.
    case vp9
    /// AV1, main profile: the best picture at a low rate, for the most work. Older browsers and phones neither send nor show it.
    case av1
    /// One that this version does not know.
    case unknown(String)

    /// Those that this version knows.
    public static let allCases: [PictureFormat] = [.vp8, .h264, .vp9, .av1]

    /// Any name: an unknown one is kept.
    public init(rawValue: String) {
        self = PictureFormat.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    /// As the protocol names it.
    public var rawValue: String {
        switch self {
        case .vp8: "vp8"
        case .h264: "h264"
        case .vp9: "vp9"
        case .av1: "av1"
        case .unknown(let name): name
        }
    }

    /// Whether this version knows how to send and show it.
    public var isKnown: Bool { if case .unknown = self { false } else { true } }

    /// From its name.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    /// As its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A room as lists show it.
public struct RoomInfo: Codable, Hashable, Sendable {
    /// Its id.
    public var room: RoomID
    /// What sort of room it is.
    public var kind: RoomKind
    /// 1…64 characters.
    public var name: String
    /// An `https:`, `http:` or relative URL, or empty.
    public var cover: String
    /// What it is found by.
    public var tags: [String]
    /// Whose room it is.
    public var owner: UserProfile
    /// How many seats the room has.
    public var seats: Int
    /// How many of them are used.
    public var seated: Int
    /// How many people are in it.
    public var memberCount: Int
    /// Whether one must ask before sitting down.
    public var needsRequest: Bool
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// Whether anybody is speaking now.
    public var speaking: Bool
    /// Whether the host can be challenged to a PK; only live rooms say it.
    public var pk: PKReadiness?
    /// Whom its host is on the air with: the names of the hosts of the rooms that are linked with it, up to three. nil: nobody.
    public var linkedHosts: [String]?
    /// What the pictures come in; only live rooms say it.
    public var pictureFormat: PictureFormat?
    /// What the chat takes, and from whom; nil: everybody writes what they like.
    public var chat: ChatSettings?
    /// The number of the newest still: what the room looks like now, at `/v1/rooms/<id>/still/<number>.jpg`. Live rooms whose host is
    /// seen may have one, of the last minute.
    public var still: Int64?

    /// Creates the value from its parts.
    package init(
        room: RoomID, kind: RoomKind, settings: RoomSettings, owner: UserProfile, seats: Int, seated: Int,
        memberCount: Int, createdAt: Int64, speaking: Bool, pk: PKReadiness? = nil
    ) {
        self.room = room
        self.kind = kind
        self.name = settings.name
        self.cover = settings.cover
        self.tags = settings.tags
        self.owner = owner
        self.seats = seats
        self.seated = seated
        self.memberCount = memberCount
        self.needsRequest = settings.needsRequest
        self.createdAt = createdAt
        self.speaking = speaking
        self.pk = pk
        pictureFormat = kind == .live ? settings.pictureFormat : nil
        chat = settings.chat.isOpen ? nil : settings.chat
    }
}

/// One page of the directory.
public struct RoomPage: Codable, Hashable, Sendable {
    /// Those of this page, newest first.
    public var rooms: [RoomInfo]
    /// Give it back to get the next page; absent on the last.
    public var cursor: String?

    /// A page, and where the next one begins.
    public init(rooms: [RoomInfo], cursor: String? = nil) {
        self.rooms = rooms
        self.cursor = cursor
    }
}

/// In which order the directory is read.
@nonexhaustive public enum RoomOrder: String, Codable, Hashable, Sendable, CaseIterable {
    /// The newest first.
    case newest
    /// Those with most people first, as they were when the first page was read or a few seconds before.
    case busiest
}

/// What the directory is searched by. Every condition that is given must hold.
package struct RoomQuery: Hashable, Sendable {
    package var kind: RoomKind?
    /// Part of the name or of a tag, or the id; capitals and the width of letters do not matter.
    package var text: String?
    /// One whole tag; capitals and the width of letters do not matter.
    package var tag: String?
    package var order: RoomOrder
    package var limit: Int
    package var cursor: String?

    package init(
        kind: RoomKind? = nil, text: String? = nil, tag: String? = nil, order: RoomOrder = .newest, limit: Int = 30,
        cursor: String? = nil
    ) {
        self.order = order
        self.kind = kind
        self.text = text
        self.tag = tag
        self.limit = limit
        self.cursor = cursor
    }

    package var texts: [SaidText] {
        [
            text.map { SaidText(.search, $0, "query") }, tag.map { SaidText(.search, $0, "tag") },
            cursor.map { SaidText(.cursor, $0, "cursor") },
        ].compactMap { $0 }
    }
}

/// Why a room ended.
@nonexhaustive public enum RoomEndReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// The owner destroyed it.
    case owner
    /// The owner stayed away and no admin was there to inherit it.
    case ownerAbsent = "owner_absent"
    /// The operator of the server dismissed it.
    case `operator`
}

/// Why a room has another owner.
@nonexhaustive public enum OwnerChangeReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// The former owner stayed away; the first present admin inherits.
    case ownerAbsent = "owner_absent"
    /// The former owner handed the room over.
    case handedOver = "handed_over"
}

/// The card at the end of a room.
public struct RoomSummary: Codable, Hashable, Sendable {
    /// How long it lasted.
    package var seconds: Int64
    /// Most people at once.
    public var peak: Int
    /// Of its whole life.
    public var likes: UInt64

    /// Creates the value from its parts.
    package init(seconds: Int64, peak: Int, likes: UInt64) {
        self.seconds = seconds
        self.peak = peak
        self.likes = likes
    }

    private enum CodingKeys: String, CodingKey { case seconds, peak, likes }

    // By hand, since summaries stand in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            seconds: try fields.decodeIfPresent(Int64.self, forKey: .seconds) ?? 0,
            peak: try fields.decodeIfPresent(Int.self, forKey: .peak) ?? 0,
            likes: try fields.decodeIfPresent(UInt64.self, forKey: .likes) ?? 0)
    }
}

// MARK: - Events

/// Name, cover, tags, or rule have changed.
package struct RoomUpdated: EventPayload {
    package var info: RoomInfo

    package init(_ info: RoomInfo) { self.info = info }

    package var type: EventType { .roomUpdated }
    package var wireSize: Int { WireSize.object + info.wireSize }
}

/// The room has ended.
public struct RoomEnded: EventPayload, Codable, Hashable, Sendable {
    /// Why.
    public var reason: RoomEndReason
    /// What it was.
    public var summary: RoomSummary

    /// The end of a room.
    public init(_ reason: RoomEndReason, _ summary: RoomSummary) {
        self.reason = reason
        self.summary = summary
    }

    package var type: EventType { .roomDestroyed }
}

/// The room has another owner.
public struct OwnerChanged: EventPayload, Codable, Hashable, Sendable {
    /// Who owns it now.
    public var user: UserProfile
    /// Why.
    public var reason: OwnerChangeReason

    /// Another owner, for that reason.
    public init(_ user: UserProfile, reason: OwnerChangeReason) {
        self.user = user
        self.reason = reason
    }

    package var type: EventType { .ownerChanged }
    package var wireSize: Int { 4 * WireSize.object + user.wireSize }
}
