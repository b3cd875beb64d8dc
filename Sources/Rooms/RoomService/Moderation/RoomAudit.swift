import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What those who run a room do is noted, and what others try. Bounded: each line takes room on the disk.
struct RoomAudit {
    /// Refusals that a room has noted, whoever tries.
    static let refusals = Allowance(burst: 20, perSecond: 0.2)

    private let allowances: PersonalAllowances
    private var refusals: TokenBucket
    /// Changes of the room that have no line yet, by who made them.
    private var merged: [UserID: Int] = [:]

    init(_ allowances: PersonalAllowances, at now: Instant) {
        self.allowances = allowances
        refusals = TokenBucket(Self.refusals, now: now)
    }

    /// Takes one action out of what that person may do. Operators' requests are limited where they come in.
    /// - Returns: why it may not be done now.
    func take(_ command: RoomCommand, by caller: Caller, in turn: inout RoomTurn) -> RoomError? {
        guard !caller.isOperator, command.name.access.audit?.isModeration == true else { return nil }
        return allowances.takeAction(
            of: caller.profile.id, in: turn.key.application,
            perSecond: turn.policy().actionsPerSecond, now: turn.now
        ).map {
            RoomError(.rateLimited, "too many actions of one person (rooms.actions_per_person)", retryAfterMs: $0)
        }
    }

    /// What is to be noted of a command that is about to be carried out; `nil`: nothing.
    mutating func line(
        _ command: RoomCommand, by caller: Caller, message: Message?, outcome: String = "done", in turn: inout RoomTurn
    ) -> AuditLine? {
        guard let rule = command.name.access.audit else { return nil }
        // What was refused has not been looked at: a stranger may have written it.
        let isDone = outcome == "done"
        var aimed = AuditDetail.of(command, in: turn.state, message: message)
        // Seats and settings change as fast as apps ask; of a flood the beginning is noted, and how many more there were.
        if isDone, !rule.isModeration, !caller.isOperator {
            let user = caller.profile.id
            guard allowances.takeChange(of: user, in: turn.key.application, now: turn.now) else {
                merged[user, default: 0] += 1
                return nil
            }
            aimed.detail.merged = merged.removeValue(forKey: user)
        }
        let (actor, role, way): (UserID, AuditLine.Role, AuditLine.Way) =
            switch caller {
            case .person(let user): (user.id, AuditLine.Role(turn.state.role(of: user.id)), .session)
            case .operator(let caller, _): (caller.name, .operator, .rest)
            }
        return AuditLine(
            application: turn.key.application, room: turn.key.room, actor: actor, role: role, way: way,
            action: rule.action,
            target: aimed.target, detail: isDone ? aimed.detail.json : "{}", reason: isDone ? aimed.reason : nil,
            outcome: outcome, time: turn.wallNow)
    }

    /// A room that an operator creates.
    func line(of caller: Operator, creating owner: UserID, in turn: inout RoomTurn) -> AuditLine {
        AuditLine(
            application: turn.key.application, room: turn.key.room, actor: caller.name, role: .operator, way: .rest,
            action: "createRoom", target: owner, time: turn.wallNow)
    }

    /// Notes that somebody tried what their role does not allow.
    mutating func noteRefused(_ command: RoomCommand, by caller: Caller, _ error: RoomError, in turn: inout RoomTurn) {
        guard command.name.access.audit != nil, error.code == .permissionDenied,
            allowances.takeRefusal(of: caller.keeper, in: turn.key.application, now: turn.now),
            refusals.take(now: turn.now)
        else { return }
        guard let line = line(command, by: caller, message: nil, outcome: error.code.name, in: &turn) else { return }
        turn.add(.note(line))
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
