internal import RTP
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// Random rooms: members come, go, sit down, are muted and talk over a lossy line; what each listener gets must hold
/// together at every step.
@Suite struct AudioStagePropertyTests {
    /// One listener's view of one of its streams.
    private struct Heard {
        var newest: OutgoingPacket?
        var numbers: Set<UInt64> = []
        /// What went out under each number, for repeats.
        var sent: [UInt64: Delivery] = [:]
    }

    private struct Stream: Hashable {
        var member: UInt64
        var ssrc: SSRC
    }

    @Test(
        "Any room: only audible speakers are heard, never oneself; numbers are used once, dense where nothing was lost; timestamps never go back; repeats are identical; the same where packets wait for others",
        arguments: 1...18 as ClosedRange<UInt64>)
    func randomRoom(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let slotCount = Int.random(in: 1...16, using: &random)
        // In every third room, three listeners are a crowd.
        let isCrowd = seed % 3 == 0
        let stage = AudioStage(slots: slotCount, crowd: isCrowd ? 3 : .max)
        var (waited, padded) = (0, 0)
        let isLossy = seed % 2 == 0
        var now = Instant(nanoseconds: Int64.random(in: 0...1_000_000_000_000, using: &random))
        // The model: who sits where.
        var seats = [(member: UInt64, muted: Bool)?](repeating: nil, count: slotCount)
        // Who listens, on which slots.
        var listening: [UInt64: Set<Int>] = [:]
        var microphones: [UInt64: (sequence: UInt64, timestamp: UInt32)] = [:]
        var heard: [Stream: Heard] = [:]
        var late: [UInt64: Set<UInt64>] = [:]
        let members = (1...12).map(UInt64.init)
        for member in members {
            microphones[member] = (
                UInt64(UInt16.random(in: 0...(.max), using: &random)), UInt32.random(in: 0...(.max), using: &random)
            )
        }

        func check(_ delivery: Delivery, from speaker: UInt64?, seats: [(member: UInt64, muted: Bool)?]) throws {
            let member = UInt64(delivery.handle)
            let stream = Stream(member: member, ssrc: delivery.header.ssrc)
            let slot = Int(delivery.header.ssrc.rawValue) - Int(member) * 100
            #expect(listening[member]?.contains(slot) == true)
            if let speaker {
                #expect(seats[slot]?.member == speaker && seats[slot]?.muted == false)
                #expect(speaker != member)
                #expect(delivery.payload.first == UInt8(speaker))
                let length = delivery.payload.count - Int(delivery.header.padding)
                #expect(delivery.payload[..<length].last == 0xaa)
                if delivery.header.padding > 0 {
                    padded += 1
                    #expect(delivery.payload.last == delivery.header.padding)
                    #expect(!seats.contains { $0?.member == member }, "who sits gets packets as they are")
                }
            } else {
                #expect(delivery.isSilence)
            }
            var known = heard[stream] ?? Heard()
            #expect(known.numbers.insert(delivery.header.sequence).inserted, "a number is used once")
            known.sent[delivery.header.sequence] = delivery
            if let newest = known.newest, delivery.header.sequence > newest.sequence {
                let distance = Int32(bitPattern: delivery.header.timestamp &- newest.timestamp)
                #expect(distance > 0, "timestamps go on with the numbers")
                if !isLossy { #expect(delivery.header.sequence == newest.sequence + 1) }
                if delivery.header.startsSource { #expect(delivery.header.marker) }
            } else if known.newest == nil {
                #expect(delivery.header.marker || speaker == nil)
            } else {
                #expect(isLossy, "only a lossy line brings packets out of order")
            }
            if known.newest.map({ $0.sequence < delivery.header.sequence }) ?? true { known.newest = delivery.header }
            heard[stream] = known
        }

        var greeted = 0
        for _ in 0..<6000 {
            now = now + .milliseconds(Int64.random(in: 0...(isCrowd ? 4 : 15), using: &random))
            if stage.fanout.due <= now {
                var late: [Delivery] = []
                stage.fanout.deliverWaiting { late.append(Delivery($0, $1, $2)) }
                waited += late.count
                for delivery in late {
                    try check(delivery, from: delivery.payload.first.map(UInt64.init), seats: seats)
                }
            }
            let member = members.randomElement(using: &random)!
            let id = MemberID(rawValue: member)
            var deliveries: [Delivery] = []
            let collect: AudioStage.Send = { deliveries.append(Delivery($0, $1, $2)) }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<2:
                let slot = Int.random(in: 0..<slotCount, using: &random)
                let sits: UInt64? = Int.random(in: 0..<4, using: &random) == 0 ? nil : member
                let muted = Int.random(in: 0..<3, using: &random) == 0
                let before = seats
                if let sits { for other in seats.indices where seats[other]?.member == sits { seats[other] = nil } }
                seats[slot] = sits.map { ($0, muted) }
                stage.assign(slot: slot, to: sits.map(MemberID.init), muted: muted, at: now, send: collect)
                // What waited was heard before.
                let news = deliveries.drop { !$0.isSilence }
                for delivery in deliveries.prefix(deliveries.count - news.count) {
                    try check(delivery, from: delivery.payload.first.map(UInt64.init), seats: before)
                }
                for delivery in news { try check(delivery, from: nil, seats: seats) }
            case 2..<7:
                if listening[member] == nil {
                    listening[member] = Set(0..<slotCount)
                    // A new path has new SSRCs; the test keeps them and forgets instead what was heard before.
                    for slot in 0..<slotCount {
                        heard[Stream(member: member, ssrc: ListenerLine.line(slot, of: id).ssrc)] = nil
                    }
                    let first = UInt16.random(in: 0...(.max), using: &random)
                    stage.fanout.deliverWaiting(send: collect)
                    waited += deliveries.count
                    stage.fanout.setListener(
                        id, handle: Int(member),
                        lines: (0..<slotCount).map { .line($0, of: id, firstSequence: first) })
                    if Bool.random(using: &random) {
                        let before = deliveries.count
                        stage.fanout.greet(id, at: now, send: collect)
                        greeted += deliveries.count - before
                    }
                    for delivery in deliveries {
                        try check(delivery, from: delivery.payload.first.map(UInt64.init), seats: seats)
                    }
                } else {
                    // A later offer: some lines inactive.
                    let slots = Set((0..<slotCount).filter { _ in Int.random(in: 0..<4, using: &random) > 0 })
                    listening[member] = slots
                    stage.fanout.setListener(
                        id, handle: Int(member),
                        lines: slots.sorted().map { .line($0, of: id, firstSequence: 1) })
                }
            case 7..<8:
                listening[member] = nil
                stage.fanout.removeListener(id)
            case 8..<16:
                // Sorted, since a dictionary's order differs from run to run.
                let streams = heard.keys.sorted { ($0.member, $0.ssrc.rawValue) < ($1.member, $1.ssrc.rawValue) }
                guard let stream = streams.randomElement(using: &random), listening[stream.member] != nil,
                    let number = heard[stream]?.sent.keys.sorted().suffix(60).randomElement(using: &random)
                else { continue }
                stage.fanout.repeat(
                    for: MemberID(rawValue: stream.member), stream.ssrc,
                    sequence: SequenceNumber16(UInt16(truncatingIfNeeded: number)), following: 0b101, roundTrip: nil,
                    at: now,
                    send: collect)
                for delivery in deliveries {
                    #expect(delivery.handle == Int(stream.member))
                    #expect(heard[stream]?.sent[delivery.header.sequence] == delivery)
                }
            default:
                var microphone = microphones[member]!
                let isLost = isLossy && Int.random(in: 0..<5, using: &random) == 0
                let sequence: UInt64
                let timestamp: UInt32
                if isLossy, Int.random(in: 0..<8, using: &random) == 0, microphone.sequence > 5 {
                    // One that was lost before and comes late; duplicates are stopped by the replay window before us.
                    sequence = microphone.sequence - 2
                    timestamp = microphone.timestamp &- 1920
                    guard late[member, default: []].remove(sequence) != nil else { continue }
                } else {
                    sequence = microphone.sequence
                    timestamp = microphone.timestamp
                    microphone.sequence += 1
                    microphone.timestamp &+= 960
                    microphones[member] = microphone
                    if isLost {
                        late[member, default: []].insert(sequence)
                        continue
                    }
                }
                let filling = [UInt8](repeating: 1, count: Int.random(in: 0..<(isCrowd ? 70 : 1), using: &random))
                ([UInt8(member), UInt8(truncatingIfNeeded: sequence)] + filling + [0xaa]).withUnsafeBytes {
                    stage.forward(
                        from: id, .opus(ssrc: UInt32(member), sequence: sequence, timestamp: timestamp),
                        extendedSequence: sequence, level: nil, payload: $0, at: now, send: collect)
                }
                let slot = seats.firstIndex { $0?.member == member && $0?.muted == false }
                if slot == nil { #expect(deliveries.isEmpty) }
                if let slot, !isLossy, !isCrowd {
                    #expect(
                        deliveries.count == listening.count { $0.key != member && $0.value.contains(slot) })
                }
                for delivery in deliveries {
                    try check(delivery, from: delivery.payload.first.map(UInt64.init), seats: seats)
                }
            }
        }
        #expect(stage.stats.forwarded > 100)
        #expect(stage.stats.repeated > 10)
        #expect(greeted > 0)
        if isCrowd, slotCount > 2 { #expect(waited > 100 && padded > 10, "\(waited), \(padded)") }
    }
}
