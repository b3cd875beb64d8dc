internal import Timing

/// Whether packets take ever longer: the slope of the delay between groups of packets that left together (draft-ietf-rmcat-gcc-02 §5,
/// with a line of least squares in place of the filter).
struct DelayTrend {
    enum Reading: Hashable {
        case steady
        /// A queue grows.
        case rising
        /// A queue shrinks.
        case falling
    }

    // What left within this time is one group; what a queue has held back and let go at once is too.
    private static let groupLength = Interval.milliseconds(5)
    private static let longestGroup = Interval.milliseconds(100)
    /// Groups that the line goes through.
    private static let window = 20
    private static let smoothing = 0.9
    private static let gain = 4.0
    private static let mostCounted = 60.0
    // The threshold follows what the way does, so that a way that wavers is not taken for a full one.
    private static let firstThreshold = 12.5
    private static let thresholds = 6.0...600.0
    private static let risingPace = 0.0087
    private static let fallingPace = 0.039
    private static let furthestFollowed = 15.0
    /// A rise counts once it has lasted so long.
    private static let rise = 10.0
    /// Without packets for so long, everything begins anew.
    private static let longestPause = Interval.seconds(2)

    private struct Group {
        var firstSent: Instant
        var lastSent: Instant
        var firstArrival: Instant
        var lastArrival: Instant
    }

    private var present: Group?
    private var previous: Group?
    private var firstArrival = Instant.distantPast
    private var count = 0.0
    private var delay = 0.0
    private var smoothed = 0.0
    // The last groups: milliseconds since the first arrival, and the smoothed delay. A ring.
    private var times = [Double](repeating: 0, count: window)
    private var delays = [Double](repeating: 0, count: window)
    private var filled = 0
    private var place = 0
    private var threshold = DelayTrend.firstThreshold
    private var lastAdapted: Double?
    private var risingFor = -1.0
    private var risingGroups = 0
    private var lastSlope = 0.0
    private(set) var reading = Reading.steady

    mutating func add(sent: Instant, arrival: Instant) {
        guard var group = present else { return begin(sent, arrival) }
        if sent - group.lastSent > Self.longestPause || arrival - group.lastArrival > Self.longestPause {
            self = DelayTrend()
            return begin(sent, arrival)
        }
        guard sent >= group.firstSent else { return }
        let isTogether =
            sent - group.firstSent <= Self.groupLength
            || (arrival - group.lastArrival <= Self.groupLength && arrival - group.lastArrival < sent - group.lastSent
                && arrival - group.firstArrival < Self.longestGroup)
        if isTogether {
            group.lastSent = max(group.lastSent, sent)
            group.lastArrival = max(group.lastArrival, arrival)
            present = group
            return
        }
        if let previous { compare(group, with: previous) }
        previous = group
        begin(sent, arrival)
    }

    private mutating func begin(_ sent: Instant, _ arrival: Instant) {
        present = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
    }

    private mutating func compare(_ group: Group, with previous: Group) {
        let sentApart = (group.lastSent - previous.lastSent).seconds * 1000
        let arrivedApart = (group.lastArrival - previous.lastArrival).seconds * 1000
        guard arrivedApart >= 0 else { return }
        if firstArrival == .distantPast { firstArrival = group.lastArrival }
        count = min(count + 1, Self.mostCounted)
        delay += arrivedApart - sentApart
        smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * delay
        let time = (group.lastArrival - firstArrival).seconds * 1000
        times[place] = time
        delays[place] = smoothed
        place = (place + 1) % Self.window
        filled = min(filled + 1, Self.window)
        guard filled == Self.window, let slope else { return }
        read(slope, sentApart: sentApart, at: time)
    }

    private var slope: Double? {
        var (meanTime, meanDelay) = (0.0, 0.0)
        for index in 0..<Self.window {
            meanTime += times[index]
            meanDelay += delays[index]
        }
        meanTime /= Double(Self.window)
        meanDelay /= Double(Self.window)
        var (above, below) = (0.0, 0.0)
        for index in 0..<Self.window {
            above += (times[index] - meanTime) * (delays[index] - meanDelay)
            below += (times[index] - meanTime) * (times[index] - meanTime)
        }
        return below > 0 ? above / below : nil
    }

    private mutating func read(_ slope: Double, sentApart: Double, at time: Double) {
        let value = count * slope * Self.gain
        if value > threshold {
            risingFor = risingFor < 0 ? sentApart / 2 : risingFor + sentApart
            risingGroups += 1
            if risingFor > Self.rise, risingGroups > 1, slope >= lastSlope { reading = .rising }
        } else {
            risingFor = -1
            risingGroups = 0
            reading = value < -threshold ? .falling : .steady
        }
        lastSlope = slope
        adapt(value, at: time)
    }

    private mutating func adapt(_ value: Double, at time: Double) {
        defer { lastAdapted = time }
        guard let lastAdapted, abs(value) <= threshold + Self.furthestFollowed else { return }
        let pace = abs(value) < threshold ? Self.fallingPace : Self.risingPace
        threshold += pace * (abs(value) - threshold) * min(time - lastAdapted, 100)
        threshold = min(max(threshold, Self.thresholds.lowerBound), Self.thresholds.upperBound)
    }
}
