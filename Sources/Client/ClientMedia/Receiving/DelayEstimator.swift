internal import Timing

/// Learns from arrivals how late packets come, and from that how long they should wait.
///
/// Everything counts in frames of 48 kHz. The *transit* of a packet is its arrival minus its timestamp: a constant that
/// means nothing, the network's delay, and the difference of the clocks. The smallest of the last seconds stands for a
/// packet that was not held up (`base`), and follows the clocks' drift; what others come later is their *lateness*.
struct DelayEstimator {
    /// Width of a bucket: fine enough for singing together.
    static let bucketFrames = 48
    static let bucketCount = 512
    /// Of two windows of this length the smallest transit is taken: long enough to see a fast packet, short enough that a
    /// difference of 100 ppm stays under half a millisecond.
    static let windowFrames: Int64 = 2 * 48_000
    /// A minimum older than this says nothing of today's network.
    static let staleFrames: Int64 = 10 * 48_000
    /// By then an observation's weight has fallen to 1/e.
    static let memoryFrames = 10.0 * 48_000
    /// How fast the target comes down, in frames a second: slowly, since what was late once is late again.
    static let fallPerSecond = 10.0 * 48
    /// The same between singers: from the most that they wait to nothing in half a second.
    static let minimalFallPerSecond = 60.0 * 48
    /// How much waiting a late packet is worth to singers, in frames: to hear one of a hundred more, one waits 4 ms longer.
    static let worthOfAll = 400.0 * 48

    /// The delay is led to its target no better than this, while clocks differ by 100 ppm; where nothing else is to spare, it is
    /// added, so that a packet as late as was expected is not too late now and then.
    static let steeringFrames = 24.0

    var mode: PlayoutDelay
    /// The longest block that is asked for at once: all of it must be there at its start.
    private(set) var blockFrames = 0
    private(set) var target = 0.0
    /// What losses ask for on top: the next packet, whose codec has a coarse copy of the one that is missing.
    var lossFrames = 0
    /// How long whole copies of lost packets take to come.
    var copyFrames = 0

    private var weights = [Float](repeating: 0, count: bucketCount)
    private var total: Float = 0
    /// What the next observation weighs: growing it costs less than shrinking all others.
    private var weight: Float = 1
    private var currentMinimum: Int64?
    private var earlierMinimum: Int64?
    private var windowStart: Int64 = 0
    private var lastArrival: Int64 = 0
    private var passedSinceLook: Int64 = 0
    private var observedSinceLook = DelayEstimator.observationsPerLook
    private static let observationsPerLook = 8

    init(mode: PlayoutDelay) { self.mode = mode }

    /// The transit of a packet that nothing held up; nil before the first.
    var base: Int64? {
        guard let currentMinimum else { return earlierMinimum }
        return min(currentMinimum, earlierMinimum ?? currentMinimum)
    }

    mutating func observe(arrival: Int64, timestamp: Int64) {
        let transit = arrival - timestamp
        updateBase(transit, at: arrival)
        let passed = min(max(0, arrival - lastArrival), 4_800)
        lastArrival = max(lastArrival, arrival)
        let bucket = Int((transit - (base ?? transit)) / Int64(Self.bucketFrames))
        add(min(bucket, Self.bucketCount - 1), decay: Double(passed) / Self.memoryFrames)
        passedSinceLook += passed
        observedSinceLook += 1
        // Looking through all buckets is dear; what is later than all that was expected is seen at once.
        let isLate = Double(bucket * Self.bucketFrames) > target
        guard isLate || observedSinceLook >= Self.observationsPerLook else { return }
        moveTarget(passed: passedSinceLook)
        passedSinceLook = 0
        observedSinceLook = 0
    }

    private mutating func updateBase(_ transit: Int64, at arrival: Int64) {
        if currentMinimum == nil || arrival - windowStart >= Self.windowFrames {
            earlierMinimum = arrival - windowStart < Self.staleFrames ? currentMinimum : nil
            currentMinimum = transit
            windowStart = arrival
        } else {
            currentMinimum = min(currentMinimum ?? transit, transit)
        }
    }

    private mutating func add(_ bucket: Int, decay: Double) {
        weight *= Float(1 + decay)
        weights[bucket] += weight
        total += weight
        guard weight > 1e6 else { return }
        for index in weights.indices { weights[index] /= weight }
        total /= weight
        weight = 1
    }

    /// The lateness, in frames, that this share of packets does not exceed.
    private func lateness(share: Float) -> Double {
        var left = total * (1 - share)
        var bucket = Self.bucketCount - 1
        while bucket > 0 {
            left -= weights[bucket]
            if left < 0 { break }
            bucket -= 1
        }
        return Double((bucket + 1) * Self.bucketFrames)
    }

    /// What singers wait: the sum of the wait and of what the packets are worth that are later than that is least. A machine that stalls
    /// now and then costs some packets and no delay; a line that is always uneven is waited for.
    private var singersWait: Double {
        guard total > 0 else { return Double(Self.bucketFrames) }
        let buckets = Int(frames(PlayoutDelay.minimalMaximum)) / Self.bucketFrames
        var later = total
        var best = (wait: Double(Self.bucketFrames), cost: Double.infinity)
        for bucket in 0..<buckets {
            later -= weights[bucket]
            let wait = Double((bucket + 1) * Self.bucketFrames)
            let cost = wait + Self.worthOfAll * Double(max(0, later) / total)
            if cost < best.cost { best = (wait, cost) }
        }
        return best.wait
    }

    private mutating func moveTarget(passed: Int64) {
        let wanted: Double
        switch mode {
        case .adaptive:
            let waiting = max(frames(PlayoutDelay.adaptiveMinimum), lateness(share: 0.97) + Double(blockFrames))
            wanted = waiting + Double(max(lossFrames, copyFrames))
        case .minimal:
            let waiting = max(singersWait, copyFrames > 0 ? Double(copyFrames + Self.bucketFrames) : 0)
            wanted = waiting + Double(blockFrames) + Self.steeringFrames
        case .fixed(let delay): wanted = frames(delay)
        }
        let limited = min(max(0, wanted), frames(PlayoutDelay.maximum))
        if limited >= target || mode != .adaptive && mode != .minimal {
            target = limited
        } else {
            let fall = mode == .minimal ? Self.minimalFallPerSecond : Self.fallPerSecond
            target = max(limited, target - fall * Double(passed) / 48_000)
        }
    }

    /// How far the delay may be above the target before what is late is left out: between singers what is beyond the most that they
    /// wait, else half a second.
    var tolerance: Double {
        guard mode == .minimal else { return Self.longHoldUp }
        return max(Self.leastTolerance, frames(PlayoutDelay.minimalMaximum) + Double(blockFrames) - target)
    }
    private static let longHoldUp = 24_000.0
    private static let leastTolerance = 720.0

    /// A block of this length is asked for.
    mutating func noteBlock(_ frames: Int) {
        guard frames > blockFrames else { return }
        blockFrames = frames
        moveTarget(passed: 0)
    }

    mutating func setMode(_ mode: PlayoutDelay) {
        guard mode != self.mode else { return }
        self.mode = mode
        target = 0
        moveTarget(passed: 0)
    }

    /// After a pause the clocks may have moved, or the sender's clock may have stood.
    mutating func forgetBase() {
        currentMinimum = nil
        earlierMinimum = nil
    }

    /// Another stream: nothing that was seen holds.
    mutating func reset() {
        for index in weights.indices { weights[index] = 0 }
        total = 0
        weight = 1
        currentMinimum = nil
        earlierMinimum = nil
        lastArrival = 0
        target = 0
        lossFrames = 0
        copyFrames = 0
        moveTarget(passed: 0)
    }

    private func frames(_ interval: Interval) -> Double { interval.seconds * 48_000 }
}
