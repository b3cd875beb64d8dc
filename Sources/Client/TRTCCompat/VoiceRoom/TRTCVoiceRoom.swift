public import Dispatch
public import Foundation
internal import Ovation
internal import Synchronization

/// A voice room: seats that people speak from, and an audience. The names, labels and types of the reference documents; the rooms of
/// an Ovation server.
///
/// One instance is one user. Calls may come from any thread; callbacks and the delegate are called on the queue of
/// `setDelegateQueue` (the main queue by default), a call's callback before what the call caused.
public final class TRTCVoiceRoom: Sendable {
    private static let instance = Mutex<TRTCVoiceRoom?>(nil)

    let queue = CallbackQueue()
    let controller: RoomController
    let effects: TXAudioEffectManager
    private let holder = DelegateHolder<any TRTCVoiceRoomDelegate>()

    /// A user beside the one of `shared()`: for programs that stand in for several people.
    package convenience init() { self.init(clock: .system) }

    init(clock: DelayClock) {
        let unheard = UnheardCallbacks { [holder] in holder.delegate?.onDebugLog(message: $0) }
        controller = RoomController(name: "TRTCVoiceRoom", kind: .voice, queue: queue, clock: clock) {
            [holder] notice in
            guard let delegate = holder.delegate else { return }
            unheard.watching { notice.tell(delegate) }
        }
        effects = TXAudioEffectManager(controller.sound, queue)
    }

    // MARK: - Life

    /// The instance of the app.
    public static func shared() -> TRTCVoiceRoom {
        instance.withLock { instance in
            if let instance { return instance }
            let made = TRTCVoiceRoom()
            instance = made
            return made
        }
    }

    /// The same as `shared()`, by its name in Objective-C.
    public static func sharedInstance() -> TRTCVoiceRoom { shared() }

    /// Leaves the room, logs out, and ends the instance: every call on a reference that somebody kept is refused (-1).
    public static func destroyShared() {
        let former = instance.withLock { instance in
            defer { instance = nil }
            return instance
        }
        former?.destroy()
    }

    /// The same as `destroyShared()`, by its name in Objective-C.
    public static func destroySharedInstance() { destroyShared() }

    package func destroy() { controller.destroy() }

    /// Who hears what happens; held weakly.
    public func setDelegate(delegate: any TRTCVoiceRoomDelegate) { if controller.isAlive() { holder.set(delegate) } }

    /// On which queue callbacks and the delegate are called.
    public func setDelegateQueue(queue: DispatchQueue) { if controller.isAlive() { self.queue.use(queue) } }

    /// Whether one's own messages come back too, as documents 000 and 001 say ("all users"). By default they do not, as in the
    /// published component, where apps show what they send themselves. Not in the reference systems.
    public var echoesOwnMessages: Bool {
        get { controller.state.withLock { $0.echoesOwnMessages } }
        set { controller.state.withLock { $0.echoesOwnMessages = newValue } }
    }

    /// Milliseconds between `onUserVolumeUpdate`, 300 by default, at least 100; 0: none. Not in the reference systems' component,
    /// whose interval is fixed.
    public func setVolumeInterval(milliseconds: Int) { controller.setVolumeInterval(milliseconds) }

    // MARK: - Signing in

    /// Signs in with a ticket that the application's server made.
    public func login(sdkAppID: Int32, userId: String, userSig: String, callback: ActionCallback? = nil) {
        controller.login(sdkAppID: sdkAppID, userId: userId, userSig: userSig, queue.reply(callback))
    }

    /// Signs out; not from within a room.
    public func logout(callback: ActionCallback? = nil) { controller.logout(queue.reply(callback)) }

    /// Name and picture, as everybody sees them; kept by the server.
    public func setSelfProfile(userName: String, avatarURL: String, callback: ActionCallback? = nil) {
        controller.setSelfProfile(name: userName, avatar: avatarURL, queue.reply(callback))
    }

    // MARK: - Rooms

    /// Creates a room and enters it as its owner; an own room that is open takes over the settings.
    public func createRoom(roomID: Int32, roomParam: VoiceRoomParam, callback: ActionCallback? = nil) {
        let reply = queue.reply(callback)
        guard let id = UInt32(exactly: roomID).flatMap({ RoomID(number: $0) }) else {
            return reply(TRTCCode.failed, "\(roomID) is not a valid room ID: use 1 to 2147483647")
        }
        controller.createRoom(roomParam.draft(id, controller.kind), reply)
    }

    /// The owner: ends the room for everybody.
    public func destroyRoom(callback: ActionCallback? = nil) { controller.perform(.destroyRoom, queue.reply(callback)) }

    /// Enters a room. Then come `onRoomInfoChange`, `onSeatListChange`, and `onAnchorEnterSeat` for everybody seated.
    public func enterRoom(roomID: Int, callback: ActionCallback? = nil) {
        let reply = queue.reply(callback)
        guard let id = UInt32(exactly: roomID).flatMap({ RoomID(number: $0) }) else {
            return reply(TRTCCode.failed, "\(roomID) is not a valid room ID: use 1 to 4294967294")
        }
        controller.enterRoom(id, reply)
    }

    /// Leaves the room; a seat is freed first. An owner's room lives on for a while.
    public func exitRoom(callback: ActionCallback? = nil) { controller.exitRoom(queue.reply(callback)) }

    /// Rooms by id, in the order asked, unknown ones left out.
    public func getRoomInfoList(roomIdList: [NSNumber], callback: VoiceRoomInfoCallback? = nil) {
        getRoomInfoList(ids: roomIdList.map(\.int64Value), callback)
    }

    /// The same with plain integers, which documents 000 and 001 pass.
    public func getRoomInfoList(roomIdList: [Int], callback: VoiceRoomInfoCallback? = nil) {
        getRoomInfoList(ids: roomIdList.map(Int64.init), callback)
    }

    private func getRoomInfoList(ids: [Int64], _ callback: VoiceRoomInfoCallback?) {
        let callback = UncheckedTransfer(callback)
        controller.roomInfo(ids, refused: queue.reply { callback.value?($0, $1, []) }) { [queue] rooms in
            queue.run { callback.value?(TRTCCode.success, "success", rooms.map { VoiceRoomInfo($0) }) }
        }
    }

    /// People by id, in the order asked, unknown ones left out; `nil`: everybody in the room.
    public func getUserInfoList(userIDList: [String]?, callback: VoiceRoomUserListCallback? = nil) {
        let callback = UncheckedTransfer(callback)
        controller.people(userIDList, refused: queue.reply { callback.value?($0, $1, []) }) { [queue] people in
            queue.run { callback.value?(TRTCCode.success, "success", people.map { VoiceRoomUserInfo($0) }) }
        }
    }

    // MARK: - Seats

    /// Sits down; the microphone opens. Who sits already is told success.
    public func enterSeat(seatIndex: Int, callback: ActionCallback? = nil) {
        controller.enterSeat(seatIndex, queue.reply(callback))
    }

    /// Goes to another seat, at most once a second (10001).
    /// - Returns: always 0, or -1 for a destroyed instance: the server counts, and its refusal comes by the callback.
    @discardableResult
    public func moveSeat(seatIndex: Int, callback: ActionCallback? = nil) -> Int {
        controller.perform(.moveSeat(seatIndex), queue.reply(callback))
        return controller.isDestroyed ? -1 : 0
    }

    /// Leaves one's seat; the microphone closes.
    public func leaveSeat(callback: ActionCallback? = nil) { controller.perform(.leaveSeat, queue.reply(callback)) }

    /// The owner: puts somebody on a seat.
    public func pickSeat(seatIndex: Int, userId: String, callback: ActionCallback? = nil) {
        controller.pickSeat(seatIndex, userId, queue.reply(callback))
    }

    /// The owner: takes the seat away from whoever sits there.
    public func kickSeat(seatIndex: Int, callback: ActionCallback? = nil) {
        controller.perform(.kickSeat(seatIndex), queue.reply(callback))
    }

    /// The owner: mutes a seat, whoever sits there now or later.
    public func muteSeat(seatIndex: Int, isMute: Bool, callback: ActionCallback? = nil) {
        controller.perform(.muteSeat(seatIndex, muted: isMute), queue.reply(callback))
    }

    /// The owner: closes a seat, which whoever sits there then leaves; or opens it.
    public func closeSeat(seatIndex: Int, isClose: Bool, callback: ActionCallback? = nil) {
        controller.perform(.closeSeat(seatIndex, closed: isClose), queue.reply(callback))
    }
}
