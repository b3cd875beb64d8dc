import Synchronization
package import Timing

/// Allowances by key, shared between requests.
package final class SharedBuckets<Key: Hashable & Sendable>: Sendable {
    private let buckets: Mutex<TokenBuckets<Key>>

    package init(_ allowance: Allowance) { buckets = Mutex(TokenBuckets(allowance)) }

    /// How many keys the table holds.
    package var count: Int { buckets.withLock { $0.count } }

    /// - Returns: `nil` if there was one, else the milliseconds until there is.
    package func take(_ key: Key, now: Instant) -> Int? { buckets.withLock { $0.take(key, now: now) } }

    /// - Returns: `nil` if there is one, else the milliseconds until there is.
    package func wait(_ key: Key, now: Instant) -> Int? {
        let wait = buckets.withLock { $0.wait(key, now: now) }
        return wait > 0 ? wait : nil
    }
}
