/// A named allowance: so many at once, and so many a second in the long run.
package struct Allowance: Sendable, Hashable {
    package var burst: Double
    package var perSecond: Double
    package init(burst: Double, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
    }
}

/// What is left of an allowance.
package struct TokenBucket: Sendable {
    /// What the rounding of sums may be short of: who has waited as long as they were told finds theirs.
    private static var rounding: Double { 1e-6 }

    private let allowance: Allowance
    private var left: Double
    private var filledAt: Instant

    package init(_ allowance: Allowance, now: Instant) {
        self.allowance = allowance
        self.left = allowance.burst
        self.filledAt = now
    }

    /// Takes that much if it is there.
    /// - Parameter reserve: what must be left, for others.
    package mutating func take(_ amount: Double = 1, leaving reserve: Double = 0, now: Instant) -> Bool {
        fill(now)
        guard left + Self.rounding >= amount + reserve else { return false }
        left -= amount
        return true
    }

    /// Milliseconds until there will be that much, rounded up; 0 if it is there.
    /// - Parameter reserve: what must be left.
    package func wait(_ amount: Double = 1, leaving reserve: Double = 0, now: Instant) -> Int {
        var bucket = self
        bucket.fill(now)
        let wanted = amount + reserve
        return bucket.left + Self.rounding >= wanted
            ? 0 : Int(((wanted - bucket.left) / allowance.perSecond * 1000).rounded(.up))
    }

    /// Whether nothing has been taken for so long that it is full again.
    package func isFull(now: Instant) -> Bool {
        var bucket = self
        bucket.fill(now)
        return bucket.left >= allowance.burst
    }

    private mutating func fill(_ now: Instant) {
        let elapsed = now - filledAt
        guard elapsed > .zero else { return }
        left = min(allowance.burst, left + elapsed.seconds * allowance.perSecond)
        filledAt = now
    }
}
