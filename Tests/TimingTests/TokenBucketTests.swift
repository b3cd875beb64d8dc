import SeededRandom
import Testing
import Timing

@Suite struct TokenBucketTests {
    @Test("G04-S who is told to wait so long finds their share then, whatever the allowance and the moments")
    func keptWord() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        for rate in [0.1, 1, 3, 40, 1_000] {
            var now = Instant(nanoseconds: 5_000_000_000)
            var bucket = TokenBucket(Allowance(burst: max(1, rate), perSecond: rate), now: now)
            for _ in 0..<5_000 {
                // On a grid, where a wait can be whole milliseconds to the last digit.
                now = now + .microseconds(Int64.random(in: 0...Int64(1_000_000 / rate), using: &random) / 500 * 500)
                let reserve = ([0, 0.25, 0.5] as [Double]).randomElement(using: &random) ?? 0.0
                let left = min(max(1, rate) * reserve, max(1, rate) - 1)
                guard !bucket.take(leaving: left, now: now) else { continue }
                let wait = bucket.wait(leaving: left, now: now)
                #expect(wait > 0, "seed \(seed)")
                now = now + .milliseconds(Int64(wait))
                let passed = bucket.take(leaving: left, now: now)
                #expect(passed, "seed \(seed), rate \(rate)")
            }
        }
    }
}
