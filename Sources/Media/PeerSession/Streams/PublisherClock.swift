internal import RTP
internal import Timing

/// What the other side's wall clock, as its sender reports tell it, shows of this host's monotonic clock. One for all streams of a peer:
/// its sound and its pictures are shifted alike, so that they stay together however wrong the shift is.
///
/// The report that took the shortest way tells it best; what it tells is followed slowly, never by a step, so that nobody's picture
/// jumps. A clock that was set anew is another clock.
struct PublisherClock {
    /// Of reports in such a stretch and the one before, the one with the shortest way counts: long enough to meet a quiet moment, short
    /// enough to follow a clock that goes wrong by 100 ppm.
    static let window = Interval.seconds(15)
    /// How much the shift changes in a second at most.
    static let slewPerSecond = Interval.milliseconds(5)
    /// A clock that is further off was set anew.
    static let step = Interval.seconds(1)

    private struct Shift {
        /// Of the report that the times of all others count from.
        let ntp: UInt64
        /// This host's instant of it, as it is used.
        var origin: Instant
        /// The earliest that reports of this stretch, and of the one before, would have it.
        var earliest: Instant
        var earliestBefore: Instant
        var windowEnd: Instant
        var changedAt: Instant
    }

    private var shift: Shift?

    /// A report came that was made when the other side's clock showed `ntp`.
    /// - Returns: when that was, by this host's clock.
    mutating func note(_ ntp: UInt64, at now: Instant) -> Instant {
        guard var shift else { return begin(ntp, at: now) }
        let passed = Self.interval(from: shift.ntp, to: ntp)
        let candidate = Instant(nanoseconds: (now - Instant(nanoseconds: 0) - passed).nanoseconds)
        guard (Interval.zero - Self.step...Self.step).contains(candidate - shift.origin) else {
            return begin(ntp, at: now)
        }
        if now >= shift.windowEnd {
            shift.earliestBefore = shift.earliest
            shift.earliest = candidate
            shift.windowEnd = now + Self.window
        }
        shift.earliest = min(shift.earliest, candidate)
        let most = Self.slewPerSecond.nanoseconds * max(0, min((now - shift.changedAt).milliseconds, 10_000)) / 1_000
        let wish = (min(shift.earliest, shift.earliestBefore) - shift.origin).nanoseconds
        shift.origin = shift.origin + Interval(nanoseconds: min(max(wish, -most), most))
        shift.changedAt = now
        self.shift = shift
        return shift.origin + passed
    }

    private mutating func begin(_ ntp: UInt64, at now: Instant) -> Instant {
        shift = Shift(
            ntp: ntp, origin: now, earliest: now, earliestBefore: now, windowEnd: now + Self.window, changedAt: now)
        return now
    }

    /// Fixed-point seconds of 32 bits each, modulo 2³² seconds.
    static func interval(from start: UInt64, to end: UInt64) -> Interval {
        let difference = Int64(bitPattern: end &- start)
        let (seconds, fraction) = (difference >> 32, difference & 0xffff_ffff)
        return Interval.seconds(seconds) + Interval(nanoseconds: (fraction * 1_000_000_000) >> 32)
    }
}
