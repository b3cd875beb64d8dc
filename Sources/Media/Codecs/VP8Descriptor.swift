internal import Wire

/// The descriptor in front of a VP8 payload (RFC 7741 §4.2).
package struct VP8Descriptor: Hashable, Sendable {
    /// The longest that is written: two bytes of bits, two of picture id, one each of TL0PICIDX and layer.
    package static let maximumLength = 6

    /// Where the VP8 payload begins.
    package private(set) var length: Int
    /// The bits N, S and the partition, as they came.
    private var head: UInt8
    package var pictureID: PictureID?
    /// Counts frames of the lowest temporal layer.
    package var baseIndex: UInt8?
    /// 0 is the lowest temporal layer; nil if the packet does not say.
    package private(set) var temporalLayer: UInt8?
    /// A receiver of lower layers can go up to this one here.
    package private(set) var isSwitchPoint = false
    /// Counts key frames, in five bits.
    package var keyIndex: UInt8?

    /// nil for what is no descriptor, or has nothing behind it.
    package init?(_ payload: UnsafeRawBufferPointer) {
        var reader = ByteReader(payload)
        guard let first = reader.readUInt8() else { return nil }
        head = first & 0x37
        if first & 0x80 != 0 {
            guard let bits = reader.readUInt8() else { return nil }
            if bits & 0x80 != 0 {
                guard let high = reader.readUInt8() else { return nil }
                if high & 0x80 != 0 {
                    guard let low = reader.readUInt8() else { return nil }
                    pictureID = PictureID(value: UInt16(high & 0x7f) << 8 | UInt16(low), isLong: true)
                } else {
                    pictureID = PictureID(value: UInt16(high), isLong: false)
                }
            }
            if bits & 0x40 != 0 {
                guard let index = reader.readUInt8() else { return nil }
                baseIndex = index
            }
            if bits & 0x30 != 0 {
                guard let layer = reader.readUInt8() else { return nil }
                if bits & 0x20 != 0 {
                    temporalLayer = layer >> 6
                    isSwitchPoint = layer & 0x20 != 0
                }
                if bits & 0x10 != 0 { keyIndex = layer & 0x1f }
            }
        }
        guard reader.remaining > 0 else { return nil }
        length = reader.position
    }

    /// S=1 and the first partition.
    package var startsFrame: Bool { head & 0x17 == 0x10 }

    /// RFC 7741 §4.3: the inverse key frame flag is the lowest bit of the frame's first byte. `payload` is what was read.
    package func isKeyFrame(in payload: UnsafeRawBufferPointer) -> Bool {
        startsFrame && length < payload.count && payload[length] & 1 == 0
    }

    /// Width and height of a key frame (RFC 6386 §9.1); nil for other packets.
    func size(in payload: UnsafeRawBufferPointer) -> FrameSize? {
        guard isKeyFrame(in: payload), payload.count >= length + 10,
            payload[length + 3] == 0x9d, payload[length + 4] == 0x01, payload[length + 5] == 0x2a
        else { return nil }
        let low = { Int(payload[length + $0]) | Int(payload[length + $0 + 1]) << 8 }
        return FrameSize(width: low(6) & 0x3fff, height: low(8) & 0x3fff)
    }

    /// Writes the descriptor, with a picture id of 15 bits if there is one; `buffer` has room for `maximumLength`. Returns the length.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let hasLayer = temporalLayer != nil || keyIndex != nil
        var bits: UInt8 = 0
        if pictureID != nil { bits |= 0x80 }
        if baseIndex != nil { bits |= 0x40 }
        if temporalLayer != nil { bits |= 0x20 }
        if keyIndex != nil { bits |= 0x10 }
        var writer = ByteWriter(buffer)
        writer.write(bits == 0 ? head : head | 0x80)
        guard bits != 0 else { return writer.count }
        writer.write(bits)
        if let pictureID { writer.write(0x8000 | pictureID.value & 0x7fff) }
        if let baseIndex { writer.write(baseIndex) }
        if hasLayer {
            writer.write((temporalLayer ?? 0) << 6 | (isSwitchPoint ? 0x20 : 0) | (keyIndex ?? 0) & 0x1f)
        }
        return writer.count
    }
}
