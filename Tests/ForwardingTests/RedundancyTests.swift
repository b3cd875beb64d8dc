internal import RTP
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// Packets with copies of earlier ones (RFC 2198) through a stage with two listeners: one takes copies, the other does not.
@Suite struct RedundancyTests {
    private let start = Instant(nanoseconds: 50_000_000_000)
    private let singer = MemberID(rawValue: 1)
    private let types = RedundancyTypes(packet: PayloadType(63), content: PayloadType(111))

    private func stage() -> AudioStage {
        let stage = AudioStage(slots: 1)
        var line = ListenerLine.line(0, of: MemberID(rawValue: 2))
        line.redundancy = types
        stage.fanout.setListener(MemberID(rawValue: 2), handle: 20, lines: [line])
        stage.fanout.setListener(
            MemberID(rawValue: 3), handle: 30, lines: [.line(0, of: MemberID(rawValue: 3))])
        stage.assign(slot: 0, to: singer, muted: false, at: start) { _, _, _ in }
        return stage
    }

    private func payload(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), 0xaa, UInt8(truncatingIfNeeded: number)]
    }

    private func forward(
        _ number: Int, _ redundancy: Redundancy, on stage: AudioStage, payload: [UInt8]? = nil, marker: Bool = false
    ) -> [Delivery] {
        var packet = SourcePacket(
            ssrc: SSRC(7), sequence: UInt64(1_000 + number), timestamp: UInt32(number * 240), marker: marker,
            arrival: start + .milliseconds(Int64(5 * number)))
        packet.redundancy = redundancy
        var deliveries: [Delivery] = []
        (payload ?? self.payload(number)).withUnsafeBytes {
            stage.forward(packet, from: singer, payload: $0) { deliveries.append(Delivery($0, $1, $2)) }
        }
        return deliveries
    }

    private func `repeat`(_ sequence: UInt64, on stage: AudioStage) -> [Delivery] {
        var deliveries: [Delivery] = []
        stage.fanout.repeat(
            for: MemberID(rawValue: 2), ListenerLine.line(0, of: MemberID(rawValue: 2)).ssrc,
            sequence: SequenceNumber16(UInt16(truncatingIfNeeded: sequence)), following: 0, roundTrip: nil,
            at: start + .seconds(1)
        ) { deliveries.append(Delivery($0, $1, $2)) }
        return deliveries
    }

    @Test("who takes copies gets each packet with the one before, others get what is new")
    func perLeg() throws {
        let stage = stage()
        // Nothing is before the first.
        #expect(forward(0, .carriesCopy, on: stage).map(\.payload) == [payload(0), payload(0)])
        let heard = forward(1, .carriesCopy, on: stage)
        let with = try #require(heard.first { $0.handle == 20 })
        #expect(with.payload == payload(0) + payload(1))
        #expect(with.header.payloadType == types.packet)
        #expect(
            with.header.patch == RedundantPayload.header(copyOf: 3, offset: 240, payloadType: types.content))
        let without = try #require(heard.first { $0.handle == 30 })
        #expect(without.payload == payload(1) && without.header.payloadType == nil && without.header.patch.count == 0)
        // Whoever sends no copies gets none made.
        #expect(forward(2, .none, on: stage).map(\.payload) == [payload(2), payload(2)])
    }

    @Test("a packet that was lost on the way here reaches everybody in order: in the next one, or on its own")
    func recovered() throws {
        let stage = stage()
        _ = forward(0, .carriesCopy, on: stage)
        let lost = forward(1, .copyFromNext, on: stage)
        let next = forward(2, .carriesCopy, on: stage)
        #expect(lost.map(\.handle) == [30], "the other gets it with the next packet")
        #expect(next.first { $0.handle == 20 }?.payload == payload(1) + payload(2))
        let numbers = (lost + next).filter { $0.handle == 30 }.map(\.header.sequence)
        #expect(numbers == [numbers[0], numbers[0] + 1])
        #expect(stage.stats.recovered == 1)
        // From further back, it is in no packet that is still to come.
        _ = forward(5, .copyFromLater, on: stage)
        #expect(forward(6, .copyFromLater, on: stage).map(\.handle).sorted() == [20, 30])
    }

    @Test("a number goes out once: the packet itself, which comes after its copy, is left out")
    func once() {
        let stage = stage()
        _ = forward(0, .carriesCopy, on: stage)
        _ = forward(1, .copyFromNext, on: stage)
        _ = forward(2, .carriesCopy, on: stage)
        #expect(forward(1, .none, on: stage, payload: [9, 9, 9], marker: true).isEmpty)
        #expect(forward(1, .copyFromLater, on: stage).isEmpty)
        #expect(forward(0, .copyFromLater, on: stage).isEmpty)
        #expect(stage.stats.stale == 3)
    }

    @Test("a copy of what came before a seam is not carried on, and one of an unknown stream begins none")
    func seams() {
        let stage = stage()
        #expect(forward(0, .copyFromNext, on: stage).isEmpty, "nothing has been heard of that stream")
        _ = forward(1, .carriesCopy, on: stage)
        stage.assign(slot: 0, to: singer, muted: true, at: start + .milliseconds(10)) { _, _, _ in }
        stage.assign(slot: 0, to: singer, muted: false, at: start + .milliseconds(10)) { _, _, _ in }
        #expect(forward(2, .copyFromNext, on: stage).isEmpty, "said while muted")
        let heard = forward(3, .carriesCopy, on: stage)
        #expect(heard.map(\.payload) == [payload(3), payload(3)])
    }

    @Test("a repeat is the same to the last byte, copy included, or none at all")
    func repeats() throws {
        let stage = stage()
        var sent: [Delivery] = []
        for number in 0..<300 { sent += forward(number, .carriesCopy, on: stage).filter { $0.handle == 20 } }
        for delivery in sent.suffix(60) {
            let again = self.repeat(delivery.header.sequence, on: stage)
            #expect(again.count <= 1)
            guard let again = again.first else { continue }
            #expect(again.payload == delivery.payload)
            #expect(
                again.header.patch == delivery.header.patch && again.header.payloadType == delivery.header.payloadType)
        }
        #expect(stage.stats.repeated > 30)
    }

    @Test("another payload type for copies: nothing that went out under the old one is repeated")
    func anotherType() throws {
        let stage = stage()
        var sent: [Delivery] = []
        for number in 0..<3 { sent += forward(number, .carriesCopy, on: stage).filter { $0.handle == 20 } }
        var line = ListenerLine.line(0, of: MemberID(rawValue: 2))
        line.redundancy = RedundancyTypes(packet: PayloadType(64), content: PayloadType(111))
        stage.fanout.setListener(MemberID(rawValue: 2), handle: 20, lines: [line])
        let next = try #require(forward(3, .carriesCopy, on: stage).first { $0.handle == 20 })
        #expect(next.header.payloadType == PayloadType(64))
        #expect(next.header.sequence == sent[2].header.sequence + 1)
        #expect(self.repeat(sent[2].header.sequence, on: stage).isEmpty)
        #expect(self.repeat(next.header.sequence, on: stage).first?.payload == next.payload)
    }

    @Test("numbers go out once, whatever comes in which order", arguments: 0..<30)
    func numbers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stage = stage()
        var seen: [Int: Set<UInt64>] = [:]
        var newest = 0
        for _ in 0..<2_000 {
            let number: Int
            switch random.next() % 10 {
            case 0..<6: number = newest + 1
            case 6..<8: number = newest + Int(random.next() % 4)
            default: number = max(0, newest - Int(random.next() % 300))
            }
            newest = max(newest, number)
            let redundancy: Redundancy = [.none, .carriesCopy, .copyFromNext, .copyFromLater][Int(random.next() % 4)]
            for delivery in forward(number, redundancy, on: stage) {
                #expect(seen[delivery.handle, default: []].insert(delivery.header.sequence).inserted)
            }
        }
    }
}

@Suite struct RecentNumbersTests {
    @Test("like a set of all numbers, as far back as it reaches", arguments: 0..<30)
    func likeASet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var recent = RecentNumbers()
        var all: Set<UInt64> = []
        var highest: UInt64 = random.next() % 1_000
        #expect(recent.add(highest) && all.insert(highest).inserted)
        for _ in 0..<3_000 {
            let number: UInt64 =
                random.chance(0.7)
                ? highest + random.next() % (random.chance(0.02) ? 600 : 4)
                : highest - min(highest, random.next() % 400)
            let isOld = highest >= RecentNumbers.length && number <= highest - RecentNumbers.length
            #expect(recent.add(number) == (!isOld && all.insert(number).inserted))
            highest = max(highest, number)
        }
    }
}
