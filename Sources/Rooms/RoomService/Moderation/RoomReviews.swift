import RoomModel
import RoomPorts
import RoomRules

/// Messages that somebody looks at before they are told (G03). One that is being looked at holds nothing up: it gets its number when the
/// verdict is there, if its sender may still write then.
struct RoomReviews {
    /// Of a room: a slow reviewer of a full room's 40 messages a second fills it within ten seconds, and who writes then is told.
    static let most = 400
    /// So one person cannot fill it.
    static let mostOfPerson = 20
    private static let waitMs = 500

    struct Held {
        var draft: MessageDraft
        var user: UserProfile
        var session: SessionToken
        var key: IdempotencyKey?
        var reply: Reply<CommandOutcome>
    }

    private var held: [UInt64: Held] = [:]
    private var byPerson: [UserID: Int] = [:]
    private var last: UInt64 = 0

    /// Its sender may write now, and it has been counted.
    mutating func hold(
        _ draft: MessageDraft, by user: UserProfile, from session: SessionToken, key: IdempotencyKey?,
        reply: @escaping Reply<CommandOutcome>, in turn: inout RoomTurn
    ) {
        guard held.count < Self.most, byPerson[user.id, default: 0] < Self.mostOfPerson else {
            return turn.answer(
                reply,
                .failure(
                    RoomError(.rateLimited, "too many messages wait for a review", retryAfterMs: Self.waitMs)))
        }
        last += 1
        held[last] = Held(draft: draft, user: user, session: session, key: key, reply: reply)
        byPerson[user.id, default: 0] += 1
        turn.add(.review(draft.body, by: user, number: last))
    }

    /// The verdict on a message is there.
    /// - Returns: what is let through, and what its sender wrote: whether they may write it is decided anew.
    mutating func hear(_ verdict: RoomInbox.Verdict, in turn: inout RoomTurn) -> (draft: MessageDraft, first: Held)? {
        guard let one = held.removeValue(forKey: verdict.number) else { return nil }
        let left = (byPerson[one.user.id] ?? 1) - 1
        byPerson[one.user.id] = left > 0 ? left : nil
        switch verdict.verdict {
        case .told(let body):
            var draft = one.draft
            draft.body = body
            return (draft, one)
        case .refused: turn.answer(one.reply, .failure(RoomError(.reviewRefused)))
        case .dropped:
            turn.answer(one.reply, .success(CommandOutcome(.sent(chat: turn.state.progress.chat, time: turn.wallNow))))
        }
        return nil
    }

    /// The room is over, and writing in it too.
    mutating func end(in turn: inout RoomTurn) {
        for one in held.values { turn.add(.answer(PlannedAnswer(one.reply, .failure(RoomError(.roomClosed))))) }
        (held, byPerson) = ([:], [:])
    }
}
