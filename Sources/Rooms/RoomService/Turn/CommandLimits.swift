import RoomEvents
import RoomModel
import RoomRules
import Timing

/// How much of what the rules accept a room lets through: messages by its budget, changes of its attributes by their number.
struct CommandLimits {
    private var budget = MessageBudget()
    private var attributeChanges: TokenBucket

    init(at now: Instant) {
        let changes = Double(RoomLimits.attributeChangesPerSecond)
        attributeChanges = TokenBucket(Allowance(burst: changes, perSecond: changes), now: now)
    }

    /// Why the room's budget does not let a message through.
    /// - Parameters:
    ///   - words: reads it, once there is room for it.
    ///   - elsewhere: takes it out of another allowance too, asked last.
    mutating func takeMessage(
        _ priority: MessagePriority, by caller: Caller, in turn: inout RoomTurn, words: () -> RoomError?,
        elsewhere: () -> RoomError?
    ) -> RoomError? {
        let limits = turn.policy().messages
        let slowSeconds = turn.state.details.settings.chat.slowSeconds
        // Hosts and co-hosts run the room by messages too; their room is theirs to fill.
        let sharer = caller.isOperator || turn.state.runs(caller.profile.id) ? nil : caller.profile.id
        switch budget.take(
            priority, by: sharer, of: limits, slowSeconds: slowSeconds, at: turn.now, words: words,
            elsewhere: elsewhere)
        {
        case nil: return nil
        case .elsewhere(let error), .words(let error): return error
        case .slow(let wait):
            return RoomError(.slowMode, "slow mode: one message every \(slowSeconds) s", retryAfterMs: wait)
        case .room(let wait):
            return RoomError(
                .rateLimited,
                "the room's budget of \(limits.room) messages a second is spent (rooms.messages_per_second); those of lower priority are refused first",
                retryAfterMs: wait)
        case .person(let wait):
            return RoomError(
                .rateLimited, "one person may send \(limits.person) messages a second (rooms.messages_per_person)",
                retryAfterMs: wait)
        }
    }

    /// Whoever changes them: it is told to everybody.
    mutating func takeAttributeChange(_ command: RoomCommand, in turn: inout RoomTurn) -> RoomError? {
        guard command.name == .setAttributes, !attributeChanges.take(now: turn.now) else { return nil }
        return RoomError(
            .rateLimited, "the attributes of a room change \(RoomLimits.attributeChangesPerSecond) times a second",
            retryAfterMs: attributeChanges.wait(now: turn.now))
    }
}
