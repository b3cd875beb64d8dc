import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

// What people and operators ask of a room. A repeat is answered as the first was; the rules decide, limits hold, and what is decided goes to
// the part of the room that carries it out.

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

extension RoomCore {
    // MARK: Who asks

    func take(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reviewed: UInt64? = nil,
        reply: @escaping Reply<CommandOutcome>
    ) {
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        guard let user = turn.attendance.profile(of: session) else {
            return turn.answer(reply, .failure(RoomError(.notInRoom)))
        }
        if let rights = turn.attendance.sessions[session]?.attendee.rights, !rights.reach(to: command) {
            return turn.answer(reply, .failure(RoomRights.refusal))
        }
        perform(
            Asked(
                command: command, caller: .person(user), session: session, key: key, reviewed: reviewed, reply: reply))
    }

    /// The verdict on a message is there: whether its sender may write it is decided anew.
    func takeReviewed(_ draft: MessageDraft, insteadOf first: RoomReviews.Held) {
        let fingerprint = RoomCommand.sendMessage(first.draft).fingerprint
        take(.sendMessage(draft), from: first.session, key: first.key, reviewed: fingerprint, reply: first.reply)
    }

    // MARK: One command

    func perform(_ asked: Asked) {
        // The ledger knows which gifts it has been asked for before.
        if case .sendGift(let draft) = asked.command, !asked.caller.isOperator {
            guard let key = asked.key else {
                return turn.answer(
                    asked.reply, .failure(.invalid("key", "a gift has a key, so that it is paid for once")))
            }
            return gifts.send(draft, by: asked.user, key: key, reply: asked.reply, in: &turn)
        }
        if let first = firstAnswer(to: asked) { return turn.answer(asked.reply, first) }
        let context = context(of: asked)
        let decision: Decision
        do throws(RoomError) {
            decision = try decided { () throws(RoomError) in
                try turn.state.decide(asked.command, by: asked.caller, in: context)
            }
        } catch {
            audit.noteRefused(asked.command, by: asked.caller, error, in: &turn)
            return turn.answer(asked.reply, .failure(error))
        }
        if let refusal = refusal(of: asked) { return turn.answer(asked.reply, .failure(refusal)) }
        if case .sendMessage(let draft) = asked.command, asked.reviewed == nil, let session = asked.session,
            dependencies.review.isOn(in: key.application)
        {
            return reviews.hold(draft, by: asked.user, from: session, key: asked.key, reply: asked.reply, in: &turn)
        }
        // Who is put out leaves no event behind if they had no seat.
        let isIdle = decision.events.isEmpty && asked.command.name != .setRestriction
        let line = isIdle ? nil : audit.line(asked.command, by: asked.caller, message: context.message, in: &turn)
        carryOut(decision, asked)
        if let line { turn.add(.note(line)) }
    }

    /// What was answered to a command with the same key. If that one is still being stored, the answer waits behind it.
    private func firstAnswer(to asked: Asked) -> Result<CommandOutcome, RoomError>? {
        guard let key = asked.key,
            let first = turn.state.answers.answer(to: key, of: asked.caller, now: turn.wallNow)
        else { return nil }
        guard first.fingerprint == asked.fingerprint else { return .failure(RoomError(.keyReused)) }
        // What the first one did has a number up to the present one.
        return .success(CommandOutcome(first.result, seq: first.result == .done ? turn.state.seq : nil))
    }

    /// What the rules must know for this command.
    private func context(of asked: Asked) -> DecisionContext {
        var context = turn.context
        switch asked.command {
        case .challenge(let draft): context.target = dependencies.find(draft.other)
        case .sendInvitation(let draft) where turn.attendance.people[draft.to] == nil:
            context.reach = dependencies.reach.reach(draft.to, in: key.application)
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
    private func refusal(of asked: Asked) -> RoomError? {
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

    // MARK: What is carried out

    private func carryOut(_ decision: Decision, _ asked: Asked) {
        var sequel = asked.sequel(decision, turn.outcome(of: decision))
        switch asked.command {
        case .setRestriction(let draft) where draft.kind == .ban:
            guard let ban = restrictions.ban(draft, by: asked.user.id, decision, in: &turn) else { return }
            if ban.everywhere { restrictions.keep(ban, in: &turn, &sequel) }
            people.putOut(ban, decision, sequel, in: &turn)
        case .liftRestriction(let lifted) where lifted.kind == .ban:
            restrictions.liftBan(of: lifted.user, decision, sequel, in: &turn)
        // Operators are in no room: the rules have refused it.
        case .exitRoom:
            let reply = asked.reply
            if let session = asked.session {
                people.leave(session, answer: PlannedAnswer { _ in reply(.success(CommandOutcome(.done))) }, in: &turn)
            }
        case .sendLikes(let likes):
            // Points are what gifts cost; likes are, where there are none.
            if dependencies.catalogue().gifts.isEmpty { turn.gain(likes: likes.count, by: asked.user.id) }
            gathered.like(UInt64(likes.count), by: asked.user.id, asked.reply, in: &turn)
        default: store(decision, asked, sequel)
        }
    }

    /// Stores what was decided, with what goes along outside the durable state.
    private func store(_ decision: Decision, _ asked: Asked, _ sequel: Sequel) {
        let user = asked.user.id
        switch asked.command {
        case .takeSeat:
            if let session = asked.session { turn.attendance.setMicrophone(session, of: user) }
        case .startScreen:
            guard let session = asked.session else { break }
            turn.attendance.setScreen(session, of: user)
            // From another session than until now: no event says so.
            if decision.events.isEmpty { turn.add(.assignAgain(user)) }
        case .sendInvitation(let draft):
            if let picture = draft.still, case .invited(let id, _) = decision.result {
                stills.keep(picture, with: id, of: user)
            }
        default: break
        }
        turn.carryOut(decision, sequel)
        for case .seatTaken(let taken) in decision.events {
            people.notePresence(of: taken.user.id, in: &turn)
        }
        people.noteRoles(after: asked.command, in: &turn)
        if case .liftRestriction(let lifted) = asked.command, lifted.kind == .chatMute {
            restrictions.tellMute(of: lifted.user, lifted: nil, in: &turn)
        }
    }
}
