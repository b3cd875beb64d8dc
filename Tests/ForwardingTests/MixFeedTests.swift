internal import Synchronization
internal import Testing
internal import Timing

@testable internal import Forwarding

@Suite struct MixFeedTests {
    private static func vocal(_ sequence: UInt64) -> TappedPacket {
        TappedPacket(
            slot: 0, producer: MemberID(rawValue: 1), sequence: sequence,
            timestamp: UInt32(truncatingIfNeeded: sequence),
            startsSource: false, arrival: Instant(nanoseconds: Int64(sequence)))
    }

    @Test("Packets come out as they went in, and none gets lost between two threads")
    func order() async {
        let ring = PacketRing<UInt64>(packets: 64, bytes: 4_096)
        let total: UInt64 = 20_000
        async let popped = Task.detached { () -> (UInt64, Bool) in
            var next: UInt64 = 0
            var isRight = true
            while next < total, isRight {
                let found = ring.pop { head, payload in
                    let length = Int(head % 200) + 1
                    isRight =
                        head == next && payload.count == length
                        && payload.allSatisfy { $0 == UInt8(truncatingIfNeeded: head) }
                    next += 1
                }
                if !found { await Task.yield() }
            }
            return (next, isRight)
        }.value
        for head in 0..<total {
            let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: head), count: Int(head % 200) + 1)
            while !payload.withUnsafeBytes({ ring.push(head, $0) }) { await Task.yield() }
        }
        let (count, isRight) = await popped
        #expect(count == total && isRight)
        #expect(ring.isEmpty)
    }

    @Test("Who is too slow loses what does not fit, and it is counted")
    func full() {
        let feed = MixFeed(wakeMixer: {}, wakeStage: {})
        let payload = [UInt8](repeating: 1, count: 1_000)
        for sequence in 0..<500 as Range<UInt64> { payload.withUnsafeBytes { feed.hear(Self.vocal(sequence), $0) } }
        var kept: [UInt64] = []
        while feed.takeVocal({ packet, _ in kept.append(packet.sequence) }) {}
        #expect(!kept.isEmpty && kept == Array(0..<UInt64(kept.count)))
        #expect(feed.vocalsDropped == 500 - UInt64(kept.count))
        // There is room again.
        payload.withUnsafeBytes { feed.hear(Self.vocal(900), $0) }
        var last: UInt64 = 0
        let isTaken = feed.takeVocal { packet, _ in last = packet.sequence }
        #expect(isTaken && last == 900)
        for sequence in 0..<200 as Range<UInt64> {
            payload.withUnsafeBytes { feed.post(MixPacket(sequence: sequence, timestamp: 0, marker: false), $0) }
        }
        #expect(feed.mixDropped > 0)
    }

    @Test("A mixer that sleeps is woken by the first packet, and by no other; each packet of the mix wakes the stage")
    func waking() {
        let woken = Counter()
        let feed = MixFeed(
            wakeMixer: { woken.mixer.add(1, ordering: .relaxed) }, wakeStage: { woken.stage.add(1, ordering: .relaxed) }
        )
        func give() { [UInt8](repeating: 1, count: 9).withUnsafeBytes { feed.hear(Self.vocal(1), $0) } }
        give()
        #expect(woken.mixer.load(ordering: .relaxed) == 0)
        #expect(!feed.fallAsleep(), "something is there already")
        while feed.takeVocal({ _, _ in }) {}
        #expect(feed.fallAsleep())
        give()
        give()
        #expect(woken.mixer.load(ordering: .relaxed) == 1)
        [1, 2].withUnsafeBytes { feed.post(MixPacket(sequence: 1, timestamp: 0, marker: true), $0) }
        #expect(woken.stage.load(ordering: .relaxed) == 1)
        var length = 0
        let isTaken = feed.takeMix { packet, payload in length = packet.marker ? payload.count : 0 }
        #expect(isTaken && length == 16)
    }

    private final class Counter: Sendable {
        let mixer = Atomic(0)
        let stage = Atomic(0)
    }
}
