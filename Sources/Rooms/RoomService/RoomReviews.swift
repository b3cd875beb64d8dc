import RoomModel
import RoomPorts
import RoomRules

/// Messages that somebody looks at before they are told (G03). One that is being looked at holds nothing up: it gets its number when the
/// verdict is there, if its sender may still write then.
final class RoomReviews {
    /// Of a room: a slow reviewer of a full room's 40 messages a second fills it within ten seconds, and who writes then is told.
    static let most = 400
    /// So one person cannot fill it.
    static let mostOfPerson = 20
    private static let waitMs = 500

    private struct Held {
        var draft: MessageDraft
        var user: UserProfile
        var session: SessionToken
        var key: IdempotencyKey?
        var reply: Reply<CommandOutcome>
    }

    private unowned let core: RoomCore
    private var held: [UInt64: Held] = [:]
    private var byPerson: [UserID: Int] = [:]
    private var last: UInt64 = 0

    init(_ core: RoomCore) { self.core = core }

    /// Its sender may write now, and it has been counted.
    func hold(
        _ draft: MessageDraft, by user: UserProfile, from session: SessionToken, key: IdempotencyKey?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        guard held.count < Self.most, byPerson[user.id, default: 0] < Self.mostOfPerson else {
            return core.answer(
                reply,
                .failure(
                    RoomError(.rateLimited, "too many messages wait for a review", retryAfterMs: Self.waitMs)))
        }
        last += 1
        let number = last
        held[number] = Held(draft: draft, user: user, session: session, key: key, reply: reply)
        byPerson[user.id, default: 0] += 1
        // Unstructured: it ends with the verdict, for which the reviewer has a time.
        Task { [review = core.dependencies.review, key = core.key, inbox = core.inbox] in
            inbox.reviewed(number, await review.review(draft.body, by: user, to: .room(key)))
        }
    }

    func hear(_ verdicts: [RoomInbox.Verdict]) {
        for verdict in verdicts {
            guard let one = held.removeValue(forKey: verdict.number) else { continue }
            let left = (byPerson[one.user.id] ?? 1) - 1
            byPerson[one.user.id] = left > 0 ? left : nil
            switch verdict.verdict {
            case .told(let body):
                var draft = one.draft
                draft.body = body
                core.commands.takeReviewed(
                    draft, insteadOf: one.draft, from: one.session, key: one.key, reply: one.reply)
            case .refused: core.answer(one.reply, .failure(RoomError(.reviewRefused)))
            case .dropped:
                core.answer(
                    one.reply, .success(CommandOutcome(.sent(chat: core.state.chat, time: core.wallNow))))
            }
        }
    }
}
