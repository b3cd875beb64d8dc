import SeededRandom
import Testing
import Timing

@testable import PeerSession

@Suite struct PublisherClockTests {
    private func ntp(_ nanoseconds: Int64) -> UInt64 {
        let (seconds, rest) = (3_900_000_000 + nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
        return UInt64(seconds) << 32 | (UInt64(rest) << 32) / 1_000_000_000
    }

    @Test(
        "a clock that is wrong by 100 ppm is followed over a way with jitter, slowly, to within what the jitter lets through",
        arguments: 1...10 as ClosedRange<UInt64>)
    func followed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var clock = PublisherClock()
        let drift = Double.random(in: -100...100, using: &random) / 1_000_000
        let shortest: Int64 = 20_000_000
        var before: (theirs: Int64, made: Instant)?
        for second in 0..<600 {
            let sent = Int64(second) * 1_000_000_000 + Int64.random(in: 0...300_000_000, using: &random)
            let theirs = 5_000_000_000 + Int64(Double(sent) * (1 + drift))
            let way = shortest + Int64.random(in: 0...30_000_000, using: &random)
            let made = clock.note(ntp(theirs), at: Instant(nanoseconds: sent + way))
            if second > 60 {
                let error = made.nanoseconds - (sent + shortest)
                #expect(abs(error) < 15_000_000, "\(error) ns after \(second) s")
            }
            if let before {
                // As much later as their clock says, but for what is slewed.
                let change = (made - before.made).nanoseconds - (theirs - before.theirs)
                #expect(abs(change) <= 5_000_000 * 2, "no step")
            }
            before = (theirs, made)
        }
    }

    @Test("a clock that was set anew is another clock; one that says anything does no harm")
    func setAnew() {
        var clock = PublisherClock()
        var now = Instant(nanoseconds: 10_000_000_000)
        for second in 0..<5 as Range<Int64> {
            now = Instant(nanoseconds: 10_000_000_000 + second * 1_000_000_000)
            #expect(clock.note(ntp(second * 1_000_000_000), at: now) == now)
        }
        now = now + .seconds(1)
        #expect(clock.note(ntp(3_600_000_000_000), at: now) == now)
        #expect(clock.note(ntp(3_601_000_000_000), at: now + .seconds(1)) == now + .seconds(1))
        var random = SeededGenerator(seed: 3)
        for _ in 0..<10_000 {
            _ = clock.note(
                UInt64.random(in: 0...(.max), using: &random),
                at: Instant(nanoseconds: Int64.random(in: .min...(.max), using: &random)))
        }
    }
}
