internal import Timing

/// How fast calls go out, so that the server need not refuse any: as its own allowance for a connection, and a little below it, since
/// what left apart may arrive together. Pure.
struct CallPacer {
    /// Of a server that states no limits (Documentation/build/protocol.md §4).
    static let usualAtOnce = 120
    static let usualPerSecond = 40
    /// The part of the allowance that is used.
    private static let share = 0.8

    private var atOnce: Double
    private var perSecond: Double
    private var left: Double
    private var filledAt: Instant

    /// A connection begins with its whole allowance.
    init(atOnce: Int = usualAtOnce, perSecond: Int = usualPerSecond, now: Instant) {
        // What a stranger states must leave something.
        self.atOnce = Double(max(1, atOnce)) * Self.share
        self.perSecond = Double(max(1, perSecond)) * Self.share
        left = self.atOnce
        filledAt = now
    }

    /// The server has stated its limits: what went before counts.
    mutating func limit(atOnce: Int, perSecond: Int) {
        let spent = self.atOnce - left
        self.atOnce = Double(max(1, atOnce)) * Self.share
        self.perSecond = Double(max(1, perSecond)) * Self.share
        left = self.atOnce - spent
    }

    /// Takes one call's turn; `nil`: it may go, else how long it has to wait.
    mutating func take(at now: Instant) -> Interval? {
        let elapsed = now - filledAt
        if elapsed > .zero {
            left = min(atOnce, left + elapsed.seconds * perSecond)
            filledAt = now
        }
        guard left >= 1 || atOnce < 1 && left >= atOnce else {
            // A little more, so that rounding does not wake in vain.
            return Interval(nanoseconds: Int64((min(1, atOnce) - left) / perSecond * 1e9) + 1_000)
        }
        left -= 1
        return nil
    }

    /// Part of signing in: it goes in any case.
    mutating func spend() { left -= 1 }
}
