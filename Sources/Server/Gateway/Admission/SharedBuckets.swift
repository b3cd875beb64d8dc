import Synchronization
import Timing

/// Allowances by key, shared between requests.
final class SharedBuckets<Key: Hashable & Sendable>: Sendable {
    private let buckets: Mutex<TokenBuckets<Key>>

    init(_ allowance: Allowance) { buckets = Mutex(TokenBuckets(allowance)) }

    /// How many keys the table holds.
    var count: Int { buckets.withLock { $0.count } }

    /// - Returns: `nil` if there was one, else the milliseconds until there is.
    func take(_ key: Key, now: Instant) -> Int? { buckets.withLock { $0.take(key, now: now) } }
}
