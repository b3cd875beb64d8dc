public import Dispatch
internal import Ovation
internal import Platform

/// The calls that all room components share: signing in, entering and leaving, seats, messages, invitations and sound. Each
/// component adds its own parameters for a new room, its delegate, and the calls that only it has.
///
/// The published SDKs have no such type; each component repeats these calls. Code that takes `some TRTCRoom` works with all of
/// them.
public protocol TRTCRoom: AnyObject, Sendable {
    /// The component's internals. For use by this module only.
    var core: TRTCRoomCore { get }
}

/// The internals of a room component: its controller, its effects, and the queue on which callbacks are called.
public struct TRTCRoomCore: Sendable {
    let queue: CallbackQueue
    let controller: RoomController
    let requests: RoomRequests
    let effects: TXAudioEffectManager

    init(_ controller: RoomController) {
        self.controller = controller
        requests = RoomRequests(controller: controller)
        queue = controller.queue
        effects = TXAudioEffectManager(controller.sound, queue)
    }
}

extension TRTCRoom {
    var queue: CallbackQueue { core.queue }
    var controller: RoomController { core.controller }
    var requests: RoomRequests { core.requests }

    // MARK: - Life

    /// Ends the instance: leaves its room and signs out.
    package func destroy() { controller.destroy() }

    /// Sets the queue on which callbacks and the delegate are called.
    public func setDelegateQueue(queue: DispatchQueue) { if controller.isAlive() { core.queue.use(queue) } }

    /// Whether the delegate also receives the user's own messages, as the chorus guide describes ("all users"). Off by default,
    /// as in the published component, where apps show sent messages themselves. It has no such switch.
    public var echoesOwnMessages: Bool {
        get { controller.reporter.echoesOwnMessages }
        set { controller.reporter.echoesOwnMessages = newValue }
    }

    /// Sets the interval of `onUserVolumeUpdate` in milliseconds: 300 by default, at least 100; 0 turns it off. In the published
    /// component the interval is fixed.
    public func setVolumeInterval(milliseconds: Int) {
        if controller.isAlive() { controller.meters.setVolumeInterval(milliseconds) }
    }

    // MARK: - Signing in

    /// Signs in with a ticket from the application's server.
    public func login(sdkAppID: Int32, userId: String, userSig: String, callback: ActionCallback? = nil) {
        controller.login(sdkAppID: sdkAppID, userId: userId, userSig: userSig, queue.reply(callback))
    }

    /// Signs out. Refused while the user is in a room.
    public func logout(callback: ActionCallback? = nil) { controller.logout(queue.reply(callback)) }

    /// Sets the user's name and picture. The server stores them and shows them to everybody.
    public func setSelfProfile(userName: String, avatarURL: String, callback: ActionCallback? = nil) {
        requests.setSelfProfile(name: userName, avatar: avatarURL, queue.reply(callback))
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
        requests.roomInfo(ids, refused: queue.reply { callback.value?($0, $1, []) }) { [queue] rooms in
            queue.run { callback.value?(TRTCCode.success, "success", rooms.map(make)) }
        }
    }

    /// People by id, or everybody in the room, each as the component's own type, which `make` makes on the callback queue.
    func people<Info>(
        _ ids: [String]?, _ callback: ((_ code: Int32, _ message: String, _ found: [Info]) -> Void)?,
        make: @escaping @Sendable (RoomPerson) -> Info
    ) {
        let callback = UncheckedTransfer(callback)
        requests.people(ids, refused: queue.reply { callback.value?($0, $1, []) }) { [queue] people in
            queue.run { callback.value?(TRTCCode.success, "success", people.map(make)) }
        }
    }

    /// Ends the room for everybody. Only the owner may do this.
    public func destroyRoom(callback: ActionCallback? = nil) { controller.destroyRoom(queue.reply(callback)) }

    /// Enters a room. Afterwards the delegate receives `onRoomInfoChange`, `onSeatListChange`, and one `onAnchorEnterSeat` for each
    /// seated user.
    public func enterRoom(roomID: Int, callback: ActionCallback? = nil) {
        let reply = queue.reply(callback)
        guard let id = UInt32(exactly: roomID).flatMap({ RoomID(number: $0) }) else {
            return reply(TRTCCode.failed, "\(roomID) is not a valid room ID: use 1 to 4294967294")
        }
        controller.enterRoom(id, reply)
    }

    /// Leaves the room and the user's seat, if any. If the owner leaves, the room stays open for a while.
    public func exitRoom(callback: ActionCallback? = nil) { controller.exitRoom(queue.reply(callback)) }

    // MARK: - Seats

    /// Takes a seat and opens the microphone. Succeeds if the user already has that seat.
    public func enterSeat(seatIndex: Int, callback: ActionCallback? = nil) {
        requests.enterSeat(seatIndex, queue.reply(callback))
    }

    /// Leaves the user's seat and closes the microphone.
    public func leaveSeat(callback: ActionCallback? = nil) { controller.perform(.leaveSeat, queue.reply(callback)) }

    /// Seats another user. Only the owner may do this.
    public func pickSeat(seatIndex: Int, userId: String, callback: ActionCallback? = nil) {
        requests.pickSeat(seatIndex, userId, queue.reply(callback))
    }

    /// Removes the user from a seat. Only the owner may do this.
    public func kickSeat(seatIndex: Int, callback: ActionCallback? = nil) {
        controller.perform(.kickSeat(KickSeat(seatIndex)), queue.reply(callback))
    }

    /// Mutes or unmutes a seat for its current and later users. Only the owner may do this.
    public func muteSeat(seatIndex: Int, isMute: Bool, callback: ActionCallback? = nil) {
        controller.perform(.muteSeat(MuteSeat(seatIndex, muted: isMute)), queue.reply(callback))
    }

    /// Closes a seat, which removes its user, or opens it again. Only the owner may do this.
    public func closeSeat(seatIndex: Int, isClose: Bool, callback: ActionCallback? = nil) {
        controller.perform(.closeSeat(CloseSeat(seatIndex, closed: isClose)), queue.reply(callback))
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
