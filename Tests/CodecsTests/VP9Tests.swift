internal import SeededRandom
internal import Testing

@testable internal import Codecs

@Suite struct VP9Tests {
    private func read(_ bytes: [UInt8]) -> VP9Descriptor? { bytes.withUnsafeBytes { VP9Descriptor($0) } }

    private func written(_ descriptor: VP9Descriptor) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: VP9Descriptor.maximumLength, alignment: 1) { buffer in
            Array(buffer[..<descriptor.write(into: buffer)])
        }
    }

    /// Without references to earlier pictures by number, as most senders write it: I, L and B, with a structure of one layer.
    private let key: [UInt8] = [0xaa, 0x92, 0x34, 0x00, 0x07, 0x18, 5, 0, 2, 208, 1, 0x04, 1, 0x55]
    /// P as well, and no structure.
    private let delta: [UInt8] = [0xe8, 0x92, 0x35, 0x00, 0x08, 0x55]

    @Test(
        "a key frame's first packet refers to nothing; numbers are read and written again, and the structure stays with the payload"
    )
    func numbers() throws {
        let first = try #require(read(key))
        #expect(first.startsFrame && first.startsKeyFrame && first.length == 5)
        #expect(first.pictureID == PictureID(value: 0x1234, isLong: true) && first.baseIndex == 7)
        #expect(written(first) == Array(key.prefix(5)))
        let second = try #require(read(delta))
        #expect(second.startsFrame && !second.startsKeyFrame && second.baseIndex == 8)
        let short = try #require(read([0x88, 0x7f, 1]))
        #expect(short.pictureID == PictureID(value: 127, isLong: false) && short.length == 2)
        #expect(written(short) == [0x88, 0x80, 0x7f])
    }

    @Test("a higher spatial layer of a key frame does not begin it, nor does a packet in its middle")
    func layers() throws {
        // Layer byte: spatial layer 1, inter-layer dependency.
        #expect(try #require(read([0xa8, 0x80, 1, 0x03, 7, 1])).startsKeyFrame == false)
        #expect(try #require(read([0xa0, 0x80, 1, 0x00, 7, 1])).startsKeyFrame == false)
    }

    @Test("flexible mode: references stay with the payload, and no more than three are read")
    func references() throws {
        let flexible = try #require(read([0xf8, 0x81, 2, 0x00, 0x03, 0x05, 0x06, 0x55]))
        #expect(flexible.length == 4 && flexible.baseIndex == nil && !flexible.startsKeyFrame)
        #expect(read([0xf8, 0x81, 2, 0x00, 0x03, 0x05, 0x07, 0x09, 0x55]) == nil)
    }

    @Test("what is cut off is no payload")
    func truncated() {
        for whole in [key, delta, [0xf8, 0x81, 2, 0x00, 0x03, 0x05, 0x06, 0x55]] {
            for count in 0..<whole.count { #expect(read(Array(whole[..<count])) == nil, "\(count) bytes of \(whole)") }
            #expect(read(whole) != nil)
        }
    }

    @Test("after a switch the picture id and the count of base layers go on by one")
    func offsets() throws {
        let last = try #require(read(delta))
        let next = try #require(read([0xaa, 0x80, 0x09, 0x00, 0x70] + key.dropFirst(5)))
        let offsets = DescriptorOffsets(from: .vp9(next), after: .vp9(last))
        let moved = offsets.applied(to: .vp9(next))
        #expect(moved.pictureID?.value == 0x1236 && moved.baseIndex == 9)
        #expect(moved.length == 5)
    }

    @Test(
        "any bytes are read without a trap, and what is written is read as the same",
        arguments: 1...20 as ClosedRange<UInt64>)
    func anything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...(.max), using: &random)
            }
            guard let descriptor = read(bytes) else { continue }
            #expect((1..<bytes.count).contains(descriptor.length))
            let again = try #require(read(written(descriptor) + bytes[descriptor.length...]))
            #expect(again.pictureID?.value == descriptor.pictureID?.value && again.baseIndex == descriptor.baseIndex)
            #expect(again.startsKeyFrame == descriptor.startsKeyFrame)
        }
    }
}

@Suite struct AV1Tests {
    private func read(_ bytes: [UInt8]) -> AV1Payload? { bytes.withUnsafeBytes { AV1Payload($0) } }

    @Test(
        "the first packet of a coded video sequence shows a key frame; what goes on from the packet before cannot be one"
    )
    func heads() {
        #expect(read([0x18, 0x0a, 1])?.startsKeyFrame == true)
        #expect(read([0x10, 0x32, 1])?.startsKeyFrame == false)
        #expect(read([0x90, 0x32, 1])?.continuesUnit == true)
        for bytes in [[], [0x18], [0x98, 1]] as [[UInt8]] { #expect(read(bytes) == nil, "\(bytes)") }
    }
}
