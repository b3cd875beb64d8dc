/// Estimates what another machine's clock shows, from questions and answers over a network.
///
/// The answer was made at some moment between question and arrival, so each reading says between which two values the difference of
/// the clocks lies: as far apart as the round trip was long. What all readings allow counts, and its middle is the estimate: the
/// quickest way there of all readings is set against the quickest way back, which come to light much sooner than a reading that is
/// quick in both directions. Two clocks also run at slightly different rates: a reading loses worth with age, by the drift limit at
/// first, by far less once two good readings lie far enough apart to tell the rate.
///
/// The stated error is a bound, not a spread, as long as the clocks keep within `driftLimit`; it is never more than half the shortest
/// round trip, and drift. Ways that always differ, one from the other, put the estimate off by half of that.
package struct RoomClockEstimator: Sendable, Hashable {
    /// What ordinary crystals of two machines differ by at most, in parts per billion.
    package static let driftLimit: Int64 = 200_000
    /// A measured rate wanders with temperature: it is never trusted further than this, in parts per billion.
    static let wander: Int64 = 5_000
    /// The newest readings, all of them.
    static let recentKept = 64
    /// How the network does now, and how fast the clocks run, is seen by the newest of these.
    static let newestKept = 8
    /// The best reading of each minute; ten minutes are enough to tell a rate to a few parts per million.
    static let period = Interval.seconds(60)
    static let periodsKept = 10
    /// A round trip longer than this is of no use to anybody.
    static let longestRoundTrip = Interval.seconds(30)

    private struct Reading: Sendable, Hashable {
        /// Server's clock minus ours, in nanoseconds.
        var offset: Int64
        /// Half the round trip.
        var error: Int64
        /// The middle of the round trip, on our clock.
        var at: Instant
    }

    private struct Rate: Sendable, Hashable {
        /// How much faster the server's clock runs, in parts per billion.
        var value: Int64 = 0
        var error: Int64 = RoomClockEstimator.driftLimit
    }

    /// The server's clock at a moment.
    package struct Estimate: Sendable, Hashable {
        /// Nanoseconds on the server's clock.
        package var server: Int64
        /// The true value lies within this on either side.
        package var error: Interval
    }

    private var recent: [Reading] = []
    private var best: [Reading] = []
    private var rate = Rate()
    /// How often a reading contradicted all earlier ones: another server, or a clock that was set.
    package private(set) var resets = 0

    package init() {}

    /// The shortest round trip of the newest readings.
    package var roundTrip: Interval? {
        recent.suffix(Self.newestKept).map(\.error).min().map { Interval(nanoseconds: 2 * $0) }
    }

    /// - Parameters:
    ///   - sent, received: on our clock.
    ///   - server: what the answer said, in nanoseconds on the server's clock.
    ///   - resolution: the answer may be off by so much on either side, if the clock was told coarsely.
    /// Readings that cannot be (an answer before its question, numbers out of range) are passed over.
    package mutating func add(sent: Instant, received: Instant, server: Int64, resolution: Interval = .zero) {
        let roundTrip = received - sent
        guard roundTrip >= .zero, roundTrip <= Self.longestRoundTrip, resolution >= .zero else { return }
        let middle = sent + roundTrip / 2
        let (offset, overflow) = server.subtractingReportingOverflow(middle.nanoseconds)
        // Far beyond any real clock: sums below cannot overflow.
        let bound = UInt64.max / 8
        guard !overflow, offset.magnitude < bound, middle.nanoseconds.magnitude < bound else { return }
        let reading = Reading(
            offset: offset, error: roundTrip.nanoseconds / 2 + 1 + resolution.nanoseconds, at: middle)
        if let (expected, error) = self.offset(at: middle), abs(expected - offset) > error + reading.error {
            resets += 1
            recent = []
            best = []
            rate = Rate()
        }
        recent.append(reading)
        if recent.count > Self.recentKept { recent.removeFirst() }
        if let last = best.last, reading.at - last.at < Self.period {
            if reading.error < last.error { best[best.count - 1] = reading }
        } else {
            best.append(reading)
            if best.count > Self.periodsKept { best.removeFirst() }
        }
        measureRate()
    }

    /// The server's clock at `now`; `nil` before the first reading.
    package func estimate(at now: Instant) -> Estimate? {
        guard let (offset, error) = offset(at: now) else { return nil }
        return Estimate(server: now.nanoseconds &+ offset, error: Interval(nanoseconds: error))
    }

    /// When the server's clock shows that, on ours; `nil` before the first reading.
    package func instant(ofServer server: Int64, near now: Instant) -> Instant? {
        guard let (offset, _) = offset(at: now) else { return nil }
        let first = Instant(nanoseconds: server &- offset)
        // The offset at that moment differs by the rate; once more is exact to a nanosecond over hours.
        guard let (later, _) = self.offset(at: first) else { return first }
        return Instant(nanoseconds: server &- later)
    }

    private func offset(at now: Instant) -> (offset: Int64, error: Int64)? {
        var low = Int64.min
        var high = Int64.max
        var best: (offset: Int64, error: Int64)?
        for readings in [recent, self.best] {
            for reading in readings {
                // Age in microseconds times parts per billion, over a million, is nanoseconds; a century fits.
                let age = (now - reading.at).nanoseconds / 1_000
                guard abs(age) < .max / 4_000_000 else { continue }
                let error = reading.error + abs(age) * rate.error / 1_000_000 + 1
                let offset = reading.offset + age * rate.value / 1_000_000
                low = max(low, offset - error)
                high = min(high, offset + error)
                if error < best?.error ?? .max { best = (offset, error) }
            }
        }
        // Readings that contradict each other are a clock beyond `driftLimit`: then the best one has to do.
        guard best != nil, low <= high else { return best }
        return (low + (high - low) / 2, (high - low) / 2 + 1)
    }

    /// From the two readings that tell the rate best.
    private mutating func measureRate() {
        var measured = Rate()
        let readings = best + recent.suffix(Self.newestKept)
        for (index, a) in readings.enumerated() {
            for b in readings[(index + 1)...] {
                let span = abs((b.at - a.at).nanoseconds / 1_000_000)
                guard span > 1_000 else { continue }
                let later = a.at < b.at ? b : a
                let earlier = a.at < b.at ? a : b
                // Nanoseconds over milliseconds, times a thousand, are parts per billion.
                let error = (a.error + b.error) / span * 1_000 + 1_000 + Self.wander
                guard error < measured.error else { continue }
                let value = (later.offset - earlier.offset) / span * 1_000
                guard abs(value) <= Self.driftLimit + error else { continue }
                measured = Rate(value: value, error: error)
            }
        }
        rate = measured
    }
}
