internal import RTP
internal import SeededRandom
internal import Synchronization
internal import Testing
internal import Timing

@testable internal import Forwarding

@Suite struct BranchLinkTests {
    private let alice = MemberID(rawValue: 1)

    private func packet(_ number: UInt64, at now: Instant) -> SourcePacket {
        SourcePacket(
            ssrc: SSRC(7), sequence: number, timestamp: UInt32(number * 960), marker: false,
            level: AudioLevel(attenuation: 12, isVoice: true), arrival: now)
    }

    @Test(
        "A branch's listeners get the very packets that the home's get, wherever the speaker is",
        arguments: 1...10 as ClosedRange<UInt64>)
    func same(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stage = AudioStage(slots: 2)
        let link = BranchLink(wakeBranch: {}, wakeStage: {})
        stage.add(link)
        let branch = AudioFanout(slots: stage.slotCount, mixSlot: stage.mixSlot)
        stage.onPlace = { branch.setProducer($0, slot: $1) }
        let (here, there) = (MemberID(rawValue: 8), MemberID(rawValue: 9))
        let lines = [ListenerLine.line(0, of: here), .line(1, of: here)]
        stage.fanout.setListener(here, handle: 1, lines: lines)
        branch.setListener(there, handle: 2, lines: lines)
        var atHome: [OutgoingPacket] = []
        var elsewhere: [OutgoingPacket] = []
        var now = Instant(nanoseconds: 0)
        let send: AudioStage.Send = { _, header, _ in atHome.append(header) }
        for number in 0..<400 as Range<UInt64> {
            now = now + .milliseconds(20)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                let speaker = Bool.random(using: &random) ? alice : MemberID(rawValue: 2)
                stage.assign(
                    slot: Int.random(in: 0..<2, using: &random), to: speaker,
                    muted: Int.random(in: 0..<4, using: &random) == 0, at: now, send: send)
            case 1: stage.assign(slot: 0, to: nil, muted: false, at: now, send: send)
            default: break
            }
            [UInt8](repeating: 5, count: 30).withUnsafeBytes { payload in
                if Bool.random(using: &random) {
                    stage.forward(packet(number, at: now), from: alice, payload: payload, send: send)
                } else {
                    link.speak(packet(number, at: now), of: alice, payload)
                    while link.takeSpoken({ spoken, payload in
                        stage.forward(spoken.packet, from: spoken.member, payload: payload, send: send)
                    }) {}
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                while link.takeHeard({ branch.deliver($0, $1) { _, header, _ in elsewhere.append(header) } }) {}
            }
        }
        while link.takeHeard({ branch.deliver($0, $1) { _, header, _ in elsewhere.append(header) } }) {}
        #expect(!atHome.isEmpty && elsewhere == atHome && link.dropped == 0)
    }

    @Test("A cut is in force once the branch has said that what came before it has left")
    func cuts() {
        let woken = Atomic(0)
        let stage = AudioStage(slots: 1)
        let link = BranchLink(wakeBranch: { woken.add(1, ordering: .relaxed) }, wakeStage: {})
        stage.add(link)
        let now = Instant(nanoseconds: 0)
        stage.assign(slot: 0, to: alice, muted: false, at: now) { _, _, _ in }
        [UInt8](repeating: 5, count: 30).withUnsafeBytes {
            stage.forward(packet(1, at: now), from: alice, payload: $0) { _, _, _ in }
        }
        #expect(woken.load(ordering: .relaxed) == 1 && stage.lastCuts.areInForce)
        stage.assign(slot: 0, to: alice, muted: true, at: now) { _, _, _ in }
        let cuts = stage.lastCuts
        #expect(!cuts.areInForce && woken.load(ordering: .relaxed) == 5, "three frames of silence, and the cut itself")
        let asked = link.cutsAsked
        var heard = 0
        while link.takeHeard({ _, _ in heard += 1 }) {}
        #expect(heard == 4 && asked == 1 && !cuts.areInForce)
        link.confirmCuts(asked)
        #expect(cuts.areInForce)
    }

    @Test("Who is too slow loses what does not fit, in either direction, and it is counted")
    func full() {
        let link = BranchLink(wakeBranch: {}, wakeStage: {})
        let payload = [UInt8](repeating: 1, count: 1_000)
        let now = Instant(nanoseconds: 0)
        payload.withUnsafeBytes {
            for number in 0..<600 as Range<UInt64> { link.speak(packet(number, at: now), of: alice, $0) }
        }
        var taken: [UInt64] = []
        while link.takeSpoken({ spoken, _ in taken.append(spoken.packet.sequence) }) {}
        #expect(!taken.isEmpty && taken == Array(0..<UInt64(taken.count)) && link.dropped == 600 - UInt64(taken.count))
        #expect(!link.hasSpoken && !link.hasHeard)
    }
}
