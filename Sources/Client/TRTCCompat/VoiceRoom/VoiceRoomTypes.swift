/// What a new room is to be. If `seatInfoList` is not empty, it counts and `seatCount` does not.
public final class VoiceRoomParam {
    /// 1…64 characters.
    public var roomName = ""
    public var coverUrl = ""
    /// Whether listeners must ask before they sit down.
    public var needRequest = false
    public var seatCount = 0
    public var seatInfoList: [VoiceRoomSeatInfo] = []

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

    public init() {}
}

/// Somebody in a room.
public final class VoiceRoomUserInfo {
    public var userId = ""
    public var userName = ""
    public var userAvatar = ""
    /// Whether nothing is sent: the user's own mute, and always of listeners.
    public var mute = true

    public init() {}
}

/// A room.
public final class VoiceRoomInfo {
    public var roomID: Int
    public var roomName = ""
    public var coverUrl = ""
    public var ownerId: String
    public var ownerName = ""
    public var memberCount: Int
    /// Whether listeners must ask before they sit down.
    public var needRequest = false

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
