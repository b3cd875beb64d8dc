import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// A command of somebody.
struct Asked {
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

    /// How it is answered, and what is kept for repeats.
    func sequel(_ decision: Decision, _ outcome: CommandOutcome) -> Sequel {
        Sequel(
            by: user.id,
            keyed: key.map {
                KeyedAnswer(user: caller.keeper, key: $0.rawValue, fingerprint: fingerprint, result: decision.result)
            }, answer: PlannedAnswer(reply, .success(outcome)))
    }
}

/// What people and operators ask of a room: who may ask, and how often. A repeat is answered as the first was; the rules decide, limits
/// hold, and what is decided goes to the part of the room that carries it out.
struct RoomCommands {
    private let dependencies: RoomDependencies
    private var limits: CommandLimits
    private var audit: RoomAudit
    private var reviews = RoomReviews()

    init(_ dependencies: RoomDependencies) {
        self.dependencies = dependencies
        let now = dependencies.clock.now
        limits = CommandLimits(at: now)
        audit = RoomAudit(dependencies.allowances, at: now)
    }

    // MARK: Who asks

    /// Somebody in the room.
    mutating func take(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reviewed: UInt64? = nil,
        reply: @escaping Reply<CommandOutcome>, with parts: inout TurnParts, in turn: inout RoomTurn
    ) {
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        guard let user = turn.attendance.profile(of: session) else {
            return turn.answer(reply, .failure(RoomError(.notInRoom)))
        }
        if let rights = turn.attendance.sessions[session]?.attendee.rights, !rights.reach(to: command) {
            return turn.answer(reply, .failure(RoomRights.refusal))
        }
        let asked = Asked(
            command: command, caller: .person(user), session: session, key: key, reviewed: reviewed, reply: reply)
        perform(asked, with: &parts, in: &turn)
    }

    /// An operator, who need not be in the room.
    mutating func take(_ asked: Asked, with parts: inout TurnParts, in turn: inout RoomTurn) {
        if let error = turn.closedness { return turn.answer(asked.reply, .failure(error)) }
        perform(asked, with: &parts, in: &turn)
    }

    /// The verdict on a message is there: whether its sender may write it is decided anew.
    mutating func hear(_ verdict: RoomInbox.Verdict, with parts: inout TurnParts, in turn: inout RoomTurn) {
        guard let (draft, first) = reviews.hear(verdict, in: &turn) else { return }
        let fingerprint = RoomCommand.sendMessage(first.draft).fingerprint
        take(
            .sendMessage(draft), from: first.session, key: first.key, reviewed: fingerprint, reply: first.reply,
            with: &parts, in: &turn)
    }

    /// Somebody who is not in the room declines an invitation to them.
    func decline(
        _ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>,
        with restrictions: RoomRestrictions, in turn: inout RoomTurn
    ) {
        do throws(RoomError) {
            if let error = turn.closedness { throw error }
            let texts = RejectInvitation(id: id, reason: reason).texts
            try texts.checkSizes()
            if texts.areStopped(byOperatorsMute: true), let mute = restrictions.chatMute(of: user.id, in: &turn) {
                throw RoomError(muted: mute, at: turn.wallNow)
            }
            let decision = try turn.state.declineElsewhere(id, reason: reason, by: user)
            try texts.check(against: dependencies.filter())
            turn.carryOut(decision, Sequel(by: user.id, answer: PlannedAnswer(reply, .success(CommandOutcome(.done)))))
        } catch {
            turn.answer(reply, .failure(error))
        }
    }

    /// The room is over.
    mutating func end(in turn: inout RoomTurn) { reviews.end(in: &turn) }

    // MARK: One command

    private mutating func perform(_ asked: Asked, with parts: inout TurnParts, in turn: inout RoomTurn) {
        // The ledger knows which gifts it has been asked for before.
        if case .sendGift(let draft) = asked.command, !asked.caller.isOperator {
            guard let key = asked.key else {
                return turn.answer(
                    asked.reply, .failure(.invalid("key", "a gift has a key, so that it is paid for once")))
            }
            return parts.gifts.send(draft, by: asked.user, key: key, reply: asked.reply, in: &turn)
        }
        if let first = firstAnswer(to: asked, in: &turn) { return turn.answer(asked.reply, first) }
        let context = context(of: asked, parts.restrictions, in: &turn)
        let decision: Decision
        do throws(RoomError) {
            decision = try parts.decided(in: &turn) { turn throws(RoomError) in
                try turn.state.decide(asked.command, by: asked.caller, in: context)
            }
        } catch {
            audit.noteRefused(asked.command, by: asked.caller, error, in: &turn)
            return turn.answer(asked.reply, .failure(error))
        }
        if let refusal = refusal(of: asked, in: &turn) { return turn.answer(asked.reply, .failure(refusal)) }
        if case .sendMessage(let draft) = asked.command, asked.reviewed == nil, let session = asked.session,
            dependencies.review.isOn(in: turn.key.application)
        {
            return reviews.hold(draft, by: asked.user, from: session, key: asked.key, reply: asked.reply, in: &turn)
        }
        // Who is put out leaves no event behind if they had no seat.
        let isIdle = decision.events.isEmpty && asked.command.name != .setRestriction
        let line = isIdle ? nil : audit.line(asked.command, by: asked.caller, message: context.message, in: &turn)
        parts.carryOut(decision, asked, line, areGiftsOffered: !dependencies.catalogue().gifts.isEmpty, in: &turn)
    }

    /// What was answered to a command with the same key. If that one is still being stored, the answer waits behind it.
    private func firstAnswer(to asked: Asked, in turn: inout RoomTurn) -> Result<CommandOutcome, RoomError>? {
        guard let key = asked.key,
            let first = turn.state.answers.answer(to: key, of: asked.caller, now: turn.wallNow)
        else { return nil }
        guard first.fingerprint == asked.fingerprint else { return .failure(RoomError(.keyReused)) }
        // What the first one did has a number up to the present one.
        return .success(CommandOutcome(first.result, seq: first.result == .done ? turn.state.progress.seq : nil))
    }

    /// What the rules must know for this command.
    private func context(
        of asked: Asked, _ restrictions: RoomRestrictions, in turn: inout RoomTurn
    ) -> DecisionContext {
        var context = turn.context
        switch asked.command {
        case .challenge(let draft): context.target = dependencies.find(draft.other)
        case .sendInvitation(let draft) where turn.attendance.people[draft.to] == nil:
            context.reach = dependencies.reach.reach(draft.to, in: turn.key.application)
        case .deleteMessage(let draft): context.message = turn.recent.message(draft.chat)
        case .setRestriction(let draft):
            context.hostBan = restrictions.hostBan(of: draft.user, in: &turn)
            context.hostBanCount = restrictions.hostBanCount(in: &turn)
        case .liftRestriction(let lifted) where lifted.kind == .ban:
            context.hostBan = restrictions.hostBan(of: lifted.user, in: &turn)
        default: break
        }
        if !asked.caller.isOperator, asked.command.texts.areStopped(byOperatorsMute: true) {
            context.standingMute = restrictions.standingMute(of: asked.user.id, in: &turn)
        }
        return context
    }

    /// Why what the rules have accepted is not let through: by how often it is asked, a message by the room's budget, and any text by the
    /// word filter, which reads what everything else has let through.
    private mutating func refusal(of asked: Asked, in turn: inout RoomTurn) -> RoomError? {
        if let wait = limits.takeAttributeChange(asked.command, in: &turn)
            ?? audit.take(asked.command, by: asked.caller, in: &turn)
        {
            return wait
        }
        let words: () -> RoomError? = { [dependencies] in
            do throws(RoomError) {
                try asked.command.texts.check(against: dependencies.filter())
                return nil
            } catch { return error }
        }
        let refusal: RoomError?
        if case .sendMessage(let draft) = asked.command, asked.reviewed == nil {
            let attendee = asked.session.flatMap { turn.attendance.sessions[$0]?.attendee }
            refusal = limits.takeMessage(
                draft.priority, by: asked.caller, in: &turn, words: words, elsewhere: { attendee?.takeMessage() })
        } else {
            refusal = words()
        }
        guard let refusal else { return nil }
        if refusal.code == .textFiltered {
            audit.noteRefused(asked.command, by: asked.caller, refusal, in: &turn)
        } else {
            dependencies.counters.noteRefused()
        }
        return refusal
    }

    // MARK: Creation

    /// Creates the room; or, if it is the creator's own open room, takes over the settings.
    /// - Throws: why its creator does not come in.
    func create(
        _ creation: RoomCreation, by user: UserProfile, key: IdempotencyKey?, in turn: inout RoomTurn
    ) throws(RoomError) {
        let isNew = turn.phase == .empty
        if !isNew, let error = turn.closedness { throw error }
        let kept = key.map {
            KeyedAnswer(user: user.id, key: $0.rawValue, fingerprint: creation.fingerprint, result: .done)
        }
        if !isNew, try isRepeated(kept, by: .person(user), in: &turn) { return }
        let decision =
            isNew
            ? try creation.decide(by: user, epoch: turn.epoch)
            : try creation.decideAgain(by: user, in: turn.state)
        turn.carryOut(decision, Sequel(by: user.id, keyed: kept))
    }

    /// Creates the room for somebody who is not there yet; it lasts until it is ended.
    func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        in turn: inout RoomTurn
    ) throws(RoomError) {
        let kept = key.map {
            KeyedAnswer(
                user: Caller.operator(caller).keeper, key: $0.rawValue,
                fingerprint: creation.fingerprint(for: owner.id), result: .done)
        }
        guard turn.phase == .empty else {
            if let error = turn.closedness { throw error }
            guard try isRepeated(kept, by: .operator(caller), in: &turn) else { throw RoomError(.roomIDTaken) }
            return
        }
        let decision = try creation.decide(by: owner, epoch: turn.epoch, lasts: true)
        let line = audit.line(of: caller, creating: owner.id, in: &turn)
        turn.carryOut(decision, Sequel(by: caller.name, keyed: kept, line: line))
    }

    /// Whether the open room was created under the same key.
    private func isRepeated(
        _ kept: KeyedAnswer?, by caller: Caller, in turn: inout RoomTurn
    ) throws(RoomError) -> Bool {
        guard let kept, let first = turn.state.beginning.creation, first.belongs(to: caller), first.key == kept.key
        else {
            return false
        }
        guard first.fingerprint == kept.fingerprint else { throw RoomError(.keyReused) }
        return true
    }
}
