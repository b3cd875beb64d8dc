/// What sort of room it is.
public enum RoomKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A salon: seats to talk from.
    case voice
    /// Two seats and a song: everything of a voice room, and what is sung is placed on the room's time.
    case chorus
}

/// What the owner and the admins decide about a room.
public struct RoomSettings: Codable, Hashable, Sendable {
    public var name: String
    /// An `https:`, `http:` or relative URL, or empty.
    public var cover: String
    public var tags: [String]
    /// Whether one must ask before sitting down.
    public var needsRequest: Bool

    public init(name: String, cover: String = "", tags: [String] = [], needsRequest: Bool = false) {
        self.name = name
        self.cover = cover
        self.tags = tags
        self.needsRequest = needsRequest
    }
}

/// A room as lists show it.
public struct RoomInfo: Codable, Hashable, Sendable {
    public var room: RoomID
    public var kind: RoomKind
    public var name: String
    public var cover: String
    public var tags: [String]
    public var owner: UserProfile
    /// How many seats the room has.
    public var seats: Int
    /// How many of them are used.
    public var seated: Int
    public var memberCount: Int
    public var needsRequest: Bool
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// Whether anybody is speaking now.
    public var speaking: Bool

    public init(
        room: RoomID, kind: RoomKind, settings: RoomSettings, owner: UserProfile, seats: Int, seated: Int,
        memberCount: Int, createdAt: Int64, speaking: Bool
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
    }
}

/// One page of the directory.
public struct RoomPage: Codable, Hashable, Sendable {
    public var rooms: [RoomInfo]
    /// Give it back to get the next page; absent on the last.
    public var cursor: String?

    public init(rooms: [RoomInfo], cursor: String? = nil) {
        self.rooms = rooms
        self.cursor = cursor
    }
}

/// What the directory is searched by. Every condition that is given must hold.
package struct RoomQuery: Hashable, Sendable {
    package var kind: RoomKind?
    /// Part of the name, or the start of a tag, or the id; capitals do not matter.
    package var text: String?
    /// One whole tag; capitals do not matter.
    package var tag: String?
    package var limit: Int
    package var cursor: String?

    package init(
        kind: RoomKind? = nil, text: String? = nil, tag: String? = nil, limit: Int = 30, cursor: String? = nil
    ) {
        self.kind = kind
        self.text = text
        self.tag = tag
        self.limit = limit
        self.cursor = cursor
    }
}

/// Why a room ended.
public enum RoomEndReason: String, Codable, Hashable, Sendable {
    /// The owner destroyed it.
    case owner
    /// The owner stayed away and no admin was there to inherit it.
    case ownerAbsent = "owner_absent"
    /// The operator of the server dismissed it.
    case `operator`
}

/// Why a room has another owner.
public enum OwnerChangeReason: String, Codable, Hashable, Sendable {
    /// The former owner stayed away; the first present admin inherits.
    case ownerAbsent = "owner_absent"
}

/// The card at the end of a room.
public struct RoomSummary: Codable, Hashable, Sendable {
    /// How long it lasted.
    public var seconds: Int64
    /// Most people at once.
    public var peak: Int
    public var likes: UInt64

    public init(seconds: Int64, peak: Int, likes: UInt64) {
        self.seconds = seconds
        self.peak = peak
        self.likes = likes
    }
}
