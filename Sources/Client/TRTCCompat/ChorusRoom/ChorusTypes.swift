/// What a new chorus room is to be. If `seatInfoList` is not empty, it counts and `seatCount` does not.
public final class ChorusParam {
    /// 1…64 characters.
    public var roomName = ""
    public var coverUrl = ""
    /// Whether listeners must ask before they sit down.
    public var needRequest = false
    /// 2 in the reference: seat 0 leads, seat 1 sings along.
    public var seatCount = 0
    public var seatInfoList: [ChorusSeatInfo] = []
    /// The published component sends its mix there. Here the server mixes: it is kept, and not used.
    public var rtmpPushURL = ""
    /// The published component's audience listens there. Here it listens to the server: it is kept, and not used.
    public var rtmpPlayURL = ""

    public init() {}
}

/// A seat.
public final class ChorusSeatInfo {
    /// 0 unused, 1 used, 2 closed.
    public var status = 0
    /// Who sits there, else empty.
    public var userId = ""

    public init() {}
}

/// Somebody in a room.
public final class ChorusUserInfo {
    public var userId = ""
    public var userName = ""
    public var userAvatar = ""
    /// Whether nothing is sent: the user's own mute, and always of listeners.
    public var mute = true

    public init() {}
}

/// A room.
public final class ChorusRoomInfo {
    public var roomID: Int
    public var roomName = ""
    public var coverUrl = ""
    public var ownerId: String
    public var ownerName = ""
    public var memberCount: Int
    /// Whether listeners must ask before they sit down.
    public var needRequest = false
    /// Empty: the server mixes, nothing is pushed.
    public var rtmpPushURL = ""
    /// Empty: the audience listens to the server.
    public var rtmpPlayURL = ""

    public init(roomID: Int, ownerId: String, memberCount: Int) {
        self.roomID = roomID
        self.ownerId = ownerId
        self.memberCount = memberCount
    }
}

// The names in documents 000 and 001.
public typealias RoomParam = ChorusParam
public typealias SeatInfo = ChorusSeatInfo
public typealias ChorusRoomSeatInfo = ChorusSeatInfo
public typealias UserInfo = ChorusUserInfo
public typealias RoomInfo = ChorusRoomInfo

/// Rooms, in the order asked, unknown ones left out.
public typealias ChorusRoomInfoCallback = (_ code: Int32, _ message: String, _ roomInfos: [ChorusRoomInfo]) -> Void
/// People, in the order asked, unknown ones left out.
public typealias ChorusUserListCallback = (_ code: Int32, _ message: String, _ userInfos: [ChorusUserInfo]) -> Void
