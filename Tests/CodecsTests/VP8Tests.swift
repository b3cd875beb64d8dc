internal import SeededRandom
internal import Testing

@testable internal import Codecs

@Suite struct VP8Tests {
    private struct Unexpected: Error {}

    private func read(_ bytes: [UInt8]) -> VP8Descriptor? { bytes.withUnsafeBytes { VP8Descriptor($0) } }

    private func written(_ descriptor: VP8Descriptor) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: VP8Descriptor.maximumLength, alignment: 1) { buffer in
            Array(buffer[..<descriptor.write(into: buffer)])
        }
    }

    /// A descriptor with everything in it.
    private func full(picture: UInt16, base: UInt8 = 7, layer: UInt8 = 1, key: UInt8 = 3) -> [UInt8] {
        [0x90, 0xf0, 0x80 | UInt8(picture >> 8), UInt8(picture & 0xff), base, layer << 6 | 0x20 | key, 0x01]
    }

    @Test("a descriptor of one byte, without any number")
    func short() throws {
        let key = try #require(read([0x10, 0x50, 1, 2]))
        #expect(key.length == 1 && key.startsFrame && key.pictureID == nil && key.temporalLayer == nil)
        #expect([UInt8(0x10), 0x50, 1, 2].withUnsafeBytes { VP8Descriptor($0)?.isKeyFrame(in: $0) } == true)
        #expect([UInt8(0x10), 0x51, 1, 2].withUnsafeBytes { VP8Descriptor($0)?.isKeyFrame(in: $0) } == false)
        #expect(read([0x00, 1])?.startsFrame == false && read([0x11, 1])?.startsFrame == false)
        #expect(written(key) == [0x10])
    }

    @Test("all numbers are read and written again; a picture id of 7 bits is written in 15")
    func numbers() throws {
        let long = try #require(read(full(picture: 0x1234)))
        #expect(long.length == 6 && long.pictureID == .init(value: 0x1234, isLong: true) && long.baseIndex == 7)
        #expect(long.temporalLayer == 1 && long.isSwitchPoint && long.keyIndex == 3)
        #expect(written(long) == Array(full(picture: 0x1234).dropLast()))
        let narrow = try #require(read([0x90, 0x80, 0x7f, 1]))
        #expect(narrow.length == 3 && narrow.pictureID == .init(value: 127, isLong: false))
        #expect(written(narrow) == [0x90, 0x80, 0x80, 0x7f])
    }

    @Test("what is cut off is no descriptor")
    func truncated() {
        let whole = full(picture: 5)
        for count in 0..<whole.count { #expect(read(Array(whole[..<count])) == nil, "\(count) bytes") }
        #expect(read(whole) != nil)
    }

    @Test("the size of a key frame")
    func size() {
        let frame: [UInt8] = [0x10, 0x50, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x45, 0xd0, 0x02]
        frame.withUnsafeBytes { payload in
            let size = VP8Descriptor(payload)?.size(in: payload)
            #expect(size?.width == 1280 && size?.height == 720)
        }
        let broken: [UInt8] = [0x10, 0x50, 0, 0, 0x9d, 0x02, 0x2a, 0, 5, 0xd0, 2]
        broken.withUnsafeBytes { #expect(VP8Descriptor($0)?.size(in: $0) == nil) }
    }

    @Test("after a switch all numbers go on by one, and wrap at their own width")
    func offsets() throws {
        let last = try #require(read(full(picture: 0x7fff, base: 255, key: 31)))
        let next = try #require(read(full(picture: 100, base: 40, key: 9)))
        let offsets = DescriptorOffsets(from: .vp8(next), after: .vp8(last))
        func moved(_ descriptor: VP8Descriptor) throws -> VP8Descriptor {
            guard case .vp8(let moved) = offsets.applied(to: .vp8(descriptor)) else { throw Unexpected() }
            return moved
        }
        let first = try moved(next)
        #expect(first.pictureID?.value == 0 && first.baseIndex == 0 && first.keyIndex == 0)
        #expect(first.temporalLayer == next.temporalLayer && first.isSwitchPoint == next.isSwitchPoint)
        let later = try moved(try #require(read(full(picture: 103, base: 41, key: 10))))
        #expect(later.pictureID?.value == 3 && later.baseIndex == 1 && later.keyIndex == 1)
        // Late, from before the switch's numbers.
        #expect(try moved(try #require(read(full(picture: 99, base: 40, key: 9)))).pictureID?.value == 0x7fff)
        // A layer that has no numbers gets none.
        let plain = try #require(read([0x10, 1]))
        #expect(DescriptorOffsets(from: .vp8(plain), after: .vp8(last)).applied(to: .vp8(plain)) == .vp8(plain))
    }

    @Test("7-bit ids make one counter of 15 bits, also when their width changes in mid-stream")
    func unwrapping() {
        var unwrapper = PictureIDUnwrapper()
        func id(_ value: UInt16, _ isLong: Bool) -> UInt16 {
            unwrapper.unwrap(PictureID(value: value, isLong: isLong)).value
        }
        #expect(id(126, false) == 126 && id(127, false) == 127 && id(0, false) == 128 && id(2, false) == 130)
        #expect(id(1, false) == 129, "late")
        #expect(id(131, true) == 131 && id(3, false) == 131 && id(4, false) == 132)
        for far in [0x3000, 0x6000, 0x7fff] as [UInt16] { #expect(id(far, true) == far) }
        #expect(id(0, false) == 0 && id(1, false) == 1)
    }

    @Test(
        "any bytes are read without a trap, and what is written is read as the same",
        arguments: 1...20 as ClosedRange<UInt64>)
    func anything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 0...(.max), using: &random)
            }
            guard let descriptor = read(bytes) else { continue }
            #expect((1..<bytes.count).contains(descriptor.length))
            let again = try #require(read(written(descriptor) + [1]))
            #expect(again.pictureID?.value == descriptor.pictureID?.value && again.baseIndex == descriptor.baseIndex)
            #expect(again.temporalLayer == descriptor.temporalLayer && again.startsFrame == descriptor.startsFrame)
            if descriptor.keyIndex != nil { #expect(again.keyIndex == descriptor.keyIndex) }
            bytes.withUnsafeBytes { _ = descriptor.size(in: $0) }
        }
    }
}
