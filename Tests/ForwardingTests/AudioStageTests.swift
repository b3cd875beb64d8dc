internal import RTP
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// A microphone that sends 20 ms frames; each payload names its owner.
private struct Microphone {
    let member: MemberID
    let ssrc: UInt32
    var sequence: UInt64
    var timestamp: UInt32

    init(_ member: UInt64, sequence: UInt64 = 1000, timestamp: UInt32 = 0) {
        self.member = MemberID(rawValue: member)
        ssrc = UInt32(member) + 7000
        self.sequence = sequence
        self.timestamp = timestamp
    }

    mutating func speak(
        on stage: AudioStage, at now: Instant, level: UInt8? = 20, marker: Bool = false
    ) -> [Delivery] {
        defer {
            sequence += 1
            timestamp &+= 960
        }
        return send(on: stage, sequence: sequence, timestamp: timestamp, at: now, level: level, marker: marker)
    }

    func send(
        on stage: AudioStage, sequence: UInt64, timestamp: UInt32, at now: Instant, level: UInt8? = 20,
        marker: Bool = false
    ) -> [Delivery] {
        let payload = [UInt8(truncatingIfNeeded: member.rawValue), UInt8(truncatingIfNeeded: sequence), 1, 2]
        var deliveries: [Delivery] = []
        payload.withUnsafeBytes {
            stage.forward(
                from: member, .opus(ssrc: ssrc, sequence: sequence, timestamp: timestamp, marker: marker),
                extendedSequence: sequence, level: level.map { AudioLevel(attenuation: $0, isVoice: true) },
                payload: $0, at: now
            ) { deliveries.append(Delivery($0, $1, $2)) }
        }
        return deliveries
    }
}

extension AudioStage {
    fileprivate func assign(_ slot: Int, _ member: MemberID?, muted: Bool = false, at now: Instant) -> [Delivery] {
        var deliveries: [Delivery] = []
        assign(slot: slot, to: member, muted: muted, at: now) { deliveries.append(Delivery($0, $1, $2)) }
        return deliveries
    }

    /// Lets a newcomer listen.
    fileprivate func greet(_ member: MemberID, at now: Instant) -> [Delivery] {
        var deliveries: [Delivery] = []
        fanout.setListener(member, handle: 91, lines: (0..<4).map { .line($0, of: member) })
        fanout.greet(member, at: now) { deliveries.append(Delivery($0, $1, $2)) }
        return deliveries
    }

    fileprivate func nack(
        _ member: MemberID, _ ssrc: SSRC, _ sequence: UInt64, following: UInt16 = 0, roundTrip: Interval? = nil,
        at now: Instant
    ) -> [Delivery] {
        var deliveries: [Delivery] = []
        fanout.repeat(
            for: member, ssrc, sequence: SequenceNumber16(UInt16(truncatingIfNeeded: sequence)), following: following,
            roundTrip: roundTrip, at: now
        ) { deliveries.append(Delivery($0, $1, $2)) }
        return deliveries
    }
}

@Suite struct AudioStageTests {
    private let start = Instant(nanoseconds: 50_000_000_000)
    private let listener = MemberID(rawValue: 9)
    private let frame = Interval.milliseconds(20)

    private func stage(slots: Int = 4) -> AudioStage {
        let stage = AudioStage(slots: slots)
        stage.fanout.setListener(listener, handle: 90, lines: (0..<slots).map { .line($0, of: listener) })
        return stage
    }

    @Test("Only who is assigned to a slot is heard, on that slot's stream")
    func assignment() {
        let stage = stage()
        var alice = Microphone(1)
        var bob = Microphone(2)
        #expect(stage.assign(2, alice.member, at: start).isEmpty)
        let heard = alice.speak(on: stage, at: start)
        #expect(heard.map(\.handle) == [90])
        #expect(heard.first?.header.ssrc == ListenerLine.line(2, of: listener).ssrc)
        #expect(heard.first?.header.stream == 2)
        #expect(heard.first?.payload.first == 1)
        #expect(bob.speak(on: stage, at: start).isEmpty)
        #expect(stage.stats.refused == 1)
        // A member is on one slot: the new place takes it off the old one.
        _ = stage.assign(0, alice.member, at: start)
        #expect(alice.speak(on: stage, at: start).map(\.header.ssrc) == [ListenerLine.line(0, of: listener).ssrc])
        #expect(stage.slot(of: alice.member) == 0)
    }

    @Test("Nobody hears themselves, and all others do")
    func notOneself() {
        let stage = stage()
        var alice = Microphone(1)
        stage.fanout.setListener(alice.member, handle: 10, lines: (0..<4).map { .line($0, of: alice.member) })
        _ = stage.assign(1, alice.member, at: start)
        #expect(alice.speak(on: stage, at: start).map(\.handle) == [90])
        // The silence at the end is not for the speaker either.
        #expect(stage.assign(1, nil, at: start).allSatisfy { $0.handle == 90 })
    }

    @Test("who sends nothing while silent (DTX) loses nothing: numbers go on, times leap, and the level falls")
    func silenceWithoutPackets() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        var heard: [Delivery] = []
        for number in 0..<5 { heard += alice.speak(on: stage, at: start + frame * Int64(number)) }
        #expect(stage.levels(at: start + frame * 5)?[alice.member] ?? 0 > 0)
        // One packet of comfort noise in 400 ms, then speech again.
        for number in [24, 44, 64] {
            alice.timestamp = UInt32(number * 960)
            heard += alice.speak(on: stage, at: start + frame * Int64(number), level: 127, marker: number == 64)
        }
        #expect(heard.map(\.header.sequence) == (0..<8).map { heard[0].header.sequence + $0 })
        #expect(
            heard.map { $0.header.timestamp - heard[0].header.timestamp }
                == [0, 1, 2, 3, 4, 24, 44, 64].map { $0 * 960 })
        #expect(heard.map(\.header.marker) == [true, false, false, false, false, false, false, true])
        #expect(stage.levels(at: start + frame * 65) == [:])
        #expect(stage.stats.stale == 0)
    }

    @Test("V06-S a mute ends in three frames of silence with continuous numbers, and nothing follows")
    func mute() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        let last = try #require(alice.speak(on: stage, at: start).first)
        let silence = stage.assign(0, alice.member, muted: true, at: start + frame)
        #expect(silence.map(\.payload) == [[0xf8, 0xff, 0xfe], [0xf8, 0xff, 0xfe], [0xf8, 0xff, 0xfe]])
        #expect(silence.map(\.header.sequence) == (1...3).map { last.header.sequence + $0 })
        #expect(silence.map(\.header.timestamp) == (1...3).map { last.header.timestamp + 960 * $0 })
        #expect(silence.allSatisfy { !$0.header.marker })
        #expect(alice.speak(on: stage, at: start + frame).isEmpty)
        #expect(stage.assign(0, alice.member, muted: true, at: start).isEmpty)

        _ = stage.assign(0, alice.member, muted: false, at: start + frame * 5)
        let again = try #require(alice.speak(on: stage, at: start + frame * 100).first)
        #expect(again.header.sequence == last.header.sequence + 4)
        #expect(again.header.timestamp == last.header.timestamp + 960 * 100)
        #expect(again.header.marker && again.header.startsSource)
    }

    @Test("V06-S a mute set on an empty slot holds for the next one who sits there")
    func muteBeforeSpeaker() {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(3, nil, muted: true, at: start)
        _ = stage.assign(3, alice.member, muted: true, at: start)
        #expect(alice.speak(on: stage, at: start).isEmpty)
    }

    @Test("Another speaker on the slot goes on where the last one ended")
    func speakerChange() throws {
        let stage = stage()
        var alice = Microphone(1, sequence: 65_530, timestamp: 0xffff_ff00)
        var bob = Microphone(2, sequence: 3, timestamp: 1_000_000)
        _ = stage.assign(0, alice.member, at: start)
        var all: [Delivery] = []
        for step in 0..<10 { all += alice.speak(on: stage, at: start + frame * Int64(step)) }
        all += stage.assign(0, bob.member, at: start + frame * 10)
        for step in 20..<30 { all += bob.speak(on: stage, at: start + frame * Int64(step)) }
        #expect(all.count == 23)
        let first = all[0].header
        #expect(all.map(\.header.sequence) == (0..<23).map { first.sequence + $0 })
        #expect(all.indices.filter { all[$0].header.marker } == [0, 13])
        #expect(all.indices.filter { all[$0].header.startsSource } == [0, 13])
        #expect(all[13].header.timestamp &- first.timestamp == 960 * 20)
        #expect(all[22].header.timestamp &- first.timestamp == 960 * 29)
    }

    @Test("Somebody who mutes and unmutes fast does not run ahead of time by more than 140 ms")
    func fastMutes() throws {
        let stage = stage()
        var alice = Microphone(1)
        var first: OutgoingPacket?
        for step in 0..<200 {
            let now = start + frame * Int64(step)
            _ = stage.assign(0, alice.member, at: now)
            let heard = try #require(alice.speak(on: stage, at: now).first).header
            first = first ?? heard
            let passed = try #require(first.map { heard.timestamp &- $0.timestamp })
            let ahead = Int64(passed) - Int64(step) * 960
            #expect((0...48 * 140).contains(ahead), "step \(step)")
            _ = stage.assign(0, alice.member, muted: true, at: now)
        }
    }

    @Test("Silence of the sender (DTX) is no loss: numbers stay dense, timestamps jump, the marker passes through")
    func discontinuousTransmission() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        let before = try #require(alice.speak(on: stage, at: start).first).header
        alice.timestamp += 960 * 19
        let after = try #require(alice.speak(on: stage, at: start + frame * 20, marker: true).first).header
        #expect(after.sequence == before.sequence + 1)
        #expect(after.timestamp == before.timestamp + 960 * 20)
        #expect(after.marker && !after.startsSource)
        let next = try #require(alice.speak(on: stage, at: start + frame * 21).first).header
        #expect(!next.marker)
    }

    @Test("A packet lost on the way in leaves a gap that a late arrival fills")
    func upstreamLoss() {
        let stage = stage()
        let alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        let order: [UInt64] = [0, 1, 4, 2, 5]
        let heard = order.flatMap { n in
            alice.send(on: stage, sequence: 500 + n, timestamp: 960 * UInt32(n), at: start)
        }
        let first = heard[0].header
        #expect(heard.map { $0.header.sequence - first.sequence } == order)
        #expect(heard.map { UInt64($0.header.timestamp - first.timestamp) } == order.map { $0 * 960 })
    }

    @Test("Nobody's stream begins with a packet that is late")
    func lateForNewcomer() {
        let stage = stage()
        let alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        for n: UInt64 in [0, 1, 3] {
            _ = alice.send(on: stage, sequence: 500 + n, timestamp: 960 * UInt32(n), at: start)
        }
        let late = MemberID(rawValue: 10)
        stage.fanout.setListener(late, handle: 91, lines: [.line(0, of: late)])
        #expect(alice.send(on: stage, sequence: 502, timestamp: 1920, at: start).map(\.handle) == [90])
        #expect(alice.send(on: stage, sequence: 504, timestamp: 3840, at: start).map(\.handle) == [90, 91])
    }

    @Test("What belongs before a cut or is far too late is not sent after it")
    func staleAfterCut() {
        let stage = stage()
        let alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        #expect(alice.send(on: stage, sequence: 500, timestamp: 0, at: start).count == 1)
        _ = stage.assign(0, alice.member, muted: true, at: start)
        _ = stage.assign(0, alice.member, muted: false, at: start)
        #expect(alice.send(on: stage, sequence: 510, timestamp: 9600, at: start).count == 1)
        #expect(alice.send(on: stage, sequence: 509, timestamp: 8640, at: start).isEmpty)
        #expect(alice.send(on: stage, sequence: 900, timestamp: 384_000, at: start).count == 1)
        #expect(alice.send(on: stage, sequence: 511, timestamp: 10_560, at: start).isEmpty)
        #expect(stage.stats.stale == 2)
    }

    @Test("A sender that jumps by thousands is taken as one that started anew")
    func restart() throws {
        let stage = stage()
        let alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        let before = try #require(alice.send(on: stage, sequence: 500, timestamp: 0, at: start).first).header
        let after = try #require(
            alice.send(on: stage, sequence: 20_000, timestamp: 77, at: start + frame).first
        ).header
        #expect(after.sequence == before.sequence + 1)
        #expect(after.timestamp == before.timestamp + 960)
        #expect(after.marker)
    }

    @Test("A second stream of the same sender is not mixed in; it takes over once the first one is silent")
    func secondStream() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        _ = alice.speak(on: stage, at: start)
        let header = RTPHeader.opus(ssrc: 1, sequence: 3, timestamp: 5)
        func other(at now: Instant) -> [Delivery] {
            var deliveries: [Delivery] = []
            [UInt8](repeating: 5, count: 9).withUnsafeBytes {
                stage.forward(from: alice.member, header, extendedSequence: 3, level: nil, payload: $0, at: now) {
                    deliveries.append(Delivery($0, $1, $2))
                }
            }
            return deliveries
        }
        #expect(other(at: start + frame).isEmpty)
        #expect(other(at: start + .milliseconds(600)).map(\.header.marker) == [true])
    }

    @Test("A listener who comes later starts with a marker and its own numbers; leaving changes nothing for the others")
    func joinAndLeave() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        _ = alice.speak(on: stage, at: start)
        let late = MemberID(rawValue: 10)
        stage.fanout.setListener(
            late, handle: 91, lines: [.line(0, of: late, firstSequence: 0xffff, firstTimestamp: 0xffff_fff0)])
        let heard = alice.speak(on: stage, at: start + frame)
        #expect(heard.map(\.handle) == [90, 91])
        #expect(heard[1].header.marker && heard[1].header.startsSource && !heard[0].header.marker)
        #expect(heard[1].header.sequence == 0x7fff)
        stage.fanout.removeListener(listener)
        let after = alice.speak(on: stage, at: start + frame * 2)
        #expect(after.map(\.handle) == [91])
        #expect(after[0].header.sequence == 0x8000)
        #expect(stage.fanout.listenerCount == 1)
    }

    @Test("a newcomer begins with the newest two packets, and goes on from there; they are repeated as they were")
    func greeting() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        for n in 0..<5 { _ = alice.speak(on: stage, at: start + frame * Int64(n)) }
        let late = MemberID(rawValue: 10)
        let now = start + frame * 5
        let greeting = stage.greet(late, at: now)
        #expect(greeting.map(\.handle) == [91, 91])
        #expect(greeting.map(\.payload[1]) == [UInt8(truncatingIfNeeded: 1003), UInt8(truncatingIfNeeded: 1004)])
        #expect(greeting.map(\.header.startsSource) == [true, false])
        let next = try #require(alice.speak(on: stage, at: now).last)
        let first = try #require(greeting.first)
        #expect(next.header.sequence == first.header.sequence + 2)
        #expect(next.header.timestamp == first.header.timestamp &+ 2 * 960)
        let again = stage.nack(late, first.header.ssrc, first.header.sequence, following: 1, at: now)
        #expect(again == greeting)
        // Once.
        var more: [Delivery] = []
        stage.fanout.greet(late, at: now) { more.append(Delivery($0, $1, $2)) }
        #expect(more.isEmpty)
    }

    @Test("V06-S a newcomer gets nothing from before a cut, nothing old, and nothing of another speaker")
    func noGreeting() {
        let stage = stage()
        var alice = Microphone(1)
        var bob = Microphone(2)
        _ = stage.assign(0, alice.member, at: start)
        for n in 0..<5 { _ = alice.speak(on: stage, at: start + frame * Int64(n)) }
        let now = start + frame * 5
        #expect(stage.greet(MemberID(rawValue: 20), at: now + .seconds(1)).isEmpty)
        _ = stage.assign(0, alice.member, muted: true, at: now)
        #expect(stage.greet(MemberID(rawValue: 21), at: now).isEmpty)
        _ = stage.assign(0, alice.member, at: now)
        #expect(stage.greet(MemberID(rawValue: 22), at: now).isEmpty)
        _ = alice.speak(on: stage, at: now)
        #expect(stage.greet(MemberID(rawValue: 23), at: now).isEmpty)
        _ = alice.speak(on: stage, at: now + frame)
        #expect(stage.greet(MemberID(rawValue: 24), at: now + frame).count == 2)
        _ = stage.assign(0, bob.member, at: now + frame)
        _ = bob.speak(on: stage, at: now + frame)
        #expect(stage.greet(MemberID(rawValue: 25), at: now + frame).isEmpty)
        // Who has a seat waits for nothing.
        _ = bob.speak(on: stage, at: now + frame * 2)
        #expect(stage.greet(alice.member, at: now + frame * 2).count == 2)
        _ = stage.assign(1, MemberID(rawValue: 26), at: now + frame * 2)
        #expect(stage.greet(MemberID(rawValue: 26), at: now + frame * 2).isEmpty)
    }

    @Test("A renegotiation adds lines and keeps the running ones as they are")
    func addedLines() throws {
        let stage = AudioStage(slots: 2)
        var alice = Microphone(1)
        stage.fanout.setListener(listener, handle: 90, lines: [.line(0, of: listener)])
        _ = stage.assign(0, alice.member, at: start)
        let before = try #require(alice.speak(on: stage, at: start).first).header
        stage.fanout.setListener(
            listener, handle: 90, lines: [.line(0, of: listener, firstSequence: 7), .line(1, of: listener)])
        let after = alice.speak(on: stage, at: start + frame)
        #expect(after.map(\.header.sequence) == [before.sequence + 1])
        _ = stage.assign(1, alice.member, at: start + frame)
        #expect(alice.speak(on: stage, at: start + frame * 2).map(\.header.ssrc.rawValue) == [901])
    }

    @Test("A line that turns inactive is silent; when it comes back it goes on with its numbers")
    func inactiveLine() throws {
        let stage = AudioStage(slots: 2)
        var alice = Microphone(1)
        let lines = [ListenerLine.line(0, of: listener), .line(1, of: listener)]
        stage.fanout.setListener(listener, handle: 90, lines: lines)
        _ = stage.assign(0, alice.member, at: start)
        let before = try #require(alice.speak(on: stage, at: start).first).header
        stage.fanout.setListener(listener, handle: 90, lines: [lines[1]])
        #expect(alice.speak(on: stage, at: start + frame).isEmpty)
        #expect(stage.nack(listener, before.ssrc, before.sequence, at: start + frame).isEmpty)
        #expect(stage.assign(0, alice.member, muted: true, at: start + frame).isEmpty)
        _ = stage.assign(0, alice.member, at: start + frame)
        stage.fanout.setListener(listener, handle: 90, lines: lines)
        let after = try #require(alice.speak(on: stage, at: start + frame * 2).first).header
        #expect(after.sequence == before.sequence + 1 && after.marker)
    }

    @Test("V06-S the silence that ends a voice is repeated to whoever lost it")
    func silenceAgain() throws {
        let stage = stage(slots: 1)
        let line = ListenerLine.line(0, of: listener)
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        _ = alice.speak(on: stage, at: start)
        let silence = stage.assign(0, alice.member, muted: true, at: start + frame)
        let first = try #require(silence.first)
        let again = stage.nack(listener, line.ssrc, first.header.sequence, at: start + frame)
        #expect(again == [first])
    }

    @Test("Repeats are limited: not again at once, not for ever, not for streams of others")
    func repeatLimits() throws {
        let stage = stage()
        var alice = Microphone(1)
        _ = stage.assign(0, alice.member, at: start)
        let sent = try #require(alice.speak(on: stage, at: start).first)
        let ssrc = sent.header.ssrc
        var now = start + frame
        #expect(stage.nack(listener, ssrc, sent.header.sequence, at: now) == [sent])
        #expect(stage.nack(listener, ssrc, sent.header.sequence, at: now).isEmpty)
        for _ in 0..<2 {
            now = now + RepeatLimiter.spacing.upperBound
            #expect(stage.nack(listener, ssrc, sent.header.sequence, at: now).count == 1)
        }
        now = now + RepeatLimiter.spacing.upperBound
        #expect(stage.nack(listener, ssrc, sent.header.sequence, at: now).isEmpty)
        #expect(stage.nack(MemberID(rawValue: 77), ssrc, sent.header.sequence, at: now).isEmpty)
        #expect(stage.nack(listener, SSRC(12345), sent.header.sequence, at: now).isEmpty)
        #expect(stage.nack(listener, ssrc, sent.header.sequence + 1, at: now).isEmpty)
        #expect(stage.nack(listener, ssrc, sent.header.sequence - 1, at: now).isEmpty)
        #expect(stage.stats.repeated == 3 && stage.stats.notRepeated == 6)

        // A listener that is near need not wait for as long; one far away is not believed to be for ever away.
        for (roundTrip, wait) in [(Interval.milliseconds(1), 20), (.milliseconds(35), 35), (.seconds(9), 80)] {
            now = now + .seconds(1)
            let fresh = try #require(alice.speak(on: stage, at: now).first).header.sequence
            #expect(stage.nack(listener, ssrc, fresh, roundTrip: roundTrip, at: now).count == 1)
            now = now + .milliseconds(Int64(wait) - 1)
            #expect(stage.nack(listener, ssrc, fresh, roundTrip: roundTrip, at: now).isEmpty)
            now = now + .milliseconds(1)
            #expect(stage.nack(listener, ssrc, fresh, roundTrip: roundTrip, at: now).count == 1)
        }

        now = now + .seconds(1)
        var all: [Delivery] = []
        for _ in 0..<100 { all += alice.speak(on: stage, at: now) }
        let asked = stride(from: 0, to: 100, by: 17).flatMap { n in
            stage.nack(listener, ssrc, all[n].header.sequence, following: .max, at: now)
        }
        #expect(asked.count == RepeatLimiter.budget)
    }
}
