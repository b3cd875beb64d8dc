/// An allowance for each of many: people, addresses. Whoever has taken nothing for so long that the bucket is full again is forgotten,
/// so the table holds no more than were busy lately.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// A table that small is not worth looking through.
    private static var leastSwept: Int { 1_024 }

    private let allowance: Allowance
    private var buckets: [Key: TokenBucket] = [:]
    private var sweepAt = Self.leastSwept

    package init(_ allowance: Allowance) { self.allowance = allowance }

    /// How many are remembered.
    package var count: Int { buckets.count }

    /// Takes that much from that key's allowance.
    /// - Returns: `nil` if it was there, else the milliseconds until it is.
    package mutating func take(_ key: Key, _ amount: Double = 1, now: Instant) -> Int? {
        if buckets.count >= sweepAt {
            buckets = buckets.filter { !$0.value.isFull(now: now) }
            sweepAt = max(Self.leastSwept, buckets.count * 2)
        }
        var bucket = buckets[key] ?? TokenBucket(allowance, now: now)
        let passed = bucket.take(amount, now: now)
        buckets[key] = bucket
        return passed ? nil : bucket.wait(amount, now: now)
    }

    /// Milliseconds until that key may take one; 0 if it may now.
    package func wait(_ key: Key, now: Instant) -> Int { buckets[key]?.wait(now: now) ?? 0 }
}
