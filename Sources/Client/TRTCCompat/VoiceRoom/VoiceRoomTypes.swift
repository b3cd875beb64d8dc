/// What a new room is to be. If `seatInfoList` is not empty, it counts and `seatCount` does not.
public final class VoiceRoomParam {
    /// 1…64 characters.
    public var roomName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var coverUrl = ""
    /// Whether listeners must ask before they sit down.
    public var needRequest = false
    /// How many seats, 1…16.
    public var seatCount = 0
    /// How each seat starts out; empty: `seatCount` plain seats.
    public var seatInfoList: [VoiceRoomSeatInfo] = []

    /// A room without name and seats.
    public init() {}
}

/// A seat.
public final class VoiceRoomSeatInfo {
    /// 0 unused, 1 used, 2 closed.
    public var status = 0
    /// The host's mute of the seat.
    public var mute = false
    /// Who sits there, else empty.
    public var userId = ""

    /// An unused seat.
    public init() {}
}

/// Somebody in a room.
public final class VoiceRoomUserInfo {
    /// 1…32 of `A-Z a-z 0-9 _ -`.
    public var userId = ""
    /// As shown to others.
    public var userName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var userAvatar = ""
    /// Whether nothing is sent: the user's own mute, and always of listeners.
    public var mute = true

    /// Nobody yet.
    public init() {}
}

/// A room.
public final class VoiceRoomInfo {
    /// 0 for a room whose id is a text.
    public var roomID: Int
    /// 1…64 characters.
    public var roomName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var coverUrl = ""
    /// The user id of the owner.
    public var ownerId: String
    /// As shown to others.
    public var ownerName = ""
    /// How many people are in the room.
    public var memberCount: Int
    /// Whether listeners must ask before they sit down.
    public var needRequest = false

    /// A room of which no more is known.
    public init(roomID: Int, ownerId: String, memberCount: Int) {
        self.roomID = roomID
        self.ownerId = ownerId
        self.memberCount = memberCount
    }
}

/// Rooms, in the order asked, unknown ones left out.
public typealias VoiceRoomInfoCallback = (_ code: Int32, _ message: String, _ roomInfos: [VoiceRoomInfo]) -> Void
/// People, in the order asked, unknown ones left out.
public typealias VoiceRoomUserListCallback = (_ code: Int32, _ message: String, _ userInfos: [VoiceRoomUserInfo]) ->
    Void
