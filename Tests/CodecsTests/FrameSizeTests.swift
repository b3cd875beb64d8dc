internal import Testing

@testable internal import Codecs

/// What the headers of key frames say, as encoders write them.
@Suite struct FrameSizeTests {
    private func size(_ bytes: [UInt8], _ format: VideoFormat) -> [Int]? {
        bytes.withUnsafeBytes { FrameSize($0, format).map { [$0.width, $0.height] } }
    }

    /// Written by x264: high, baseline, main, and all of 4:4:4.
    private static let parameters: [([UInt8], [Int])] = [
        (
            [0x67, 0x64, 0x00, 0x1f, 0xac, 0xd9, 0x40, 0x50, 0x05, 0xba, 0x10, 0x00, 0x00, 0x03, 0x00, 0x10],
            [1280, 720]
        ),
        ([0x67, 0x64, 0x00, 0x28, 0xac, 0xd9, 0x40, 0x78, 0x02, 0x27, 0xe5, 0x84, 0x00, 0x00, 0x03], [1920, 1088]),
        ([0x67, 0x42, 0xc0, 0x1e, 0xda, 0x02, 0x80, 0xbf, 0xe5, 0x84, 0x00, 0x00, 0x03, 0x00, 0x04], [640, 368]),
        ([0x67, 0x4d, 0x40, 0x0d, 0xec, 0xa0, 0xa0, 0xcf, 0xcf, 0x08, 0x00, 0x00, 0x03, 0x00, 0x08], [320, 192]),
        ([0x67, 0xf4, 0x00, 0x1e, 0x91, 0x9b, 0x28, 0x14, 0x05, 0xff, 0x13, 0x08, 0x00, 0x00, 0x03], [640, 368]),
        // In fields.
        ([0x67, 0x64, 0x00, 0x1e, 0xac, 0xd9, 0x40, 0xa0, 0x7b, 0x42, 0x00, 0x00, 0x03, 0x00, 0x02], [640, 480]),
    ]

    @Test("H.264 says its size in its parameters, alone or together with others, in macroblocks")
    func h264() {
        for (unit, expected) in Self.parameters {
            #expect(size(unit, .h264) == expected)
            let aggregate = [0x78, 0, 2, 0x09, 0xf0, 0, UInt8(unit.count)] + unit + [0, 2, 0x68, 0xeb]
            #expect(size(aggregate, .h264) == expected)
            for count in 0..<7 { #expect(size(Array(unit.prefix(count)), .h264) == nil, "\(count) bytes") }
        }
        #expect(size([0x65, 1, 2, 3], .h264) == nil && size([0x7c, 0x87, 0x64, 0, 0x1f], .h264) == nil)
    }

    @Test("H.264's scaling lists, its cycle of order counts, and bytes that only prevent start codes are passed over")
    func h264Rarities() {
        // High; 4:2:0, 8 bits; eight lists, of which the first has sixteen steps of 0 and the second ends at once (−8).
        let lists =
            "1" + "010" + "1" + "1" + "0" + "1" + "1" + String(repeating: "1", count: 16) + "1" + "000010001" + "000000"
        // Order counts of type 1: two numbers, and a cycle of two.
        let order = "1" + "010" + "1" + "1" + "1" + "011" + "1" + "1"
        // One reference, no gaps; 40 by 23 macroblocks.
        let rest = "010" + "0" + Self.golomb(39) + Self.golomb(22) + "1"
        #expect(size([0x67, 100, 0, 30] + Self.bytes(lists + order + rest), .h264) == [640, 368])
        // A width of 2^15 macroblocks has bytes of zeros in it, which are written with a 3 behind.
        let wide = Self.bytes("1" + "1" + "011" + "1" + "0" + Self.golomb(4_095) + Self.golomb(4_095) + "1")
        #expect(size([0x67, 66, 0, 30] + wide, .h264) == [65_536, 65_536])
        let prevented = Self.bytes(
            Self.golomb((1 << 24) - 1) + Self.golomb(255) + "1" + "1" + "1" + "0" + Self.golomb(9) + Self.golomb(9)
                + "1")
        var written: [UInt8] = []
        for byte in prevented {
            if written.suffix(2) == [0, 0], byte <= 3 { written.append(3) }
            written.append(byte)
        }
        #expect(written.count > prevented.count && size([0x67, 66, 0, 30] + written, .h264) == [160, 160])
    }

    @Test("VP9 says its size in a key frame's header, behind the descriptor")
    func vp9() {
        // Written by libvpx: 4:2:0, and 4:4:4.
        let frame: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x00, 0x27, 0xf0, 0x16, 0x76, 0x00]
        let full: [UInt8] = [0xa2, 0x49, 0x83, 0x42, 0x00, 0x02, 0x82, 0x01, 0x6a, 0xc0]
        #expect(size([0x88, 0x7f] + frame, .vp9) == [640, 360])
        #expect(size([0x88, 0x7f] + full, .vp9) == [322, 182])
        // With a structure before it.
        #expect(size([0xaa, 0x92, 0x34, 0x00, 0x07, 0x18, 5, 0, 2, 208, 1, 0x04, 1] + frame, .vp9) == [640, 360])
        #expect(size([0xc8, 0x7f] + frame, .vp9) == nil, "it refers to another frame")
        for count in 0..<9 { #expect(size([0x88, 0x7f] + frame.prefix(count), .vp9) == nil, "\(count) bytes") }
    }

    @Test("AV1 says its size in its sequence header, with or without lengths")
    func av1() {
        // Written by SVT-AV1.
        let header: [UInt8] = [0x00, 0x00, 0x00, 0x2d, 0x4c, 0xff, 0xb3, 0xc4, 0xaf, 0x90, 0x04]
        #expect(size([0x18, 0x08] + header, .av1) == [1280, 720])
        #expect(size([0x08, 12, 0x08] + header + [2, 0x30, 1], .av1) == [1280, 720])
        #expect(size([0x28, 2, 0x2a, 0, 0x0a, 11] + header, .av1) == [1280, 720])
        #expect(size([0x10, 0x08] + header, .av1) == nil, "no sequence begins")
        #expect(size([0x18, 0x30] + header, .av1) == nil, "no header")
        for count in 0..<8 { #expect(size([0x18, 0x08] + header.prefix(count), .av1) == nil, "\(count) bytes") }
    }

    @Test("AV1's times, its decoder's model and its short header are passed over")
    func av1Rarities() {
        let size360 = "1001" + "1000" + Self.binary(639, 10) + Self.binary(359, 9)
        let times = "1" + Self.binary(1, 32) + Self.binary(30, 32) + "1" + "010"
        let model = "1" + Self.binary(9, 5) + Self.binary(1, 32) + Self.binary(4, 5) + Self.binary(4, 5)
        // Two operating points: level 9 of the high tier with delays, then level 4 without; both say a display delay.
        let points =
            "1" + "00001" + Self.binary(0, 12) + Self.binary(9, 5) + "1" + "1" + Self.binary(0, 21) + "1" + "0011"
            + Self.binary(0, 12) + Self.binary(4, 5) + "0" + "0"
        #expect(
            size([0x18, 0x08] + Self.bytes("000" + "0" + "0" + times + model + points + size360), .av1) == [640, 360])
        #expect(size([0x18, 0x08] + Self.bytes("000" + "1" + "1" + "00100" + size360), .av1) == [640, 360])
    }

    private static func binary(_ value: Int, _ count: Int) -> String {
        let digits = String(value, radix: 2)
        return String(repeating: "0", count: count - digits.count) + digits
    }

    private static func golomb(_ value: Int) -> String {
        let digits = String(value + 1, radix: 2)
        return String(repeating: "0", count: digits.count - 1) + digits
    }

    /// Filled up with ones.
    private static func bytes(_ bits: String) -> [UInt8] {
        let bits = Array(bits + String(repeating: "1", count: 16))
        return stride(from: 0, to: bits.count - 7, by: 8).compactMap { UInt8(String(bits[$0..<$0 + 8]), radix: 2) }
    }
}
