import Timing

/// How many calls one connection may make. Over the budget a call is refused with the time to wait; who goes on regardless is cut off.
struct FloodBudget: Sendable {
    /// Refused calls before the connection is closed: a client that does not heed `retryAfterMs` for seconds is broken or malicious.
    static let refusals = Allowance(burst: 200, perSecond: 10)

    enum Verdict: Equatable {
        case pass
        case refuse(retryAfterMs: Int)
        case flood
    }

    private var calls: TokenBucket
    private var refusals: TokenBucket

    init(_ allowance: Allowance, now: Instant) {
        calls = TokenBucket(allowance, now: now)
        refusals = TokenBucket(Self.refusals, now: now)
    }

    mutating func receive(now: Instant) -> Verdict {
        if calls.take(now: now) { return .pass }
        return refusals.take(now: now) ? .refuse(retryAfterMs: calls.wait(now: now)) : .flood
    }
}
