extension Interval {
    /// Whole nanoseconds; longer than 292 years is cut.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self.init(
            nanoseconds: overflow ? (seconds < 0 ? .min : .max) : whole &+ attoseconds / 1_000_000_000)
    }
}

extension Duration {
    package init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }

    /// Rounded down; what is beyond all limits stays beyond them.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000_000_000
    }
}
