package import Timing

/// The clock of one machine in the simulation: everything on it goes by it, its sound card too.
package struct MachineClock: Sendable {
    /// How much faster than the simulation's time.
    package let ppm: Double
    let origin: Instant
    let offset: Interval

    package init(ppm: Double, origin: Instant, offset: Interval = .zero) {
        self.ppm = ppm
        self.origin = origin
        self.offset = offset
    }

    private var rate: Double { 1 + ppm / 1e6 }

    /// What it shows then. Saturates, as `Instant` does.
    package func local(_ time: Instant) -> Instant {
        guard time < .distantFuture else { return .distantFuture }
        return origin + offset + Interval(nanoseconds: Int64((Double((time - origin).nanoseconds) * rate).rounded()))
    }

    /// When it shows that, or just after.
    package func time(_ local: Instant) -> Instant {
        guard local < .distantFuture else { return .distantFuture }
        guard local > origin + offset else { return origin }
        let passed = Double((local - origin - offset).nanoseconds) / rate
        var time = origin + Interval(nanoseconds: Int64(passed.rounded(.up)))
        // Rounding must not lead to a moment at which it is not yet due.
        while self.local(time) < local { time = time + Interval(nanoseconds: 1) }
        return time
    }
}

extension Instant {
    fileprivate static func - (a: Instant, b: Interval) -> Instant { a + Interval(nanoseconds: -b.nanoseconds) }
}
