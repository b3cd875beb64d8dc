internal import SeededRandom
internal import Testing
internal import Timing

@testable internal import Forwarding

@Suite struct LayerHistoryTests {
    @Test(
        "A history grows as a layer needs it, and gives exactly what was put in",
        arguments: 1...5 as ClosedRange<UInt64>)
    func history(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let history = LayerHistory()
        var kept: [UInt64: [UInt8]] = [:]
        var now = Instant(nanoseconds: 0)
        for sequence in 0..<6_000 as Range<UInt64> {
            now = now + .microseconds(1_500)
            let payload = (0..<Int.random(in: 1...1_200, using: &random)).map { _ in UInt8(truncatingIfNeeded: sequence)
            }
            kept[sequence] = payload
            payload.withUnsafeBytes {
                history.store(
                    LayerPacket(sequence: sequence, timestamp: 0, marker: false, payload: nil), payload: $0, at: now)
            }
            if sequence > 1_000 {
                let back = UInt64.random(in: 0..<700, using: &random)
                if let found = history.find(sequence - back) { #expect(Array(found.payload) == kept[sequence - back]) }
            }
        }
        #expect(history.byteCount > LayerHistory.firstByteCount && history.byteCount <= LayerHistory.maximumByteCount)
        // The last half second and more is there: 330 packets.
        for back in 0..<330 as Range<UInt64> { #expect(history.find(5_999 - back) != nil) }
        #expect(history.find(4_000) == nil && history.find(7_000) == nil)
    }

    /// Bytes behind the ring were written: in the larger ring too, the place may be too near its end for the packet that made it grow.
    @Test("a packet lies within the ring, wherever the ring ends when it grows", arguments: [1, 700, 1_100, 1_499])
    func end(rest: Int) {
        let history = LayerHistory()
        let now = Instant(nanoseconds: 1_000)
        var sequence: UInt64 = 0
        func store(_ count: Int, at now: Instant) {
            [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: count).withUnsafeBytes {
                history.store(
                    LayerPacket(sequence: sequence, timestamp: 0, marker: false, payload: nil), payload: $0, at: now)
            }
            sequence += 1
        }
        // The first lap takes longer than is kept, so that the ring stays as it is; the second is quick, and ends `rest` before the end.
        var time = now
        for _ in 0..<LayerHistory.firstByteCount / 1_024 {
            time = time + .milliseconds(50)
            store(1_024, at: time)
        }
        var left = LayerHistory.firstByteCount - rest
        while left > 0 {
            store(min(left, 1_024), at: time)
            left -= min(left, 1_024)
        }
        #expect(history.byteCount == LayerHistory.firstByteCount)
        store(1_500, at: time)
        #expect(history.byteCount == 2 * LayerHistory.firstByteCount)
        store(1_500, at: time)
        for back in 1...2 as ClosedRange<UInt64> {
            let found = history.find(sequence - back)
            #expect(found?.payload.count == 1_500)
            #expect(found?.payload.allSatisfy { $0 == UInt8(truncatingIfNeeded: sequence - back) } == true)
        }
    }
}
