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

/// The one place that says who may do what. Whoever is not in the room may do nothing (`not_in_room`).
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

    private typealias Line = (member: Permission, admin: Permission, owner: Permission)

    // A table is read by its columns.
    // swift-format-ignore
    private static func line(for command: RoomCommand.Name) -> Line {
        switch command {
        //                        member         admin                  owner
        case .takeSeat:          (.withConsent,  .allowed,              .allowed)
        case .leaveSeat:         (.onOwnSeat,    .onOwnSeat,            .onOwnSeat)
        case .moveSeat:          (.onOwnSeat,    .onOwnSeat,            .onOwnSeat)
        case .pickSeat:          (.refused,      .allowed,              .allowed)
        case .kickSeat:          (.refused,      .notAgainstHigherRole, .allowed)
        case .muteSeat:          (.refused,      .notAgainstHigherRole, .allowed)
        case .closeSeat:         (.refused,      .notAgainstHigherRole, .allowed)
        case .setMicrophone:     (.onOwnSeat,    .onOwnSeat,            .onOwnSeat)
        case .setCamera:         (.onOwnSeat,    .onOwnSeat,            .onOwnSeat)
        case .allowCamera:       (.refused,      .notAgainstHigherRole, .allowed)
        case .startScreen:       (.onOwnSeat,    .onOwnSeat,            .onOwnSeat)
        case .stopScreen:        (.onOwnSeat,    .notAgainstHigherRole, .allowed)
        case .arrangeStage:      (.refused,      .allowed,              .allowed)
        case .sendInvitation:    (.allowed,      .allowed,              .allowed)
        case .acceptInvitation:  (.asInvitee,    .asInviteeOrForOwner,  .asInvitee)
        case .rejectInvitation:  (.asInvitee,    .asInviteeOrForOwner,  .asInvitee)
        case .cancelInvitation:  (.asInviter,    .asInviter,            .asInviter)
        case .sendMessage:       (.allowed,      .allowed,              .allowed)
        case .sendLikes:         (.allowed,      .allowed,              .allowed)
        case .sendGift:          (.allowed,      .allowed,              .allowed)
        case .deleteMessage:     (.refused,      .notAgainstHigherRole, .allowed)
        case .setRestriction:    (.refused,      .againstLowerRole,     .againstLowerRole)
        case .liftRestriction:   (.refused,      .allowed,              .allowed)
        case .startSong:         (.onOwnSeat,    .allowed,              .allowed)
        case .pauseSong:         (.onOwnSeat,    .allowed,              .allowed)
        case .resumeSong:        (.onOwnSeat,    .allowed,              .allowed)
        case .seekSong:          (.onOwnSeat,    .allowed,              .allowed)
        case .setSongTrack:      (.onOwnSeat,    .allowed,              .allowed)
        case .stopSong:          (.onOwnSeat,    .allowed,              .allowed)
        case .setDuetMode:       (.onOwnSeat,    .allowed,              .allowed)
        case .challenge:         (.refused,      .refused,              .allowed)
        case .cancelChallenge:   (.refused,      .refused,              .allowed)
        case .answerChallenge:   (.refused,      .refused,              .allowed)
        case .readyForPK:        (.refused,      .refused,              .allowed)
        case .quitPK:            (.refused,      .allowed,              .allowed)
        case .muteLink:          (.refused,      .allowed,              .allowed)
        case .updateRoom:        (.refused,      .allowed,              .allowed)
        case .setRole:           (.refused,      .refused,              .allowed)
        case .setOwner:          (.refused,      .refused,              .allowed)
        case .exitRoom:          (.allowed,      .allowed,              .allowed)
        case .destroyRoom:       (.refused,      .refused,              .allowed)
        }
    }
}

extension DurableRoomState {
    /// The caller's permission, with what the table alone can refuse already refused.
    func permission(of user: UserID, to command: RoomCommand.Name) throws(RoomError) -> Permission {
        let permission = PermissionTable.permission(for: role(of: user), to: command)
        switch permission {
        case .refused: throw RoomError(.permissionDenied)
        case .onOwnSeat where seat(of: user) == nil: throw RoomError(.notSeated)
        default: return permission
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
