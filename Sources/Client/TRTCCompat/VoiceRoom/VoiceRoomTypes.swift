/// The parameters of a new room. If `seatInfoList` is not empty, `seatCount` is ignored.
public final class VoiceRoomParam {
    /// 1…64 characters.
    public var roomName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var coverUrl = ""
    /// Whether listeners need permission to take a seat.
    public var needRequest = false
    /// The number of seats, 1…16.
    public var seatCount = 0
    /// The initial state of each seat. If empty, the room has `seatCount` open seats.
    public var seatInfoList: [VoiceRoomSeatInfo] = []

    /// Creates parameters without a name and seats.
    public init() {}
}

/// A seat.
public final class VoiceRoomSeatInfo {
    /// 0 unused, 1 used, 2 closed.
    public var status = 0
    /// Whether the host has muted the seat.
    public var mute = false
    /// The id of the user on the seat; empty if there is none.
    public var userId = ""

    /// Creates an unused seat.
    public init() {}
}

/// A user in a room.
public final class VoiceRoomUserInfo {
    /// 1…32 of `A-Z a-z 0-9 _ -`.
    public var userId = ""
    /// The display name.
    public var userName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var userAvatar = ""
    /// Whether the user is muted. Always `true` for listeners.
    public var mute = true

    /// Creates an empty value.
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
    /// The display name.
    public var ownerName = ""
    /// The number of users in the room.
    public var memberCount: Int
    /// Whether listeners need permission to take a seat.
    public var needRequest = false

    /// Creates a value with these fields; the others are empty.
    public init(roomID: Int, ownerId: String, memberCount: Int) {
        self.roomID = roomID
        self.ownerId = ownerId
        self.memberCount = memberCount
    }
}

/// Receives rooms in the order of the request; unknown rooms are left out.
public typealias VoiceRoomInfoCallback = (_ code: Int32, _ message: String, _ roomInfos: [VoiceRoomInfo]) -> Void
/// Receives users in the order of the request; unknown users are left out.
public typealias VoiceRoomUserListCallback = (_ code: Int32, _ message: String, _ userInfos: [VoiceRoomUserInfo]) ->
    Void
