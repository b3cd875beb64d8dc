/// The parameters of a new chorus room. If `seatInfoList` is not empty, `seatCount` is ignored.
public final class ChorusParam {
    /// 1…64 characters.
    public var roomName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var coverUrl = ""
    /// Whether listeners need permission to take a seat.
    public var needRequest = false
    /// The number of seats. The reference uses 2: seat 0 for the lead singer, seat 1 for the second.
    public var seatCount = 0
    /// The initial state of each seat. If empty, the room has `seatCount` open seats.
    public var seatInfoList: [ChorusSeatInfo] = []
    /// Kept, but not used: the published component pushes its mix there, here the server mixes.
    public var rtmpPushURL = ""
    /// Kept, but not used: the audience listens to the server.
    public var rtmpPlayURL = ""

    /// Creates parameters without a name and seats.
    public init() {}
}

/// A seat.
public final class ChorusSeatInfo {
    /// 0 unused, 1 used, 2 closed.
    public var status = 0
    /// The id of the user on the seat; empty if there is none.
    public var userId = ""

    /// Creates an unused seat.
    public init() {}
}

/// A user in a room.
public final class ChorusUserInfo {
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
public final class ChorusRoomInfo {
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
    /// Always empty: the server mixes.
    public var rtmpPushURL = ""
    /// Always empty: the audience listens to the server.
    public var rtmpPlayURL = ""

    /// Creates a value with these fields; the others are empty.
    public init(roomID: Int, ownerId: String, memberCount: Int) {
        self.roomID = roomID
        self.ownerId = ownerId
        self.memberCount = memberCount
    }
}

/// The name of `ChorusParam` in the chorus guide (references.md).
public typealias RoomParam = ChorusParam
/// The name of `ChorusSeatInfo` in the chorus guide (references.md).
public typealias SeatInfo = ChorusSeatInfo
/// Another name of `ChorusSeatInfo` in the chorus guide (references.md).
public typealias ChorusRoomSeatInfo = ChorusSeatInfo
/// The name of `ChorusUserInfo` in the chorus guide (references.md).
public typealias UserInfo = ChorusUserInfo
/// The name of `ChorusRoomInfo` in the chorus guide (references.md).
public typealias RoomInfo = ChorusRoomInfo

/// Receives rooms in the order of the request; unknown rooms are left out.
public typealias ChorusRoomInfoCallback = (_ code: Int32, _ message: String, _ roomInfos: [ChorusRoomInfo]) -> Void
/// Receives users in the order of the request; unknown users are left out.
public typealias ChorusUserListCallback = (_ code: Int32, _ message: String, _ userInfos: [ChorusUserInfo]) -> Void
