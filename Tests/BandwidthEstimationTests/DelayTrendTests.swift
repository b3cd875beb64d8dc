import SeededRandom
import Testing
import Timing

@testable import BandwidthEstimation

@Suite struct DelayTrendTests {
    /// Groups of packets 20 ms apart whose way takes what `way` says, in milliseconds.
    private func reading(_ count: Int, _ way: (Int) -> Double) -> DelayTrend.Reading {
        var trend = DelayTrend()
        for index in 0..<count {
            let sent = Instant(nanoseconds: Int64(index) * 20_000_000)
            trend.add(sent: sent, arrival: sent + Interval(seconds: (40 + way(index)) / 1000))
        }
        return trend.reading
    }

    @Test("a way that takes as long is steady, one that takes ever longer rises, one that takes ever less falls")
    func readings() {
        #expect(reading(100) { _ in 0 } == .steady)
        #expect(reading(100) { Double($0) * 2 } == .rising)
        #expect(reading(100) { 200 - Double($0) * 2 } == .falling)
        // Longer for good is no queue that grows.
        #expect(reading(200) { $0 < 50 ? 0 : 60 } == .steady)
        #expect(reading(10) { Double($0) * 5 } == .steady, "too few to tell")
    }

    @Test("jitter is no trend", arguments: 1...10 as ClosedRange<UInt64>)
    func jitter(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let waits = (0..<300).map { _ in Double(random.next() % 15) }
        #expect(reading(300) { waits[$0] } != .rising)
    }

    @Test("after a pause, and from a clock that leaps, it begins anew")
    func pause() {
        var trend = DelayTrend()
        for index in 0..<100 as Range<Int64> {
            let sent = Instant(nanoseconds: index * 20_000_000)
            trend.add(sent: sent, arrival: sent + .milliseconds(index * 2))
        }
        #expect(trend.reading == .rising)
        trend.add(sent: Instant(nanoseconds: 60_000_000_000), arrival: Instant(nanoseconds: 60_100_000_000))
        #expect(trend.reading == .steady)
        trend.add(sent: .distantPast, arrival: .distantFuture)
        trend.add(sent: .distantFuture, arrival: .distantPast)
    }
}

@Suite struct ArrivalsTests {
    @Test("the rate is what arrived, the queue what packets waited longer than the fastest")
    func queue() {
        var arrivals = Arrivals()
        #expect(arrivals.rate(over: .seconds(1)) == nil && arrivals.queue == .zero && arrivals.saturation == nil)
        let start = Instant(nanoseconds: 10_000_000_000)
        for index in 0..<200 as Range<Int64> {
            let sent = start + .milliseconds(10 * index)
            arrivals.add(sent: sent, arrival: sent + .milliseconds(-70), bytes: 1_000)
            if index % 10 == 9 { arrivals.endMessage(at: sent + .milliseconds(30)) }
        }
        #expect(arrivals.rate(over: .milliseconds(500)) == 800_000)
        #expect(arrivals.queue == .zero && arrivals.saturation == nil, "nothing waits, whatever their clock says")
        // Now each takes 2 ms more than the one before: the line carries five sixths.
        for index in 0..<100 as Range<Int64> {
            let sent = start + .milliseconds(2_000 + 10 * index)
            arrivals.add(sent: sent, arrival: sent + .milliseconds(-70 + 2 * (index + 1)), bytes: 1_000)
            if index % 10 == 9 { arrivals.endMessage(at: sent + .milliseconds(230)) }
        }
        #expect((150...200).contains(arrivals.queue.milliseconds), "the least of the last ten")
        let rate = arrivals.saturation?.rate ?? 0
        #expect(abs(rate - 800_000 * 10 / 12) < 8_000, "\(rate)")
    }

    @Test("loss is counted over a window, and taken back for what came late")
    func loss() {
        var window = LossWindow(.milliseconds(300))
        let start = Instant(nanoseconds: 990_000_000)
        for index in 0..<30 as Range<Int64> {
            window.add(sent: start + .milliseconds(index * 10), isReceived: index % 3 != 0, wasLost: false)
        }
        #expect(window.packets == 30 && abs(window.share - 1.0 / 3) < 0.001)
        window.add(sent: start + .milliseconds(270), isReceived: true, wasLost: true)
        #expect(abs(window.share - 0.3) < 0.001)
        window.add(sent: start + .seconds(5), isReceived: true, wasLost: false)
        #expect(window.packets == 1 && window.share == 0)
        window.add(sent: start, isReceived: false, wasLost: false)
        #expect(window.packets == 1, "too old")
    }
}
