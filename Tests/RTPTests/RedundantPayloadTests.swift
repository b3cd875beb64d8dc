internal import SeededRandom
internal import Testing
internal import Wire

@testable internal import RTP

@Suite struct RedundantPayloadTests {
    private func parse(_ bytes: [UInt8]) -> (type: UInt8, primary: [UInt8], copies: [(RedundantPayload.Copy, [UInt8])])?
    {
        bytes.withUnsafeBytes { payload in
            guard let redundant = RedundantPayload(payload) else { return nil }
            let copies = (0..<redundant.copyCount).map { redundant.copy($0, in: payload) }
            return (
                redundant.payloadType.rawValue, Array(payload[redundant.primary]),
                copies.map { ($0, Array(payload[$0.range])) }
            )
        }
    }

    @Test("RFC 2198 §3: two copies, oldest first, and what is new")
    func twoCopies() throws {
        // 960 and 480 ticks earlier, of 3 and 2 bytes.
        let bytes: [UInt8] = [
            0x80 | 111, 0x0f, 0x00, 0x03, 0x80 | 111, 0x07, 0x80, 0x02, 111, 1, 2, 3, 4, 5, 6, 7, 8, 9,
        ]
        let read = try #require(parse(bytes))
        #expect(read.type == 111 && read.primary == [6, 7, 8, 9])
        #expect(read.copies.map(\.0.timestampOffset) == [960, 480])
        #expect(read.copies.map(\.0.distance) == [2, 1])
        #expect(read.copies.map(\.1) == [[1, 2, 3], [4, 5]])
        // Alone, behind one byte.
        #expect(parse([111, 6])?.primary == [6])
    }

    @Test("what is not formed like that is nothing: cut short, nothing new, out of order, too many")
    func malformed() {
        let good: [UInt8] = [0x80 | 111, 0x0f, 0x00, 0x03, 111, 1, 2, 3, 4]
        #expect(parse(good) != nil)
        for length in 0..<good.count { #expect(parse(Array(good[..<length])) == nil, "\(length)") }
        let same: [UInt8] = [0x80 | 111, 0x07, 0x80, 0x01, 0x80 | 111, 0x07, 0x80, 0x01, 111, 1, 2, 3]
        #expect(parse(same) == nil)
        #expect(parse([0x80 | 111, 0, 0, 1, 111, 1, 2]) == nil)
        let many: [[UInt8]] = (0..<5).map { [0x80 | 111, UInt8(20 - $0), 0, 0] }
        #expect(parse(Array(many[..<4].joined()) + [111, 1])?.copies.count == 4)
        #expect(parse(Array(many.joined()) + [111, 1]) == nil)
    }

    @Test("what is written is read again, whatever the lengths", arguments: 0..<50)
    func again(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let copy = (0..<1 + Int(random.next() % 400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let own = (0..<1 + Int(random.next() % 700)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let offset = 1 + UInt32(random.next() % 16_383)
        #expect(RedundantPayload.takesCopy(of: copy.count, offset: offset, besides: own.count))
        let header = RedundantPayload.header(copyOf: copy.count, offset: offset, payloadType: PayloadType(96))
        var start = [UInt8](repeating: 0, count: PayloadPatch.maximumLength)
        start.withUnsafeMutableBytes { header.write(to: $0.baseAddress!) }
        let read = try #require(parse(Array(start[..<header.count]) + copy + own))
        #expect(read.type == 96 && read.primary == own && read.copies.map(\.1) == [copy])
        #expect(read.copies.map(\.0.timestampOffset) == [offset])
    }

    @Test("a copy that the header cannot tell of, or that makes the packet too long, is not carried")
    func limits() {
        #expect(!RedundantPayload.takesCopy(of: 100, offset: 0, besides: 100))
        #expect(!RedundantPayload.takesCopy(of: 100, offset: 16_384, besides: 100))
        #expect(!RedundantPayload.takesCopy(of: 0, offset: 960, besides: 100))
        #expect(!RedundantPayload.takesCopy(of: 1_024, offset: 960, besides: 1))
        #expect(!RedundantPayload.takesCopy(of: 600, offset: 960, besides: 600))
    }

    @Test("any bytes are read without a trap, and every range lies inside", arguments: 0..<200)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        guard let read = parse(bytes) else { return }
        #expect(!read.primary.isEmpty)
    }
}
