internal import Timing

/// How long packets took: counts in steps of 1.6 % and less, from a microsecond to a minute, so that millions cost nothing to keep.
struct Latencies: Sendable {
    /// Steps in each doubling. A power of two.
    private static let steps = 64
    private static let stepBits = 6

    private var counts = [UInt32](repeating: 0, count: Latencies.steps * 32)
    private(set) var count = 0
    private(set) var longest = Interval.zero

    init() {}

    mutating func add(_ latency: Interval) {
        longest = max(longest, latency)
        count += 1
        counts[Self.index(of: latency)] += 1
    }

    /// Not exceeded by that share (0…1) of all; nil without any.
    func percentile(_ share: Double) -> Interval? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * share).rounded(.up)))
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += Int(number)
            if seen >= wanted { return min(Self.upperEnd(of: index), longest) }
        }
        return longest
    }

    /// In quarters of a microsecond: 64 of them and less have a step each, then each doubling has 64.
    private static func index(of latency: Interval) -> Int {
        let units = UInt64(max(0, latency.nanoseconds)) / 250
        guard units >= UInt64(steps) else { return Int(units) }
        let doubling = 63 - units.leadingZeroBitCount - stepBits
        let index = (doubling + 1) << stepBits + Int(units >> UInt64(doubling)) - steps
        return min(index, steps * 32 - 1)
    }

    private static func upperEnd(of index: Int) -> Interval {
        let (doubling, step) = (index >> stepBits, index & (steps - 1))
        guard doubling > 0 else { return Interval(nanoseconds: Int64(step + 1) * 250) }
        return Interval(nanoseconds: Int64(steps + step + 1) << Int64(doubling - 1) * 250)
    }
}
