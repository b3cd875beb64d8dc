internal import SeededRandom
internal import Testing

@testable internal import Codecs

@Suite struct H264Tests {
    private func read(_ bytes: [UInt8]) -> H264Payload? { bytes.withUnsafeBytes { H264Payload($0) } }

    @Test("parameters and key frames are found in single units, aggregates and fragments")
    func packagings() throws {
        #expect(read([0x67, 1, 2])?.hasParameters == true && read([0x67, 1, 2])?.startsKeyFrame == false)
        #expect(read([0x65, 1])?.startsKeyFrame == true)
        #expect(read([0x41, 1]) == read([0x01, 9]), "a slice of another frame")
        // SPS, PPS and IDR in one.
        let aggregate = try #require(read([0x78, 0, 2, 0x67, 1, 0, 1, 0x68, 0, 2, 0x65, 7]))
        #expect(aggregate.hasParameters && aggregate.startsKeyFrame)
        let begin = try #require(read([0x7c, 0x85, 1]))
        #expect(begin.startsKeyFrame && !begin.continuesUnit)
        for rest in [[0x7c, 0x05, 1], [0x7c, 0x45, 1]] as [[UInt8]] {
            let fragment = try #require(read(rest))
            #expect(!fragment.startsKeyFrame && fragment.continuesUnit)
        }
        #expect(read([0x7c, 0x87, 1])?.hasParameters == true)
        // An SEI before the parameters changes nothing.
        #expect(read([0x78, 0, 2, 0x06, 5, 0, 2, 0x67, 1])?.hasParameters == true)
    }

    @Test("an intra-refresh stream, which repeats its parameters without a key frame, never has one")
    func intraRefresh() {
        let picture: [[UInt8]] = [[0x67, 1], [0x68, 1], [0x06, 6, 1], [0x41, 1], [0x7c, 0x81, 1]]
        #expect(picture.allSatisfy { read($0)?.startsKeyFrame == false })
    }

    @Test("a size past the end, a broken unit, an unknown packaging: no payload")
    func broken() {
        for bytes in [
            [], [0xe5, 1], [0x78], [0x78, 0, 9, 0x67], [0x78, 0, 0], [0x78, 0], [0x7c], [0x7c, 0x85], [0x79, 1],
            [0x00, 1],
        ]
            as [[UInt8]]
        { #expect(read(bytes) == nil, "\(bytes)") }
    }

    @Test("any bytes are read without a trap", arguments: 1...20 as ClosedRange<UInt64>)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...(.max), using: &random)
            }
            if !bytes.isEmpty, Bool.random(using: &random) {
                bytes[0] = [0x78, 0x7c, 0x67].randomElement(using: &random)!
            }
            _ = read(bytes)
            bytes.withUnsafeBytes { payload in
                for format in VideoFormat.allCases { _ = VideoPayload(payload, format) }
            }
        }
    }
}
