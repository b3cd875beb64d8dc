public import Foundation
internal import Ovation
internal import Platform
internal import SignalProtocol

/// The part of the chat client that live rooms need: signing in, joining rooms as groups, and messages to a group.
///
/// It shares the connection of a room component in which the same user is signed in. Closures and listeners are called on the main
/// queue.
public final class V2TIMManager: Sendable {
    private static let instance = V2TIMManager()

    private enum SignIn {
        case none
        case running
        /// It was taken back before its answer.
        case unwanted
    }

    private struct State {
        var application: Int32 = 0
        var share: Connection.Share?
        var signIn = SignIn.none
        /// Why nobody is signed in any more.
        var ended: OvationError?
    }

    private let state = Mutex(State())
    private let listeners = ListenerList<any V2TIMSimpleMsgListener>()
    private let groupListeners = ListenerList<any V2TIMGroupListener>()
    private let connectionListeners = ListenerList<any V2TIMSDKListener>()
    private let queue = CallbackQueue()

    /// A user beside the one of `sharedInstance()`: for programs that stand in for several people.
    package init() {}

    /// Signs out.
    deinit {
        if let share = state.withLock({ $0.share }) { Connection.leave(share) }
    }

    /// The shared instance.
    public static func sharedInstance() -> V2TIMManager! { instance }

    // MARK: - Signing in

    /// Sets the application.
    @discardableResult
    public func initSDK(_ sdkAppID: Int32, config: V2TIMSDKConfig? = nil) -> Bool {
        guard sdkAppID > 0 else { return false }
        state.withLock { $0.application = sdkAppID }
        return true
    }

    /// Signs out and resets the application.
    public func unInitSDK() {
        logout(nil, fail: nil)
        state.withLock { $0.application = 0 }
    }

    /// Signs in with a ticket from the application's server.
    public func login(_ userID: String!, userSig: String!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil) {
        let reply = reply(succ, fail)
        let application = state.withLock { $0.application }
        guard application > 0 else {
            return reply(TRTCCode.notInitialized, "call initSDK with the application's number first")
        }
        guard let user = (userID as String?).flatMap({ UserID($0) }) else {
            return reply(TRTCCode.invalidParameters, "a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
        }
        guard let ticket = userSig as String?, !ticket.isEmpty else {
            return reply(TRTCCode.invalidParameters, "userSig is empty; \(GenerateTestUserSig.advice)")
        }
        let key: Connection.Key
        do throws(OvationError) {
            key = Connection.Key(
                server: try OvationServer.named(), certificate: OvationServer.certificate,
                application: ApplicationID(UInt32(application)), user: user)
        } catch { return reply(error.chatOutcome.code, error.chatOutcome.message) }
        join(key, ticket, reply)
    }

    private func join(_ key: Connection.Key, _ ticket: String, _ reply: ActionReply) {
        let (isBusy, former) = state.withLock { state -> (Bool, Connection.Share?) in
            guard case .none = state.signIn else { return (true, nil) }
            if state.share?.connection.key == key { return (false, state.share) }
            state.signIn = .running
            defer { state.share = nil }
            return (false, state.share)
        }
        if isBusy { return reply(TRTCCode.failed, "a login is in progress: wait for its callback") }
        if let former {
            guard former.connection.key != key else {
                return former.connection.renew(ticket) { reply.answerChat($0) }
            }
            Connection.leave(former)
        }
        Connection.join(key, ticket: ticket, sits: false) { [weak self] in
            self?.hear($0)
        } completion: { [weak self] result in
            let share = try? result.get()
            guard let self else {
                if let share { Connection.leave(share) }
                return reply.answerChat(result)
            }
            guard finishLogin(share) else {
                if let share { Connection.leave(share) }
                return reply(TRTCCode.notSignedIn, "logged out before the login completed")
            }
            reply.answerChat(result)
        }
    }

    /// - Parameter share: `nil` if the sign-in failed.
    /// - Returns: whether it is still wanted.
    private func finishLogin(_ share: Connection.Share?) -> Bool {
        state.withLock { state in
            defer { state.signIn = .none }
            if case .unwanted = state.signIn { return false }
            guard let share else { return true }
            state.share = share
            state.ended = nil
            return true
        }
    }

    /// Signs out.
    public func logout(_ succ: V2TIMSucc?, fail: V2TIMFail? = nil) {
        let reply = reply(succ, fail)
        let (share, wasSigningIn) = state.withLock { state -> (Connection.Share?, Bool) in
            defer { state.share = nil }
            guard case .running = state.signIn else { return (state.share, false) }
            state.signIn = .unwanted
            return (state.share, true)
        }
        if let share { return Connection.leave(share) { reply() } }
        if wasSigningIn { reply() } else { reply(TRTCCode.notSignedIn, "not logged in") }
    }

    /// The id of the signed-in user; `nil` if nobody is signed in.
    public func getLoginUser() -> String! { state.withLock { $0.share?.connection.key.user.rawValue } }

    // MARK: - Groups

    /// Enters the room of a group to receive its messages. A user can be in one room at a time.
    public func joinGroup(
        _ groupID: String!, msg: String! = nil, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil
    ) {
        let reply = reply(succ, fail)
        guard let (share, room) = place(groupID, reply) else { return }
        share.connection.enter(room, share: share, isSilent: true) { reply.answerChat($0) }
    }

    /// Leaves the room of a group, unless a room component of this process is in it too.
    public func quitGroup(_ groupID: String!, succ: V2TIMSucc? = nil, fail: V2TIMFail? = nil) {
        let reply = reply(succ, fail)
        guard let (share, room) = place(groupID, reply) else { return }
        guard let session = share.connection.session(of: room, share) else {
            return reply(TRTCCode.notInGroup, "not in group \(GroupID.text(room))")
        }
        share.connection.exit(session, share: share) { reply() }
    }

    /// Sends a custom message to everybody else in a group.
    /// - Parameter priority: beyond the room's budget of messages, the server refuses those of lower priority first, and `fail` is called.
    /// - Returns: the id that the message will have.
    @discardableResult
    public func sendGroupCustomMessage(
        _ customData: Data!, to groupID: String!, priority: V2TIMMessagePriority, succ: V2TIMSucc? = nil,
        fail: V2TIMFail? = nil
    ) -> String! {
        let reply = reply(succ, fail)
        let id = UUID().uuidString
        guard let (share, room) = place(groupID, reply) else { return id }
        let draft = MessageDraft(
            GroupMessage.body((customData as Data?) ?? Data(), priority), id: id, priority: priority.ofMessage)
        share.client.perform(.rooms(.command(room, .sendMessage(draft), key: IdempotencyKey(id)))) {
            reply.answerChat($0)
        }
        return id
    }

    func signedIn(_ reply: ActionReply) -> Connection.Share? {
        let (present, ended) = state.withLock { ($0.share, $0.ended) }
        if let present { return present }
        let why = ended?.chatOutcome ?? (code: TRTCCode.notSignedIn, message: "not logged in")
        reply(why.code, why.message + ": call login first")
        return nil
    }

    func place(_ group: String?, _ reply: ActionReply) -> (Connection.Share, RoomID)? {
        guard let share = signedIn(reply) else { return nil }
        guard let group, let room = GroupID.room(group) else {
            reply(TRTCCode.invalidGroup, "\((group ?? "").debugDescription) is no group id")
            return nil
        }
        return (share, room)
    }

    // MARK: - Messages

    /// Adds a listener for messages, which is held weakly.
    public func addSimpleMsgListener(listener: any V2TIMSimpleMsgListener) { listeners.add(listener) }

    /// Removes a listener.
    public func removeSimpleMsgListener(listener: any V2TIMSimpleMsgListener) { listeners.remove(listener) }

    /// Adds a listener for what happens in groups, which is held weakly.
    public func addGroupListener(listener: any V2TIMGroupListener) { groupListeners.add(listener) }

    /// Removes a listener.
    public func removeGroupListener(listener: any V2TIMGroupListener) { groupListeners.remove(listener) }

    // MARK: - The connection

    /// Adds a listener for the connection, which is held weakly.
    public func addIMSDKListener(listener: any V2TIMSDKListener) { connectionListeners.add(listener) }

    /// Removes a listener.
    public func removeIMSDKListener(listener: any V2TIMSDKListener) { connectionListeners.remove(listener) }

    private func tell(_ call: @escaping @Sendable (any V2TIMSDKListener) -> Void) {
        queue.run { [connectionListeners] in
            for listener in connectionListeners.all { call(listener) }
        }
    }

    private func hear(_ delivery: OvationClient.Delivery) {
        switch delivery {
        case .client(.connectionLost): tell { $0.onConnecting() }
        case .client(.connectionRestored): tell { $0.onConnectSuccess() }
        case .client(.signedOut(let error)): end(error)
        case .client(.signal(let signal)):
            queue.run { [listeners] in
                for listener in listeners.all { Self.tell(signal, to: listener) }
            }
        case .room(let room, .message(let message)) where message.from.id != room.state.me.id:
            hear(message, in: room.id)
        case .room(let room, .attributesChanged):
            let attributes = room.state.attributes
            tellOfGroup {
                $0.onGroupAttributeChanged(
                    GroupID.text(room.id), attributes: NSMutableDictionary(dictionary: attributes))
            }
        default: break
        }
    }

    /// The session has ended; by oneself it is not told.
    private func end(_ error: OvationError) {
        let share = state.withLock { state -> Connection.Share? in
            guard let share = state.share else { return nil }
            state.share = nil
            state.ended = error
            return share
        }
        guard let share else { return }
        Connection.leave(share)
        if error.chatOutcome.code == TRTCCode.ticketExpired {
            tell { $0.onUserSigExpired() }
        } else if [.sessionReplaced, .bannedHere, .bannedHereForGood].contains(error.code) {
            tell { $0.onKickedOffline() }
        }
    }

    private func tellOfGroup(_ call: @escaping @Sendable (any V2TIMGroupListener) -> Void) {
        queue.run { [groupListeners] in
            for listener in groupListeners.all { call(listener) }
        }
    }

    private func hear(_ message: Message, in room: RoomID) {
        let id = message.id ?? String(message.chat)
        let group = GroupID.text(room)
        if case .custom(GroupMessage.notice, let text) = message.body {
            return tellOfGroup { $0.onReceiveRESTCustomData(group, data: Data(text.utf8)) }
        }
        queue.run { [listeners] in
            let sender = V2TIMGroupMemberInfo(
                userID: message.from.id.rawValue, nickName: message.from.name, faceURL: message.from.avatar)
            for listener in listeners.all {
                switch message.body {
                case .text(let text): listener.onRecvGroupTextMessage(id, groupID: group, sender: sender, text: text)
                case .custom(let command, let text):
                    guard let data = GroupMessage.data(command: command, message: text) else { continue }
                    listener.onRecvGroupCustomMessage(id, groupID: group, sender: sender, customData: data)
                }
            }
        }
    }

    func reply(_ succ: V2TIMSucc?, _ fail: V2TIMFail?) -> ActionReply {
        queue.reply { code, message in
            if code == TRTCCode.success { succ?() } else { fail?(code, message) }
        }
    }
}

extension ActionReply {
    /// As the chat client tells it.
    func answerChat<Value>(_ result: Result<Value, OvationError>) {
        switch result {
        case .success: self()
        case .failure(let error): self(error.chatOutcome.code, error.chatOutcome.message)
        }
    }
}

extension OvationError {
    /// As the chat client tells it, which has one number for a ticket that is out of date, whenever that is noticed, and one for
    /// a call without a login.
    var chatOutcome: (code: Int32, message: String) {
        if self.code == .ticketExpired { return (TRTCCode.ticketExpired, outcome.message) }
        return self.code == .notSignedIn ? (TRTCCode.notSignedIn, outcome.message) : outcome
    }
}

/// Listeners, held weakly.
///
/// @unchecked: the list is read and written under `lock`; what it refers to is called on the callback queue alone.
private final class ListenerList<Listener>: @unchecked Sendable {
    private struct Entry {
        weak var listener: AnyObject?
    }

    private let lock = NSLock()
    private var entries: [Entry] = []

    var all: [Listener] { lock.withLock { entries.compactMap { $0.listener as? Listener } } }

    /// A protocol of classes cannot be said of a type parameter: whoever calls has one.
    func add(_ listener: AnyObject) {
        lock.withLock {
            entries.removeAll { $0.listener == nil || $0.listener === listener }
            entries.append(Entry(listener: listener))
        }
    }

    func remove(_ listener: AnyObject) {
        lock.withLock { entries.removeAll { $0.listener == nil || $0.listener === listener } }
    }
}
