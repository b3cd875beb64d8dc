public import Dispatch
internal import Ovation
internal import Synchronization

/// What every room component of this module has: signing in, entering and leaving, seats, messages, invitations and sound. Each
/// component adds how its rooms are made, what its delegate hears, and what it alone can do.
///
/// Not in the reference systems, where each component repeats these calls: code that takes `some TRTCRoom` works with all of them.
public protocol TRTCRoom: AnyObject, Sendable {
    /// What the calls work on. For the module itself: an app can do nothing with it.
    var core: TRTCRoomCore { get }
}

/// What a room component works on: its user's way into rooms, its effects, and the queue that its app hears on.
public struct TRTCRoomCore: Sendable {
    let queue: CallbackQueue
    let controller: RoomController
    let effects: TXAudioEffectManager

    init(_ controller: RoomController) {
        self.controller = controller
        queue = controller.queue
        effects = TXAudioEffectManager(controller.sound, queue)
    }
}

extension TRTCRoom {
    var queue: CallbackQueue { core.queue }
    var controller: RoomController { core.controller }

    // MARK: - Life

    /// Ends the instance: leaves its room and signs out.
    package func destroy() { controller.destroy() }

    /// On which queue callbacks and the delegate are called.
    public func setDelegateQueue(queue: DispatchQueue) { if controller.isAlive() { core.queue.use(queue) } }

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

    /// A room under a number; `draft` says what it is to be.
    func createRoom(_ number: Int32, _ callback: ActionCallback?, draft: (RoomID, RoomKind) -> RoomDraft) {
        let reply = queue.reply(callback)
        guard let id = UInt32(exactly: number).flatMap({ RoomID(number: $0) }) else {
            return reply(TRTCCode.failed, "\(number) is not a valid room ID: use 1 to 2147483647")
        }
        controller.createRoom(draft(id, controller.kind), reply)
    }

    /// Rooms by id, each as the component's own type, which `make` makes on the callback queue.
    func rooms<Info>(
        _ ids: [Int64], _ callback: ((_ code: Int32, _ message: String, _ found: [Info]) -> Void)?,
        make: @escaping @Sendable (ListedRoom) -> Info
    ) {
        let callback = UncheckedTransfer(callback)
        controller.roomInfo(ids, refused: queue.reply { callback.value?($0, $1, []) }) { [queue] rooms in
            queue.run { callback.value?(TRTCCode.success, "success", rooms.map(make)) }
        }
    }

    /// People by id, or everybody in the room, each as the component's own type, which `make` makes on the callback queue.
    func people<Info>(
        _ ids: [String]?, _ callback: ((_ code: Int32, _ message: String, _ found: [Info]) -> Void)?,
        make: @escaping @Sendable (RoomPerson) -> Info
    ) {
        let callback = UncheckedTransfer(callback)
        controller.people(ids, refused: queue.reply { callback.value?($0, $1, []) }) { [queue] people in
            queue.run { callback.value?(TRTCCode.success, "success", people.map(make)) }
        }
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

    // MARK: - Seats

    /// Sits down; the microphone opens. Who sits already is told success.
    public func enterSeat(seatIndex: Int, callback: ActionCallback? = nil) {
        controller.enterSeat(seatIndex, queue.reply(callback))
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

/// A component's instance of the app, made when it is first asked for.
final class SharedInstance<Room: TRTCRoom>: Sendable {
    private let room = Mutex<Room?>(nil)
    private let make: @Sendable () -> Room

    init(_ make: @escaping @Sendable () -> Room) { self.make = make }

    func get() -> Room {
        room.withLock { room in
            if let room { return room }
            let made = make()
            room = made
            return made
        }
    }

    func destroy() {
        let former = room.withLock { room in
            defer { room = nil }
            return room
        }
        former?.destroy()
    }
}
