import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

/// Who may not write or be in a room (G06): by its own rules, those of its host, and the operator's.
final class RoomRestrictions {
    private unowned let core: RoomCore

    init(_ core: RoomCore) { self.core = core }

    private var standing: any StandingRestrictions { core.dependencies.moderation.restrictions }

    /// The ban of that person from all rooms of this host, if it holds.
    func hostBan(of user: UserID) -> Restriction? {
        guard
            let ban = standing.restriction(
                .ban, of: user, from: .host(core.state.owner.id), in: core.key.application),
            ban.holds(at: core.wallNow)
        else { return nil }
        return ban
    }

    /// How many people this host has banned everywhere.
    var hostBanCount: Int {
        standing.count(from: .host(core.state.owner.id), in: core.key.application, at: core.wallNow)
    }

    /// The operator's mute of that person, if it holds.
    func standingMute(of user: UserID) -> Restriction? {
        standing.holding(.chatMute, of: user, in: core.key.application, at: core.wallNow)
    }

    /// What keeps that person from writing here.
    func chatMute(of user: UserID) -> Restriction? {
        core.state.chatMute(of: user, standing: standingMute(of: user), at: core.wallNow)
    }

    /// Tells somebody what keeps them from writing here from now on, now that a mute is over that did before.
    /// - Parameter lifted: the one that is over; `nil`: another one has begun.
    func tellMute(of user: UserID, lifted: Restriction?) {
        let held = chatMute(of: user).map { RestrictionNews($0, lifted: false) }
        guard core.phase == .open, let news = held ?? lifted.map({ RestrictionNews($0, lifted: true) }) else { return }
        core.inOrder { [unowned self] in core.tell(Announcement(.restriction(news), to: .these([user]))) }
    }

    /// Carries out a ban, or a removal.
    func ban(
        _ draft: RestrictionDraft, by moderator: UserID, _ decision: Decision, keyed answer: KeyedAnswer?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        let user = draft.user
        let ban: Restriction
        if draft.isRemoval {
            // Over as soon as it is said.
            let name = core.people.attendance.people[user]?.profile.name
            ban = Restriction(
                .ban, user: user, name: name ?? user.rawValue, until: core.wallNow, by: moderator, reason: draft.reason)
        } else {
            guard case .restricted(let restriction) = decision.events.last else { return }
            ban = restriction
        }
        let host = core.state.owner.id
        let former = hostBan(of: user)
        // On the disk before the room's own journal says so.
        if ban.everywhere { standing.set(ban, from: .host(host), in: core.key.application) }
        let outcome = outcome(of: decision)
        putOut(ban, decision, by: moderator, keyed: answer) { [unowned self] result in
            if ban.everywhere {
                switch result {
                case .success: core.dependencies.expelElsewhere(ban, host)
                // What the moderator is told is not done holds nowhere.
                case .failure: restore(former, of: user, from: host)
                }
            }
            reply(result.map { outcome })
        }
    }

    /// Carries out the end of a ban, in the room and everywhere.
    func liftBan(
        of user: UserID, by moderator: UserID, _ decision: Decision, keyed answer: KeyedAnswer?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        let host = core.state.owner.id
        let former = hostBan(of: user)
        // On the disk before the room's own journal says so.
        standing.lift(.ban, of: user, from: .host(host), in: core.key.application)
        let outcome = outcome(of: decision)
        core.carryOut(
            decision, by: moderator, keyed: answer, answer: { reply(.success(outcome)) },
            refuse: { [unowned self] error in
                restore(former, of: user, from: host)
                reply(.failure(error))
            })
    }

    private func restore(_ former: Restriction?, of user: UserID, from host: UserID) {
        if let former {
            standing.set(former, from: .host(host), in: core.key.application)
        } else {
            standing.lift(.ban, of: user, from: .host(host), in: core.key.application)
        }
    }

    private func outcome(of decision: Decision) -> CommandOutcome {
        let numbered = decision.events.count { $0.isNumbered }
        return CommandOutcome(decision.result, seq: numbered > 0 ? core.state.seq + UInt64(numbered) : nil)
    }

    /// Somebody whom the host has banned everywhere, from another room of the same host.
    func expel(_ ban: Restriction) {
        guard core.phase == .open, ban.user != core.state.owner.id, core.people.attendance.people[ban.user] != nil
        else { return }
        let decision = core.decided { core.state.decide(.departed(ban.user, .kicked), in: core.context) }
        putOut(ban, decision, by: ban.by, keyed: nil) { _ in }
    }

    private func putOut(
        _ ban: Restriction, _ decision: Decision, by moderator: UserID, keyed answer: KeyedAnswer?,
        done: @escaping (Result<Void, RoomError>) -> Void
    ) {
        let people = core.people
        let (wasHere, sessions) = people.putOut(ban.user)
        let tell = {
            for session in sessions where session.admission.isGranted {
                session.attendee.departed(session.stay, .removed(ban))
            }
        }
        let left = PassingNews.audienceLeft(ban.user, reason: .left)
        let tellOthers = { if wasHere { people.tellOfPeople(left) } }
        defer { if wasHere { people.tellWebhooks(left) } }
        core.carryOut(
            decision, by: moderator, keyed: answer,
            answer: {
                tell()
                done(.success(()))
            }, afterwards: tellOthers,
            // Who was put out is out, even if the ban could not be stored: it is for the moderator to say it again.
            refuse: { error in
                tell()
                tellOthers()
                done(.failure(error))
            })
        core.owner.refreshHeir()
    }

    /// The restrictions of the room itself that hold, the newest first.
    var page: RestrictionsPage {
        let now = core.wallNow
        return RestrictionsPage(restrictions: core.state.restrictions.reversed().filter { $0.holds(at: now) })
    }
}
