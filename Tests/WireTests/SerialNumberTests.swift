import SeededRandom
import Testing
import Wire

@Suite struct SerialNumberTests {
    @Test("A number is newer than another if it is less than half the range ahead, wraps included")
    func newer() {
        #expect(SequenceNumber16(1).isNewer(than: 0))
        #expect(SequenceNumber16(0).isNewer(than: 65_535))
        #expect(!SequenceNumber16(65_535).isNewer(than: 0))
        #expect(!SequenceNumber16(7).isNewer(than: 7))
        #expect(SequenceNumber16(32_767).isNewer(than: 0))
        // Half the range apart: neither is newer.
        #expect(!SequenceNumber16(32_768).isNewer(than: 0))
        #expect(!SequenceNumber16(0).isNewer(than: 32_768))
        #expect(RTPTimestamp(5).isNewer(than: RTPTimestamp(.max)))
    }

    @Test("Distance and advancing are inverse, for any two numbers")
    func distance() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let a = SequenceNumber16(.random(in: 0...(.max), using: &random))
            let b = SequenceNumber16(.random(in: 0...(.max), using: &random))
            #expect(a.advanced(by: b.distance(from: a)) == b)
            #expect((-32_768...32_767).contains(b.distance(from: a)))
            let c = RTPTimestamp(.random(in: 0...(.max), using: &random))
            let d = RTPTimestamp(.random(in: 0...(.max), using: &random))
            #expect(c.advanced(by: d.distance(from: c)) == d)
        }
        #expect(SequenceNumber16(2).distance(from: 65_534) == 4)
        #expect(SequenceNumber16(65_534).distance(from: 2) == -4)
        #expect(SequenceNumber16(65_535).next == 0)
    }

    @Test("Extended numbers follow a shuffled stream over many wraps", arguments: 1...20 as ClosedRange<UInt64>)
    func extending(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let start = UInt64.random(in: 0...65_535, using: &random)
        var extender = SequenceExtender()
        var newest = start
        #expect(extender.extend(SequenceNumber16(UInt16(start))) == start + 65_536)
        for _ in 0..<3_000 {
            // Mostly forward, sometimes far back, never by half the range; nor before where the stream began.
            let step = Int64.random(in: -32_000...32_000, using: &random)
            let true_ = UInt64(max(Int64(start), Int64(newest) + step))
            let seen = extender.extend(SequenceNumber16(UInt16(truncatingIfNeeded: true_)))
            #expect(seen == true_ + 65_536, "seed \(seed)")
            newest = max(newest, true_)
            #expect(extender.highest == newest + 65_536, "seed \(seed)")
        }
    }

    @Test("A late number from before the first one has its place below it")
    func beforeTheFirst() {
        var extender = SequenceExtender()
        #expect(extender.extend(3) == 65_539)
        #expect(extender.extend(65_530) == 65_530)
        #expect(extender.highest == 65_539)
        var fromZero = SequenceExtender(startingCycle: 0)
        #expect(fromZero.extend(3) == 3)
        #expect(fromZero.estimate(65_530) == 65_530)
        #expect(fromZero.highest == 3)
        var timestamps = TimestampExtender()
        #expect(timestamps.extend(960) == 1 << 32 + 960)
        #expect(timestamps.extend(RTPTimestamp(.max)) == 1 << 32 - 1)
    }
}
