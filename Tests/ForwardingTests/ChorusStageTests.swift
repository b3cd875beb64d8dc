internal import RTP
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

@Suite struct ChorusStageTests {
    private static let slots = 2

    /// A stage with a mix, everybody's stream as it was heard, and who should hear what.
    private final class Chorus {
        let stage = AudioStage(slots: ChorusStageTests.slots, hasMix: true)
        var now = Instant(nanoseconds: 50_000_000_000)
        var sequences: [UInt64: UInt64] = [:]
        var mixed: UInt64 = 0
        private(set) var newest: [SSRC: OutgoingPacket] = [:]
        private(set) var gaps = 0
        /// Since `clear`: who got something, on which slot.
        private(set) var heard: Set<[Int]> = []
        private(set) var sources = 0

        static func line(_ slot: Int, of member: UInt64) -> ListenerLine {
            .line(slot, of: MemberID(rawValue: member))
        }

        func listen(_ member: UInt64, to slots: some Sequence<Int> = 0...ChorusStageTests.slots) {
            stage.fanout.setListener(
                MemberID(rawValue: member), handle: Int(member), lines: slots.map { Self.line($0, of: member) })
        }

        func leave(_ member: UInt64) {
            stage.fanout.removeListener(MemberID(rawValue: member))
            for slot in 0...ChorusStageTests.slots { newest[Self.line(slot, of: member).ssrc] = nil }
        }

        func assign(_ slot: Int, _ member: UInt64?, muted: Bool = false) {
            stage.assign(slot: slot, to: member.map(MemberID.init), muted: muted, at: now, send: take)
        }

        func clear() { heard = [] }

        func newest(of member: UInt64) -> OutgoingPacket? { newest[Self.line(2, of: member).ssrc] }

        func sing(_ member: UInt64) {
            let sequence = sequences[member, default: 1_000]
            sequences[member] = sequence + 1
            now = now + .milliseconds(5)
            [UInt8](repeating: 7, count: 30).withUnsafeBytes {
                stage.forward(
                    from: MemberID(rawValue: member),
                    .opus(ssrc: UInt32(member) + 7_000, sequence: sequence, timestamp: UInt32(sequence) &* 240),
                    extendedSequence: sequence, level: AudioLevel(attenuation: 10, isVoice: true), payload: $0, at: now,
                    send: take)
            }
        }

        func mix() {
            mixed += 1
            now = now + .milliseconds(5)
            [UInt8](repeating: 9, count: 300).withUnsafeBytes {
                stage.forwardMix(
                    MixPacket(sequence: mixed, timestamp: UInt32(mixed) &* 960, marker: mixed == 1), payload: $0,
                    at: now, send: take)
            }
        }

        private func take(_ handle: Int, _ header: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
            let slot = Int(header.ssrc.rawValue) - handle * 100
            heard.insert([handle, slot])
            if let before = newest[header.ssrc], header.sequence != before.sequence + 1 { gaps += 1 }
            if header.startsSource { sources += 1 }
            newest[header.ssrc] = header
        }
    }

    @Test("D04-S who sits hears the other seats and not the mix, everybody else the mix and no seat")
    func feeding() {
        let chorus = Chorus()
        for member in 1...4 as ClosedRange<UInt64> { chorus.listen(member) }
        chorus.assign(0, 1)
        chorus.assign(1, 2)
        chorus.sing(1)
        chorus.sing(2)
        chorus.mix()
        #expect(chorus.heard == [[2, 0], [1, 1], [3, 2], [4, 2]])
    }

    @Test("D04-S sitting down and getting up switch with the next packet, and no stream ever has a gap")
    func switching() {
        let chorus = Chorus()
        for member in 1...3 as ClosedRange<UInt64> { chorus.listen(member) }
        chorus.assign(0, 1)
        for _ in 0..<3 {
            chorus.sing(1)
            chorus.mix()
        }
        #expect(chorus.heard == [[2, 2], [3, 2]])
        chorus.assign(1, 2)
        chorus.clear()
        chorus.sing(1)
        chorus.mix()
        #expect(chorus.heard == [[2, 0], [3, 2]])
        chorus.assign(1, nil)
        chorus.clear()
        chorus.sing(1)
        chorus.mix()
        #expect(chorus.heard == [[2, 2], [3, 2]])
        // Another one takes the seat of the first, who hears the mix from now on.
        chorus.assign(0, 3)
        chorus.clear()
        chorus.sing(3)
        chorus.mix()
        #expect(chorus.heard == [[1, 2], [2, 2]])
        #expect(chorus.gaps == 0)
    }

    @Test("A listener that begins with the mix anew gets it marked, as a source that begins")
    func marker() {
        let chorus = Chorus()
        chorus.listen(1)
        chorus.mix()
        chorus.assign(0, 1)
        chorus.mix()
        chorus.assign(0, nil)
        let before = chorus.sources
        chorus.mix()
        #expect(chorus.sources == before + 1)
        #expect(chorus.newest(of: 1)?.marker == true && chorus.gaps == 0)
    }

    @Test("Who has no line for the mix hears the seats, and the line that comes later takes their place")
    func withoutLine() {
        let chorus = Chorus()
        chorus.listen(5, to: 0..<2)
        chorus.assign(0, 1)
        chorus.sing(1)
        chorus.mix()
        #expect(chorus.heard == [[5, 0]])
        chorus.listen(5)
        chorus.clear()
        chorus.sing(1)
        chorus.mix()
        #expect(chorus.heard == [[5, 2]])
    }

    @Test("The mix is nobody's slot: it cannot be taken, and nobody is told how loud it is")
    func mixIsNobody() {
        let chorus = Chorus()
        chorus.listen(3)
        chorus.assign(2, 1)
        #expect(chorus.stage.slot(of: MemberID(rawValue: 1)) == nil)
        chorus.mix()
        #expect(chorus.heard == [[3, 2]] && chorus.stage.stats.mixed == 1)
        #expect(chorus.stage.nextLevels == nil && chorus.stage.levels(at: chorus.now) == nil)
        #expect(AudioStage(slots: 16, hasMix: true).slotCount == 17 && AudioStage(slots: 16).mixSlot == nil)
    }

    @Test(
        "D04-S whatever the order of coming, sitting and going, everybody hears exactly what is theirs",
        arguments: 1...6 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let chorus = Chorus()
        var seats: [UInt64?] = [nil, nil]
        var present: Set<UInt64> = []
        for step in 0..<2_000 {
            let member = UInt64.random(in: 1...7, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: if present.insert(member).inserted { chorus.listen(member) }
            case 1 where step % 3 == 0:
                present.remove(member)
                chorus.leave(member)
            case 2:
                let slot = Int.random(in: 0..<2, using: &random)
                let sits = Bool.random(using: &random) ? member : nil
                for other in seats.indices where sits != nil && seats[other] == sits { seats[other] = nil }
                seats[slot] = sits
                chorus.assign(slot, sits)
            default: break
            }
            chorus.clear()
            var expected: Set<[Int]> = []
            for (slot, singer) in seats.enumerated() {
                guard let singer else { continue }
                chorus.sing(singer)
                for other in seats where other != singer && other.map(present.contains) ?? false {
                    expected.insert([Int(other ?? 0), slot])
                }
            }
            chorus.mix()
            for listener in present where !seats.contains(listener) { expected.insert([Int(listener), 2]) }
            #expect(chorus.heard == expected, "seed \(seed), step \(step)")
        }
        #expect(chorus.gaps == 0)
    }
}
