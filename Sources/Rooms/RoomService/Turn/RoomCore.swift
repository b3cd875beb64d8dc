package import RoomEvents
package import RoomModel
package import RoomPorts
package import RoomRules
import Timing

/// A room at work: decide → apply → submit to the journal → release. Every method is one synchronous turn; whoever owns
/// it (the actor `Room`, or a test) calls it from one place at a time. It waits for nothing: the journal and the media
/// plane leave word with the `RoomInbox`, the clock wakes it, and both lead to `takeTurn()`. The parts of the room are values that say in
/// the turn what is to be done; only here is it done.
package final class RoomCore {
    /// For how long the media plane may owe a confirmation. It cuts within 200 ms; a plane that says nothing for so
    /// long takes no commands and forwards nothing, and the room must not stand still with it.
    static let confirmationLimit = Interval.seconds(1)
    static let unavailable = RoomError(.unavailable, retryAfterMs: 500)

    package let key: RoomKey
    package let inbox: RoomInbox
    private let dependencies: RoomDependencies

    /// The room as it is decided, and what is to be done about it.
    private(set) var turn: RoomTurn
    private(set) var parts: TurnParts
    private var commands: RoomCommands
    private var outlets: RoomOutlets
    private var writer: JournalWriter
    private var queue = ReleaseQueue()
    private var alarm: WakingAlarm
    /// An empty buffer for effects that are being acted on.
    private var actedOn: [Effect] = []
    private var draining: [@Sendable () -> Void] = []

    package init(key: RoomKey, stage: StageID, dependencies: RoomDependencies, inbox: RoomInbox) {
        self.key = key
        self.dependencies = dependencies
        self.inbox = inbox
        turn = RoomTurn(key: key, policy: dependencies.policy, at: dependencies.clock)
        parts = TurnParts(stage: stage, dependencies)
        commands = RoomCommands(dependencies)
        outlets = RoomOutlets(key: key, stage: stage, dependencies, inbox: inbox)
        writer = JournalWriter(key: key, dependencies: dependencies, inbox: inbox)
        alarm = WakingAlarm(clock: dependencies.clock, inbox: inbox)
    }

    package var state: DurableRoomState { _read { yield turn.state } }
    package var isOver: Bool { turn.phase == .over }

    // MARK: A turn

    private func beginTurn() { turn.begin(at: dependencies.clock) }

    /// Lets a part of the room do something.
    func inTurn(_ body: (inout TurnParts, inout RoomTurn) -> Void) {
        beginTurn()
        body(&parts, &turn)
        endTurn()
    }

    /// Asks something of a part that lasts no longer than the answer.
    @discardableResult
    func asking<Value>(
        _ body: (inout TurnParts, inout RoomTurn) throws(RoomError) -> Value
    ) throws(RoomError) -> Value {
        beginTurn()
        defer { act() }
        return try body(&parts, &turn)
    }

    /// What the journal, the media plane and the clock have to say.
    package func takeTurn() {
        beginTurn()
        for deadline in turn.deadlines.due(at: turn.now) {
            parts.meet(deadline, in: &turn)
            if deadline == .confirmation, queue.giveUpConfirmation() { dependencies.report(.cutUnconfirmed(key)) }
            act()
        }
        endTurn()
    }

    /// The end of every turn: act, hear reports, release what may leave, send, ask to be woken.
    private func endTurn() {
        act()
        hear(inbox.take())
        release()
        if turn.phase == .open { writer.storeSnapshot(stored: queue.stored) }
        parts.gathered.setTimers(in: &turn)
        outlets.publish(isOpen: turn.phase == .open)
        outlets.sendDueNews(in: &turn)
        if turn.isDraining, queue.isEmpty {
            let done = draining
            draining = []
            turn.isDraining = false
            turn.phase = .over
            for done in done { done() }
        }
        alarm.arm(for: turn.deadlines.earliest)
    }

    private func hear(_ fresh: RoomInbox.Reports) {
        queue.noteStored(fresh.stored)
        queue.noteConfirmed(fresh.confirmed)
        if let failed = fresh.failed, turn.phase == .open || turn.phase == .empty {
            lose(from: failed.position, failed.failure)
        }
        if fresh.rang { alarm.noteRung() }
        if !fresh.posted.isEmpty { parts.gifts.hear(fresh.posted, in: &turn) }
        act()
        for verdict in fresh.reviewed {
            commands.hear(verdict, with: &parts, in: &turn)
            act()
        }
    }

    // MARK: Effects

    /// Acts on what the turn has brought, in its order. What one effect brings comes before the next one.
    private func act() {
        while turn.hasEffects {
            // The same two buffers, turn after turn.
            var effects: [Effect] = []
            swap(&effects, &actedOn)
            turn.exchangeEffects(&effects)
            act(on: effects)
            effects.removeAll(keepingCapacity: true)
            swap(&effects, &actedOn)
        }
    }

    private func act(on effects: [Effect]) {
        for effect in effects {
            act(on: effect)
            act()
        }
    }

    private func act(on effect: Effect) {
        switch effect {
        case .submit(let submission): submit(submission)
        case .release(let release): queue.append(release)
        case .decide(let command, let sequel): parts.decide(command, sequel, in: &turn)
        case .answer(let answer): answer()
        case .admit(let entrance, let entry):
            parts.people.admit(entrance, entry, in: &turn)
            parts.gathered.tellNetworkAgain()
        case .turnAway(let entrance): parts.people.turnAway(entrance, in: &turn)
        case .askAgain(let attendee): parts.people.askAgain(attendee, in: &turn)
        case .departed(let session, let departure): session.attendee.departed(session.stay, departure)
        case .withdraw(let listing):
            outlets.show(listing)
            outlets.withdraw()
            parts.people.freeAll(in: &turn)
        case .close: close()
        case .news(let said): outlets.tell(said, parts.stills, in: &turn)
        case .out(let effect): outlets.act(on: effect, in: &turn)
        }
    }

    /// Hands what was accepted to the journal, and queues what leaves when it is stored.
    private func submit(_ submission: Submission) {
        let accepted = submission.accepted
        writer.submit(submission, in: turn.state)
        parts.correspondence.wait(for: accepted.events, in: &turn)
        turn.wait(for: accepted)
        parts.stills.review(after: accepted.events, in: &turn)
        queue.append(submission.release(showing: parts.stills.listing(submission.info, turn.state.hosts)))
    }

    // MARK: Releasing

    private func release() {
        while true {
            switch queue.next() {
            case .rest: return turn.deadlines.cancel(.confirmation)
            case .awaitCuts:
                if !turn.deadlines.isSet(.confirmation) {
                    turn.deadlines.set(.confirmation, at: turn.now + Self.confirmationLimit)
                }
                return
            case .post(let steps, let number):
                // For each posting its own time.
                turn.deadlines.cancel(.confirmation)
                outlets.post(steps, number, in: &turn)
            case .leave(let release, let failure): leave(release, failure)
            }
        }
    }

    /// Lets go what may leave, or tells why it may not.
    private func leave(_ release: Release, _ failure: RoomError?) {
        if let failure = failure ?? (release.isRefused ? RoomError(.internalError) : nil) {
            if let peer = release.closing { outlets.close(peer) }
            release.answer?(failure)
            act(on: release.otherwise)
        } else {
            act(on: release.first)
            release.answer?()
            act(on: release.afterwards)
        }
    }

    // MARK: The life of the room

    /// The journal has been read: at the start, or after it failed. People who are attached stay attached.
    package func install(_ rebuilt: RebuiltRoom) {
        guard turn.phase == .loading else { return }
        beginTurn()
        let (again, told) = (writer.incarnation > 0, queue.stored)
        turn.install(rebuilt)
        writer.begin(epoch: rebuilt.epoch, at: turn.state.progress.position)
        queue.begin(stored: turn.state.progress.position)
        if turn.phase == .open { resume(again: again) }
        if again {
            // What was in doubt when the journal failed, and turned out to be stored.
            for said in rebuilt.said where said.position > told { turn.inOrder(said.effects) }
            parts.expelBanned(in: &turn)
            if turn.phase == .empty { turn.inOrder([.close]) }
        }
        parts.gifts.resume(rebuilt.gifts, in: &turn)
        endTurn()
    }

    /// What was waited for is waited for anew, and the media plane and the directory are told what holds.
    private func resume(again: Bool) {
        parts.people.seatTheAbsent(tell: again, in: &turn)
        outlets.adopt(again: again, in: &turn)
        parts.people.restartClocks(in: &turn)
        turn.startClocks()
        parts.correspondence.begin(in: &turn)
        act()
        parts.stills.adopt(in: &turn)
        outlets.show(parts.stills.listing(turn.info, turn.state.hosts))
    }

    /// The journal has failed: the entries from that position on are not stored. Nobody has been told of them.
    private func lose(from position: UInt64, _ failure: JournalFailure) {
        dependencies.report(.journalFailed(key, failure))
        turn.phase = .loading
        writer.fail()
        parts.gathered.refuseLikes(Self.unavailable, in: &turn)
        parts.gifts.answerPaid(in: &turn)
        act()
        queue.fail(from: position, with: Self.unavailable)
        dependencies.reload()
    }

    /// The room is over, and everybody has been told, or it never began.
    private func close() {
        guard turn.phase != .over else { return }
        dismissAll()
        writer.close()
        dependencies.ended()
    }

    /// The room's journal cannot be read again. Everybody is put out of the room; the stored journal is not changed.
    package func abandon() {
        guard turn.phase == .loading else { return }
        beginTurn()
        queue.fail(from: 0, with: RoomError(.internalError, "the room's journal cannot be read"))
        release()
        dismissAll()
        outlets.withdraw()
    }

    /// Sends the remaining news, then removes everybody and stops all timers.
    private func dismissAll() {
        turn.phase = .over
        parts.people.freeAll(in: &turn)
        parts.gifts.end(in: &turn)
        commands.end(in: &turn)
        act()
        outlets.sendNews(in: &turn)
        parts.people.dismissAll(in: &turn)
        act()
        turn.deadlines.end()
        alarm.end()
        outlets.close()
    }

    /// Takes no more commands; calls `done` when all that was accepted has been released.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        draining.append(done)
        inTurn { parts, turn in
            parts.gathered.storeLikes(in: &turn)
            turn.isDraining = true
        }
    }

    // MARK: What people ask

    package func attach(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        let mediaEpoch = outlets.mediaEpoch
        inTurn { $0.enter(attendee, since: point, mediaEpoch: mediaEpoch, reply: reply, in: &$1) }
    }

    /// Creates the room and lets its creator in, in one turn; or, if it is the creator's own open room, takes over the
    /// settings.
    package func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        let mediaEpoch = outlets.mediaEpoch
        inTurn { parts, turn in
            do throws(RoomError) {
                try commands.create(creation, by: attendee.profile, key: key, in: &turn)
            } catch {
                return turn.answer(reply, .failure(error))
            }
            parts.enter(attendee, since: nil, mediaEpoch: mediaEpoch, reply: reply, in: &turn)
        }
    }

    /// - Parameter done: called once it is in force: the session is silent and deaf, unless its connection is merely lost.
    package func detach(
        _ session: SessionToken, from outbox: (any Outbox)?, why: DetachReason,
        done: @escaping @Sendable () -> Void = {}
    ) {
        inTurn { $0.people.detach(session, from: outbox, why: why, done: done, in: &$1) }
    }

    package func submit(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        inTurn { commands.take(command, from: session, key: key, reply: reply, with: &$0, in: &$1) }
    }

    /// Somebody who is not in the room declines an invitation to them.
    package func decline(
        _ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>
    ) {
        inTurn { commands.decline(id, reason: reason, by: user, reply: reply, with: $0.restrictions, in: &$1) }
    }

    // MARK: What operators and other rooms ask

    /// An operator, who need not be in the room.
    package func submit(
        _ command: RoomCommand, by caller: Caller, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        let asked = Asked(command: command, caller: caller, key: key, reply: reply)
        inTurn { commands.take(asked, with: &$0, in: &$1) }
    }

    /// Creates the room for somebody who is not there yet; it lasts until it is ended.
    package func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        inTurn { parts, turn in
            do throws(RoomError) {
                try commands.found(creation, for: owner, by: caller, key: key, in: &turn)
                turn.answer(reply, .success(parts.overview(in: &turn)))
            } catch {
                turn.answer(reply, .failure(error))
            }
        }
    }

    /// R09: nothing of somebody is kept here but ids and numbers; who is not here any more. A room of their own ends.
    /// - Parameter reply: how many messages of theirs were deleted.
    package func erase(_ user: UserID, by caller: Operator, reply: @escaping Reply<Int>) {
        beginTurn()
        defer { endTurn() }
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        let isDecided = parts.erase(user, by: caller, reply: reply, in: &turn)
        act()
        guard isDecided, turn.phase == .open else { return }
        turn.recent.erase(user)
        if turn.state.progress.phase == .open { writer.storeNow(turn.state) }
    }

    /// Another room says something, or answers.
    package func hear(_ parcel: RoomParcel) { inTurn { $0.correspondence.hear(parcel, in: &$1) } }

    // MARK: Media

    /// Where the session's media path belongs; the room will take its owner's sound from there.
    package func openMedia(for session: SessionToken) throws(RoomError) -> MediaPlace {
        try asking { parts, turn throws(RoomError) in try parts.media.open(for: session, in: &turn) }
    }

    package func hear(_ fact: MediaFact) { inTurn { $0.hear(fact, in: &$1) } }

    // MARK: Reading

    /// Answers from what the room is now, behind what was decided before.
    func read<Value>(
        _ reply: @escaping Reply<Value>, _ value: (TurnParts, inout RoomTurn) throws(RoomError) -> Value
    ) {
        inTurn { parts, turn in
            if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
            do throws(RoomError) {
                turn.answer(reply, .success(try value(parts, &turn)))
            } catch {
                turn.answer(reply, .failure(error))
            }
        }
    }

    /// For somebody who is in the room.
    func read<Value>(
        _ reply: @escaping Reply<Value>, for session: SessionToken,
        _ value: (TurnParts, inout RoomTurn, UserID) throws(RoomError) -> Value
    ) {
        read(reply) { parts, turn throws(RoomError) in
            guard let user = turn.attendance.user(of: session) else { throw RoomError(.notInRoom) }
            return try value(parts, &turn, user)
        }
    }
}
