import SeededRandom
import Testing
import Timing

@testable import LoadTools

@Suite struct LatenciesTests {
    @Test("percentiles are those of the sorted values, at most 1.6 % and a quarter of a microsecond above")
    func percentiles() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        var latencies = Latencies()
        var values: [Int64] = []
        for _ in 0..<20_000 {
            // Every size from nanoseconds to ten seconds.
            let value = Int64.random(
                in: 0...(10_000_000_000 >> Int64.random(in: 0...33, using: &random)), using: &random)
            values.append(value)
            latencies.add(Interval(nanoseconds: value))
        }
        values.sort()
        for share in [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = values[max(1, Int((Double(values.count) * share).rounded(.up))) - 1]
            let found = try #require(latencies.percentile(share)).nanoseconds
            #expect(found >= exact && Double(found) <= Double(exact) * 1.016 + 250, "seed \(seed), share \(share)")
        }
        #expect(latencies.longest.nanoseconds == values.last && latencies.count == values.count)
    }

    @Test("nothing has no percentile, and what no clock can measure does not trap")
    func edges() {
        var latencies = Latencies()
        #expect(latencies.percentile(0.5) == nil)
        latencies.add(Interval(nanoseconds: -5))
        latencies.add(Interval(nanoseconds: .max))
        #expect(latencies.percentile(0.5)?.nanoseconds ?? -1 <= 250)
        #expect(latencies.percentile(1) != nil)
    }
}
