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

/// What each role may do with a command.
package struct RolePermissions: Hashable, Sendable {
    package var member: Permission
    package var admin: Permission
    package var owner: Permission

    static let everyone = RolePermissions(member: .allowed, admin: .allowed, owner: .allowed)
    /// Whoever sits, about what is theirs.
    static let seated = RolePermissions(member: .onOwnSeat, admin: .onOwnSeat, owner: .onOwnSeat)
    /// Whoever sits, and those who run the room from wherever they are.
    static let seatedAndHosts = RolePermissions(member: .onOwnSeat, admin: .allowed, owner: .allowed)
    static let hosts = RolePermissions(member: .refused, admin: .allowed, owner: .allowed)
    /// Those who run the room, about people who have no higher role.
    static let hostsByRank = RolePermissions(member: .refused, admin: .notAgainstHigherRole, owner: .allowed)
    static let owner = RolePermissions(member: .refused, admin: .refused, owner: .allowed)

    package func permission(for role: Role) -> Permission {
        switch role {
        case .member: member
        case .admin: admin
        case .owner: owner
        }
    }
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

/// Who may ask for a command, and what is kept of it. Each command says its own, beside its rule; the expected results of all stand,
/// reviewed by hand, beside the tests (`permissions.md`).
package struct CommandAccess: Hashable, Sendable {
    /// For somebody in the room. Who is not there may do nothing (`not_in_room`).
    package var roles: RolePermissions
    /// What an operator needs for it, who need not be there; what they may do is `allowed` against everybody. `nil`: it is not for
    /// operators, since it is about the caller's own seat, voice or purse.
    package var scope: OperatorScope?
    /// Of which rights of a key (privateMapKey) somebody who entered with one needs at least one; empty: none is asked for.
    package var rights: RoomRights
    /// How it is noted in the audit trail; `nil`: not at all, since it is about nobody else and not about their room.
    package var audit: AuditRule?

    init(
        _ roles: RolePermissions, operator scope: OperatorScope? = nil, rights: RoomRights = [],
        audit: AuditRule? = nil
    ) {
        self.roles = roles
        self.scope = scope
        self.rights = rights
        self.audit = audit
    }
}

extension RoomRights {
    /// Whether they reach to that command.
    package func reach(to command: RoomCommand) -> Bool {
        let needed = command.name.access.rights
        return needed.isEmpty || !isDisjoint(with: needed) || !command.payload.usesRights
    }
}

extension CommandAccess {
    /// The caller's permission, with what this alone can refuse already refused.
    func permission(
        of caller: Caller, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Permission {
        switch caller {
        case .operator(let caller, _):
            guard let scope else { throw RoomError(.permissionDenied, "only people in the room do this") }
            guard caller.scopes.contains(scope) else { throw .scopeMissing(scope) }
            return .allowed
        case .person(let user):
            guard context.people[user.id] != nil else { throw RoomError(.notInRoom) }
            let permission = roles.permission(for: room.role(of: user.id))
            switch permission {
            case .refused: throw RoomError(.permissionDenied)
            case .onOwnSeat where room.seat(of: user.id) == nil: throw RoomError(.notSeated)
            default: return permission
            }
        }
    }
}

extension Permission {
    /// Whether it reaches to that invitation.
    func reaches(_ invitation: Invitation, _ user: UserID, in room: DurableRoomState) -> Bool {
        switch self {
        case .asInvitee: invitation.to == user
        // An admin who asked the owner cannot be the one who says yes.
        case .asInviteeOrForOwner:
            invitation.to == user || (invitation.to == room.owner.id && invitation.from != user)
        case .asInviter: invitation.from == user
        case .allowed: true
        case .refused, .onOwnSeat, .withConsent, .notAgainstHigherRole, .againstLowerRole: false
        }
    }
}
