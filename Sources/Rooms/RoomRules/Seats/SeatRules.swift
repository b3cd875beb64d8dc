import RoomEvents
import RoomModel

extension DurableRoomState {
    /// V04, V07, V21. Taking the seat that one has already is no change; another person's seat is taken, whatever else
    /// holds.
    func takeSeat(
        _ index: Int, by user: UserProfile, _ permission: Permission, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        if try isFree(index, for: user.id) == .alreadyTheirs { return .nothing }
        try checkUntied()
        if permission == .withConsent, settings.needsRequest, !settings.isAdvisory,
            context.policy.consent == .enforced, !hasConsent(user.id)
        {
            throw RoomError(.consentRequired)
        }
        return Decision([.seatTaken(.init(index, user: user, micMuted: false, moved: false))])
    }

    /// While the host is with another room nobody comes on stage.
    func checkUntied() throws(RoomError) {
        if isTied { throw RoomError(.inPK) }
    }

    func leaveSeat(by user: UserProfile) throws(RoomError) -> Decision {
        let (index, occupant) = try ownSeat(of: user)
        return Decision([.seatLeft(.init(index, user: occupant.profile, reason: .left))])
    }

    /// V09. Both steps are one command: nobody can take either seat in between. The user's own mute and the camera
    /// come along, the host's mute stays.
    func moveSeat(to target: Int, by user: UserProfile, _ context: DecisionContext) throws(RoomError) -> Decision {
        let (index, occupant) = try ownSeat(of: user)
        guard seats.indices.contains(target) else { throw RoomError(.seatNotFound) }
        if target == index { return .nothing }
        if let movedAt = occupant.movedAt {
            // A wall clock that was set back must not lock anybody to a seat: only times within the second count.
            let elapsed = context.now - movedAt
            if (0..<RoomLimits.moveIntervalMs).contains(elapsed) {
                throw RoomError(.tooFrequent, retryAfterMs: Int(RoomLimits.moveIntervalMs - elapsed))
            }
        }
        switch seats[target].condition {
        case .closed: throw RoomError(.seatClosed)
        case .used: throw RoomError(.seatTaken)
        case .empty: break
        }
        return Decision([
            .seatLeft(.init(index, user: occupant.profile, reason: .moved)),
            .seatTaken(
                .init(
                    target, user: user, micMuted: occupant.micMuted, camera: occupant.camera, moved: true)),
        ])
    }

    /// V05. Always passes the consent rule: owner and admins are those who are asked.
    func pickSeat(_ index: Int, for other: UserID, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        guard let person = context.people[other] else { throw RoomError(.userNotInRoom) }
        if try isFree(index, for: other) == .alreadyTheirs { return .nothing }
        try checkUntied()
        return Decision([.seatTaken(.init(index, user: person.profile, micMuted: false, moved: false))])
    }

    /// V05
    func kickSeat(_ index: Int, by user: UserProfile, _ permission: Permission) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        guard let occupant = seats[index].occupant else { throw RoomError(.seatEmpty) }
        try mayTouch(index, user, permission)
        return Decision([.seatLeft(.init(index, user: occupant.profile, reason: .kicked))])
    }

    /// V06: the mute belongs to the seat, whoever sits there now or later.
    func muteSeat(
        _ index: Int, _ muted: Bool, by user: UserProfile, _ permission: Permission
    ) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        try mayTouch(index, user, permission)
        return seats[index].muted == muted ? .nothing : Decision([.seatMuted(.init(index, muted: muted))])
    }

    /// V06: who sits there leaves it first.
    func closeSeat(
        _ index: Int, _ closed: Bool, by user: UserProfile, _ permission: Permission
    ) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        try mayTouch(index, user, permission)
        guard seats[index].isClosed != closed else { return .nothing }
        guard let occupant = seats[index].occupant else { return Decision([.seatClosed(.init(index, closed: closed))]) }
        return Decision([
            .seatLeft(.init(index, user: occupant.profile, reason: .closed)), .seatClosed(.init(index, closed: closed)),
        ])
    }

    /// V06, V11: the user's own mute. In a muted seat it can be set, but not be undone, so that the answer never claims
    /// an open microphone.
    func setMicrophone(muted: Bool, by user: UserProfile) throws(RoomError) -> Decision {
        let (index, occupant) = try ownSeat(of: user)
        if !muted, seats[index].muted { throw RoomError(.seatMuted) }
        return occupant.micMuted == muted ? .nothing : Decision([.microphoneMuted(.init(user.id, muted: muted))])
    }

    private enum Freedom { case free, alreadyTheirs }

    private func isFree(_ index: Int, for user: UserID) throws(RoomError) -> Freedom {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        switch seats[index].condition {
        case .closed: throw RoomError(.seatClosed)
        case .used(let occupant):
            if occupant.profile.id == user { return .alreadyTheirs }
            throw RoomError(.seatTaken)
        case .empty:
            if seat(of: user) != nil { throw RoomError(.alreadySeated) }
            return .free
        }
    }

    func mayTouch(_ index: Int, _ user: UserProfile, _ permission: Permission) throws(RoomError) {
        guard permission == .notAgainstHigherRole, let occupant = seats[index].occupant else { return }
        if role(of: occupant.profile.id) > role(of: user.id) { throw RoomError(.permissionDenied) }
    }
}

extension TakeSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .withConsent, admin: .allowed, owner: .allowed, rights: [.sendAudio, .sendVideo])
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.takeSeat(seat, by: caller.profile, permission, context)
    }
}

extension LeaveSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .onOwnSeat, admin: .onOwnSeat, owner: .onOwnSeat)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.leaveSeat(by: caller.profile)
    }
}

extension MoveSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .onOwnSeat, admin: .onOwnSeat, owner: .onOwnSeat)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.moveSeat(to: seat, by: caller.profile, context)
    }
}

extension PickSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .refused, admin: .allowed, owner: .allowed, operator: .writeRooms)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.pickSeat(seat, for: user, context)
    }
}

extension KickSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .notAgainstHigherRole, owner: .allowed, operator: .moderate,
            audit: .change("kickSeat"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.kickSeat(seat, by: caller.profile, permission)
    }
}

extension MuteSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .notAgainstHigherRole, owner: .allowed, operator: .moderate,
            audit: .change("muteSeat"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.muteSeat(seat, muted, by: caller.profile, permission)
    }
}

extension CloseSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .notAgainstHigherRole, owner: .allowed, operator: .writeRooms,
            audit: .change("closeSeat"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.closeSeat(seat, closed, by: caller.profile, permission)
    }
}

extension SetMicrophone: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .onOwnSeat, admin: .onOwnSeat, owner: .onOwnSeat, rights: .sendAudio)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.setMicrophone(muted: muted, by: caller.profile)
    }
}
