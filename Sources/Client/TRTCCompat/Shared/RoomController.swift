internal import Ovation
internal import Platform

/// One user's way into rooms, behind `TRTCVoiceRoom` and `TRTCChorusRoom`: hands calls to the client, and what the client tells to
/// the callback queue, in the client's order: a call's callback, then the list of seats, then the single seat (V08). Rules are the
/// server's; what is decided here is only what can be said without asking it.
final class RoomController: Sendable {
    private struct State {
        var phase = ControllerPhase<Connection.Share, RoomSession>.signedOut
        var entries = EntryNumber()
    }

    let name: String
    let kind: RoomKind
    let queue: CallbackQueue
    let sound: AudioController
    let meters: RoomMeters
    let songs: SongReporter
    let reporter: RoomEventReporter
    private let state = Mutex(State())
    private let patience: LossPatience
    private let elsewhere = InvitationsElsewhere()
    private let mute = MuteStatement()
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
        patience = LossPatience(clock)
        self.hear = hear
        let tell: @Sendable (RoomNotice) -> Void = { notice in queue.run { hear(notice) } }
        sound = AudioController(tell: tell)
        meters = RoomMeters(tellsQuality: tellsQuality, clock: clock, tell: tell)
        songs = SongReporter(sound: sound, tell: tell)
        reporter = RoomEventReporter(tell: tell)
    }

    /// Signs out.
    deinit {
        guard let share = state.withLock({ $0.phase.share }) else { return }
        sound.end()
        Connection.leave(share)
    }

    func tell(_ notice: RoomNotice) {
        queue.run { [hear] in hear(notice) }
    }

    // MARK: - What can be said without asking

    /// Whether the instance still lives; if not, the caller is told.
    func isAlive(_ reply: ActionReply) -> Bool {
        guard isDestroyed else { return true }
        reply(TRTCCode.failed, destroyedSentence)
        return false
    }

    var isDestroyed: Bool { state.withLock { $0.phase.isDestroyed } }

    private var destroyedSentence: String {
        "this \(name) was destroyed by destroyShared(): get a new one from shared()"
    }

    /// For calls without a callback.
    func isAlive() -> Bool {
        guard isDestroyed else { return true }
        tell(.error(TRTCCode.failed, destroyedSentence))
        return false
    }

    /// The signed-in share; else the caller is told.
    func signedIn(_ reply: ActionReply) -> Connection.Share? {
        guard isAlive(reply) else { return nil }
        if let share = state.withLock({ $0.phase.share }) { return share }
        refuseStranger(reply)
        return nil
    }

    private func refuseStranger(_ reply: ActionReply) { reply(TRTCCode.failed, "not logged in: call login first") }

    /// The room one is in; else the caller is told.
    func inside(_ reply: ActionReply) -> RoomSession? {
        guard signedIn(reply) != nil else { return nil }
        guard let room = room else {
            reply(TRTCCode.failed, "not in a room: call createRoom or enterRoom first")
            return nil
        }
        return room
    }

    /// The room of an invitation, if the user is not in that room.
    func invitedElsewhere(_ id: String) -> RoomID? { elsewhere.room(of: id, present: room?.id) }

    /// The server that one is signed in to.
    var server: ServerAddress? { state.withLock { $0.phase.share }?.connection.key.server }

    /// The room one is in.
    var room: RoomSession? { state.withLock { $0.phase.room } }

    // MARK: - Signing in

    func login(sdkAppID: Int32, userId: String, userSig: String, _ reply: ActionReply) {
        guard isAlive(reply) else { return }
        guard let key = Connection.Key(sdkAppID: sdkAppID, userId: userId, userSig: userSig, reply) else { return }
        join(key, ticket: userSig, reply)
    }

    private func join(_ key: Connection.Key, ticket: String, _ reply: ActionReply) {
        switch state.withLock({ $0.phase.beginSignIn { $0.connection.key == key } }) {
        case .isDestroyed: return reply(TRTCCode.failed, destroyedSentence)
        case .isSigningIn: return reply(TRTCCode.failed, "a login is in progress: wait for its callback")
        case .isInRoom: return reply(TRTCCode.failed, "in a room as another user: leave it first")
        case .same(let share): return share.connection.renew(ticket) { reply.answer($0, "already logged in") }
        case .began(let former):
            // The former user's connection may be lost for as long as it likes.
            patience.end()
            if let former { Connection.leave(former) }
        }
        let sentence = destroyedSentence
        Connection.join(key, ticket: ticket, sits: true) { [weak self] in
            self?.hear($0)
        } completion: { [weak self] result in
            let share = try? result.get()
            // Whoever signs in may be gone by the time of the answer: the caller hears of it all the same, and nobody stays signed in.
            if self?.finishLogin(share) ?? false { return reply.answer(result) }
            if let share { Connection.leave(share) }
            reply(TRTCCode.failed, sentence)
        }
    }

    /// - Parameter share: `nil` if the sign-in failed.
    /// - Returns: whether the sign-in is still wanted.
    private func finishLogin(_ share: Connection.Share?) -> Bool { state.withLock { $0.phase.endSignIn(share) } }

    func logout(_ reply: ActionReply) {
        guard isAlive(reply) else { return }
        switch state.withLock({ $0.phase.signOut() }) {
        case .nobody: reply(TRTCCode.failed, "not logged in")
        case .isInRoom: reply(TRTCCode.failed, "still in a room: call exitRoom or destroyRoom first")
        case .ended(let share):
            forget()
            Connection.leave(share) { reply() }
        }
    }

    /// Ends it for good: leaves the room, signs out. Whatever is called later is refused.
    func destroy() {
        let present = state.withLock { $0.phase.destroy() }
        forget()
        leaveSound()
        sound.end()
        if let present { Connection.leave(present) }
    }

    /// Nobody is signed in any more.
    private func forget() {
        patience.end()
        elsewhere.forget()
        meters.stop()
    }

    // MARK: - Rooms

    func createRoom(_ draft: RoomDraft, _ reply: ActionReply) {
        guard let (share, number) = begin(reply) else { return }
        let mended = DraftMending(draft)
        for change in mended.changes { tell(.warning(TRTCCode.failed, change)) }
        var draft = mended.draft
        draft.isAdvisory = OvationServer.consent == .advisory
        share.connection.create(draft, share: share) { [self] in finishEntry(number, $0, share, reply) }
    }

    func enterRoom(_ id: RoomID, _ reply: ActionReply) {
        guard let (share, number) = begin(reply) else { return }
        share.connection.enter(id, share: share, isSilent: false) { [self] in finishEntry(number, $0, share, reply) }
    }

    private func begin(_ reply: ActionReply) -> (Connection.Share, EntryNumber)? {
        guard isAlive(reply) else { return nil }
        let answer = state.withLock { $0.phase.beginEntry($0.entries.next()) }
        switch answer {
        case .nobody: refuseStranger(reply)
        case .isInRoom: reply(TRTCCode.failed, "already in a room: call exitRoom first")
        case .began(let share, let number): return (share, number)
        }
        return nil
    }

    private func finishEntry(
        _ number: EntryNumber, _ result: Result<RoomSession, OvationError>, _ share: Connection.Share,
        _ reply: ActionReply
    ) {
        let room = try? result.get()
        let isWanted = state.withLock { state in
            guard state.phase.endEntry(number, room) else { return false }
            if let room { reporter.begin(room) }
            return true
        }
        guard let room else { return reply.answer(result) }
        guard isWanted else {
            share.connection.exit(room, share: share)
            return reply(TRTCCode.failed, "the room was left before the entry completed")
        }
        sound.attach(room.audio)
        if kind == .chorus { songs.follow(room, client: share.client) }
        meters.start(room, client: share.client)
        // Unless it was left meanwhile.
        if self.room !== room {
            meters.stop(room)
            songs.end(room)
            sound.detach(room.audio)
        }
        reply()
    }

    /// Leaving needs no server: whoever calls it is out of the room and off the air.
    func exitRoom(_ reply: ActionReply) {
        guard let room = inside(reply), let share = signedIn(reply) else { return }
        leave(room)
        share.connection.exit(room, share: share) { reply() }
    }

    /// The callback finds the user outside: an app may create the next room in it. So the room is left before its end comes as news.
    func destroyRoom(_ reply: ActionReply) {
        guard let room = inside(reply) else { return }
        room.perform(.destroyRoom) { [self] result in
            guard case .success = result, leave(room) else { return reply.answer(result) }
            reply()
            tell(.destroyed(room.id))
        }
    }

    /// The room is no longer there for this side.
    @discardableResult
    private func leave(_ room: RoomSession) -> Bool {
        guard state.withLock({ $0.phase.leave(room) }) else { return false }
        meters.stop(room)
        leaveSound()
        sound.resetEffects()
        return true
    }

    /// Nothing of the room sounds here any more; what was playing is told to be over. Whoever sits down in another room speaks.
    func leaveSound() {
        mute.end()
        sound.attach(nil)
        sound.set { $0.isMicrophoneMuted = false }
        songs.end()
    }

    // MARK: - Commands

    /// Asks the room; the callback comes before what it caused.
    func perform(
        _ command: RoomCommand, _ reply: ActionReply,
        forgiving isFine: @escaping @Sendable (OvationError) -> Bool = { _ in false }
    ) {
        inside(reply)?.perform(command) { [sound] result in
            switch (result, command) {
            case (.failure(let error), _) where isFine(error):
                return reply(TRTCCode.success, error.outcome.message)
            case (.success, .takeSeat): sound.noteSeat(isTaken: true)
            case (.success, .leaveSeat): sound.noteSeat(isTaken: false)
            default: break
            }
            reply.answer(result)
        }
    }

    /// Mutes or unmutes the own microphone, until the room is left. Everybody in the room is told if one has a seat; without one, with the
    /// next seat.
    func muteMicrophone(_ isMuted: Bool) {
        guard isAlive() else { return }
        sound.set { $0.isMicrophoneMuted = isMuted }
        guard let room, room.state.mySeat != nil else { return }
        mute.tell(
            MuteStatement.Listener { [weak self] in
                guard let self, self.room === room, room.state.mySeat != nil else { return nil }
                return sound.settings.isMicrophoneMuted
            } say: { isMuted, done in
                room.perform(.setMicrophone(SetMicrophone(muted: isMuted))) { result in
                    if case .failure(let error) = result { done(error) } else { done(nil) }
                }
            } wait: { pause, body in
                // As long as the server asks for. Whoever leaves meanwhile has ended what waits.
                Task {
                    try? await Task.sleep(for: pause)
                    body()
                }
            } warn: { [weak self] in
                self?.tell(.warning($0.outcome.code, $0.outcome.message))
            })
    }

    // MARK: - Hearing

    /// On the client's thread, in its order.
    func hear(_ delivery: OvationClient.Delivery) {
        switch delivery {
        case .client(let event): hear(event)
        case .room(let session, let event):
            guard let room, room === session else { return }
            follow(event, in: room)
            reporter.report(event, in: room)
        }
    }

    private func hear(_ event: OvationClient.Event) {
        switch event {
        case .connectionLost(let error):
            patience.begin { [weak self] in self?.giveUp() }
            tell(.warning(TRTCCode.disconnected, "the connection is lost; reconnecting: \(error.message)"))
        case .connectionRestored:
            patience.end()
            tell(.log("the connection is back"))
        case .ticketExpiring(let time):
            tell(
                .warning(
                    TRTCCode.ticketExpired,
                    "the userSig runs out in \(time.milliseconds / 1_000) s: call login with a newer one"))
        case .ticketRenewed: tell(.log("the userSig was renewed"))
        case .ticketRenewalFailed(let error): tell(.warning(error.outcome.code, error.outcome.message))
        case .signedOut(let error): endSession(error)
        case .invitation(let news, _): if let notice = elsewhere.take(news) { tell(notice) }
        // For the chat client.
        case .signal: break
        }
    }

    /// The published component leaves the room after this time, and so does this one: an app that shows the error shows no room.
    private func giveUp() {
        let present = state.withLock { $0.phase.abandon() }
        if let present { meters.stop(present.room) }
        // Also the song's copy, which would go on without a server.
        leaveSound()
        sound.resetEffects()
        guard let (share, room) = present else {
            return tell(.error(TRTCCode.connectionTimeout, "the connection has been lost for two minutes"))
        }
        share.connection.exit(room, share: share)
        tell(.error(TRTCCode.connectionTimeout, "the connection has been lost for two minutes; the room was left"))
    }

    private func endSession(_ error: OvationError) {
        guard let share = state.withLock({ $0.phase.lose() }) else { return }
        forget()
        leaveSound()
        Connection.leave(share)
        tell(.error(error.outcome.code, "logged out: \(error.message)"))
    }

    /// What this side does about an event before its app is told of it.
    private func follow(_ event: RoomSession.Event, in room: RoomSession) {
        switch event {
        case .seatTaken(let taken) where taken.user.id == room.state.me.id:
            sound.followSeat(isTaken: true)
            // A seat that is taken with a microphone which its user muted before is muted for everybody.
            if taken.seat.micMuted == false, sound.settings.isMicrophoneMuted { muteMicrophone(true) }
        case .seatLeft(_, let user, let reason, _) where user.id == room.state.me.id && reason != .moved:
            sound.followSeat(isTaken: false)
        case .songChanged(let change) where change.reason == .started:
            if let play = change.play { songs.announce(play, in: room) }
        case .ended: if leave(room) { tell(.destroyed(room.id)) }
        case .gone(let error): lose(room, error)
        default: break
        }
    }

    /// The user is out of the room, or could not enter it again.
    private func lose(_ room: RoomSession, _ error: OvationError) {
        guard leave(room) else { return }
        if error.code == .roomClosed || error.code == .roomNotFound {
            tell(.destroyed(room.id))
        } else if error.endsStay {
            tell(.error(error.outcome.code, error.outcome.message))
        }
        // Else the session has ended, which is told by itself.
    }
}
