import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What people and operators ask of a room. A repeat is answered as the first was; the rules decide, limits hold, and what is decided goes to
/// the part of the room that carries it out.
final class RoomCommands {
    private struct Asked {
        var command: RoomCommand
        var caller: Caller
        /// By which somebody in the room asks.
        var session: SessionToken?
        var key: IdempotencyKey?
        /// Of a message that somebody has looked at and that has been counted: the fingerprint of what its sender wrote.
        var reviewed: UInt64?
        var reply: Reply<CommandOutcome>

        var user: UserProfile { caller.profile }
        var fingerprint: UInt64 { reviewed ?? command.fingerprint }
    }

    private unowned let core: RoomCore
    private var budget = MessageBudget()
    private var attributeChanges: TokenBucket

    init(_ core: RoomCore) {
        self.core = core
        let changes = Double(RoomLimits.attributeChangesPerSecond)
        attributeChanges = TokenBucket(Allowance(burst: changes, perSecond: changes), now: core.now)
    }

    // MARK: Who asks

    func take(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reviewed: UInt64? = nil,
        reply: @escaping Reply<CommandOutcome>
    ) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        guard let user = core.people.attendance.profile(of: session) else {
            return core.answer(reply, .failure(RoomError(.notInRoom)))
        }
        if let rights = core.people.attendance.sessions[session]?.attendee.rights, !rights.reach(to: command) {
            return core.answer(reply, .failure(RoomRights.refusal))
        }
        perform(
            Asked(
                command: command, caller: .person(user), session: session, key: key, reviewed: reviewed, reply: reply))
    }

    /// The verdict on a message is there: whether its sender may write it is decided anew.
    func takeReviewed(
        _ draft: MessageDraft, insteadOf first: MessageDraft, from session: SessionToken, key: IdempotencyKey?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        let fingerprint = RoomCommand.sendMessage(first).fingerprint
        take(.sendMessage(draft), from: session, key: key, reviewed: fingerprint, reply: reply)
    }

    /// An operator asks for something, who need not be in the room.
    func take(
        _ command: RoomCommand, by caller: Caller, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        perform(Asked(command: command, caller: caller, key: key, reply: reply))
    }

    /// Somebody who is not in the room declines an invitation to them.
    func decline(_ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        do throws(RoomError) {
            let texts = RoomCommand.rejectInvitation(id: id, reason: reason).texts
            try texts.checkSizes()
            if texts.areStopped(byOperatorsMute: true), let mute = core.restrictions.chatMute(of: user.id) {
                throw RoomError(muted: mute, at: core.wallNow)
            }
            let decision = try core.state.declineElsewhere(id, reason: reason, by: user)
            try texts.check(against: core.dependencies.filter())
            core.carryOut(
                decision, by: user.id, answer: { reply(.success(CommandOutcome(.done))) },
                refuse: { reply(.failure($0)) })
        } catch {
            core.answer(reply, .failure(error))
        }
    }

    // MARK: One command

    private func perform(_ asked: Asked) {
        // The ledger knows which gifts it has been asked for before.
        if case .sendGift(let draft) = asked.command, !asked.caller.isOperator {
            guard let key = asked.key else {
                return core.answer(
                    asked.reply, .failure(.invalid("key", "a gift has a key, so that it is paid for once")))
            }
            return core.gifts.send(draft, by: asked.user, key: key, reply: asked.reply)
        }
        if let first = firstAnswer(to: asked) { return core.answer(asked.reply, first) }
        var context = core.context
        complete(&context, for: asked)
        let decision: Decision
        do throws(RoomError) {
            decision = try core.decided { () throws(RoomError) in
                try core.state.decide(asked.command, by: asked.caller, in: context)
            }
        } catch {
            core.audit.noteRefused(asked.command, by: asked.caller, error)
            return core.answer(asked.reply, .failure(error))
        }
        if let wait = takeAttributeChange(asked.command) ?? core.audit.take(asked.command, by: asked.caller) {
            return core.answer(asked.reply, .failure(wait))
        }
        if let refusal = refusal(of: asked) { return core.answer(asked.reply, .failure(refusal)) }
        if case .sendMessage(let draft) = asked.command, asked.reviewed == nil {
            if let session = asked.session, core.dependencies.review.isOn(in: core.key.application) {
                return core.reviews.hold(draft, by: asked.user, from: session, key: asked.key, reply: asked.reply)
            }
        }
        // Who is put out leaves no event behind if they had no seat.
        let isIdle = decision.events.isEmpty && asked.command.name != .setRestriction
        let line = isIdle ? nil : core.audit.line(asked.command, by: asked.caller, message: context.message)
        carryOut(decision, asked)
        line.map { core.audit.note($0) }
    }

    /// What was answered to a command with the same key. If that one is still being stored, the answer waits behind it.
    private func firstAnswer(to asked: Asked) -> Result<CommandOutcome, RoomError>? {
        guard let key = asked.key,
            let first = core.state.answers.answer(to: key, of: asked.caller, now: core.wallNow)
        else { return nil }
        guard first.fingerprint == asked.fingerprint else { return .failure(RoomError(.keyReused)) }
        // What the first one did has a number up to the present one.
        return .success(CommandOutcome(first.result, seq: first.result == .done ? core.state.seq : nil))
    }

    /// What the rules must know for this command alone.
    private func complete(_ context: inout DecisionContext, for asked: Asked) {
        switch asked.command {
        case .challenge(let other, _): context.target = core.dependencies.find(other)
        case .sendInvitation(let draft) where core.people.attendance.people[draft.to] == nil:
            context.reach = core.dependencies.reach.reach(draft.to, in: core.key.application)
        case .deleteMessage(let chat): context.message = core.recent.message(chat)
        case .setRestriction(let draft):
            context.hostBan = core.restrictions.hostBan(of: draft.user)
            context.hostBanCount = core.restrictions.hostBanCount
        case .liftRestriction(.ban, let user): context.hostBan = core.restrictions.hostBan(of: user)
        default: break
        }
        if !asked.caller.isOperator, asked.command.texts.areStopped(byOperatorsMute: true) {
            context.standingMute = core.restrictions.standingMute(of: asked.user.id)
        }
    }

    private func carryOut(_ decision: Decision, _ asked: Asked) {
        let (user, reply) = (asked.user, asked.reply)
        let kept = asked.key.map {
            KeyedAnswer(
                user: asked.caller.keeper, key: $0.rawValue, fingerprint: asked.fingerprint, result: decision.result)
        }
        switch asked.command {
        case .setRestriction(let draft) where draft.kind == .ban:
            core.restrictions.ban(draft, by: user.id, decision, keyed: kept, reply: reply)
        case .liftRestriction(.ban, let banned):
            core.restrictions.liftBan(of: banned, by: user.id, decision, keyed: kept, reply: reply)
        // Operators are in no room: the rules have refused it.
        case .exitRoom:
            if let session = asked.session { core.people.leave(session) { reply(.success(CommandOutcome(.done))) } }
        case .sendLikes(let count):
            // Points are what gifts cost; likes are, where there are none.
            if core.dependencies.catalogue().gifts.isEmpty { core.correspondence.gain(count, by: user.id) }
            core.gathered.like(UInt64(count), by: user.id) { reply($0.map { CommandOutcome($0) }) }
        default: store(decision, asked, keyed: kept)
        }
    }

    /// Stores what was decided, with what goes along outside the durable state.
    private func store(_ decision: Decision, _ asked: Asked, keyed kept: KeyedAnswer?) {
        let (user, reply) = (asked.user, asked.reply)
        if case .takeSeat = asked.command, let session = asked.session {
            core.people.setMicrophone(session, of: user.id)
        }
        if asked.command == .startScreen, let session = asked.session {
            core.people.setScreen(session, of: user.id)
            // From another session than until now: no event says so.
            if decision.events.isEmpty { core.media.assignAgain(user.id) }
        }
        if case .sendInvitation(let draft) = asked.command, let picture = draft.still,
            case .invited(let id, _) = decision.result
        {
            core.stills.keep(picture, with: id, of: user.id)
        }
        let numbered = decision.events.count { $0.isNumbered }
        let outcome = CommandOutcome(decision.result, seq: numbered > 0 ? core.state.seq + UInt64(numbered) : nil)
        core.carryOut(
            decision, by: user.id, keyed: kept, answer: { reply(.success(outcome)) }, refuse: { reply(.failure($0)) })
        for case .seatTaken(_, let seated, _, _, _) in decision.events { core.people.notePresence(of: seated.id) }
        switch asked.command {
        case .setRole: core.owner.refreshHeir()
        case .setOwner: core.owner.noteNewOwner()
        case .liftRestriction(.chatMute, let user): core.restrictions.tellMute(of: user, lifted: nil)
        default: break
        }
    }

    /// Why what the rules have accepted is not let through: a message by the room's budget, and any text by the word filter, which reads
    /// what everything else has let through.
    private func refusal(of asked: Asked) -> RoomError? {
        let words: () -> RoomError? = { [core] in
            do throws(RoomError) {
                try asked.command.texts.check(against: core.dependencies.filter())
                return nil
            } catch { return error }
        }
        let refusal: RoomError?
        if case .sendMessage(let draft) = asked.command, asked.reviewed == nil {
            refusal = takeMessage(draft.priority, asked, words)
        } else {
            refusal = words()
        }
        guard let refusal else { return nil }
        if refusal.code == .textFiltered {
            core.audit.noteRefused(asked.command, by: asked.caller, refusal)
        } else {
            core.dependencies.counters.noteRefused()
        }
        return refusal
    }

    /// Why the room's budget does not let a message through.
    private func takeMessage(
        _ priority: MessagePriority, _ asked: Asked, _ words: () -> RoomError?
    ) -> RoomError? {
        let limits = core.dependencies.policy().messages
        let slowSeconds = core.state.settings.chat.slowSeconds
        // Hosts and co-hosts run the room by messages too; their room is theirs to fill.
        let sharer = asked.caller.isOperator || core.state.runs(asked.user.id) ? nil : asked.user.id
        let attendee = asked.session.flatMap { core.people.attendance.sessions[$0]?.attendee }
        switch budget.take(
            priority, by: sharer, of: limits, slowSeconds: slowSeconds, at: core.now,
            words: words, elsewhere: { attendee?.takeMessage() })
        {
        case nil: return nil
        case .elsewhere(let error), .words(let error): return error
        case .slow(let wait):
            return RoomError(.slowMode, "slow mode: one message every \(slowSeconds) s", retryAfterMs: wait)
        case .room(let wait):
            return RoomError(
                .rateLimited,
                "the room's budget of \(limits.room) messages a second is spent (rooms.messages_per_second); those of lower priority are refused first",
                retryAfterMs: wait)
        case .person(let wait):
            return RoomError(
                .rateLimited, "one person may send \(limits.person) messages a second (rooms.messages_per_person)",
                retryAfterMs: wait)
        }
    }

    /// Whoever changes them: it is told to everybody.
    private func takeAttributeChange(_ command: RoomCommand) -> RoomError? {
        guard command.name == .setAttributes, !attributeChanges.take(now: core.now) else { return nil }
        return RoomError(
            .rateLimited, "the attributes of a room change \(RoomLimits.attributeChangesPerSecond) times a second",
            retryAfterMs: attributeChanges.wait(now: core.now))
    }

    // MARK: Creating

    /// Creates the room and lets its creator in, in one turn; or, if it is the creator's own open room, takes over the
    /// settings.
    func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        let user = attendee.profile
        let isNew = core.phase == .empty
        if !isNew, let error = core.closedness { return core.answer(reply, .failure(error)) }
        let kept = key.map {
            KeyedAnswer(user: user.id, key: $0.rawValue, fingerprint: creation.fingerprint, result: .done)
        }
        do throws(RoomError) {
            let isRepeat = isNew ? false : try isRepeated(kept, by: .person(user))
            if !isRepeat {
                let decision =
                    isNew
                    ? try DurableRoomState.decideCreation(creation, by: user, epoch: core.writer.epoch)
                    : try core.state.decideRecreation(creation, by: user)
                core.carryOut(decision, by: user.id, keyed: kept)
            }
        } catch {
            return core.answer(reply, .failure(error))
        }
        core.people.enter(attendee, since: nil, reply: reply)
    }

    /// Creates the room for somebody who is not there yet; it lasts until it is ended.
    func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        let kept = key.map {
            KeyedAnswer(
                user: Caller.operator(caller).keeper, key: $0.rawValue,
                fingerprint: creation.fingerprint(for: owner.id), result: .done)
        }
        do throws(RoomError) {
            if core.phase == .empty {
                let decision = try DurableRoomState.decideCreation(
                    creation, by: owner, epoch: core.writer.epoch, lasts: true)
                core.carryOut(decision, by: caller.name, keyed: kept)
                core.audit.note(core.audit.line(of: caller, creating: owner.id))
            } else {
                if let error = core.closedness { throw error }
                guard try isRepeated(kept, by: .operator(caller)) else { throw RoomError(.roomIDTaken) }
            }
        } catch {
            return core.answer(reply, .failure(error))
        }
        core.answer(reply, .success(core.overview))
    }

    /// Whether the open room was created under the same key.
    private func isRepeated(_ kept: KeyedAnswer?, by caller: Caller) throws(RoomError) -> Bool {
        guard let kept, let first = core.state.creation, first.belongs(to: caller), first.key == kept.key else {
            return false
        }
        guard first.fingerprint == kept.fingerprint else { throw RoomError(.keyReused) }
        return true
    }
}
