import HTTP
import RoomEvents
package import RoomModel
package import RoomPorts
package import SignalProtocol
import Synchronization
import Timing

/// Signals: what one person, or a program of the operator's, tells another wherever that one is signed in. Nothing is kept.
package final class Signals: Sendable {
    /// From one person to another: what apps settle between two takes a few at once, and then one a second.
    static let pair = Allowance(burst: 10, perSecond: 1)
    /// Bytes that one person gets from all people together. They wait with what must not be lost, and whoever cannot take that is
    /// disconnected: many strangers must not fill a slow line.
    static let everybody = Allowance(burst: 128 * 1_024, perSecond: 16 * 1_024)
    /// Of one person under review at once, as of messages in a room.
    static let mostReviewed = 20

    private struct Pair: Hashable {
        var from: UserID
        var to: PersonKey
    }

    private struct State {
        var pairs = TokenBuckets<Pair>(Signals.pair)
        var receivers = TokenBuckets<PersonKey>(Signals.everybody)
        var reviewed: [PersonKey: Int] = [:]
    }

    private let sessions: SessionRegistry
    private let restrictions: any StandingRestrictions
    private let review: any MessageReview
    private let messageLimit: MessageLimit
    private let clock: any TimeSource
    private let filter: @Sendable (ApplicationID) -> (any TextFilter)?
    private let state = Mutex(State())

    package init(
        sessions: SessionRegistry, restrictions: any StandingRestrictions, review: any MessageReview = NoWebhooks(),
        messageLimit: MessageLimit, clock: any TimeSource,
        filter: @escaping @Sendable (ApplicationID) -> (any TextFilter)? = { _ in nil }
    ) {
        self.sessions = sessions
        self.restrictions = restrictions
        self.review = review
        self.messageLimit = messageLimit
        self.clock = clock
        self.filter = filter
    }

    /// Signals that a reviewer has not judged yet, or that are being told.
    var underReview: Int { state.withLock { $0.reviewed.values.reduce(0, +) } }

    private var now: Int64 { clock.wallTime.millisecondsSince1970 }

    // MARK: From a person

    /// A person tells another something. Holds nothing up: with a reviewer it is told, and answered, after the review.
    package func send(
        _ draft: SignalDraft, by session: Session, over connection: SocketConnection,
        answer: @escaping @Sendable (Result<Void, Refusal>) -> Void
    ) throws(Refusal) {
        let application = session.application
        try checkSize(draft)
        try checkMute(of: session.user, in: application)
        guard isAround(draft.to, in: application) else { throw Refusal(RoomError(.userAway)) }
        try take(draft, by: session, over: connection)
        try checkWords(draft, in: application)
        guard review.isOn(in: application) else {
            tell(draft, by: session.profile.brief, in: application)
            return answer(.success(()))
        }
        try beginReview(of: session.user, in: application)
        Task { [self] in  // ends with the verdict, for which the reviewer has a time
            let verdict = await review.review(
                draft.body, by: session.profile.brief, to: .person(draft.to, application))
            answer(conclude(draft, verdict, by: session, over: connection))
            endReview(of: session.user, in: application)
        }
    }

    /// Whether the sender may still tell it is decided after the review.
    private func conclude(
        _ draft: SignalDraft, _ verdict: ReviewVerdict, by session: Session, over connection: SocketConnection
    ) -> Result<Void, Refusal> {
        do throws(Refusal) {
            guard session.speaks(through: connection) else { throw Refusal(RoomError(.notSignedIn)) }
            try checkMute(of: session.user, in: session.application)
            var draft = draft
            switch verdict {
            case .told(let body): draft.body = body
            case .refused: throw Refusal(RoomError(.reviewRefused))
            case .dropped: return .success(())
            }
            try checkSize(draft)
            try checkWords(draft, in: session.application)
            guard tell(draft, by: session.profile.brief, in: session.application) > 0 else {
                throw Refusal(RoomError(.userAway))
            }
            return .success(())
        } catch { return .failure(error) }
    }

    private func take(
        _ draft: SignalDraft, by session: Session, over connection: SocketConnection
    ) throws(Refusal) {
        let person = PersonKey(application: session.application, user: draft.to)
        let bytes = draft.body.texts.reduce(session.profile.brief.wireSize) { $0 + WireSize.of($1) }
        let now = clock.now
        let wait = state.withLock { state in
            state.pairs.take(Pair(from: session.user, to: person), now: now)
                ?? state.receivers.take(person, Double(bytes), now: now)
        }
        if let wait { throw Refusal(RoomError(.rateLimited, "too many signals to this user", retryAfterMs: wait)) }
        if let error = messageLimit.take(connection.address) { throw Refusal(error) }
    }

    private func beginReview(of user: UserID, in application: ApplicationID) throws(Refusal) {
        let person = PersonKey(application: application, user: user)
        let isFree = state.withLock { state in
            guard state.reviewed[person, default: 0] < Self.mostReviewed else { return false }
            state.reviewed[person, default: 0] += 1
            return true
        }
        guard isFree else {
            throw Refusal(RoomError(.rateLimited, "too many messages wait for a review", retryAfterMs: 500))
        }
    }

    private func endReview(of user: UserID, in application: ApplicationID) {
        let person = PersonKey(application: application, user: user)
        state.withLock { state in
            let left = (state.reviewed[person] ?? 1) - 1
            state.reviewed[person] = left > 0 ? left : nil
        }
    }

    private func checkMute(of user: UserID, in application: ApplicationID) throws(Refusal) {
        guard let mute = restrictions.holding(.chatMute, of: user, in: application, at: now) else { return }
        throw Refusal(RoomError(muted: mute, at: now))
    }

    // MARK: From an operator's program

    /// - Returns: to how many clients it went.
    /// - Throws: `user_away` if there are none.
    package func send(
        _ draft: SignalDraft, as sender: UserProfile, in application: ApplicationID
    ) throws(Refusal) -> Int {
        try checkSize(draft)
        try checkWords(draft, in: application)
        let reached = tell(draft, by: sender, in: application)
        guard reached > 0 else { throw Refusal(RoomError(.userAway)) }
        return reached
    }

    // MARK: Telling

    private func checkSize(_ draft: SignalDraft) throws(Refusal) {
        do throws(RoomError) { try draft.body.check(id: draft.id) } catch { throw Refusal(error) }
    }

    private func checkWords(_ draft: SignalDraft, in application: ApplicationID) throws(Refusal) {
        do throws(RoomError) {
            try draft.body.said(id: draft.id).check(against: filter(application))
        } catch { throw Refusal(error) }
    }

    private func isAround(_ user: UserID, in application: ApplicationID) -> Bool {
        !sessions.connections(of: user, in: application).isEmpty
    }

    @discardableResult
    private func tell(_ draft: SignalDraft, by sender: UserProfile, in application: ApplicationID) -> Int {
        let connections = sessions.connections(of: draft.to, in: application)
        guard !connections.isEmpty else { return 0 }
        let text = SignalNotice.text(Signal(id: draft.id, from: sender, body: draft.body, time: now))
        for connection in connections { connection.send(text) }
        return connections.count
    }
}
