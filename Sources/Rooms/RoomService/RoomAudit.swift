import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What those who run a room do is noted, and what others try. Bounded: each line takes room on the disk.
final class RoomAudit {
    /// Refusals that a room has noted, whoever tries.
    static let refusals = Allowance(burst: 20, perSecond: 0.2)

    private unowned let core: RoomCore
    private var refusals: TokenBucket
    /// Changes of the room that have no line yet, by who made them.
    private var merged: [UserID: Int] = [:]

    init(_ core: RoomCore) {
        self.core = core
        refusals = TokenBucket(Self.refusals, now: core.now)
    }

    private var allowances: PersonalAllowances { core.dependencies.allowances }

    /// Takes one action out of what that person may do. Operators' requests are limited where they come in.
    /// - Returns: why it may not be done now.
    func take(_ command: RoomCommand, by caller: Caller) -> RoomError? {
        guard command.name.isModeration, !caller.isOperator else { return nil }
        return allowances.takeAction(
            of: caller.profile.id, in: core.key.application,
            perSecond: core.dependencies.policy().actionsPerSecond, now: core.now
        ).map {
            RoomError(.rateLimited, "too many actions of one person (rooms.actions_per_person)", retryAfterMs: $0)
        }
    }

    /// What is to be noted of a command that is about to be carried out; `nil`: nothing.
    func line(_ command: RoomCommand, by caller: Caller, message: Message?, outcome: String = "done") -> AuditLine? {
        guard command.name.isAudited else { return nil }
        // What was refused has not been looked at: a stranger may have written it.
        let isDone = outcome == "done"
        var aimed = AuditDetail.of(command, in: core.state, message: message)
        // Seats and settings change as fast as apps ask; of a flood the beginning is noted, and how many more there were.
        if isDone, !command.name.isModeration, !caller.isOperator {
            let user = caller.profile.id
            guard allowances.takeChange(of: user, in: core.key.application, now: core.now) else {
                merged[user, default: 0] += 1
                return nil
            }
            aimed.detail.merged = merged.removeValue(forKey: user)
        }
        let (actor, role, way): (UserID, AuditLine.Role, AuditLine.Way) =
            switch caller {
            case .person(let user): (user.id, AuditLine.Role(core.state.role(of: user.id)), .session)
            case .operator(let caller, _): (caller.name, .operator, .rest)
            }
        return AuditLine(
            application: core.key.application, room: core.key.room, actor: actor, role: role, way: way,
            action: command.name.rawValue,
            target: aimed.target, detail: isDone ? aimed.detail.json : "{}", reason: isDone ? aimed.reason : nil,
            outcome: outcome, time: core.wallNow)
    }

    /// A room that an operator creates.
    func line(of caller: Operator, creating owner: UserID) -> AuditLine {
        AuditLine(
            application: core.key.application, room: core.key.room, actor: caller.name, role: .operator, way: .rest,
            action: "createRoom", target: owner, time: core.wallNow)
    }

    /// Submitted behind the room's own entry, if it has one.
    func note(_ line: AuditLine) { core.dependencies.moderation.audit.note(line) }

    /// Notes that somebody tried what their role does not allow.
    func noteRefused(_ command: RoomCommand, by caller: Caller, _ error: RoomError) {
        guard command.name.isAudited, error.code == .permissionDenied,
            allowances.takeRefusal(of: caller.keeper, in: core.key.application, now: core.now),
            refusals.take(now: core.now)
        else { return }
        line(command, by: caller, message: nil, outcome: error.code.name).map { note($0) }
    }
}

extension RoomCommand.Name {
    /// What is done to people and their words, each time noted, and therefore no faster than people work.
    fileprivate var isModeration: Bool {
        switch self {
        case .deleteMessage, .setRestriction, .liftRestriction, .setRole, .setOwner: true
        default: false
        }
    }

    /// What is done about other people or their room, and can be asked about later.
    var isAudited: Bool {
        switch self {
        case .kickSeat, .muteSeat, .closeSeat, .allowCamera, .deleteMessage, .setRestriction, .liftRestriction,
            .updateRoom, .setAttributes, .setRole, .setOwner, .destroyRoom:
            true
        default: false
        }
    }
}

extension AuditLine.Role {
    init(_ role: Role) {
        self =
            switch role {
            case .owner: .owner
            case .admin: .admin
            case .member: .member
            }
    }
}
