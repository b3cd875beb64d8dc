import RoomModel
import RoomTestSupport
import SeededRandom
import Testing

@Suite struct StillPictureTests {
    private func refusal(_ jpeg: [UInt8]) -> String? {
        do throws(RoomError) {
            _ = try StillPicture(jpeg: jpeg)
            return nil
        } catch {
            #expect(error.code == .invalidParams && error.field == "picture")
            return error.message
        }
    }

    @Test("L01-S a still is a small JPEG: so many bytes, so many pixels, and nothing but the picture")
    func bounds() {
        #expect(refusal(TestJPEG.bytes(width: 360, height: 1)) == nil)
        #expect(refusal(TestJPEG.bytes(width: 1, height: 360, frame: 0xC2)) == nil)
        #expect(refusal(TestJPEG.bytes(size: StillPicture.byteLimit)) == nil)
        #expect(refusal(TestJPEG.bytes(size: StillPicture.byteLimit + 1))?.contains("bytes") == true)
        for (width, height) in [(361, 203), (203, 361), (65_535, 65_535), (0, 100), (100, 0)] {
            #expect(refusal(TestJPEG.bytes(width: width, height: height))?.contains("pixels") == true)
        }
        let profile: [UInt8] = [0xFF, 0xFF, 0xE2, 0, 4, 1, 2]
        #expect(refusal(TestJPEG.bytes(extra: profile)) == nil, "a colour profile, after fill bytes")
        for marker in [0xE1, 0xED, 0xEF, 0xFE] as [UInt8] {
            #expect(refusal(TestJPEG.bytes(extra: [0xFF, marker, 0, 4, 1, 2]))?.contains("metadata") == true)
        }
    }

    @Test(
        "L01-S nothing but the picture stands in a still, before, between and behind its scans",
        arguments: TestJPEG.kinds)
    func wholeFile(kind: String) throws {
        let jpeg = TestJPEG.whole(kind)
        #expect(refusal(jpeg) == nil)
        for sent in [
            TestJPEG.with(TestJPEG.exif, in: jpeg), TestJPEG.with([0xFF, 0xFE, 0, 4, 1, 2], in: jpeg),
            TestJPEG.with([0xFF, 0xE2, 0, 4, 1, 2], in: jpeg), TestJPEG.with(behind: TestJPEG.exif, in: jpeg),
            TestJPEG.with(behind: [0], in: jpeg), jpeg + jpeg,
        ] {
            #expect(refusal(sent)?.contains("metadata") == true)
        }
        #expect(refusal(jpeg.dropLast(2)) != nil, "it has no end")
    }

    @Test("L01-S a still has no more scans than an honest one")
    func scans() {
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        func picture(_ count: Int) -> [UInt8] {
            TestJPEG.with((0..<count).flatMap { _ in scan }, in: TestJPEG.bytes(frame: 0xC2))
        }
        #expect(refusal(picture(23)) == nil)
        for count in [24, 1_164] { #expect(refusal(picture(count)) == "a still is a JPEG in base64") }
    }

    @Test(
        "L01-S what is no JPEG is refused with a sentence",
        arguments: [
            [], [0xFF], [0xFF, 0xD8], Array("<svg onload=alert(1)>".utf8), [0xFF, 0xD8, 0xFF],
            [0xFF, 0xD8, 0xFF, 0xFF],
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 0], [0xFF, 0xD8, 0xFF, 0xC0, 0, 1], [0xFF, 0xD8, 0xFF, 0xC0, 0, 4, 8, 0],
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 2],
            // Arithmetic coding, lossless; a second frame; what stands between segments.
            TestJPEG.bytes(frame: 0xC9), TestJPEG.bytes(frame: 0xC3),
            TestJPEG.bytes(extra: [0xFF, 0xC0, 0, 11, 8, 0, 9, 0, 9, 1, 1, 0x11, 0]), TestJPEG.bytes(extra: [0]),
        ] as [[UInt8]])
    func noPictures(_ bytes: [UInt8]) { #expect(refusal(bytes) == "a still is a JPEG in base64") }

    @Test("L01-S no bytes make the reader stumble, and what it accepts is within the bounds") func random() throws {
        var generator = SeededGenerator(seed: 0x5711)
        for _ in 0..<20_000 {
            var bytes = TestJPEG.bytes(
                width: .random(in: 0...1_000, using: &generator), height: .random(in: 0...1_000, using: &generator))
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                bytes[index] = .random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
            if let still = try? StillPicture(jpeg: bytes) { #expect(still.jpeg == bytes) }
        }
    }
}
