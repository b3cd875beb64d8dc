import RTP
import SeededRandom
import Testing
import Wire

@Suite struct RTPHeaderTests {
    /// Version 2, padding, extension, two CSRCs; marker, payload type 111.
    static let full: [UInt8] =
        [0xb2, 0xef, 0x12, 0x34, 0, 0, 0x03, 0xc0, 0xde, 0xad, 0xbe, 0xef]
        + [0, 0, 0, 1, 0, 0, 0, 2]
        + [0xbe, 0xde, 0, 2, 0x10, 0x85, 0x41, 0x31, 0x32, 0, 0, 0]
        + [9, 8, 7, 6, 5]
        + [0, 0, 3]

    @Test("Every part of a header with sources, extension and padding is found")
    func fullHeader() throws {
        try RTPHeaderTests.full.withUnsafeBytes { packet in
            let header = try #require(RTPHeader.parse(packet))
            #expect(header.marker)
            #expect(header.payloadType == PayloadType(111))
            #expect(header.sequenceNumber == 0x1234)
            #expect(header.timestamp == 960)
            #expect(header.ssrc == SSRC(0xdead_beef))
            #expect(header.csrcCount == 2)
            #expect(header.csrc(0, in: packet) == SSRC(1))
            #expect(header.csrc(1, in: packet) == SSRC(2))
            #expect(header.extensionProfile == 0xbede)
            #expect(header.extensionOffset == 24)
            #expect(header.extensionLength == 8)
            #expect(header.headerLength == 32)
            #expect(header.payload == 32..<37)
            #expect(header.paddingLength == 3)
            // Encrypted, the padding's length cannot be known.
            let sealed = try #require(RTPHeader.parse(packet, isEncrypted: true))
            #expect(sealed.payload == 32..<40)
            #expect(sealed.hasPadding)
        }
    }

    @Test("A packet cut anywhere within its header is none")
    func cut() {
        RTPHeaderTests.full.withUnsafeBytes { packet in
            for length in 0..<32 {
                #expect(RTPHeader.parse(UnsafeRawBufferPointer(rebasing: packet[..<length])) == nil, "\(length)")
                #expect(
                    RTPHeader.parse(UnsafeRawBufferPointer(rebasing: packet[..<length]), isEncrypted: true) == nil)
            }
        }
    }

    @Test("Wrong version, and padding that is zero, missing or too long, are refused")
    func refused() {
        func parse(_ change: (inout [UInt8]) -> Void) -> RTPHeader? {
            var bytes = RTPHeaderTests.full
            change(&bytes)
            return bytes.withUnsafeBytes { RTPHeader.parse($0) }
        }
        #expect(parse { $0[0] = 0x72 } == nil)
        #expect(parse { $0[0] = 0xf2 } == nil)
        #expect(parse { $0[$0.count - 1] = 0 } == nil)
        #expect(parse { $0[$0.count - 1] = 9 } == nil)
        #expect(parse { $0[$0.count - 1] = 8 }?.payload == 32..<32)
        #expect(parse { $0.removeLast(8) } == nil)
        // An extension that claims more words than there are bytes.
        #expect(parse { $0[23] = 6 } == nil)
    }

    @Test("A header that is written is parsed as what was written", arguments: 1...50 as ClosedRange<UInt64>)
    func writing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = [UInt8](repeating: 0xff, count: 200)
        let sources = (0..<Int.random(in: 0...15, using: &random)).map { _ in
            SSRC(.random(in: 0...(.max), using: &random))
        }
        let level = AudioLevel(attenuation: .random(in: 0...127, using: &random), isVoice: .random(using: &random))
        let mid = try #require(Mid("\(UInt64.random(in: 0...(.max) >> 10, using: &random))".prefix(16).description))
        let other = (0..<Int.random(in: 1...16, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let isTwoByte = Bool.random(using: &random)
        let marker = Bool.random(using: &random)
        let sequence = SequenceNumber16(.random(in: 0...(.max), using: &random))
        let timestamp = RTPTimestamp(.random(in: 0...(.max), using: &random))
        try bytes.withUnsafeMutableBytes { buffer in
            var writer = RTPHeaderWriter(
                into: buffer, marker: marker, payloadType: PayloadType(96), sequenceNumber: sequence,
                timestamp: timestamp, ssrc: SSRC(7), form: isTwoByte ? .twoByte : .oneByte)
            for source in sources { writer.add(csrc: source) }
            writer.add(level, id: 3)
            writer.add(mid, id: isTwoByte ? 200 : 14)
            other.withUnsafeBytes { writer.add(extension: $0, id: 5) }
            let finished = writer.finish()
            let length = try #require(finished)
            #expect(length % 4 == 0)

            let packet = UnsafeRawBufferPointer(rebasing: buffer[..<(length + 10)])
            let header = try #require(RTPHeader.parse(packet))
            #expect(header.headerLength == length)
            #expect(header.payloadLength == 10)
            #expect(header.marker == marker)
            #expect(header.payloadType == PayloadType(96))
            #expect(header.sequenceNumber == sequence)
            #expect(header.timestamp == timestamp)
            #expect(header.ssrc == SSRC(7))
            #expect((0..<header.csrcCount).map { header.csrc($0, in: packet) } == sources)
            var map = HeaderExtensionMap()
            map.set(.audioLevel, id: 3)
            map.set(.mid, id: isTwoByte ? 200 : 14)
            #expect(header.audioLevel(in: packet, map) == level)
            #expect(header.mid(in: packet, map) == mid)
            let range = try #require(header.extensionRange(id: 5, in: packet))
            #expect(Array(packet[range]) == other)
            #expect(header.extensionRange(id: 6, in: packet) == nil)
        }
    }

    @Test("A header that does not fit, or cannot be written in its form, is not written")
    func notWritten() {
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes.withUnsafeMutableBytes { buffer in
            func finish(capacity: Int = 64, _ add: (inout RTPHeaderWriter) -> Void) -> Int? {
                var writer = RTPHeaderWriter(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<capacity]), payloadType: PayloadType(0),
                    sequenceNumber: 0, timestamp: 0, ssrc: SSRC(0))
                add(&writer)
                return writer.finish()
            }
            let level = AudioLevel(attenuation: 1, isVoice: false)
            #expect(finish { _ in } == 12)
            #expect(finish(capacity: 11) { _ in } == nil)
            #expect(finish(capacity: 12) { _ in } == 12)
            #expect(finish(capacity: 15) { $0.add(csrc: SSRC(1)) } == nil)
            #expect(finish { $0.add(level, id: 1) } == 20)
            // The element fits, its padding does not.
            #expect(finish(capacity: 18) { $0.add(level, id: 1) } == nil)
            #expect(finish { $0.add(level, id: 0) } == nil)
            #expect(finish { $0.add(level, id: 15) } == nil)
            #expect(
                finish { writer in
                    writer.add(level, id: 1)
                    writer.add(csrc: SSRC(1))
                } == nil)
            #expect(finish { writer in for _ in 0..<16 { writer.add(csrc: SSRC(1)) } } == nil)
            [UInt8](repeating: 0, count: 17).withUnsafeBytes { long in
                #expect(finish { $0.add(extension: long, id: 1) } == nil)
            }
            #expect(finish { $0.add(extension: UnsafeRawBufferPointer(start: nil, count: 0), id: 1) } == nil)
        }
    }

    @Test("Random bytes are parsed or refused, and every range lies inside", arguments: 1...20 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if bytes.count > 13 {
                bytes[0] = bytes[0] & 0x3f | 0x80
                // Short extensions, so that the walk gets somewhere.
                let words = 12 + 4 * Int(bytes[0] & 15)
                if bytes.count > words + 4 {
                    bytes[words] = Bool.random(using: &random) ? 0xbe : 0x10
                    bytes[words + 1] = bytes[words] == 0xbe ? 0xde : 0x00
                    (bytes[words + 2], bytes[words + 3]) = (0, bytes[words + 3] % 8)
                }
            }
            bytes.withUnsafeBytes { packet in
                guard let header = RTPHeader.parse(packet) else { return }
                #expect(header.payload.upperBound + header.paddingLength == packet.count, "seed \(seed)")
                #expect(header.payload.lowerBound >= 12)
                for element in HeaderExtensions(of: header, in: packet) {
                    #expect(element.range.upperBound <= header.headerLength, "seed \(seed)")
                    #expect(element.range.lowerBound >= header.extensionOffset, "seed \(seed)")
                }
            }
        }
    }
}
