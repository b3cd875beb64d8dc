import RoomEvents
package import RoomModel

/// The seats of a room, by their numbers from 0, and what those who sit there may do.
package struct Seats: Equatable, Sendable {
    private var places: [SeatPlace] = []

    package init(_ places: [SeatPlace] = []) { self.places = places }

    package func seat(of user: UserID) -> Int? { places.firstIndex { $0.occupant?.profile.id == user } }

    /// Who sits, in the order of the seats.
    var seated: [UserID] { places.compactMap { $0.occupant?.profile.id } }

    /// For commands on the caller's own seat.
    func own(_ user: UserProfile) throws(RoomError) -> (index: Int, occupant: SeatPlace.Occupant) {
        guard let index = seat(of: user.id), let occupant = places[index].occupant else { throw RoomError(.notSeated) }
        return (index, occupant)
    }

    mutating func end() {
        for index in indices where places[index].occupant != nil { places[index].condition = .empty }
    }

    mutating func erase(_ user: UserID) {
        for index in indices {
            guard var occupant = places[index].occupant else { continue }
            occupant.profile = occupant.profile.erasing(user)
            places[index].condition = .used(occupant)
        }
    }
}

extension Seats: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { places.startIndex }
    package var endIndex: Int { places.endIndex }
    package subscript(index: Int) -> SeatPlace {
        get { places[index] }
        _modify { yield &places[index] }
    }
}

extension Seats: Codable {
    package init(from decoder: any Decoder) throws { places = try [SeatPlace](from: decoder) }
    package func encode(to encoder: any Encoder) throws { try places.encode(to: encoder) }
}

extension Seats {
    func leaveSeat(by user: UserProfile) throws(RoomError) -> Decision {
        let (index, occupant) = try own(user)
        return Decision([.seatLeft(.init(index, user: occupant.profile, reason: .left))])
    }

    /// V09. Both steps are one command: nobody can take either seat in between. The user's own mute and the camera
    /// come along, the host's mute stays.
    func moveSeat(to target: Int, by user: UserProfile, _ context: DecisionContext) throws(RoomError) -> Decision {
        let (index, occupant) = try own(user)
        guard indices.contains(target) else { throw RoomError(.seatNotFound) }
        if target == index { return .nothing }
        if let movedAt = occupant.movedAt {
            // A wall clock that was set back must not lock anybody to a seat: only times within the second count.
            let elapsed = context.now - movedAt
            if (0..<RoomLimits.moveIntervalMs).contains(elapsed) {
                throw RoomError(.tooFrequent, retryAfterMs: Int(RoomLimits.moveIntervalMs - elapsed))
            }
        }
        switch self[target].condition {
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

    /// V05
    func kickSeat(_ index: Int, within reach: SeatReach) throws(RoomError) -> Decision {
        guard indices.contains(index) else { throw RoomError(.seatNotFound) }
        guard let occupant = self[index].occupant else { throw RoomError(.seatEmpty) }
        try check(reach, index)
        return Decision([.seatLeft(.init(index, user: occupant.profile, reason: .kicked))])
    }

    /// V06: the mute belongs to the seat, whoever sits there now or later.
    func muteSeat(
        _ index: Int, _ muted: Bool, within reach: SeatReach
    ) throws(RoomError) -> Decision {
        guard indices.contains(index) else { throw RoomError(.seatNotFound) }
        try check(reach, index)
        return self[index].muted == muted ? .nothing : Decision([.seatMuted(.init(index, muted: muted))])
    }

    /// V06: who sits there leaves it first.
    func closeSeat(
        _ index: Int, _ closed: Bool, within reach: SeatReach
    ) throws(RoomError) -> Decision {
        guard indices.contains(index) else { throw RoomError(.seatNotFound) }
        try check(reach, index)
        guard self[index].isClosed != closed else { return .nothing }
        guard let occupant = self[index].occupant else { return Decision([.seatClosed(.init(index, closed: closed))]) }
        return Decision([
            .seatLeft(.init(index, user: occupant.profile, reason: .closed)), .seatClosed(.init(index, closed: closed)),
        ])
    }

    /// V06, V11: the user's own mute. In a muted seat it can be set, but not be undone, so that the answer never claims
    /// an open microphone.
    func setMicrophone(muted: Bool, by user: UserProfile) throws(RoomError) -> Decision {
        let (index, occupant) = try own(user)
        if !muted, self[index].muted { throw RoomError(.seatMuted) }
        return occupant.micMuted == muted ? .nothing : Decision([.microphoneMuted(.init(user.id, muted: muted))])
    }

    enum Freedom { case free, alreadyTheirs }

    func isFree(_ index: Int, for user: UserID) throws(RoomError) -> Freedom {
        guard indices.contains(index) else { throw RoomError(.seatNotFound) }
        switch self[index].condition {
        case .closed: throw RoomError(.seatClosed)
        case .used(let occupant):
            if occupant.profile.id == user { return .alreadyTheirs }
            throw RoomError(.seatTaken)
        case .empty:
            if seat(of: user) != nil { throw RoomError(.alreadySeated) }
            return .free
        }
    }

    private func check(_ reach: SeatReach, _ index: Int) throws(RoomError) {
        if let user = self[index].occupant?.profile.id, !reach.covers(user) { throw RoomError(.permissionDenied) }
    }
}

/// Whom on a seat somebody may do something to.
struct SeatReach {
    /// Not those of a higher role.
    let isBounded: Bool
    let rank: Role
    let hosts: RoomHosts

    func covers(_ user: UserID) -> Bool { !isBounded || hosts.role(of: user) <= rank }
}

extension DurableRoomState {
    func reach(of caller: Caller, _ permission: Permission) -> SeatReach {
        SeatReach(
            isBounded: permission == .notAgainstHigherRole, rank: role(of: caller.profile.id), hosts: hosts)
    }

    /// While the host is with another room nobody comes on stage.
    func checkUntied() throws(RoomError) {
        if links.isTied { throw RoomError(.inPK) }
    }
}

/// V04, V07, V21. Taking the seat that one has already is no change; another person's seat is taken, whatever else holds.
extension TakeSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            RolePermissions(member: .withConsent, admin: .allowed, owner: .allowed), rights: [.sendAudio, .sendVideo])
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        if try room.seats.isFree(seat, for: caller.profile.id) == .alreadyTheirs { return .nothing }
        try room.checkUntied()
        if permission == .withConsent, room.details.settings.needsRequest, !room.details.settings.isAdvisory,
            context.policy.consent == .enforced, !room.invitations.hasConsent(caller.profile.id)
        {
            throw RoomError(.consentRequired)
        }
        return Decision([.seatTaken(.init(seat, user: caller.profile, micMuted: false, moved: false))])
    }
}

extension LeaveSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seated)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.seats.leaveSeat(by: caller.profile)
    }
}

extension MoveSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seated)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.seats.moveSeat(to: seat, by: caller.profile, context)
    }
}

/// V05. Always passes the consent rule: owner and admins are those who are asked.
extension PickSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hosts, operator: .writeRooms)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard room.seats.indices.contains(seat) else { throw RoomError(.seatNotFound) }
        guard let person = context.people[user] else { throw RoomError(.userNotInRoom) }
        if try room.seats.isFree(seat, for: user) == .alreadyTheirs { return .nothing }
        try room.checkUntied()
        return Decision([.seatTaken(.init(seat, user: person.profile, micMuted: false, moved: false))])
    }
}

extension KickSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hostsByRank, operator: .moderate, audit: .change("kickSeat"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.seats.kickSeat(seat, within: room.reach(of: caller, permission))
    }
}

extension MuteSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hostsByRank, operator: .moderate, audit: .change("muteSeat"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.seats.muteSeat(seat, muted, within: room.reach(of: caller, permission))
    }
}

extension CloseSeat: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hostsByRank, operator: .writeRooms, audit: .change("closeSeat"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.seats.closeSeat(seat, closed, within: room.reach(of: caller, permission))
    }
}

extension SetMicrophone: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seated, rights: .sendAudio)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.seats.setMicrophone(muted: muted, by: caller.profile)
    }
}
