/// What a new chorus room is to be. If `seatInfoList` is not empty, it counts and `seatCount` does not.
public final class ChorusParam {
    /// 1…64 characters.
    public var roomName = ""
    /// An `https:`, `http:` or relative URL, or empty.
    public var coverUrl = ""
    /// Whether listeners must ask before they sit down.
    public var needRequest = false
    /// 2 in the reference: seat 0 leads, seat 1 sings along.
    public var seatCount = 0
    /// How each seat starts out; empty: `seatCount` plain seats.
    public var seatInfoList: [ChorusSeatInfo] = []
    /// The published component sends its mix there. Here the server mixes: it is kept, and not used.
    public var rtmpPushURL = ""
    /// The published component's audience listens there. Here it listens to the server: it is kept, and not used.
    public var rtmpPlayURL = ""

    /// A room without name and seats.
    public init() {}
}

/// A seat.
public final class ChorusSeatInfo {
    /// 0 unused, 1 used, 2 closed.
    public var status = 0
    /// Who sits there, else empty.
    public var userId = ""

    /// An unused seat.
    public init() {}
}

/// Somebody in a room.
public final class ChorusUserInfo {
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
public final class ChorusRoomInfo {
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
    /// Empty: the server mixes, nothing is pushed.
    public var rtmpPushURL = ""
    /// Empty: the audience listens to the server.
    public var rtmpPlayURL = ""

    /// A room of which no more is known.
    public init(roomID: Int, ownerId: String, memberCount: Int) {
        self.roomID = roomID
        self.ownerId = ownerId
        self.memberCount = memberCount
    }
}

/// The name of `ChorusParam` in documents 000 and 001.
public typealias RoomParam = ChorusParam
/// The name of `ChorusSeatInfo` in documents 000 and 001.
public typealias SeatInfo = ChorusSeatInfo
/// Another name of `ChorusSeatInfo` in documents 000 and 001.
public typealias ChorusRoomSeatInfo = ChorusSeatInfo
/// The name of `ChorusUserInfo` in documents 000 and 001.
public typealias UserInfo = ChorusUserInfo
/// The name of `ChorusRoomInfo` in documents 000 and 001.
public typealias RoomInfo = ChorusRoomInfo

/// Rooms, in the order asked, unknown ones left out.
public typealias ChorusRoomInfoCallback = (_ code: Int32, _ message: String, _ roomInfos: [ChorusRoomInfo]) -> Void
/// People, in the order asked, unknown ones left out.
public typealias ChorusUserListCallback = (_ code: Int32, _ message: String, _ userInfos: [ChorusUserInfo]) -> Void
