import Timing

/// How many calls one connection may make, and of how many bytes: reading a call costs by its length. Over the budget a call is refused
/// with the time to wait; who goes on regardless is cut off.
struct FloodBudget: Sendable {
    /// Refused calls before the connection is closed: a client that does not heed `retryAfterMs` for seconds is broken or malicious.
    static let refusals = Allowance(burst: 200, perSecond: 10)

    enum Verdict: Equatable {
        case pass
        case refuse(retryAfterMs: Int)
        case flood
    }

    /// What a call has on average, with room to spare: most have 200 bytes, a long message 12 KiB.
    private static let bytesPerCall = 4.0 * 1024
    /// What comes at once when somebody enters a room: a few offers of media.
    private static let bytesAtOnce = 1024.0 * 1024

    private var calls: TokenBucket
    private var bytes: TokenBucket
    private var refusals: TokenBucket

    init(_ allowance: Allowance, now: Instant) {
        calls = TokenBucket(allowance, now: now)
        bytes = TokenBucket(
            Allowance(
                burst: max(Self.bytesAtOnce, allowance.burst * Self.bytesPerCall),
                perSecond: allowance.perSecond * Self.bytesPerCall), now: now)
        refusals = TokenBucket(Self.refusals, now: now)
    }

    mutating func receive(_ size: Int, now: Instant) -> Verdict {
        let size = Double(size)
        let wait = max(calls.wait(now: now), bytes.wait(size, now: now))
        if wait == 0, calls.take(now: now), bytes.take(size, now: now) { return .pass }
        return refusals.take(now: now) ? .refuse(retryAfterMs: wait) : .flood
    }
}
