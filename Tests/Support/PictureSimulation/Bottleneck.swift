import SeededRandom
import Timing

/// A line of a certain rate with a queue before it, then a way that takes a while. What does not fit the queue is lost.
final class Bottleneck {
    struct Item {
        var bytes: Int
        /// Empty for what belongs to somebody else.
        var datagram: [UInt8]
        var entered: Instant
        /// A segment of the competitor's.
        var segment: UInt64?
    }

    private let scenario: LineScenario
    private let began: Instant
    private var random: SeededGenerator
    private var queue: [Item] = []
    private var first = 0
    private var waiting = 0
    private var served: Instant?
    private var lastArrival = Instant.distantPast
    private var arrivals: [(at: Instant, item: Item)] = []
    private var firstArrival = 0
    private(set) var overflowed = 0

    init(_ scenario: LineScenario, seed: UInt64, at now: Instant) {
        self.scenario = scenario
        began = now
        random = SeededGenerator(seed: seed)
    }

    func rate(at now: Instant) -> Double { scenario.rate(at: now - began) }

    private func isOut(_ now: Instant) -> Bool { scenario.outage?.contains(now - began) ?? false }

    func enter(_ item: Item, at now: Instant) {
        let room = rate(at: now) / 8 * scenario.queue.seconds
        guard waiting == 0 || Double(waiting + item.bytes) <= room else {
            overflowed += 1
            return
        }
        queue.append(item)
        waiting += item.bytes
        if served == nil { served = now + duration(item, now) }
    }

    private func duration(_ item: Item, _ now: Instant) -> Interval {
        Interval(seconds: Double(item.bytes) * 8 / rate(at: now))
    }

    var nextDeadline: Instant {
        min(served ?? .distantFuture, firstArrival < arrivals.count ? arrivals[firstArrival].at : .distantFuture)
    }

    /// What has arrived by now.
    func take(at now: Instant) -> Item? {
        while let done = served, done <= now {
            let item = queue[first]
            first += 1
            waiting -= item.bytes
            if first > 512 {
                queue.removeFirst(first)
                first = 0
            }
            served = first < queue.count ? done + duration(queue[first], done) : nil
            if random.chance(scenario.loss) || isOut(done) { continue }
            let jitter = scenario.jitter.nanoseconds
            let more = jitter > 0 ? Interval(nanoseconds: Int64(random.next() % UInt64(jitter))) : .zero
            lastArrival = max(lastArrival, done + scenario.oneWay + more)
            arrivals.append((lastArrival, item))
        }
        guard firstArrival < arrivals.count, arrivals[firstArrival].at <= now else { return nil }
        defer {
            firstArrival += 1
            if firstArrival > 512 {
                arrivals.removeFirst(firstArrival)
                firstArrival = 0
            }
        }
        return arrivals[firstArrival].item
    }
}

/// The way back: as long, as lossy, and never full.
final class WayBack {
    private let scenario: LineScenario
    private let began: Instant
    private var random: SeededGenerator
    private var flying: [(at: Instant, datagram: [UInt8])] = []

    init(_ scenario: LineScenario, seed: UInt64, at now: Instant) {
        self.scenario = scenario
        began = now
        random = SeededGenerator(seed: seed)
    }

    func enter(_ datagram: [UInt8], at now: Instant) {
        if random.chance(scenario.loss) || scenario.outage?.contains(now - began) ?? false { return }
        flying.append((now + scenario.oneWay, datagram))
    }

    var nextDeadline: Instant { flying.first?.at ?? .distantFuture }

    func take(at now: Instant) -> [UInt8]? {
        guard let next = flying.first, next.at <= now else { return nil }
        flying.removeFirst()
        return next.datagram
    }
}
