internal import Wire

/// What is rewritten of the descriptor in front of a VP9 payload (RFC 9628 §4.2): its first byte, the picture id, the layer and the count of
/// base layers. References to earlier pictures and the structure of layers follow, and stay with the payload.
package struct VP9Descriptor: Hashable, Sendable {
    private enum Bit {
        static let hasPictureID: UInt8 = 0x80
        static let isPredicted: UInt8 = 0x40
        static let hasLayer: UInt8 = 0x20
        static let isFlexible: UInt8 = 0x10
        static let startsFrame: UInt8 = 0x08
        static let hasStructure: UInt8 = 0x02
    }

    /// The longest that is written: the first byte, two of picture id, one each of layer and TL0PICIDX.
    package static let maximumLength = 5
    /// RFC 9628 §4.2: a picture refers to three others at most.
    private static let maximumReferences = 3

    /// Where what is not rewritten begins.
    package private(set) var length: Int
    /// Where the frame begins, behind references and structure.
    private(set) var frameStart: UInt16
    private var head: UInt8
    package var pictureID: PictureID?
    private var layer: UInt8?
    /// Counts frames of the lowest temporal layer; flexible mode has none.
    package var baseIndex: UInt8?

    /// nil for what is no descriptor, or has nothing behind it.
    package init?(_ payload: UnsafeRawBufferPointer) {
        var reader = ByteReader(payload)
        guard let first = reader.readUInt8() else { return nil }
        head = first
        if first & Bit.hasPictureID != 0 {
            guard let high = reader.readUInt8() else { return nil }
            if high & 0x80 != 0 {
                guard let low = reader.readUInt8() else { return nil }
                pictureID = PictureID(value: UInt16(high & 0x7f) << 8 | UInt16(low), isLong: true)
            } else {
                pictureID = PictureID(value: UInt16(high), isLong: false)
            }
        }
        if first & Bit.hasLayer != 0 {
            guard let layer = reader.readUInt8() else { return nil }
            self.layer = layer
            if first & Bit.isFlexible == 0 {
                guard let index = reader.readUInt8() else { return nil }
                baseIndex = index
            }
        }
        length = reader.position
        frameStart = 0
        // The rest is looked through, so that what has no frame behind it is no payload.
        if first & Bit.isFlexible != 0, first & Bit.isPredicted != 0 {
            var more = true
            var count = 0
            while more {
                guard count < Self.maximumReferences, let reference = reader.readUInt8() else { return nil }
                more = reference & 1 != 0
                count += 1
            }
        }
        if first & Bit.hasStructure != 0 {
            guard let bytes = Self.structureLength(at: reader.position, in: payload), reader.skip(bytes) else {
                return nil
            }
        }
        guard reader.remaining > 0 else { return nil }
        frameStart = UInt16(clamping: reader.position)
    }

    /// RFC 9628 §4.2.1.
    private static func structureLength(at start: Int, in payload: UnsafeRawBufferPointer) -> Int? {
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: payload[start...]))
        guard let bits = reader.readUInt8() else { return nil }
        if bits & 0x10 != 0 {
            let layers = Int(bits >> 5) + 1
            guard reader.skip(layers * 4) else { return nil }
        }
        if bits & 0x08 != 0 {
            guard let pictures = reader.readUInt8() else { return nil }
            for _ in 0..<pictures {
                guard let picture = reader.readUInt8(), reader.skip(Int(picture >> 2 & 3)) else { return nil }
            }
        }
        return reader.position
    }

    private var spatialLayer: UInt8 { (layer ?? 0) >> 1 & 7 }

    /// The first packet of a picture: of its lowest spatial layer, where it has several.
    package var startsFrame: Bool { head & Bit.startsFrame != 0 && spatialLayer == 0 }

    /// The first packet of a picture that refers to no other.
    package var startsKeyFrame: Bool { startsFrame && head & Bit.isPredicted == 0 }

    /// Writes the part up to `length`, with a picture id of 15 bits if there is one; `buffer` has room for `maximumLength`. Returns how much
    /// that is.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var writer = ByteWriter(buffer)
        writer.write(head)
        if let pictureID { writer.write(0x8000 | pictureID.value & 0x7fff) }
        if let layer { writer.write(layer) }
        if let baseIndex { writer.write(baseIndex) }
        return writer.count
    }
}
