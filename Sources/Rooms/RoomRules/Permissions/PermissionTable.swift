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

/// How a command is noted in the audit trail, and by which word. Kept lines have the words: they never change.
package enum AuditRule: Hashable, Sendable {
    /// A change of the room, or of a place in it. Of a flood the beginning is noted.
    case change(String)
    /// What is done to people and their words: each time, and therefore no faster than people work.
    case moderation(String)

    package var action: String {
        switch self {
        case .change(let action), .moderation(let action): action
        }
    }

    package var isModeration: Bool {
        switch self {
        case .change: false
        case .moderation: true
        }
    }
}

/// The one place that says who may do what, and what is kept of it. A person who is not in the room may do nothing (`not_in_room`). An
/// operator need not be there; what they may do is `allowed` against everybody.
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

    /// Of which rights of a key (privateMapKey) somebody who entered with one needs at least one; empty: none is asked for.
    package static func rights(for command: RoomCommand.Name) -> RoomRights { line(for: command).rights }

    /// How the command is noted in the audit trail; `nil`: not at all, since it is about nobody else and not about their room.
    package static func audit(of command: RoomCommand.Name) -> AuditRule? { line(for: command).audit }

    private typealias Line = (
        member: Permission, admin: Permission, owner: Permission, scope: OperatorScope?, rights: RoomRights,
        audit: AuditRule?
    )

    // A table is read by its columns.
    // swift-format-ignore
    private static func line(for command: RoomCommand.Name) -> Line {
        switch command {
        //                        member         admin                  owner              operator        key                       audit
        case .takeSeat:         (.withConsent, .allowed,              .allowed,          nil,            [.sendAudio, .sendVideo], nil)
        case .leaveSeat:        (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,        nil,            [],                       nil)
        case .moveSeat:         (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,        nil,            [],                       nil)
        case .pickSeat:         (.refused,     .allowed,              .allowed,          .writeRooms,    [],                       nil)
        case .kickSeat:         (.refused,     .notAgainstHigherRole, .allowed,          .moderate,      [],                       .change("kickSeat"))
        case .muteSeat:         (.refused,     .notAgainstHigherRole, .allowed,          .moderate,      [],                       .change("muteSeat"))
        case .closeSeat:        (.refused,     .notAgainstHigherRole, .allowed,          .writeRooms,    [],                       .change("closeSeat"))
        case .setMicrophone:    (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,        nil,            .sendAudio,               nil)
        case .setCamera:        (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,        nil,            .sendVideo,               nil)
        case .allowCamera:      (.refused,     .notAgainstHigherRole, .allowed,          .moderate,      [],                       .change("allowCamera"))
        case .startScreen:      (.onOwnSeat,   .onOwnSeat,            .onOwnSeat,        nil,            .sendScreen,              nil)
        case .stopScreen:       (.onOwnSeat,   .notAgainstHigherRole, .allowed,          .moderate,      [],                       nil)
        case .arrangeStage:     (.refused,     .allowed,              .allowed,          .writeRooms,    [],                       nil)
        case .sendInvitation:   (.allowed,     .allowed,              .allowed,          nil,            [],                       nil)
        case .acceptInvitation: (.asInvitee,   .asInviteeOrForOwner,  .asInvitee,        nil,            [],                       nil)
        case .rejectInvitation: (.asInvitee,   .asInviteeOrForOwner,  .asInvitee,        nil,            [],                       nil)
        case .cancelInvitation: (.asInviter,   .asInviter,            .asInviter,        nil,            [],                       nil)
        case .sendMessage:      (.allowed,     .allowed,              .allowed,          .writeMessages, [],                       nil)
        case .sendLikes:        (.allowed,     .allowed,              .allowed,          nil,            [],                       nil)
        case .sendGift:         (.allowed,     .allowed,              .allowed,          nil,            [],                       nil)
        case .deleteMessage:    (.refused,     .notAgainstHigherRole, .allowed,          .moderate,      [],                       .moderation("deleteMessage"))
        case .setRestriction:   (.refused,     .againstLowerRole,     .againstLowerRole, .moderate,      [],                       .moderation("setRestriction"))
        case .liftRestriction:  (.refused,     .allowed,              .allowed,          .moderate,      [],                       .moderation("liftRestriction"))
        case .startSong:        (.onOwnSeat,   .allowed,              .allowed,          nil,            [],                       nil)
        case .pauseSong:        (.onOwnSeat,   .allowed,              .allowed,          nil,            [],                       nil)
        case .resumeSong:       (.onOwnSeat,   .allowed,              .allowed,          nil,            [],                       nil)
        case .seekSong:         (.onOwnSeat,   .allowed,              .allowed,          nil,            [],                       nil)
        case .setSongTrack:     (.onOwnSeat,   .allowed,              .allowed,          nil,            [],                       nil)
        case .stopSong:         (.onOwnSeat,   .allowed,              .allowed,          .moderate,      [],                       nil)
        case .setDuetMode:      (.onOwnSeat,   .allowed,              .allowed,          nil,            [],                       nil)
        case .challenge:        (.refused,     .refused,              .allowed,          nil,            [],                       nil)
        case .cancelChallenge:  (.refused,     .refused,              .allowed,          nil,            [],                       nil)
        case .answerChallenge:  (.refused,     .refused,              .allowed,          nil,            [],                       nil)
        case .readyForPK:       (.refused,     .refused,              .allowed,          nil,            [],                       nil)
        case .quitPK:           (.refused,     .allowed,              .allowed,          .writeRooms,    [],                       nil)
        case .muteLink:         (.refused,     .allowed,              .allowed,          nil,            [],                       nil)
        case .updateRoom:       (.refused,     .allowed,              .allowed,          .writeRooms,    [],                       .change("updateRoom"))
        case .setAttributes:    (.refused,     .allowed,              .allowed,          .writeRooms,    [],                       .change("setAttributes"))
        case .setRole:          (.refused,     .refused,              .allowed,          .writeRooms,    [],                       .moderation("setRole"))
        case .setOwner:         (.refused,     .refused,              .allowed,          .writeRooms,    [],                       .moderation("setOwner"))
        case .exitRoom:         (.allowed,     .allowed,              .allowed,          nil,            [],                       nil)
        case .destroyRoom:      (.refused,     .refused,              .allowed,          .writeRooms,    [],                       .change("destroyRoom"))
        }
    }
}

extension RoomRights {
    /// Whether they reach to that command.
    package func reach(to command: RoomCommand) -> Bool {
        let needed = PermissionTable.rights(for: command.name)
        return needed.isEmpty || !isDisjoint(with: needed) || !command.payload.usesRights
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
