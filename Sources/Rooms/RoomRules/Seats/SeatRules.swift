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
        return Decision([.seatTaken(index, user: user, micMuted: false, moved: false)])
    }

    /// While the host is with another room nobody comes on stage.
    func checkUntied() throws(RoomError) {
        if isTied { throw RoomError(.inPK) }
    }

    func leaveSeat(by user: UserProfile) throws(RoomError) -> Decision {
        let (index, occupant) = try ownSeat(of: user)
        return Decision([.seatLeft(index, user: occupant.profile, reason: .left)])
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
            .seatLeft(index, user: occupant.profile, reason: .moved),
            .seatTaken(
                target, user: user, micMuted: occupant.micMuted, camera: occupant.camera, moved: true),
        ])
    }

    /// V05. Always passes the consent rule: owner and admins are those who are asked.
    func pickSeat(_ index: Int, for other: UserID, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        guard let person = context.people[other] else { throw RoomError(.userNotInRoom) }
        if try isFree(index, for: other) == .alreadyTheirs { return .nothing }
        try checkUntied()
        return Decision([.seatTaken(index, user: person.profile, micMuted: false, moved: false)])
    }

    /// V05
    func kickSeat(_ index: Int, by user: UserProfile, _ permission: Permission) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        guard let occupant = seats[index].occupant else { throw RoomError(.seatEmpty) }
        try mayTouch(index, user, permission)
        return Decision([.seatLeft(index, user: occupant.profile, reason: .kicked)])
    }

    /// V06: the mute belongs to the seat, whoever sits there now or later.
    func muteSeat(
        _ index: Int, _ muted: Bool, by user: UserProfile, _ permission: Permission
    ) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        try mayTouch(index, user, permission)
        return seats[index].muted == muted ? .nothing : Decision([.seatMuted(index, muted: muted)])
    }

    /// V06: who sits there leaves it first.
    func closeSeat(
        _ index: Int, _ closed: Bool, by user: UserProfile, _ permission: Permission
    ) throws(RoomError) -> Decision {
        guard seats.indices.contains(index) else { throw RoomError(.seatNotFound) }
        try mayTouch(index, user, permission)
        guard seats[index].isClosed != closed else { return .nothing }
        guard let occupant = seats[index].occupant else { return Decision([.seatClosed(index, closed: closed)]) }
        return Decision([
            .seatLeft(index, user: occupant.profile, reason: .closed), .seatClosed(index, closed: closed),
        ])
    }

    /// V06, V11: the user's own mute. In a muted seat it can be set, but not be undone, so that the answer never claims
    /// an open microphone.
    func setMicrophone(muted: Bool, by user: UserProfile) throws(RoomError) -> Decision {
        let (index, occupant) = try ownSeat(of: user)
        if !muted, seats[index].muted { throw RoomError(.seatMuted) }
        return occupant.micMuted == muted ? .nothing : Decision([.microphoneMuted(user.id, muted: muted)])
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
