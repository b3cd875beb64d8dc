import RTP
import SeededRandom
import Testing
import Wire

@Suite struct RTCPTests {
    static let block = ReportBlock(
        ssrc: SSRC(0x0102_0304), fractionLost: 12, cumulativeLost: -3, extendedHighestSequence: 0x0001_fffe, jitter: 77,
        lastSenderReport: 0xaabb_ccdd, delaySinceLastSenderReport: 65_536)
    static let info = SenderInfo(
        ssrc: SSRC(9), ntp: 0x1122_3344_5566_7788, timestamp: 48_000, packetCount: 50, octetCount: 6_000)

    /// Writes, then walks what was written.
    private func walk<Result>(
        capacity: Int = 500, _ write: (inout RTCPWriter) -> Void, _ read: ([RTCPPacket]) throws -> Result
    ) rethrows -> Result {
        var bytes = [UInt8](repeating: 0xee, count: capacity)
        return try bytes.withUnsafeMutableBytes { buffer in
            var writer = RTCPWriter(into: buffer)
            write(&writer)
            #expect(writer.count % 4 == 0)
            var compound = RTCPCompound(UnsafeRawBufferPointer(rebasing: buffer[..<writer.count]))
            var packets: [RTCPPacket] = []
            while let packet = compound.next() { packets.append(packet) }
            #expect(!compound.isMalformed)
            return try read(packets)
        }
    }

    @Test("A compound of every packet that we write is read back as written")
    func roundTrip() throws {
        try walk { writer in
            var other = RTCPTests.block
            other.cumulativeLost = 0x7f_ffff
            #expect(writer.writeSenderReport(RTCPTests.info, [RTCPTests.block, other]) == true)
            #expect(writer.writeReceiverReport(sender: SSRC(8), [RTCPTests.block]) == true)
            #expect(writer.writeSourceDescription(SSRC(9), cname: "stage-7") == true)
            #expect(writer.writePictureLossIndication(sender: SSRC(1), media: SSRC(2)) == true)
            #expect(writer.writeGoodbye(SSRC(9)) == true)
        } _: { packets in
            try #require(packets.count == 5)
            guard case .senderReport(let info, let blocks) = packets[0] else { throw Unexpected() }
            #expect(info == RTCPTests.info)
            #expect(blocks.count == 2)
            #expect(blocks[0] == RTCPTests.block)
            #expect(blocks[1].cumulativeLost == 0x7f_ffff)
            guard case .receiverReport(let sender, let received) = packets[1] else { throw Unexpected() }
            #expect(sender == SSRC(8))
            #expect(Array(received) == [RTCPTests.block])
            guard case .sourceDescription(let descriptions) = packets[2] else { throw Unexpected() }
            #expect(descriptions.map(\.ssrc) == [SSRC(9)])
            #expect(descriptions.map { String(decoding: $0.cname, as: UTF8.self) } == ["stage-7"])
            guard case .pictureLossIndication(SSRC(1), SSRC(2)) = packets[3] else { throw Unexpected() }
            guard case .goodbye(let sources) = packets[4] else { throw Unexpected() }
            #expect(Array(sources) == [SSRC(9)])
        }
    }

    @Test("A CNAME of any length is read back", arguments: [0, 1, 2, 3, 4, 5, 254, 255])
    func cname(length: Int) throws {
        let name = String(repeating: "x", count: length)
        try walk {
            #expect($0.writeSourceDescription(SSRC(1), cname: name) == true)
        } _: { packets in
            guard case .sourceDescription(let descriptions) = packets.first else { throw Unexpected() }
            #expect(descriptions.map { String(decoding: $0.cname, as: UTF8.self) } == [name])
        }
    }

    @Test("What does not fit is left out as a whole, and what fits still goes in")
    func doesNotFit() {
        walk(capacity: 40) { writer in
            #expect(writer.writeSenderReport(RTCPTests.info, [RTCPTests.block]) == false)
            #expect(writer.count == 0)
            #expect(writer.writeReceiverReport(sender: SSRC(1), [RTCPTests.block]) == true)
            #expect(writer.writePictureLossIndication(sender: SSRC(1), media: SSRC(2)) == false)
            #expect(writer.writeGoodbye(SSRC(1)) == true)
            #expect(writer.writeSourceDescription(SSRC(1), cname: "") == false)
            #expect(writer.writeNACK(sender: SSRC(1), media: SSRC(2), missing: [1]) == 0)
            #expect(writer.writeSourceDescription(SSRC(1), cname: String(repeating: "y", count: 256)) == false)
        } _: { packets in
            #expect(packets.count == 2)
        }
    }

    @Test("At most 31 report blocks go into a packet")
    func manyBlocks() throws {
        let blocks = [ReportBlock](repeating: RTCPTests.block, count: 40)
        try walk(capacity: 2_000) {
            #expect($0.writeReceiverReport(sender: SSRC(1), blocks) == true)
        } _: { packets in
            guard case .receiverReport(_, let read) = packets.first else { throw Unexpected() }
            #expect(read.count == 31)
        }
    }

    @Test("A NACK asks for exactly the missing numbers", arguments: 1...50 as ClosedRange<UInt64>)
    func nack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var number = SequenceNumber16(.random(in: 0...(.max), using: &random))
        let missing = (0..<Int.random(in: 1...60, using: &random)).map { _ in
            number = number.advanced(by: .random(in: 1...25, using: &random))
            return number
        }
        try walk {
            #expect($0.writeNACK(sender: SSRC(3), media: SSRC(4), missing: missing) == missing.count)
        } _: {
            packets in
            guard case .nack(SSRC(3), SSRC(4), let entries) = packets.first else { throw Unexpected() }
            var asked: [SequenceNumber16] = []
            for entry in entries { entry.forEach { asked.append($0) } }
            #expect(asked == missing, "seed \(seed)")
        }
    }

    @Test("A NACK that runs out of room asks for the oldest numbers and says how many")
    func nackWithoutRoom() throws {
        let missing: [SequenceNumber16] = [65_530, 65_533, 3, 100, 101, 200, 300]
        // Room for the heads and two entries.
        try walk(capacity: 20) {
            #expect($0.writeNACK(sender: SSRC(3), media: SSRC(4), missing: missing) == 5)
        } _: {
            packets in
            guard case .nack(_, _, let entries) = packets.first else { throw Unexpected() }
            #expect(entries.map(\.first) == [65_530, 100])
        }
        walk {
            #expect($0.writeNACK(sender: SSRC(3), media: SSRC(4), missing: []) == 0)
        } _: {
            #expect($0.isEmpty)
        }
    }

    @Test("a FIR that we write is read back with its source and its number, as RFC 5104 lays it out")
    func fullIntraRequest() throws {
        var buffer = [UInt8](repeating: 0xff, count: 64)
        let length = buffer.withUnsafeMutableBytes { bytes in
            var writer = RTCPWriter(into: bytes)
            let isWritten = writer.writeFullIntraRequest(sender: SSRC(1), media: SSRC(5), command: 7)
            return isWritten ? writer.count : 0
        }
        #expect(
            buffer[..<length] == [0x84, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 7, 0, 0, 0])
    }

    @Test("FIR and REMB of browsers are read, unknown packets skipped, reduced-size packets accepted")
    func feedback() throws {
        let bytes: [UInt8] =
            [0x84, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 7, 0, 0, 0]
            + [0x8f, 206, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0x52, 0x45, 0x4d, 0x42, 1, 0x0b, 0xd0, 0x90, 0, 0, 0, 9]
            + [0x8c, 205, 0, 1, 1, 2, 3, 4]
            + [0x80, 207, 0, 0]
            + [0xa1, 203, 0, 2, 0, 0, 0, 7, 0, 0, 0, 4]
        try bytes.withUnsafeBytes { buffer in
            var compound = RTCPCompound(buffer)
            guard case .fullIntraRequest(SSRC(1), let requests) = compound.next() else { throw Unexpected() }
            #expect(requests.map(\.ssrc) == [SSRC(5)])
            #expect(requests.map(\.commandNumber) == [7])
            guard case .estimatedMaximumBitrate(SSRC(1), let rate) = compound.next() else { throw Unexpected() }
            // Exponent 2, mantissa 0x3d090 = 250,000.
            #expect(rate == 1_000_000)
            guard case .unknown(205, 12) = compound.next() else { throw Unexpected() }
            guard case .unknown(207, 0) = compound.next() else { throw Unexpected() }
            guard case .goodbye(let sources) = compound.next() else { throw Unexpected() }
            #expect(Array(sources) == [SSRC(7)])
            #expect(compound.next() == nil)
            #expect(!compound.isMalformed)
        }
    }

    @Test(
        "A compound ends at the first packet that is not well-formed",
        arguments: [
            [0x81, 200, 0, 6, 0, 0, 0, 1],  // longer than the datagram
            [0x40, 201, 0, 1, 0, 0, 0, 1],  // version 1
            [0x82, 203, 0, 1, 0, 0, 0, 1],  // two sources promised, one there
            [0x81, 201, 0, 1, 0, 0, 0, 1],  // a report block promised
            [0xa0, 201, 0, 1, 0, 0, 0, 8],  // more padding than packet
            [0xa0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3],  // padding that is no word
            [0xa0, 201, 0, 0],  // padding bit, no padding
            [0x80, 200, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0],  // half a sender report
            [0x81, 205, 0, 1, 0, 0, 0, 1],  // a NACK without media source
            [0x80],
        ] as [[UInt8]])
    func malformed(tail: [UInt8]) {
        let bytes: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 42] + tail
        bytes.withUnsafeBytes { buffer in
            var compound = RTCPCompound(buffer)
            guard case .receiverReport(SSRC(42), _) = compound.next() else {
                Issue.record("the sound packet before it should be read")
                return
            }
            #expect(compound.next() == nil)
            #expect(compound.isMalformed)
            #expect(compound.next() == nil)
        }
    }

    @Test("SDES chunks without CNAME are passed over, broken ones end the walk")
    func descriptions() {
        func cnames(_ body: [UInt8], count: UInt8) -> [String] {
            let bytes = [0x80 | count, 202, 0, UInt8(body.count / 4)] + body
            return bytes.withUnsafeBytes { buffer in
                var compound = RTCPCompound(buffer)
                guard case .sourceDescription(let descriptions) = compound.next() else { return ["none"] }
                return descriptions.map { String(decoding: $0.cname, as: UTF8.self) }
            }
        }
        let note: [UInt8] = [0, 0, 0, 1, 7, 1, 0x6e, 0]
        let named: [UInt8] = [0, 0, 0, 2, 7, 1, 0x6e, 1, 1, 0x61, 0, 0]
        #expect(cnames(note + named, count: 2) == ["a"])
        #expect(cnames(named + named, count: 2) == ["a", "a"])
        #expect(cnames(named + named, count: 1) == ["a"])
        #expect(cnames([0, 0, 0, 2, 1, 200, 0x61, 0], count: 1).isEmpty)
        #expect(cnames([0, 0, 0, 2, 1, 2, 0x61, 0x62], count: 1).isEmpty)
        #expect(cnames([], count: 3).isEmpty)
    }

    @Test("Random bytes never trap and are walked to an end", arguments: 1...20 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var read = 0
        for _ in 0..<500 {
            var bytes = (0..<4 * Int.random(in: 1...30, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Heads that look right, so that the bodies are reached.
            bytes[0] = bytes[0] & 0x3f | 0x80
            bytes[1] = 200 + bytes[1] % 8
            (bytes[2], bytes[3]) = (0, UInt8(bytes.count / 4 - 1))
            bytes.withUnsafeBytes { buffer in
                for packet in RTCPCompound(buffer) {
                    read += 1
                    switch packet {
                    case .senderReport(_, let blocks), .receiverReport(_, let blocks):
                        for block in blocks { _ = block.roundTrip(arrivingAt: .max) }
                    case .sourceDescription(let descriptions): for chunk in descriptions { _ = chunk.cname.count }
                    case .goodbye(let sources): for source in sources { _ = source }
                    case .nack(_, _, let entries): for entry in entries { entry.forEach { _ in } }
                    case .fullIntraRequest(_, let requests): for request in requests { _ = request }
                    case .transportFeedback(_, _, let feedback): for status in feedback { _ = status }
                    case .pictureLossIndication, .estimatedMaximumBitrate, .unknown: break
                    }
                }
            }
        }
        #expect(read > 0)
    }
}

struct Unexpected: Error {}
