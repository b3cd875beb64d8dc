import Synchronization
package import Timing

/// Allowances per client address. An issuer or a carrier's NAT puts thousands of people behind one address, so these are wide
/// for what people do often and only narrow for what makes new identities.
package final class AddressRates: Sendable {
    private struct State {
        var buckets: [String: TokenBucket] = [:]
        var sweepAt = 1024
    }

    private let allowance: Allowance
    private let state = Mutex(State())

    package init(_ allowance: Allowance) { self.allowance = allowance }

    /// How many addresses the table holds.
    var addresses: Int { state.withLock { $0.buckets.count } }

    /// - Returns: `nil` if it may pass, else the milliseconds to wait.
    package func take(_ address: ClientAddress, now: Instant) -> Int? {
        state.withLock { state in
            if state.buckets.count >= state.sweepAt {
                // Full buckets say nothing; forgetting them bounds the table by who was busy lately.
                state.buckets = state.buckets.filter { !$0.value.isFull(now: now) }
                state.sweepAt = max(1024, state.buckets.count * 2)
            }
            let key = address.ratedAs
            var bucket = state.buckets[key] ?? TokenBucket(allowance, now: now)
            let passed = bucket.take(now: now)
            state.buckets[key] = bucket
            return passed ? nil : bucket.wait(now: now)
        }
    }
}
