import Testing

@testable import Timing

@Suite struct RoomClockEstimatorTests {
    /// A server whose clock runs at another rate, over a network with uneven ways.
    private struct World {
        var seed: UInt64
        /// Server minus ours at our zero, nanoseconds.
        var offset: Int64
        /// Parts per billion.
        var drift: Int64
        var now = Instant(nanoseconds: 0)

        mutating func random(_ upper: Int64) -> Int64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64((seed >> 33) % UInt64(upper))
        }

        func server(_ at: Instant) -> Int64 { at.nanoseconds + offset + at.nanoseconds / 1_000 * drift / 1_000_000 }

        /// Asks and hears, with ways of up to `slow` milliseconds each, mostly far less.
        mutating func ask(_ estimator: inout RoomClockEstimator, slow: Int64 = 300) {
            let sent = now
            let there = Interval.microseconds(200 + random(random(10) == 0 ? slow * 1_000 : 4_000))
            let back = Interval.microseconds(200 + random(random(10) == 0 ? slow * 1_000 : 4_000))
            let server = server(sent + there)
            now = sent + there + back
            estimator.add(sent: sent, received: now, server: server)
        }
    }

    @Test("the true time always lies within the stated error, whatever the network and the clocks' rates do")
    func bound() throws {
        for seed in UInt64(1)...40 {
            var world = World(seed: seed, offset: 0, drift: 0)
            world.offset = world.random(4_000_000_000_000_000_000) - 2_000_000_000_000_000_000
            world.drift = world.random(2 * RoomClockEstimator.driftLimit) - RoomClockEstimator.driftLimit
            var estimator = RoomClockEstimator()
            for step in 0..<400 {
                world.ask(&estimator)
                world.now = world.now + .milliseconds(world.random(10_000))
                let estimate = try #require(estimator.estimate(at: world.now))
                let off = abs(estimate.server - world.server(world.now))
                // The simulation itself rounds to a microsecond.
                #expect(off <= estimate.error.nanoseconds + 2_000, "seed \(seed), step \(step): off by \(off) ns")
            }
            #expect(estimator.resets == 0, "seed \(seed)")
        }
    }

    @Test("a few minutes of readings tell the rate, so that the clock stays good through a gap without readings")
    func rate() throws {
        for drift in [Int64(-150_000), -40_000, 0, 90_000, 180_000] {
            var world = World(seed: 7, offset: 1_000_000_000, drift: drift)
            var estimator = RoomClockEstimator()
            for _ in 0..<120 {
                world.ask(&estimator)
                world.now = world.now + .seconds(5)
            }
            world.now = world.now + .seconds(120)
            let estimate = try #require(estimator.estimate(at: world.now))
            #expect(estimate.error < .milliseconds(8), "drift \(drift): \(estimate.error.milliseconds) ms")
            #expect(abs(estimate.server - world.server(world.now)) < 3_000_000, "drift \(drift)")
            // And backwards: when the server's clock shows something.
            let instant = try #require(estimator.instant(ofServer: world.server(world.now), near: world.now))
            #expect(abs(instant.nanoseconds - world.now.nanoseconds) < 3_000_000)
        }
    }

    @Test("a slow reading after a quick one takes away nothing: it may only rule out what the quick one left open")
    func slow() throws {
        var estimator = RoomClockEstimator()
        #expect(estimator.estimate(at: Instant(nanoseconds: 0)) == nil)
        func at(_ ms: Int64) -> Instant { Instant(nanoseconds: ms * 1_000_000) }
        estimator.add(sent: at(0), received: at(10), server: 1_000_005_000_000)
        let good = try #require(estimator.estimate(at: at(20)))
        #expect(good.server == 1_000_020_000_000)
        #expect(good.error >= .milliseconds(5) && good.error < .microseconds(5_100))
        // Its answer was made 400 ms before it arrived.
        estimator.add(sent: at(20), received: at(820), server: 1_000_420_000_000)
        let after = try #require(estimator.estimate(at: at(820)))
        #expect(abs(after.server - 1_000_820_000_000) < 200_000)
        #expect(after.error < .microseconds(5_400))
        #expect(estimator.roundTrip.map { $0.milliseconds } == 10)
    }

    @Test("the quickest way there and the quickest way back count, from whichever readings they are")
    func ways() throws {
        var estimator = RoomClockEstimator()
        func ask(at ms: Int64, there: Int64, back: Int64) {
            let sent = Instant(nanoseconds: ms * 1_000_000)
            estimator.add(
                sent: sent, received: sent + .milliseconds(there + back), server: (1_000_000 + ms + there) * 1_000_000)
        }
        ask(at: 0, there: 5, back: 85)
        ask(at: 100, there: 85, back: 5)
        let estimate = try #require(estimator.estimate(at: Instant(nanoseconds: 200_000_000)))
        #expect(abs(estimate.server - 1_000_200_000_000) < 100_000)
        #expect(estimate.error < .microseconds(5_100))
    }

    @Test(
        "two dozen readings over a line with 20 ms of jitter each way tell the clock to 5 ms", arguments: UInt64(1)...50
    )
    func jitter(seed: UInt64) throws {
        var world = World(seed: seed, offset: 3_000_000_000, drift: 100_000)
        var estimator = RoomClockEstimator()
        for _ in 0..<24 {
            let sent = world.now
            let there = Interval.microseconds(20_000 + world.random(40_000))
            let back = Interval.microseconds(20_000 + world.random(40_000))
            estimator.add(sent: sent, received: sent + there + back, server: world.server(sent + there))
            world.now = sent + .milliseconds(200)
        }
        let estimate = try #require(estimator.estimate(at: world.now))
        #expect(abs(estimate.server - world.server(world.now)) < 5_000_000)
    }

    @Test("a server whose clock is another one is believed at once")
    func otherServer() throws {
        var world = World(seed: 3, offset: 5_000_000_000, drift: 0)
        var estimator = RoomClockEstimator()
        for _ in 0..<20 {
            world.ask(&estimator)
            world.now = world.now + .seconds(5)
        }
        world.offset += 60_000_000_000
        world.ask(&estimator)
        #expect(estimator.resets == 1)
        let estimate = try #require(estimator.estimate(at: world.now))
        #expect(abs(estimate.server - world.server(world.now)) <= estimate.error.nanoseconds)
    }

    @Test("readings that cannot be are passed over, and no number traps")
    func nonsense() {
        let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max / 2, .max - 1, .max]
        for sent in numbers {
            for received in numbers {
                for server in numbers {
                    var estimator = RoomClockEstimator()
                    estimator.add(
                        sent: Instant(nanoseconds: sent), received: Instant(nanoseconds: received), server: server)
                    estimator.add(
                        sent: Instant(nanoseconds: sent), received: Instant(nanoseconds: received), server: 0)
                    for now in numbers {
                        _ = estimator.estimate(at: Instant(nanoseconds: now))
                        _ = estimator.instant(ofServer: now, near: Instant(nanoseconds: 0))
                    }
                }
            }
        }
        var estimator = RoomClockEstimator()
        estimator.add(sent: Instant(nanoseconds: 5), received: Instant(nanoseconds: 4), server: 1)
        #expect(estimator.estimate(at: Instant(nanoseconds: 9)) == nil, "an answer before its question")
        estimator.add(sent: Instant(nanoseconds: 0), received: Instant(nanoseconds: 31_000_000_000), server: 1)
        #expect(estimator.estimate(at: Instant(nanoseconds: 9)) == nil, "half a minute on the way")
    }
}
