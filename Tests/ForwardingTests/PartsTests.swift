internal import RTP
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

@Suite struct PacketHistoryTests {
    private func packet(_ sequence: UInt64) -> SlotPacket {
        SlotPacket(sequence: sequence, timestamp: UInt32(sequence) * 960, marker: false)
    }

    @Test("Packets are found until their place or their bytes are needed again", arguments: [3, 100, 777, 1500])
    func forgets(size: Int) {
        let history = PacketHistory()
        #expect(history.find(0) == nil)
        let count = 600
        for n in 0..<count {
            let payload = [UInt8](repeating: UInt8(n % 251), count: size)
            payload.withUnsafeBytes { history.store(packet(UInt64(n)), payload: $0) }
        }
        let kept = min(PacketHistory.indexCount, PacketHistory.byteCount / size)
        // What is skipped at the end of the ring may cost one packet.
        for n in (count - kept + 1)..<count {
            let entry = history.find(UInt64(n))
            #expect(entry?.packet == packet(UInt64(n)))
            #expect(entry.map { Array($0.payload) } == [UInt8](repeating: UInt8(n % 251), count: size))
        }
        #expect(history.find(UInt64(count - kept - 1)) == nil)
        #expect(history.find(UInt64(count)) == nil)
    }

    @Test("A payload too large to keep is not stored")
    func tooLarge() {
        let history = PacketHistory()
        [UInt8](repeating: 1, count: PacketHistory.maximumPayload + 1).withUnsafeBytes {
            history.store(packet(1), payload: $0)
        }
        #expect(history.find(1) == nil)
    }
}

@Suite struct LevelMeterTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let frame = Interval.milliseconds(20)

    private func heard(_ attenuation: UInt8?, frames: Int) -> (PacketLevelMeter, Instant) {
        var meter = PacketLevelMeter()
        var now = start
        for _ in 0..<frames {
            meter.heard(attenuation.map { AudioLevel(attenuation: $0, isVoice: true) }, at: now)
            now = now + frame
        }
        return (meter, now)
    }

    @Test("Loudness for people: 0 at −60 dB and below, 100 at −10 dB and above")
    func scale() {
        #expect(PacketLevelMeter.loudness(127) == 0)
        #expect(PacketLevelMeter.loudness(60) == 0)
        #expect(PacketLevelMeter.loudness(35) == 50)
        #expect(PacketLevelMeter.loudness(10) == 100)
        #expect(PacketLevelMeter.loudness(0) == 100)
    }

    @Test("A voice rises within a few packets, and falls to nothing within half a second of the last one")
    func riseAndFall() {
        let (meter, now) = heard(20, frames: 5)
        #expect((70...80).contains(meter.loudness(at: now)))
        let half = meter.loudness(at: now + .milliseconds(200))
        #expect((20...60).contains(half))
        #expect(meter.loudness(at: now + .milliseconds(500)) == 0)
    }

    @Test("A packet that does not say how loud it is counts as silence")
    func missing() {
        let (meter, now) = heard(nil, frames: 50)
        #expect(meter.loudness(at: now) == 0)
    }

    @Test("One loud packet does not light the full ring, and the noise of a room lights none")
    func clicksAndNoise() {
        let (click, _) = heard(5, frames: 1)
        #expect(click.loudness(at: start) == 50)
        let (noise, now) = heard(59, frames: 50)
        #expect(noise.loudness(at: now) == 0)
    }
}

@Suite struct LevelsTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func speak(_ stage: AudioStage, _ member: MemberID, _ sequence: UInt64, level: UInt8, at now: Instant) {
        [UInt8](repeating: 1, count: 20).withUnsafeBytes {
            stage.forward(
                from: member, .opus(ssrc: 5, sequence: sequence, timestamp: UInt32(sequence) * 960),
                extendedSequence: sequence, level: AudioLevel(attenuation: level, isVoice: true), payload: $0, at: now,
                send: { _, _, _ in })
        }
    }

    @Test("Levels come at most every 100 ms while somebody is heard, and once with nobody at silence")
    func period() {
        let stage = AudioStage(slots: 2)
        let alice = MemberID(rawValue: 1)
        #expect(stage.nextLevels == nil)
        stage.assign(slot: 0, to: alice, muted: false, at: start, send: { _, _, _ in })
        var told: [(at: Int64, levels: [MemberID: UInt8])] = []
        for step in 0..<150 {
            let now = start + .milliseconds(Int64(step) * 10)
            if step < 50, step % 2 == 0 { speak(stage, alice, UInt64(step / 2 + 10), level: 20, at: now) }
            if let levels = stage.levels(at: now) { told.append((Int64(step) * 10, levels)) }
        }
        #expect(told.count > 5)
        for (earlier, later) in zip(told, told.dropFirst()) { #expect(later.at - earlier.at >= 100) }
        #expect(told.dropLast().allSatisfy { $0.levels[alice, default: 0] > 0 })
        #expect(told.last?.levels == [:])
    }

    @Test("Somebody on a muted slot is not shown as speaking, from the cut on")
    func muted() {
        let stage = AudioStage(slots: 1)
        let alice = MemberID(rawValue: 1)
        stage.assign(slot: 0, to: alice, muted: false, at: start, send: { _, _, _ in })
        for n in 0..<10 { speak(stage, alice, UInt64(n), level: 10, at: start) }
        #expect(stage.levels(at: start)?[alice] ?? 0 > 50)
        stage.assign(slot: 0, to: alice, muted: true, at: start, send: { _, _, _ in })
        for n in 10..<20 { speak(stage, alice, UInt64(n), level: 10, at: start) }
        #expect(stage.levels(at: start + .milliseconds(100)) == [:])
        #expect(stage.levels(at: start + .milliseconds(200)) == nil)
    }

    @Test("A stage whose speakers are all silent is still looked at, but not more often than every 100 ms")
    func nextLevels() throws {
        let stage = AudioStage(slots: 1)
        let alice = MemberID(rawValue: 1)
        stage.assign(slot: 0, to: alice, muted: false, at: start, send: { _, _, _ in })
        speak(stage, alice, 1, level: 127, at: start)
        #expect(stage.levels(at: start) == nil)
        #expect(try #require(stage.nextLevels) == start + AudioStage.levelPeriod)
    }
}
