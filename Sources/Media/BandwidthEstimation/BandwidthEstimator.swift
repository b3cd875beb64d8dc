internal import Timing

/// How much a line carries, by what has arrived, how long it waited and what got lost. All rates are bits a second and count what
/// the network adds to each datagram.
///
/// It falls by measurement (nine tenths of what came through while packets waited) and rises slowly, or by what a probe finds.
struct BandwidthEstimator {
    /// What is known of the line at present.
    struct Signs {
        var arrivals: Arrivals
        var trend: DelayTrend.Reading
        /// Of the last 300 ms.
        var fastLoss: LossWindow
        /// Of the last two seconds.
        var slowLoss: LossWindow
        /// What is sent beside, without numbers.
        var unnumbered: Double
        /// Everything that somebody wants.
        var wanted: Double
        /// What the lowest layers of that take.
        var least: Double
        var roundTrip: Interval
    }

    static let start = 300_000.0
    static let floor = 50_000.0
    /// What is kept free below the rate that was measured.
    private static let share = 0.9
    private static let fastShare = 0.85
    /// Packets that arrive so much slower than they were sent have waited for each other.
    private static let leastSpread = 0.05
    /// Packets that wait for so long do so behind others, whatever the trend.
    private static let longQueue = Interval.milliseconds(80)
    private static let emptyQueue = Interval.milliseconds(30)
    /// A queue that is ours is empty by then.
    private static let longestDrain = Interval.seconds(3)
    /// The rate is lowered again while it drains, if the queue has grown by so much, or after a while.
    private static let queueGrowth = Interval.milliseconds(20)
    private static let drainPause = Interval.milliseconds(600)
    private static let fastLossLimit = 0.15
    private static let fastLossPackets = 20
    private static let fastLossPause = Interval.milliseconds(300)
    private static let holdingLoss = 0.06
    private static let slowLossLimit = 0.12
    private static let heavyLoss = 0.33
    private static let overLeast = 1.2
    private static let slowLossPackets = 40
    private static let growth = 0.08
    /// Above what arrives, nothing is known.
    private static let overArrived = 1.1
    private static let overArrivedPlus = 10_000.0
    private static let overWanted = 1.25
    /// Without any news for so long, half is assumed.
    private static let silence = Interval.milliseconds(800)
    private static let shortestResponse = Interval.milliseconds(10)
    private static let longestResponse = Interval.milliseconds(200)

    private(set) var rate = BandwidthEstimator.start
    /// What is known of the queue before the line.
    private enum Queue {
        /// It is short, as far as is known. → draining
        case short
        /// Too much was sent, and waits. `deepest` is what it was when the rate was lowered last. → short, foreign
        case draining(since: Instant, deepest: Interval)
        /// It does not get shorter although less is sent: others fill it. Only its growth and losses count then. → short
        case foreign
    }

    private var queueState = Queue.short
    /// Packets that were sent too fast still wait on the way.
    var isDraining: Bool { if case .draining = queueState { true } else { false } }
    private(set) var lastCut = Instant.distantPast
    private var lastSlowCut = Instant.distantPast
    private var lastUpdate: Instant?
    private var lastSilence: Instant?
    /// What the line carried before nothing was heard any more.
    private var beforeSilence: Double?
    /// What the line carried at the last cut: growth is careful near it.
    private var capacity: Double?
    private var queue = Interval.zero

    /// Less than the rate while a queue is to shrink.
    var target: Double { isDraining ? rate * max(0.5, 1 - queue.seconds) : rate }

    /// A message about arrivals has been read.
    mutating func update(_ signs: Signs, at now: Instant) {
        let passed = lastUpdate.map { min(now - $0, .seconds(1)) } ?? .zero
        lastUpdate = now
        lastSilence = nil
        queue = signs.arrivals.queue
        if queue < Self.emptyQueue {
            queueState = .short
        } else if case .draining(let since, _) = queueState, now - since > Self.longestDrain {
            queueState = .foreign
        }
        let loss = signs.slowLoss.share
        if isOverused(signs) {
            cut(signs, at: now)
        } else if signs.fastLoss.share > Self.fastLossLimit, signs.fastLoss.packets >= Self.fastLossPackets,
            queue >= Self.emptyQueue
        {
            cutFast(signs, at: now)
        } else if loss > Self.slowLossLimit, signs.slowLoss.packets >= Self.slowLossPackets {
            cutSlowly(loss, signs, at: now)
        } else if signs.trend == .steady, loss <= Self.holdingLoss, !isDraining {
            grow(signs, passed)
        }
        rate = max(rate, Self.floor + signs.unnumbered)
    }

    private func isOverused(_ signs: Signs) -> Bool {
        var isLong = queue > Self.longQueue
        if case .foreign = queueState { isLong = false }
        guard signs.trend == .rising || isLong, let saturation = signs.arrivals.saturation else { return false }
        return saturation.spread > Self.leastSpread
    }

    private mutating func cut(_ signs: Signs, at now: Instant) {
        let response = min(max(signs.roundTrip, Self.shortestResponse), Self.longestResponse)
        guard now - lastCut >= response, let saturation = signs.arrivals.saturation else { return }
        if case .draining(_, let deepest) = queueState, queue < deepest + Self.queueGrowth,
            now - lastCut < Self.drainPause
        {
            return
        }
        let carried = saturation.rate + signs.unnumbered
        lower(to: Self.share * carried, carried, at: now)
    }

    private mutating func cutFast(_ signs: Signs, at now: Instant) {
        guard now - lastCut >= Self.fastLossPause else { return }
        let arrived = signs.arrivals.rate(over: .milliseconds(300)) ?? rate
        let carried = min(signs.arrivals.saturation?.rate ?? arrived, arrived) + signs.unnumbered
        lower(to: Self.fastShare * carried, carried, at: now)
    }

    private mutating func lower(to new: Double, _ carried: Double, at now: Instant) {
        switch queueState {
        case .short: if queue > Self.emptyQueue { queueState = .draining(since: now, deepest: queue) }
        case .draining(let since, let deepest):
            queueState = .draining(since: since, deepest: max(deepest, queue))
        case .foreign: break
        }
        guard new < rate else { return }
        rate = new
        capacity = carried
        lastCut = now
    }

    private mutating func cutSlowly(_ loss: Double, _ signs: Signs, at now: Instant) {
        guard now - lastSlowCut >= Self.fastLossPause + signs.roundTrip else { return }
        let arrived = (signs.arrivals.rate(over: .seconds(1)) ?? 0) + signs.unnumbered
        // Some lines lose packets whatever is sent: nothing is gained by pausing pictures. What loses a third is full.
        let least = loss > Self.heavyLoss ? 0 : Self.overLeast * signs.least + signs.unnumbered
        let new = max(rate * (1 - loss / 2), Self.share * arrived, least)
        guard new < rate else { return }
        rate = new
        lastSlowCut = now
        lastCut = now
    }

    private mutating func grow(_ signs: Signs, _ passed: Interval) {
        let arrived = (signs.arrivals.rate(over: .milliseconds(500)) ?? 0) + signs.unnumbered
        let most = min(
            Self.overArrived * arrived + Self.overArrivedPlus, Self.overWanted * max(signs.wanted, Self.floor))
        guard rate < most else { return }
        let isNear = capacity.map { abs(rate - $0) < 0.15 * $0 } ?? false
        // A packet for each time that it takes to hear of it.
        let perSecond =
            isNear ? max(4_000, 9_600 / (signs.roundTrip.seconds + 0.1)) : max(1_000, rate * Self.growth)
        rate = min(most, rate + perSecond * passed.seconds)
        if let capacity, rate > 1.15 * capacity { self.capacity = nil }
    }

    /// A probe has found that so much comes through.
    mutating func learn(probed: Double, unnumbered: Double, wanted: Double) {
        let found = probed + unnumbered
        // A probe is short: that less came through than is being sent says little.
        guard found > rate else { return }
        rate = max(rate, min(found, Self.overWanted * max(wanted, Self.floor)))
        if let capacity, rate > 1.15 * capacity { self.capacity = nil }
    }

    /// Whatever waited has arrived long ago.
    mutating func forgetQueue() { queueState = .short }

    /// The other side says how much it takes, instead of what arrived.
    mutating func take(stated: Double) { rate = max(Self.floor, stated) }

    /// Nothing was heard although there should have been.
    mutating func noteSilence(since: Instant, at now: Instant) {
        let began = max(since, lastSilence ?? since)
        guard now - began >= Self.silence else { return }
        lastSilence = now
        if beforeSilence == nil { beforeSilence = rate }
        rate = max(Self.floor, rate / 2)
        lastCut = now
    }

    /// Something is heard again: half of what the line carried before is a fair guess.
    /// - Returns: whether it was silent.
    mutating func endSilence() -> Bool {
        guard let before = beforeSilence else { return false }
        beforeSilence = nil
        rate = max(rate, before / 2)
        return true
    }
}
