package import Timing

/// Maps the monotonic clock to the 64-bit timestamps of sender reports (RFC 3550 §4). Made once from one reading of
/// both clocks and never stepped afterwards, so that streams stay in step even if the wall clock jumps.
package struct NTPClock: Hashable, Sendable {
    private let reference: Instant
    private let wallTime: WallTime

    /// `wallTime` is what the wall clock shows at `reference`.
    package init(reference: Instant, wallTime: WallTime) {
        self.reference = reference
        self.wallTime = wallTime
    }

    /// From 1900-01-01, where NTP counts from, to 1970-01-01.
    private static let secondsTo1970: Int64 = 2_208_988_800

    /// Seconds since 1900 in the upper 32 bits (modulo 2^32), their fraction in the lower.
    package func timestamp(at now: Instant) -> UInt64 {
        let nanoseconds = (wallTime + (now - reference)).nanoseconds
        var seconds = nanoseconds / 1_000_000_000
        var rest = nanoseconds % 1_000_000_000
        if rest < 0 {
            rest += 1_000_000_000
            seconds -= 1
        }
        let fraction = (UInt64(rest) << 32) / 1_000_000_000
        return UInt64(UInt32(truncatingIfNeeded: seconds &+ NTPClock.secondsTo1970)) << 32 | fraction
    }
}
