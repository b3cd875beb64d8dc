package import RoomEvents
package import RoomModel

/// What a role may do with a command.
package enum Permission: Hashable, Sendable {
    case allowed
    case refused
    /// On the seat that the person has; without one: `not_seated`.
    case onOwnSeat
    /// Only after consent, if the room wants to be asked and the application enforces it; else `consent_required`.
    case withConsent
    /// Not if the other has the caller's role or a higher one; then `permission_denied`.
    case againstLowerRole
    /// Not if the seat's user has a higher role than the caller; then `permission_denied`.
    case notAgainstHigherRole
    /// Only for invitations sent to the caller; else `invitation_denied`.
    case asInvitee
    /// For invitations sent to the caller or to the owner; else `invitation_denied`.
    case asInviteeOrForOwner
    /// Only for invitations sent by the caller; else `invitation_denied`.
    case asInviter
}

/// The one place that says who may do what. A person who is not in the room may do nothing (`not_in_room`). An operator need not
/// be there; what they may do is `allowed` against everybody.
/// A new command is a line here; the expected results of every line stand, reviewed by hand, beside the tests.
package enum PermissionTable {
    package static func permission(for role: Role, to command: RoomCommand.Name) -> Permission {
        let line = line(for: command)
        return switch role {
        case .member: line.member
        case .admin: line.admin
        case .owner: line.owner
        }
    }

    /// What an operator needs for a command; `nil`: it is not for operators, since it is about the caller's own seat, voice or purse.
    package static func scope(for command: RoomCommand.Name) -> OperatorScope? { line(for: command).scope }

    private typealias Line = (member: Permission, admin: Permission, owner: Permission, scope: OperatorScope?)

    // A table is read by its columns.
    // swift-format-ignore
    private static func line(for command: RoomCommand.Name) -> Line {
        switch command {
        //                        member         admin                  owner               operator
        case .takeSeat:         (.withConsent, .allowed,              .allowed,           nil)
        case .leaveSeat:        (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,         nil)
        case .moveSeat:         (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,         nil)
        case .pickSeat:         (.refused,     .allowed,              .allowed,           .writeRooms)
        case .kickSeat:         (.refused,     .notAgainstHigherRole, .allowed,           .moderate)
        case .muteSeat:         (.refused,     .notAgainstHigherRole, .allowed,           .moderate)
        case .closeSeat:        (.refused,     .notAgainstHigherRole, .allowed,           .writeRooms)
        case .setMicrophone:    (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,         nil)
        case .setCamera:        (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,         nil)
        case .allowCamera:      (.refused,     .notAgainstHigherRole, .allowed,           .moderate)
        case .startScreen:      (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,         nil)
        case .stopScreen:       (.onOwnSeat,   .notAgainstHigherRole, .allowed,           .moderate)
        case .arrangeStage:     (.refused,     .allowed,              .allowed,           .writeRooms)
        case .sendInvitation:   (.allowed,     .allowed,              .allowed,           nil)
        case .acceptInvitation: (.asInvitee,   .asInviteeOrForOwner,  .asInvitee,         nil)
        case .rejectInvitation: (.asInvitee,   .asInviteeOrForOwner,  .asInvitee,         nil)
        case .cancelInvitation: (.asInviter,   .asInviter,            .asInviter,         nil)
        case .sendMessage:      (.allowed,     .allowed,              .allowed,           .writeMessages)
        case .sendLikes:        (.allowed,     .allowed,              .allowed,           nil)
        case .sendGift:         (.allowed,     .allowed,              .allowed,           nil)
        case .deleteMessage:    (.refused,     .notAgainstHigherRole, .allowed,           .moderate)
        case .setRestriction:   (.refused,     .againstLowerRole,     .againstLowerRole,  .moderate)
        case .liftRestriction:  (.refused,     .allowed,              .allowed,           .moderate)
        case .startSong:        (.onOwnSeat,   .allowed,              .allowed,           nil)
        case .pauseSong:        (.onOwnSeat,   .allowed,              .allowed,           nil)
        case .resumeSong:       (.onOwnSeat,   .allowed,              .allowed,           nil)
        case .seekSong:         (.onOwnSeat,   .allowed,              .allowed,           nil)
        case .setSongTrack:     (.onOwnSeat,   .allowed,              .allowed,           nil)
        case .stopSong:         (.onOwnSeat,   .allowed,              .allowed,           .moderate)
        case .setDuetMode:      (.onOwnSeat,   .allowed,              .allowed,           nil)
        case .challenge:        (.refused,     .refused,              .allowed,           nil)
        case .cancelChallenge:  (.refused,     .refused,              .allowed,           nil)
        case .answerChallenge:  (.refused,     .refused,              .allowed,           nil)
        case .readyForPK:       (.refused,     .refused,              .allowed,           nil)
        case .quitPK:           (.refused,     .allowed,              .allowed,           .writeRooms)
        case .muteLink:         (.refused,     .allowed,              .allowed,           nil)
        case .updateRoom:       (.refused,     .allowed,              .allowed,           .writeRooms)
        case .setAttributes:    (.refused,     .allowed,              .allowed,           .writeRooms)
        case .setRole:          (.refused,     .refused,              .allowed,           .writeRooms)
        case .setOwner:         (.refused,     .refused,              .allowed,           .writeRooms)
        case .exitRoom:         (.allowed,     .allowed,              .allowed,           nil)
        case .destroyRoom:      (.refused,     .refused,              .allowed,           .writeRooms)
        }
    }
}

extension DurableRoomState {
    /// The caller's permission, with what the table alone can refuse already refused.
    func permission(
        of caller: Caller, to command: RoomCommand.Name, _ context: DecisionContext
    ) throws(RoomError) -> Permission {
        switch caller {
        case .operator(let caller, _):
            guard let scope = PermissionTable.scope(for: command) else {
                throw RoomError(.permissionDenied, "only people in the room do this")
            }
            guard caller.scopes.contains(scope) else { throw .scopeMissing(scope) }
            return .allowed
        case .person(let user):
            guard context.people[user.id] != nil else { throw RoomError(.notInRoom) }
            let permission = PermissionTable.permission(for: role(of: user.id), to: command)
            switch permission {
            case .refused: throw RoomError(.permissionDenied)
            case .onOwnSeat where seat(of: user.id) == nil: throw RoomError(.notSeated)
            default: return permission
            }
        }
    }

    /// Whether the permission reaches to that invitation.
    func mayAnswer(_ invitation: Invitation, _ user: UserID, _ permission: Permission) -> Bool {
        switch permission {
        case .asInvitee: invitation.to == user
        // An admin who asked the owner cannot be the one who says yes.
        case .asInviteeOrForOwner:
            invitation.to == user || (invitation.to == owner.id && invitation.from != user)
        case .asInviter: invitation.from == user
        case .allowed: true
        case .refused, .onOwnSeat, .withConsent, .notAgainstHigherRole, .againstLowerRole: false
        }
    }

    /// For commands on the caller's own seat.
    func ownSeat(of user: UserProfile) throws(RoomError) -> (index: Int, occupant: SeatPlace.Occupant) {
        guard let index = seat(of: user.id), let occupant = seats[index].occupant else { throw RoomError(.notSeated) }
        return (index, occupant)
    }
}
