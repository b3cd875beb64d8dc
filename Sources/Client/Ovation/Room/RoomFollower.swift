internal import NIOCore
internal import RoomModel
internal import SignalProtocol

/// Keeps the state of one room up to the server's news, on the connection's event loop: takes events up by their numbers, asks
/// for what is missing, finds back after a lost connection, and tells each event after the state shows it.
final class RoomFollower {
    /// How many people are read anew after a lost connection; in bigger rooms the rest comes by `members`.
    static let membersRead = 200
    /// A resynchronisation that failed is tried again after this time.
    static let resyncAgain = TimeAmount.seconds(2)
    static let resumePatience = TimeAmount.seconds(10)

    /// Somebody who waits for the state to show what their command did.
    private struct Waiter {
        var number: Int
        var seq: UInt64
        var chat: UInt64
        var token: CallToken?
        var timer: Scheduled<Void>
        var done: () -> Void
    }

    private let parts: RoomParts
    /// Held by whoever entered the room.
    private(set) weak var session: RoomSession?
    private unowned let connection: SignalConnection
    private var state: RoomState {
        didSet {
            parts.box.set(state)
            guard
                state.seats != oldValue.seats || state.me != oldValue.me || state.play != oldValue.play
                    || state.duet != oldValue.duet || state.network.apart != oldValue.network.apart
            else { return }
            parts.audio.take(state)
        }
    }
    private var path: AudioPath?
    /// What the room was entered with. It is shown again only to a server that asks: one that started anew, or dropped us.
    private var privateMapKey: String?
    private var isResyncing = false
    private var isLost = false
    private var waiters: [Waiter] = []
    private var lastWaiter = 0

    init(_ session: RoomSession, by privateMapKey: String?, in connection: SignalConnection) {
        self.session = session
        parts = session.parts
        self.privateMapKey = privateMapKey
        self.connection = connection
        state = parts.box.value
        guard connection.outlet.hasAudio else { return }
        parts.audio.take(state)
        path = AudioPath(parts.audio, of: state, in: connection)
        if state.info.kind == .chorus { path?.watchNetwork() }
    }

    var isPresent: Bool { state.isPresent }
    var room: RoomID { state.room }

    /// With what the room would be entered again.
    var wayBack: Departures.WayBack { Departures.WayBack(privateMapKey: privateMapKey) }

    func isOf(_ session: RoomSession) -> Bool { session.parts === parts }

    /// The room's session, or another one if nobody holds that any more.
    func held() -> RoomSession {
        if let session { return session }
        let another = RoomSession(parts, line: SignalConnectionHandle(connection), outlet: connection.outlet)
        session = another
        return another
    }

    // MARK: - News

    /// - Parameter snapshot: what was entered with.
    func tellEntry(_ snapshot: RoomSnapshot) {
        tell(state.entryEvents)
        readInvitations(after: snapshot.moreInvitations, snapshot.invitations.last)
        path?.handle(.resumed(mediaEpoch: state.mediaEpoch))
    }

    /// Entered a second time: the whole is told as to whoever enters, and what differs before it.
    /// - Parameter answer: called when the state shows the snapshot, before its events.
    func enterAgain(_ snapshot: RoomSnapshot, by privateMapKey: String?, answer: (RoomSession) -> Void) {
        self.privateMapKey = privateMapKey ?? self.privateMapKey
        var next = state
        let events = next.replace(with: snapshot)
        let session = held()
        take(next, events) { answer(session) }
        tellEntry(snapshot)
    }

    func hear(_ events: [HeardEvent], epoch: UInt64) {
        for event in events {
            guard isPresent else { return }
            guard epoch == state.epoch else {
                if epoch > state.epoch { resync() }
                return
            }
            var next = state
            switch next.take(event) {
            case .nothing: break
            case .told(let events): take(next, events)
            case .missing: return resync()
            case .unreadable: return resync(isWhole: true)
            }
        }
    }

    /// The state first, then its events, then whoever waited for it.
    private func take(_ next: RoomState, _ events: [RoomSession.Event], _ answer: () -> Void = {}) {
        let (wasSinging, former) = (isSinging, state.play?.startAt)
        state = next
        if isSinging, !wasSinging || former != state.play?.startAt { connection.clock.hurry() }
        answer()
        tell(events)
        settleWaiters()
        if !isPresent { finish() }
    }

    /// A song plays that one is placed in by the server's clock.
    var isSinging: Bool { isPresent && state.mySeat != nil && state.play?.startAt != nil }

    private func tell(_ events: [RoomSession.Event]) {
        for event in events {
            if case .levels(let levels) = event { parts.levelsBox.set(levels) }
            parts.broadcast.send(event)
            if let session { connection.outlet.deliver(event, of: session) }
        }
    }

    /// What only the caller knows of a command that was accepted.
    func note(_ command: RoomCommand, _ result: CommandResult) {
        guard isPresent else { return }
        switch (command, result) {
        case (.sendInvitation(let draft), .invited(let id, _)):
            let now = connection.outlet.clock.milliseconds ?? 0
            state.note(
                Invitation(
                    id: id, room: room, from: state.me.id, to: draft.to, command: draft.command,
                    content: draft.content, createdAt: now,
                    expiresAt: draft.timeoutSeconds > 0 ? now + Int64(draft.timeoutSeconds) * 1_000 : nil))
        case (.acceptInvitation(let asked), _): state.forgetInvitation(asked.id)
        case (.rejectInvitation(let asked), _): state.forgetInvitation(asked.id)
        case (.cancelInvitation(let asked), _): state.forgetInvitation(asked.id)
        default: break
        }
    }

    // MARK: - Lost and found

    func connectionLost() {
        guard isPresent, !isLost else { return }
        isLost = true
        parts.levelsBox.set([:])
        path?.handle(.signallingLost)
        tell([.connectionLost])
    }

    /// Reads what was missed. Without an error the state is exact, or the room is over.
    func resume(_ done: @escaping (OvationError?) -> Void) { resume(by: nil, isWhole: false, done) }

    /// - Parameter isWhole: the room as it is now is read, not what was missed.
    private func resume(by key: String?, isWhole: Bool, _ done: @escaping (OvationError?) -> Void) {
        let since = isWhole ? nil : state.resumePoint
        connection.perform(
            .rooms(.enterRoom(EnterRoom(room, since: since, privateMapKey: key))), timeout: Self.resumePatience,
            isHandshake: true
        ) { [weak self] result in
            guard let self, isPresent else { return done(nil) }
            var next = state
            switch result {
            // A newer server's change is among them, whose effect only the room itself shows.
            case .success(.entered(.resumed(let gap))) where gap.isUnreadable:
                return resume(by: key, isWhole: true, done)
            case .success(.entered(.resumed(let gap))):
                let events = next.resume(gap)
                take(next, events)
                readInvitations(after: gap.state.moreInvitations, gap.state.invitations.last)
            case .success(.entered(.snapshot(let snapshot))):
                let events = next.replace(with: snapshot)
                take(next, events)
                readInvitations(after: snapshot.moreInvitations, snapshot.invitations.last)
            case .success: return done(OvationError(.invalidAnswer))
            case .failure(let error) where key == nil && privateMapKey != nil && error.code == .roomKeyFailed:
                return resume(by: privateMapKey, isWhole: isWhole, done)
            case .failure(let error) where error.endsStay: end(.gone(error))
            case .failure(let error) where error.code == .invalidAnswer:
                // A newer server's word. The room as a whole may do without it; if not, nothing would be gained by asking again.
                if since != nil { return resume(by: key, isWhole: true, done) }
                end(.gone(OvationError(.invalidAnswer, "this room needs a newer version of the app")))
            case .failure(let error): return done(error)
            }
            done(nil)
        }
    }

    func connectionRestored() {
        guard isPresent else { return }
        isLost = false
        tell([.resumed])
        path?.handle(.resumed(mediaEpoch: state.mediaEpoch))
        readMembers()
    }

    /// Who came and went in the meantime has no number: the people are read anew, without holding up anything.
    private func readMembers() {
        connection.perform(
            .rooms(.listMembers(ListMembers(room, .everyone(limit: Self.membersRead, cursor: nil)))),
            timeout: Self.resumePatience
        ) { [weak self] result in
            guard let self, isPresent, case .success(.members(let page)) = result else { return }
            var next = state
            let events = next.take(page, isWhole: page.cursor == nil)
            take(next, events)
        }
    }

    /// Waiting invitations that did not fit into the answer are read page by page.
    private func readInvitations(after cursor: String?, _ former: Invitation?) {
        guard let cursor else { return }
        connection.perform(
            .rooms(.listInvitations(ListInvitations(room, cursor: cursor))), timeout: Self.resumePatience
        ) {
            [weak self] result in
            guard let self, isPresent, case .success(.invitations(let page)) = result else { return }
            var next = state
            let events = next.takeInvitations(page.invitations, after: former, isLast: page.cursor == nil)
            take(next, events)
            // A page is never empty unless it is the last.
            guard let last = page.invitations.last else { return }
            readInvitations(after: page.cursor, last)
        }
    }

    /// Something is missing on the connection that stands.
    private func resync(isWhole: Bool = false) {
        guard !isResyncing else { return }
        isResyncing = true
        resume(by: nil, isWhole: isWhole) { [weak self] error in
            guard let self else { return }
            isResyncing = false
            if error == nil, isPresent { path?.handle(.resumed(mediaEpoch: state.mediaEpoch)) }
            // A lost connection resumes by itself.
            guard error != nil, isPresent, connection.isReady else { return }
            let again = NIOLoopBound(self, eventLoop: connection.loop)
            connection.loop.scheduleTask(in: Self.resyncAgain) {
                if again.value.isPresent, again.value.connection.isReady { again.value.resync() }
            }
        }
    }

    // MARK: - The end

    func end(_ phase: RoomState.Phase) {
        guard isPresent else { return }
        state.phase = phase
        if case .gone(let error) = phase { tell([.gone(error)]) }
        finish()
    }

    /// Somebody who runs the room has put the user out.
    func remove(_ restriction: Restriction) {
        guard isPresent else { return }
        tell([.removed(restriction)])
        let error = OvationError(restriction, by: state.info.owner.name, at: connection.outlet.clock.milliseconds)
        end(.gone(error))
    }

    private func finish() {
        settleWaiters()
        path?.handle(.stop)
        path = nil
        parts.levelsBox.set([:])
        parts.finish()
        if connection.followers[room] === self { connection.unfollow(room) }
    }

    // MARK: - Waiting for effects

    /// `done` runs once, when the state shows these numbers, the room is over, the time is over, or the wait is called off.
    func whenSeen(
        seq: UInt64, chat: UInt64, until deadline: NIODeadline, token: CallToken?, _ done: @escaping () -> Void
    ) {
        guard isPresent, state.seq < seq || state.chat < chat, token?.isCancelled != true else { return done() }
        lastWaiter += 1
        let bound = NIOLoopBound((self, lastWaiter), eventLoop: connection.loop)
        let timer = connection.loop.scheduleTask(deadline: deadline) {
            let (follower, number) = bound.value
            follower.settleWaiters { $0.number == number }
        }
        waiters.append(
            Waiter(number: lastWaiter, seq: seq, chat: chat, token: token, timer: timer, done: done))
    }

    func callOff(_ token: CallToken) { settleWaiters { $0.token === token } }

    private func settleWaiters() {
        let over = !isPresent
        settleWaiters { [state] in over || state.seq >= $0.seq && state.chat >= $0.chat }
    }

    private func settleWaiters(_ isDone: (Waiter) -> Bool) {
        guard !waiters.isEmpty else { return }
        let done = waiters.filter(isDone)
        waiters.removeAll { waiter in done.contains { $0.number == waiter.number } }
        for waiter in done {
            waiter.timer.cancel()
            waiter.done()
        }
    }
}
