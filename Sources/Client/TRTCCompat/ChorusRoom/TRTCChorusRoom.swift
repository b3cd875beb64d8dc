public import Foundation
internal import Ovation

/// A room for singing together: a lead singer, a second singer, and an audience. It has the names, labels and types of the
/// published component (references.md), and connects to an Ovation server.
///
/// One instance is one user. Call it from any thread. Callbacks and the delegate are called on the queue of `setDelegateQueue` (the
/// main queue by default). A call's callback comes before the events that the call caused.
public final class TRTCChorusRoom: TRTCRoom {
    private static let instance = SharedInstance { TRTCChorusRoom() }

    /// The component's internals; see `TRTCRoom`.
    public let core: TRTCRoomCore
    let song: SongPlayer
    private let holder = DelegateHolder<any TRTCChorusRoomDelegate>()

    /// Creates another user beside `shared()`, for programs that act for several users.
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

    /// The shared instance.
    public static func shared() -> TRTCChorusRoom { instance.get() }

    /// The same as `shared()`, by its name in Objective-C.
    public static func sharedInstance() -> TRTCChorusRoom { shared() }

    /// Leaves the room, signs out, and ends the shared instance. Later calls on a reference to it are refused (-1).
    public static func destroyShared() { instance.destroy() }

    /// The same as `destroyShared()`, by its name in Objective-C.
    public static func destroySharedInstance() { destroyShared() }

    /// Sets the delegate, which is held weakly.
    public func setDelegate(delegate: any TRTCChorusRoomDelegate) { if controller.isAlive() { holder.set(delegate) } }

    // MARK: - Signing in

    /// The same, as spelled in the chorus guide.
    public func login(sdkAppId: Int32, userId: String, userSig: String, callback: ActionCallback? = nil) {
        login(sdkAppID: sdkAppId, userId: userId, userSig: userSig, callback: callback)
    }

    /// The same, as spelled in the chorus guide.
    public func setSelfProfile(userName: String, avatarUrl: String, callback: ActionCallback? = nil) {
        setSelfProfile(userName: userName, avatarURL: avatarUrl, callback: callback)
    }

    // MARK: - Rooms

    /// Creates a room and enters it as its owner. If the user already owns an open room with that id, the room takes over the
    /// settings.
    public func createRoom(roomID: Int32, roomParam: ChorusParam, callback: ActionCallback? = nil) {
        createRoom(roomID, callback, draft: roomParam.draft)
    }

    /// Looks up rooms by id. The result has their order; unknown rooms are left out.
    public func getRoomInfoList(roomIdList: [NSNumber], callback: ChorusRoomInfoCallback? = nil) {
        rooms(roomIdList.map(\.int64Value), callback) { ChorusRoomInfo($0) }
    }

    /// The same with plain integers, as in the chorus guide.
    public func getRoomInfoList(roomIdList: [Int], callback: ChorusRoomInfoCallback? = nil) {
        rooms(roomIdList.map(Int64.init), callback) { ChorusRoomInfo($0) }
    }

    /// Looks up users by id. The result has their order; unknown users are left out. With `nil`, returns everybody in the room.
    public func getUserInfoList(userIDList: [String]?, callback: ChorusUserListCallback? = nil) {
        people(userIDList, callback) { ChorusUserInfo($0) }
    }
}
