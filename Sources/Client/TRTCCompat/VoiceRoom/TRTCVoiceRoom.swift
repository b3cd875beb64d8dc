public import Foundation
internal import Ovation

/// A voice room: seats that people speak from, and an audience. The names, labels and types of the reference documents; the rooms of
/// an Ovation server.
///
/// One instance is one user. Calls may come from any thread; callbacks and the delegate are called on the queue of
/// `setDelegateQueue` (the main queue by default), a call's callback before what the call caused.
public final class TRTCVoiceRoom: TRTCRoom {
    private static let instance = SharedInstance { TRTCVoiceRoom() }

    /// What the calls work on; see `TRTCRoom`.
    public let core: TRTCRoomCore
    private let holder = DelegateHolder<any TRTCVoiceRoomDelegate>()

    /// A user beside the one of `shared()`: for programs that stand in for several people.
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

    /// The instance of the app.
    public static func shared() -> TRTCVoiceRoom { instance.get() }

    /// The same as `shared()`, by its name in Objective-C.
    public static func sharedInstance() -> TRTCVoiceRoom { shared() }

    /// Leaves the room, logs out, and ends the instance: every call on a reference that somebody kept is refused (-1).
    public static func destroyShared() { instance.destroy() }

    /// The same as `destroyShared()`, by its name in Objective-C.
    public static func destroySharedInstance() { destroyShared() }

    /// Who hears what happens; held weakly.
    public func setDelegate(delegate: any TRTCVoiceRoomDelegate) { if controller.isAlive() { holder.set(delegate) } }

    // MARK: - Rooms

    /// Creates a room and enters it as its owner; an own room that is open takes over the settings.
    public func createRoom(roomID: Int32, roomParam: VoiceRoomParam, callback: ActionCallback? = nil) {
        createRoom(roomID, callback, draft: roomParam.draft)
    }

    /// Rooms by id, in the order asked, unknown ones left out.
    public func getRoomInfoList(roomIdList: [NSNumber], callback: VoiceRoomInfoCallback? = nil) {
        rooms(roomIdList.map(\.int64Value), callback) { VoiceRoomInfo($0) }
    }

    /// The same with plain integers, which documents 000 and 001 pass.
    public func getRoomInfoList(roomIdList: [Int], callback: VoiceRoomInfoCallback? = nil) {
        rooms(roomIdList.map(Int64.init), callback) { VoiceRoomInfo($0) }
    }

    /// People by id, in the order asked, unknown ones left out; `nil`: everybody in the room.
    public func getUserInfoList(userIDList: [String]?, callback: VoiceRoomUserListCallback? = nil) {
        people(userIDList, callback) { VoiceRoomUserInfo($0) }
    }

    // MARK: - Seats

    /// Goes to another seat, at most once a second (10001).
    /// - Returns: always 0, or -1 for a destroyed instance: the server counts, and its refusal comes by the callback.
    @discardableResult
    public func moveSeat(seatIndex: Int, callback: ActionCallback? = nil) -> Int {
        controller.perform(.moveSeat(seatIndex), queue.reply(callback))
        return controller.isDestroyed ? -1 : 0
    }
}
