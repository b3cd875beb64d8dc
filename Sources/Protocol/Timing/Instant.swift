/// A point on the monotonic clock, in nanoseconds since an arbitrary start. Always passed in, never read inside a core.
package struct Instant: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let distantPast = Instant(nanoseconds: .min)
    package static let distantFuture = Instant(nanoseconds: .max)

    package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Saturates, so that `distantFuture` stays where it is.
    package static func + (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds.saturatingPlus(b.nanoseconds))
    }

    package static func - (a: Instant, b: Instant) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturatingMinus(b.nanoseconds))
    }
}
