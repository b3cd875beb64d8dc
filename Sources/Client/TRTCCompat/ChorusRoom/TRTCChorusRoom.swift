public import Foundation
internal import Ovation

/// A room for singing together: a lead, somebody who sings along, and an audience. The names, labels and types of the reference
/// documents; the rooms of an Ovation server.
///
/// One instance is one user. Calls may come from any thread; callbacks and the delegate are called on the queue of
/// `setDelegateQueue` (the main queue by default), a call's callback before what the call caused.
public final class TRTCChorusRoom: TRTCRoom {
    private static let instance = SharedInstance { TRTCChorusRoom() }

    /// What the calls work on; see `TRTCRoom`.
    public let core: TRTCRoomCore
    let song: SongPlayer
    private let holder = DelegateHolder<any TRTCChorusRoomDelegate>()

    /// A user beside the one of `shared()`: for programs that stand in for several people.
    package convenience init() { self.init(clock: .system) }

    init(clock: DelayClock) {
        let unheard = UnheardCallbacks { [holder] in holder.delegate?.onDebugLog(message: $0) }
        core = TRTCRoomCore(
            RoomController(
                name: "TRTCChorusRoom", kind: .chorus, tellsQuality: true, queue: CallbackQueue(), clock: clock
            ) {
                [holder] notice in
                guard let delegate = holder.delegate else { return }
                unheard.watching { notice.tell(delegate) }
            })
        song = SongPlayer(core.controller)
    }

    // MARK: - Life

    /// The instance of the app.
    public static func shared() -> TRTCChorusRoom { instance.get() }

    /// The same as `shared()`, by its name in Objective-C.
    public static func sharedInstance() -> TRTCChorusRoom { shared() }

    /// Leaves the room, logs out, and ends the instance: every call on a reference that somebody kept is refused (-1).
    public static func destroyShared() { instance.destroy() }

    /// The same as `destroyShared()`, by its name in Objective-C.
    public static func destroySharedInstance() { destroyShared() }

    /// Who hears what happens; held weakly.
    public func setDelegate(delegate: any TRTCChorusRoomDelegate) { if controller.isAlive() { holder.set(delegate) } }

    // MARK: - Signing in

    /// The spelling of documents 000 and 001.
    public func login(sdkAppId: Int32, userId: String, userSig: String, callback: ActionCallback? = nil) {
        login(sdkAppID: sdkAppId, userId: userId, userSig: userSig, callback: callback)
    }

    /// The spelling of documents 000 and 001.
    public func setSelfProfile(userName: String, avatarUrl: String, callback: ActionCallback? = nil) {
        setSelfProfile(userName: userName, avatarURL: avatarUrl, callback: callback)
    }

    // MARK: - Rooms

    /// Creates a room and enters it as its owner; an own room that is open takes over the settings.
    public func createRoom(roomID: Int32, roomParam: ChorusParam, callback: ActionCallback? = nil) {
        createRoom(roomID, callback, draft: roomParam.draft)
    }

    /// Rooms by id, in the order asked, unknown ones left out.
    public func getRoomInfoList(roomIdList: [NSNumber], callback: ChorusRoomInfoCallback? = nil) {
        rooms(roomIdList.map(\.int64Value), callback) { ChorusRoomInfo($0) }
    }

    /// The same with plain integers, which documents 000 and 001 pass.
    public func getRoomInfoList(roomIdList: [Int], callback: ChorusRoomInfoCallback? = nil) {
        rooms(roomIdList.map(Int64.init), callback) { ChorusRoomInfo($0) }
    }

    /// People by id, in the order asked, unknown ones left out; `nil`: everybody in the room.
    public func getUserInfoList(userIDList: [String]?, callback: ChorusUserListCallback? = nil) {
        people(userIDList, callback) { ChorusUserInfo($0) }
    }
}
