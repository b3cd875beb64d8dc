import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

/// Who may not write or be in a room (G06): by its own rules, those of its host, and the operator's.
struct RoomRestrictions {
    private let standing: any StandingRestrictions

    init(_ standing: any StandingRestrictions) { self.standing = standing }

    // MARK: What holds

    /// The ban of that person from all rooms of this host, if it holds.
    func hostBan(of user: UserID, in turn: inout RoomTurn) -> Restriction? {
        guard
            let ban = standing.restriction(
                .ban, of: user, from: .host(turn.state.owner.id), in: turn.key.application),
            ban.holds(at: turn.wallNow)
        else { return nil }
        return ban
    }

    /// How many people this host has banned everywhere.
    func hostBanCount(in turn: inout RoomTurn) -> Int {
        standing.count(from: .host(turn.state.owner.id), in: turn.key.application, at: turn.wallNow)
    }

    /// The operator's mute of that person, if it holds.
    func standingMute(of user: UserID, in turn: inout RoomTurn) -> Restriction? {
        standing.holding(.chatMute, of: user, in: turn.key.application, at: turn.wallNow)
    }

    /// What keeps that person from writing here.
    func chatMute(of user: UserID, in turn: inout RoomTurn) -> Restriction? {
        turn.state.chatMute(of: user, standing: standingMute(of: user, in: &turn), at: turn.wallNow)
    }

    /// Tells somebody what keeps them from writing here from now on, now that a mute is over that did before.
    /// - Parameter lifted: the one that is over; `nil`: another one has begun.
    func tellMute(of user: UserID, lifted: Restriction?, in turn: inout RoomTurn) {
        let held = chatMute(of: user, in: &turn).map { RestrictionNews($0, lifted: false) }
        guard turn.phase == .open, let news = held ?? lifted.map({ RestrictionNews($0, lifted: true) }) else { return }
        turn.tellInOrder(Announcement(.restriction(news), to: .these([user])))
    }

    // MARK: What changes

    /// What a decision says of somebody who is put out. What they were shown with ends by it too, before or behind it.
    func ban(
        _ draft: RestrictionDraft, by moderator: UserID, _ decision: Decision, in turn: inout RoomTurn
    ) -> Restriction? {
        guard draft.isRemoval else {
            for case .restricted(let restriction) in decision.events { return restriction }
            return nil
        }
        let name = turn.attendance.people[draft.user]?.profile.name
        // Over as soon as it is said.
        return Restriction(
            .ban, user: draft.user, name: name ?? draft.user.rawValue, until: turn.wallNow, by: moderator,
            reason: draft.reason)
    }

    /// A ban that holds in all rooms of the host.
    func keep(_ ban: Restriction, in turn: inout RoomTurn, _ sequel: inout Sequel) {
        let host = turn.state.owner.id
        sequel.standing = StandingChange(beginning: ban, from: .host(host), in: turn.key.application)
        sequel.afterwards.append(.out(.expelElsewhere(ban, from: host)))
    }

    /// The end of a ban, in the room and everywhere.
    func liftBan(of user: UserID, _ decision: Decision, _ sequel: Sequel, in turn: inout RoomTurn) {
        var sequel = sequel
        // Also of one that is on its way to the disk, and does not hold yet.
        sequel.standing = StandingChange(
            ending: .ban, of: user, from: .host(turn.state.owner.id), in: turn.key.application)
        turn.carryOut(decision, sequel)
    }

    /// For those who run the room.
    func page(for user: UserID, in turn: inout RoomTurn) throws(RoomError) -> RestrictionsPage {
        guard turn.state.runs(user) else { throw RoomError(.permissionDenied) }
        return page(in: &turn)
    }

    /// The restrictions of the room itself that hold, the newest first.
    func page(in turn: inout RoomTurn) -> RestrictionsPage {
        let now = turn.wallNow
        return RestrictionsPage(restrictions: turn.state.restrictions.all.reversed().filter { $0.holds(at: now) })
    }
}
