internal import Ovation
internal import Synchronization

/// One user's way into rooms, behind `TRTCVoiceRoom` and `TRTCChorusRoom`: hands calls to the client, and what the client tells to
/// the callback queue, in the client's order: a call's callback, then the list of seats, then the single seat (V08). Rules are the
/// server's; what is decided here is only what can be said without asking it.
final class RoomController: Sendable {
    /// A lost connection is an error after this time, and the room is left.
    static let patienceMilliseconds = 120_000

    enum Place: Sendable {
        case outside
        case entering
        case inside(RoomSession)
    }

    struct State {
        var isDestroyed = false
        var share: Connection.Share?
        /// Somebody is being signed in.
        var isSigningIn = false
        var place = Place.outside
        /// Left because the connection was lost too long: the server is told when it is back.
        var abandoned: RoomSession?
        var lossTimer: DelayClock.Cancel?
        var likes = LikeCount()
        var echoesOwnMessages = false
        /// The user's choice, which a seat taken later follows.
        var wantsMicrophoneMuted = false
    }

    let name: String
    let kind: RoomKind
    let queue: CallbackQueue
    let clock: DelayClock
    let sound: AudioController
    let meters: RoomMeters
    let songs: SongReporter
    let state = Mutex(State())
    private let hear: @Sendable (RoomNotice) -> Void

    /// - Parameters:
    ///   - name: of the component, for sentences.
    ///   - tellsQuality: whether the component's delegate hears how good connections are.
    ///   - hear: called on the callback queue, one notice after the other.
    init(
        name: String, kind: RoomKind, tellsQuality: Bool = false, queue: CallbackQueue, clock: DelayClock,
        hear: @escaping @Sendable (RoomNotice) -> Void
    ) {
        self.name = name
        self.kind = kind
        self.queue = queue
        self.clock = clock
        self.hear = hear
        let tell: @Sendable (RoomNotice) -> Void = { notice in queue.run { hear(notice) } }
        sound = AudioController(tell: tell)
        meters = RoomMeters(tellsQuality: tellsQuality, clock: clock, tell: tell)
        songs = SongReporter(sound: sound, tell: tell)
    }

    /// Signs out.
    deinit {
        if let share = state.withLock({ $0.share }) { Connection.leave(share) }
    }

    func tell(_ notice: RoomNotice) {
        queue.run { [hear] in hear(notice) }
    }

    // MARK: - What can be said without asking

    /// Whether the instance still lives; if not, the caller is told.
    func isAlive(_ reply: ActionReply) -> Bool {
        guard state.withLock({ $0.isDestroyed }) else { return true }
        reply(TRTCCode.failed, destroyedSentence)
        return false
    }

    var isDestroyed: Bool { state.withLock { $0.isDestroyed } }

    private var destroyedSentence: String {
        "this \(name) was destroyed by destroyShared(): get a new one from shared()"
    }

    /// For calls without a callback.
    func isAlive() -> Bool {
        guard state.withLock({ $0.isDestroyed }) else { return true }
        tell(.error(TRTCCode.failed, destroyedSentence))
        return false
    }

    /// The signed-in share; else the caller is told.
    func signedIn(_ reply: ActionReply) -> Connection.Share? {
        guard isAlive(reply) else { return nil }
        guard let share = state.withLock({ $0.share }) else {
            reply(TRTCCode.failed, "not logged in: call login first")
            return nil
        }
        return share
    }

    /// The room one is in; else the caller is told.
    func inside(_ reply: ActionReply) -> RoomSession? {
        guard signedIn(reply) != nil else { return nil }
        guard let room = room else {
            reply(TRTCCode.failed, "not in a room: call createRoom or enterRoom first")
            return nil
        }
        return room
    }

    /// The server that one is signed in to.
    var server: ServerAddress? { state.withLock { $0.share }?.connection.key.server }

    /// The room one is in.
    var room: RoomSession? {
        state.withLock { if case .inside(let room) = $0.place { room } else { nil } }
    }

    // MARK: - Signing in

    func login(sdkAppID: Int32, userId: String, userSig: String, _ reply: ActionReply) {
        guard isAlive(reply) else { return }
        guard sdkAppID != 0, let application = UInt32(exactly: sdkAppID) else {
            return reply(
                TRTCCode.failed, "sdkAppID is \(sdkAppID): give the application's number; \(GenerateTestUserSig.advice)"
            )
        }
        guard let user = UserID(userId) else {
            return reply(
                TRTCCode.failed, "\(userId.debugDescription) is not a valid user ID: use 1 to 32 of A-Z a-z 0-9 _ -")
        }
        guard !userSig.isEmpty else {
            return reply(TRTCCode.failed, "userSig is empty; \(GenerateTestUserSig.advice)")
        }
        let key: Connection.Key
        do throws(OvationError) {
            key = Connection.Key(
                server: try OvationServer.named(), certificate: OvationServer.certificate,
                application: ApplicationID(application), user: user)
        } catch { return reply(error.outcome.code, error.outcome.message) }
        join(key, ticket: userSig, reply)
    }

    private enum Before { case same(Connection.Share), busy, inRoom, free(Connection.Share?) }

    private func join(_ key: Connection.Key, ticket: String, _ reply: ActionReply) {
        let before = state.withLock { state -> Before in
            if state.isSigningIn { return .busy }
            if let share = state.share, share.connection.key == key { return .same(share) }
            guard case .outside = state.place else { return .inRoom }
            state.isSigningIn = true
            defer { state.share = nil }
            return .free(state.share)
        }
        switch before {
        // Logged in already: the newer ticket takes the old one's place.
        case .same(let share):
            return share.connection.renew(ticket) { result in
                switch result {
                case .success: reply(TRTCCode.success, "already logged in")
                case .failure(let error): reply(error.outcome.code, error.outcome.message)
                }
            }
        case .busy: return reply(TRTCCode.failed, "a login is in progress: wait for its callback")
        case .inRoom: return reply(TRTCCode.failed, "in a room as another user: leave it first")
        case .free(let former): if let former { Connection.leave(former) }
        }
        Connection.join(key, ticket: ticket) { [weak self] in
            self?.hear($0)
        } completion: { [weak self] result in
            self?.finishLogin(result, reply)
        }
    }

    private func finishLogin(_ result: Result<Connection.Share, OvationError>, _ reply: ActionReply) {
        switch result {
        case .failure(let error):
            state.withLock { $0.isSigningIn = false }
            reply(error.outcome.code, error.outcome.message)
        case .success(let share):
            let isWanted = state.withLock { state in
                state.isSigningIn = false
                if !state.isDestroyed { state.share = share }
                return !state.isDestroyed
            }
            guard isWanted else {
                Connection.leave(share)
                return reply(TRTCCode.failed, destroyedSentence)
            }
            reply()
        }
    }

    func logout(_ reply: ActionReply) {
        guard isAlive(reply) else { return }
        enum Before { case nobody, inRoom, free(Connection.Share) }
        let before = state.withLock { state -> Before in
            guard let share = state.share else { return .nobody }
            guard case .outside = state.place else { return .inRoom }
            forget(&state)
            return .free(share)
        }
        switch before {
        case .nobody: reply(TRTCCode.failed, "not logged in")
        case .inRoom: reply(TRTCCode.failed, "still in a room: call exitRoom or destroyRoom first")
        case .free(let share): Connection.leave(share) { reply() }
        }
    }

    /// Nothing of a sign-in is left.
    func forget(_ state: inout State) {
        state.share = nil
        state.abandoned = nil
        state.place = .outside
        state.wantsMicrophoneMuted = false
        state.lossTimer?()
        state.lossTimer = nil
        meters.stop()
    }

    /// Ends it for good: leaves the room, signs out. Whatever is called later is refused.
    func destroy() {
        let (share, room) = state.withLock { state -> (Connection.Share?, RoomSession?) in
            state.isDestroyed = true
            defer { forget(&state) }
            if case .inside(let room) = state.place { return (state.share, room) }
            return (state.share, nil)
        }
        leaveSound()
        sound.end()
        guard let share else { return }
        guard let room else { return Connection.leave(share) }
        share.connection.exit(room, share: share) { _ in Connection.leave(share) }
    }

    // MARK: - Rooms

    func createRoom(_ draft: RoomDraft, _ reply: ActionReply) {
        guard let share = begin(reply) else { return }
        share.connection.create(draft, share: share) { [self] in finishEntry($0, share, reply) }
    }

    func enterRoom(_ id: RoomID, _ reply: ActionReply) {
        guard let share = begin(reply) else { return }
        share.connection.enter(id, share: share, isSilent: false) { [self] in finishEntry($0, share, reply) }
    }

    private func begin(_ reply: ActionReply) -> Connection.Share? {
        guard let share = signedIn(reply) else { return nil }
        let isFree = state.withLock { state in
            guard case .outside = state.place else { return false }
            state.place = .entering
            return true
        }
        // A room that was given up while the connection was lost is left before another is entered, or the same one anew: both wait for
        // the connection, in this order.
        let abandoned = state.withLock { state in
            guard isFree else { return nil as RoomSession? }
            defer { state.abandoned = nil }
            return state.abandoned
        }
        if let abandoned { share.connection.exit(abandoned, share: share) { _ in } }
        guard isFree else {
            reply(TRTCCode.failed, "already in a room: call exitRoom first")
            return nil
        }
        return share
    }

    private func finishEntry(
        _ result: Result<RoomSession, OvationError>, _ share: Connection.Share, _ reply: ActionReply
    ) {
        let isWanted = state.withLock { state in
            guard case .entering = state.place else { return false }
            guard case .success(let room) = result else {
                state.place = .outside
                return true
            }
            state.place = .inside(room)
            state.likes = LikeCount(before: room.state.likes)
            return true
        }
        switch result {
        case .failure(let error): reply(error.outcome.code, error.outcome.message)
        case .success(let room):
            guard isWanted else {
                share.connection.exit(room, share: share) { _ in }
                return reply(TRTCCode.failed, "the room was left before the entry completed")
            }
            sound.attach(room.audio)
            if kind == .chorus { songs.follow(room, client: share.client) }
            meters.start(room, client: share.client)
            // Unless it was left meanwhile.
            if self.room !== room {
                meters.stop(room)
                songs.end(room)
            }
            reply()
        }
    }

    func exitRoom(_ reply: ActionReply) {
        guard let room = inside(reply), let share = state.withLock({ $0.share }) else { return }
        share.connection.exit(room, share: share) { [self] result in
            switch result {
            case .success:
                leave(room)
                reply()
            case .failure(let error): reply(error.outcome.code, error.outcome.message)
            }
        }
    }

    /// The room is no longer there for this side.
    @discardableResult
    func leave(_ room: RoomSession) -> Bool {
        let wasInside = state.withLock { state in
            guard case .inside(let present) = state.place, present === room else { return false }
            state.place = .outside
            state.wantsMicrophoneMuted = false
            meters.stop()
            return true
        }
        if wasInside {
            leaveSound()
            sound.resetEffects()
        }
        return wasInside
    }

    /// Nothing of the room sounds here any more; what was playing is told to be over.
    func leaveSound() {
        sound.attach(nil)
        songs.end()
    }

    /// - Parameter milliseconds: 0 or less: no callbacks.
    func setVolumeInterval(_ milliseconds: Int) {
        if isAlive() { meters.setVolumeInterval(milliseconds) }
    }

    // MARK: - Commands

    /// Asks the room; the callback comes before what it caused.
    func perform(
        _ command: RoomCommand, _ reply: ActionReply,
        forgiving isFine: @escaping @Sendable (OvationError) -> Bool = { _ in false }
    ) {
        inside(reply)?.perform(command) { result in
            switch result {
            case .success: reply()
            case .failure(let error) where isFine(error): reply(TRTCCode.success, error.outcome.message)
            case .failure(let error): reply(error.outcome.code, error.outcome.message)
            }
        }
    }
}
