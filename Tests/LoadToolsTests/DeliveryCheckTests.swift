import RTP
import SeededRandom
import Testing
import Timing
import Wire

@testable import LoadTools

private func packet(_ number: UInt32, of speaker: UInt16 = 0) -> SpokenPacket {
    SpokenPacket(speaker: speaker, number: number, sentAt: Instant(nanoseconds: Int64(number) * 20_000_000))
}

@Suite struct DeliveryCheckTests {
    @Test("what arrives in order is delivered; what was said before the stretch or after it does not count")
    func stretch() {
        var check = DeliveryCheck(next: [10, 3], listeners: 2)
        for number in UInt32(8)...14 { check.take(number, of: 0) }
        for number in UInt32(8)...14 { check.take(number, of: 0) }
        check.end(next: [18, 3])
        for number in UInt32(15)...25 { check.take(number, of: 0) }
        #expect(check.said == 8 && check.expected == 16 && check.delivered == 13 && check.lost == 3)
    }

    @Test("what comes after a later one is lost all the same, and counted as late")
    func late() {
        var check = DeliveryCheck(next: [0, 0], listeners: 1)
        for number in [UInt32(0), 1, 3, 4] { check.take(number, of: 0) }
        check.takeLate(2, of: 0)
        check.end(next: [6, 0])
        #expect(check.delivered == 4 && check.late == 1 && check.lost == 2)
    }

    @Test("a sample that comes after 200 ms is overdue")
    func overdue() {
        var check = DeliveryCheck(next: [0, 0], listeners: 1)
        for (number, delay) in [(UInt32(0), DeliveryCheck.patience), (16, DeliveryCheck.patience + .milliseconds(1))] {
            let sample = packet(number)
            check.sample(sample, arrival: sample.sentAt + delay)
        }
        #expect(check.overdue == 1 && check.latencies.count == 2)
        #expect(check.latencies.longest == DeliveryCheck.patience + .milliseconds(1))
    }

    @Test("the last copy of a packet is the latest of all listeners, and counts when all have it")
    func lastCopies() {
        var check = DeliveryCheck(next: [0, 0], listeners: 3)
        for delay in [2, 9, 4] { check.sample(packet(0), arrival: packet(0).sentAt + .milliseconds(Int64(delay))) }
        for _ in 0..<2 { check.sample(packet(16), arrival: packet(16).sentAt + .milliseconds(50)) }
        #expect(check.lastCopies.count == 1 && check.lastCopies.longest == .milliseconds(9))
        // Of another speaker: another packet.
        check.sample(packet(16, of: 1), arrival: packet(16).sentAt + .milliseconds(50))
        #expect(check.lastCopies.count == 1)
    }

    @Test("numbers of speakers that are not there are passed over")
    func strangers() {
        var check = DeliveryCheck(next: [0], listeners: 1)
        check.take(0, of: 1)
        check.takeLate(0, of: 9)
        check.takeMisnumbered(0, of: 9)
        check.sample(packet(0, of: 9), arrival: Instant(nanoseconds: 5))
        #expect(check.delivered == 0 && check.late == 0 && check.misnumbered == 0 && check.latencies.count == 0)
    }

    @Test("a payload of ours is read as it was written, any other is none")
    func payloads() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 40, alignment: 1)
        defer { bytes.deallocate() }
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
        #expect(SpokenPacket(UnsafeRawBufferPointer(bytes)) == nil)
        let written = SpokenPacket(speaker: 7, number: 4_000_000_000, sentAt: Instant(nanoseconds: 1_234_567_890_123))
        // Behind a header of any length.
        let payload = UnsafeMutableRawBufferPointer(rebasing: bytes[3...])
        written.write(into: payload)
        let read = try #require(SpokenPacket(UnsafeRawBufferPointer(payload)))
        #expect(read.speaker == 7 && read.number == 4_000_000_000 && read.sentAt.nanoseconds == 1_234_567_890_123)
        #expect(SpokenPacket(UnsafeRawBufferPointer(rebasing: payload[..<(SpokenPacket.length - 1)])) == nil)
    }
}

@Suite struct HeardStreamTests {
    private func number(_ value: UInt64) -> SequenceNumber16 { SequenceNumber16(UInt16(truncatingIfNeeded: value)) }

    @Test("headers alone tell which packet it is, over wraps, losses and packets that come late")
    func readings() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        let first = UInt64.random(in: 0...0x1_ffff, using: &random)
        var stream = HeardStream(ssrc: SSRC(1), sequence: first, packet(100))
        var newest: UInt32 = 100
        for _ in 0..<20_000 {
            let isLate = random.chance(0.05)
            let next =
                isLate
                ? newest - UInt32.random(in: 0...30, using: &random) : newest + .random(in: 1...40, using: &random)
            let sequence = first + UInt64(next) - 100
            let reading = stream.read(number(sequence))
            #expect(
                reading.number == next && reading.extendedSequence == sequence && reading.isLate == isLate,
                "seed \(seed)")
            #expect(reading.isSample == (next % 16 == 0))
            stream.take(reading)
            if isLate { continue }
            let isConfirmed = stream.confirm(packet(next), reading)
            #expect(isConfirmed)
            newest = next
        }
    }

    @Test(
        "a server that numbers packets otherwise than the speaker is found out at the next sample, once for each change"
    )
    func numbering() {
        var stream = HeardStream(ssrc: SSRC(1), sequence: 1_000, packet(0))
        // One was left out, and the numbers closed over it: the listener would not know.
        let closed = stream.read(number(1_015))
        stream.take(closed)
        let isClosedFound = !stream.confirm(packet(16), closed)
        #expect(isClosedFound)
        let next = stream.read(number(1_031))
        stream.take(next)
        let isNextRight = stream.confirm(packet(32), next)
        #expect(next.isSample && isNextRight)
    }
}
