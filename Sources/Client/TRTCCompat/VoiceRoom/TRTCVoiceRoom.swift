public import Foundation
internal import Ovation

/// A voice room: seats with speakers, and an audience. It has the names, labels and types of the published component
/// (references.md), and connects to an Ovation server.
///
/// One instance is one user. Call it from any thread. Callbacks and the delegate are called on the queue of `setDelegateQueue` (the
/// main queue by default). A call's callback comes before the events that the call caused.
public final class TRTCVoiceRoom: TRTCRoom {
    private static let instance = SharedInstance { TRTCVoiceRoom() }

    /// The component's internals; see `TRTCRoom`.
    public let core: TRTCRoomCore
    private let holder = DelegateHolder<any TRTCVoiceRoomDelegate>()

    /// Creates another user beside `shared()`, for programs that act for several users.
    package convenience init() { self.init(clock: .system) }

    init(clock: DelayClock) {
        let unheard = UnheardCallbacks { [holder] in holder.delegate?.onDebugLog(message: $0) }
        core = TRTCRoomCore(
            RoomController(name: "TRTCVoiceRoom", kind: .voice, queue: CallbackQueue(), clock: clock) {
                [holder] notice in
                guard let delegate = holder.delegate else { return }
                unheard.watching { notice.tell(delegate) }
            })
    }

    // MARK: - Life

    /// The shared instance.
    public static func shared() -> TRTCVoiceRoom { instance.get() }

    /// The same as `shared()`, by its name in Objective-C.
    public static func sharedInstance() -> TRTCVoiceRoom { shared() }

    /// Leaves the room, signs out, and ends the shared instance. Later calls on a reference to it are refused (-1).
    public static func destroyShared() { instance.destroy() }

    /// The same as `destroyShared()`, by its name in Objective-C.
    public static func destroySharedInstance() { destroyShared() }

    /// Sets the delegate, which is held weakly.
    public func setDelegate(delegate: any TRTCVoiceRoomDelegate) { if controller.isAlive() { holder.set(delegate) } }

    // MARK: - Rooms

    /// Creates a room and enters it as its owner. If the user already owns an open room with that id, the room takes over the
    /// settings.
    public func createRoom(roomID: Int32, roomParam: VoiceRoomParam, callback: ActionCallback? = nil) {
        createRoom(roomID, callback, draft: roomParam.draft)
    }

    /// Looks up rooms by id. The result has their order; unknown rooms are left out.
    public func getRoomInfoList(roomIdList: [NSNumber], callback: VoiceRoomInfoCallback? = nil) {
        rooms(roomIdList.map(\.int64Value), callback) { VoiceRoomInfo($0) }
    }

    /// The same with plain integers, as in the chorus guide.
    public func getRoomInfoList(roomIdList: [Int], callback: VoiceRoomInfoCallback? = nil) {
        rooms(roomIdList.map(Int64.init), callback) { VoiceRoomInfo($0) }
    }

    /// Looks up users by id. The result has their order; unknown users are left out. With `nil`, returns everybody in the room.
    public func getUserInfoList(userIDList: [String]?, callback: VoiceRoomUserListCallback? = nil) {
        people(userIDList, callback) { VoiceRoomUserInfo($0) }
    }

    // MARK: - Seats

    /// Moves to another seat, at most once a second (10001).
    /// - Returns: 0, or -1 for a destroyed instance. The server enforces the limit; its refusal comes through the callback.
    @discardableResult
    public func moveSeat(seatIndex: Int, callback: ActionCallback? = nil) -> Int {
        controller.perform(.moveSeat(MoveSeat(seatIndex)), queue.reply(callback))
        return controller.isDestroyed ? -1 : 0
    }
}
