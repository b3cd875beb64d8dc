package import Timing

/// What a viewer's line is like, what is to be seen over it, and what counts as good.
package struct LineScenario: Sendable {
    package struct Step: Sendable {
        package var begins: Interval
        /// Bits a second, network headers counted.
        package var rate: Double

        package init(begins: Interval, rate: Double) {
            self.begins = begins
            self.rate = rate
        }
    }

    package var name: String
    package var steps: [Step]
    /// How long a packet may wait for the line; what comes on top is lost.
    package var queue = Interval.milliseconds(200)
    package var oneWay = Interval.milliseconds(25)
    /// Up to so much more, without changing the order.
    package var jitter = Interval.zero
    package var loss = 0.02
    /// Nothing passes, either way.
    package var outage: ClosedRange<Interval>?
    /// Bits a second of each layer's payload.
    package var layers: [Double] = [150_000, 500_000, 1_500_000]
    package var pictures = 1
    /// Somebody loads a file over the same line.
    package var hasCompetitor = false
    package var length = Interval.seconds(65)
    /// The falls and rises that are judged.
    package var falls: [Interval] = []
    package var rises: [Interval] = []

    package init(name: String, steps: [Step]) {
        self.name = name
        self.steps = steps
    }

    /// From high to low and back, at moments that the seed moves by up to a second.
    static func valley(_ name: String, high: Double, low: Double, seed: UInt64) -> LineScenario {
        var moments = SplitMix64(seed: seed ^ 0x6d6f_6d65_6e74)
        let fall = Interval.seconds(20) + .milliseconds(Int64(moments.next() % 1_000))
        let rise = Interval.seconds(40) + .milliseconds(Int64(moments.next() % 1_000))
        var scenario = LineScenario(
            name: name,
            steps: [
                Step(begins: .zero, rate: high), Step(begins: fall, rate: low), Step(begins: rise, rate: high),
            ])
        scenario.falls = [fall]
        scenario.rises = [rise]
        return scenario
    }

    /// 2 → 0.5 → 2 Mbit/s: M6 of the benchmarks.
    package static func m6(seed: UInt64) -> LineScenario {
        valley("2 → 0.5 → 2 Mbit/s, 200 ms queue", high: 2e6, low: 0.5e6, seed: seed)
    }

    /// The hard ones: M7.
    package static func deepQueue(seed: UInt64) -> LineScenario {
        var scenario = valley("500 ms queue", high: 2e6, low: 0.5e6, seed: seed)
        scenario.queue = .milliseconds(500)
        return scenario
    }

    package static func longWay(seed: UInt64) -> LineScenario {
        var scenario = valley("150 ms round trip", high: 2e6, low: 0.5e6, seed: seed)
        scenario.oneWay = .milliseconds(75)
        return scenario
    }

    package static func wide(seed: UInt64) -> LineScenario {
        var scenario = valley("4 → 0.8 → 4 Mbit/s, 2.5 wanted", high: 4e6, low: 0.8e6, seed: seed)
        scenario.layers = [200_000, 700_000, 2_400_000]
        return scenario
    }

    package static func competitor(seed: UInt64) -> LineScenario {
        var scenario = LineScenario(name: "beside a download", steps: [Step(begins: .zero, rate: 3e6)])
        scenario.hasCompetitor = true
        // A download would give way to more.
        scenario.loss = 0.001
        return scenario
    }

    package static func tenPictures(seed: UInt64) -> LineScenario {
        var scenario = valley("ten pictures", high: 2.5e6, low: 0.8e6, seed: seed)
        scenario.layers = [40_000, 200_000]
        scenario.pictures = 10
        return scenario
    }

    package static func outage(seed: UInt64) -> LineScenario {
        var scenario = LineScenario(name: "nothing for 3 s", steps: [Step(begins: .zero, rate: 3e6)])
        scenario.outage = .seconds(20)...(.seconds(23))
        return scenario
    }

    /// A seventh of all packets gets lost, whatever is sent.
    package static var lossy: LineScenario {
        var scenario = LineScenario(name: "15 % loss", steps: [Step(begins: .zero, rate: 2e6)])
        scenario.loss = 0.15
        scenario.length = .seconds(30)
        return scenario
    }

    func rate(at time: Interval) -> Double { steps.last { $0.begins <= time }?.rate ?? steps[0].rate }
}
