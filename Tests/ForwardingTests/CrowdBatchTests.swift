internal import RTP
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// Packets of several speakers that go to the audience together.
@Suite struct CrowdBatchTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let speakers = (1...4).map { MemberID(rawValue: $0) }
    private let audience = (11...14).map { MemberID(rawValue: $0) }

    /// Four who speak and four who listen, of whom four are a crowd.
    private func room(hasMix: Bool = false) -> AudioStage {
        let stage = AudioStage(slots: 4, hasMix: hasMix, crowd: 4)
        for (slot, member) in speakers.enumerated() {
            stage.assign(slot: slot, to: member, muted: false, at: start) { _, _, _ in }
        }
        for member in speakers + audience {
            stage.fanout.setListener(
                member, handle: Int(member.rawValue), lines: (0..<stage.slotCount).map { .line($0, of: member) })
        }
        return stage
    }

    private func speak(_ slot: Int, _ number: UInt64, length: Int, on stage: AudioStage, at now: Instant) -> [Delivery]
    {
        var deliveries: [Delivery] = []
        let source = SourcePacket(
            ssrc: SSRC(UInt32(slot) + 100), sequence: number, timestamp: UInt32(number) &* 960, marker: false,
            arrival: now)
        [UInt8](repeating: UInt8(slot + 1), count: length).withUnsafeBytes {
            stage.forward(source, from: speakers[slot], payload: $0) { deliveries.append(Delivery($0, $1, $2)) }
        }
        return deliveries
    }

    private func waiting(_ stage: AudioStage) -> [Delivery] {
        var deliveries: [Delivery] = []
        stage.fanout.deliverWaiting { deliveries.append(Delivery($0, $1, $2)) }
        return deliveries
    }

    /// Everybody has spoken for so long that it is known how often packets come.
    private func warmedUp(_ stage: AudioStage) -> (next: UInt64, now: Instant) {
        var now = start
        for number in 0..<UInt64(20) {
            for slot in speakers.indices {
                now = now + .milliseconds(5)
                if stage.fanout.due <= now { _ = waiting(stage) }
                _ = speak(slot, number, length: 100, on: stage, at: now)
            }
        }
        _ = waiting(stage)
        return (20, now)
    }

    @Test("who sits hears at once; the audience gets what several say together, longest first, within 8 ms")
    func together() {
        let stage = room()
        let (number, begin) = warmedUp(stage)
        let now = begin + .milliseconds(5)
        var atOnce: [Delivery] = []
        for (slot, length) in [(0, 90), (1, 120), (2, 110)] {
            atOnce += speak(slot, number, length: length, on: stage, at: now + .milliseconds(Int64(slot)))
        }
        #expect(Set(atOnce.map(\.handle)) == [1, 2, 3, 4])
        #expect(atOnce.count == 9)
        #expect(stage.fanout.due == now + .milliseconds(8))
        let together = waiting(stage)
        #expect(together.map(\.handle) == audience.flatMap { [Int](repeating: Int($0.rawValue), count: 3) })
        #expect(stage.fanout.due == .distantFuture)
        for listener in audience {
            let its = together.filter { $0.handle == Int(listener.rawValue) }
            // One message: all of one length but the last, which is the shortest.
            #expect(its.map(\.payload.count) == [120, 120, 90])
            #expect(its.map(\.header.padding) == [0, 10, 0])
            #expect(its[1].payload.last == 10 && its[1].payload[..<110].allSatisfy { $0 == 3 })
        }
        #expect(atOnce.allSatisfy { $0.header.padding == 0 })
    }

    @Test("packets of one speaker alone do not wait, nor do those for few listeners, nor where people sing")
    func noWait() {
        let alone = room()
        for number in 0..<UInt64(50) {
            let now = start + .milliseconds(Int64(number) * 20)
            #expect(speak(0, number, length: 100, on: alone, at: now).count == 7)
        }
        #expect(alone.fanout.due == .distantFuture)

        let few = room()
        _ = warmedUp(few)
        few.fanout.removeListener(audience[0])
        for member in speakers { few.fanout.removeListener(member) }
        #expect(speak(0, 30, length: 100, on: few, at: start + .seconds(1)).count == 3)

        let song = room(hasMix: true)
        var now = start
        for number in 0..<UInt64(50) {
            for slot in speakers.indices {
                now = now + .milliseconds(5)
                // Singers hear each other; the audience hears the mix alone.
                #expect(speak(slot, number, length: 100, on: song, at: now).count == 3)
            }
        }
        #expect(song.fanout.due == .distantFuture)
    }

    @Test("who is muted is not heard after the answer: what waited goes out before")
    func mute() {
        let stage = room()
        let (number, begin) = warmedUp(stage)
        _ = speak(0, number, length: 100, on: stage, at: begin + .milliseconds(5))
        var deliveries: [Delivery] = []
        stage.assign(slot: 0, to: speakers[0], muted: true, at: begin + .milliseconds(6)) {
            deliveries.append(Delivery($0, $1, $2))
        }
        #expect(deliveries.prefix(4).map(\.handle) == [11, 12, 13, 14])
        #expect(deliveries.prefix(4).allSatisfy { !$0.isSilence })
        #expect(deliveries.dropFirst(4).allSatisfy { $0.isSilence })
        #expect(waiting(stage).isEmpty)
    }

    @Test("two packets of one speaker never wait together, and keep their order")
    func oneOfEach() {
        let stage = room()
        let (number, begin) = warmedUp(stage)
        _ = speak(0, number, length: 100, on: stage, at: begin + .milliseconds(5))
        let second = speak(0, number + 1, length: 80, on: stage, at: begin + .milliseconds(6))
        // The first leaves with the second's arrival, which then waits itself.
        #expect(second.filter { $0.handle > 10 }.map(\.payload.count) == [100, 100, 100, 100])
        #expect(waiting(stage).map(\.payload.count) == [80, 80, 80, 80])
    }

    @Test("a listener who sits down is not given again what the audience got under the same number with padding")
    func repeats() {
        let stage = room()
        let (number, begin) = warmedUp(stage)
        for (slot, length) in [(0, 100), (1, 90), (2, 80)] {
            _ = speak(slot, number, length: length, on: stage, at: begin + .milliseconds(5))
        }
        let sent = waiting(stage)
        func again(_ handle: Int) -> [Delivery] {
            let padded = sent.first { $0.handle == handle && $0.header.padding > 0 }!
            var deliveries: [Delivery] = []
            stage.fanout.repeat(
                for: MemberID(rawValue: UInt64(handle)), padded.header.ssrc,
                sequence: SequenceNumber16(UInt16(truncatingIfNeeded: padded.header.sequence)), following: 0,
                roundTrip: nil, at: begin + .milliseconds(20)
            ) { deliveries.append(Delivery($0, $1, $2)) }
            return deliveries
        }
        #expect(again(11) == [sent.first { $0.handle == 11 && $0.header.padding > 0 }!])
        stage.assign(slot: 3, to: audience[1], muted: false, at: begin + .milliseconds(10)) { _, _, _ in }
        #expect(again(12).isEmpty)
    }

    @Test("where a whole crowd misses packets at once, repeats are limited to one for four packets")
    func massLoss() {
        let stage = AudioStage(slots: 1, crowd: 100)
        let listeners = (11...210).map { MemberID(rawValue: $0) }
        stage.assign(slot: 0, to: speakers[0], muted: false, at: start) { _, _, _ in }
        for member in listeners {
            stage.fanout.setListener(member, handle: Int(member.rawValue), lines: [.line(0, of: member)])
        }
        var (sent, again) = (0, 0)
        for number in 0..<UInt64(200) {
            let now = start + .milliseconds(Int64(number) * 20)
            let heard = speak(0, number, length: 100, on: stage, at: now)
            sent += heard.count
            for delivery in heard {
                stage.fanout.repeat(
                    for: MemberID(rawValue: UInt64(delivery.handle)), delivery.header.ssrc,
                    sequence: SequenceNumber16(UInt16(truncatingIfNeeded: delivery.header.sequence)), following: 0,
                    roundTrip: nil, at: now + .milliseconds(5)
                ) { _, _, _ in again += 1 }
            }
        }
        #expect(sent == 200 * 200)
        #expect((sent / 4...sent / 4 + 1_000).contains(again), "\(again)")
        #expect(stage.stats.notRepeated == UInt64(sent - again))
    }
}
