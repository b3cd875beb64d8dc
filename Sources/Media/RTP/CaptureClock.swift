package import Timing

/// When the content of a stream was captured, by this host's monotonic clock: one point of it, and how fast it goes.
package struct CaptureClock: Hashable, Sendable {
    /// Ticks a second.
    package var clockRate: UInt32
    package var instant: Instant
    /// Of what was captured then.
    package var timestamp: UInt32

    package init(clockRate: UInt32, instant: Instant, timestamp: UInt32) {
        self.clockRate = max(1, clockRate)
        self.instant = instant
        self.timestamp = timestamp
    }

    /// The timestamp of what is captured at `now`.
    package func timestamp(at now: Instant) -> UInt32 {
        timestamp
            &+ (ReceptionStatistics.ticks(now, rate: clockRate) &- ReceptionStatistics.ticks(instant, rate: clockRate))
    }

    /// When that was captured: within half the timestamps' range of the point, six hours at 90 kHz.
    package func instant(of other: UInt32) -> Instant {
        let ticks = Int64(Int32(bitPattern: other &- timestamp))
        return instant + Interval(nanoseconds: ticks * 1_000_000_000 / Int64(clockRate))
    }

    /// The same for a stream whose timestamps are higher by `offset`, modulo 2³².
    package func shifted(by offset: UInt32) -> CaptureClock {
        CaptureClock(clockRate: clockRate, instant: instant, timestamp: timestamp &+ offset)
    }
}
