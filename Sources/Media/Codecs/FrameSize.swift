internal import Wire

/// How large a picture is, as the header of a key frame says. Enough to compare layers by: what is cropped at the edges is not taken off.
package struct FrameSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package var area: Int { width * height }

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// nil where the payload holds no header that tells.
    package init?(_ payload: UnsafeRawBufferPointer, _ format: VideoFormat) {
        let size: FrameSize?
        switch format {
        case .vp8: size = VP8Descriptor(payload)?.size(in: payload)
        case .h264: size = H264Payload.size(in: payload)
        case .vp9: size = VP9Descriptor.size(in: payload)
        case .av1: size = AV1Payload.size(in: payload)
        }
        // What no camera sends would overflow.
        guard let size, size.width > 0, size.width <= 1 << 16, size.height > 0, size.height <= 1 << 16 else {
            return nil
        }
        self = size
    }
}

extension H264Payload {
    /// Profiles whose parameters say how colours are written (H.264 §7.3.2.1.1).
    private static let highProfiles = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// By the first sequence parameters in the payload. A fragment holds no whole ones.
    static func size(in payload: UnsafeRawBufferPointer) -> FrameSize? {
        guard let first = payload.first else { return nil }
        if first & 0x1f == Unit.sequenceParameters { return size(parameters: payload) }
        guard first & 0x1f == Unit.aggregate else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: payload[1...]))
        while let length = reader.readUInt16(), let unit = reader.readBytes(Int(length)), let type = unit.first {
            if type & 0x1f == Unit.sequenceParameters { return size(parameters: unit) }
        }
        return nil
    }

    /// H.264 §7.3.2.1.1, up to the size.
    private static func size(parameters unit: UnsafeRawBufferPointer) -> FrameSize? {
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[1...]), skipsPrevention: true)
        let profile = bits.read(8)
        bits.skip(16)
        _ = bits.readGolomb()
        if highProfiles.contains(profile) { skipColours(&bits) }
        _ = bits.readGolomb()
        switch bits.readGolomb() {
        case 0: _ = bits.readGolomb()
        case 1:
            bits.skip(1)
            for _ in 0..<2 { _ = bits.readGolomb() }
            let count = bits.readGolomb()
            guard count <= 255 else { return nil }
            for _ in 0..<count { _ = bits.readGolomb() }
        default: break
        }
        _ = bits.readGolomb()
        bits.skip(1)
        let (columns, rows) = (bits.readGolomb() + 1, bits.readGolomb() + 1)
        let isWhole = bits.readFlag()
        guard !bits.isOver else { return nil }
        return FrameSize(width: columns * 16, height: rows * (isWhole ? 16 : 32))
    }

    private static func skipColours(_ bits: inout BitReader) {
        let colours = bits.readGolomb()
        if colours == 3 { bits.skip(1) }
        for _ in 0..<2 { _ = bits.readGolomb() }
        bits.skip(1)
        guard bits.readFlag() else { return }
        for list in 0..<(colours == 3 ? 12 : 8) where bits.readFlag() {
            // §7.3.2.1.1.1: a list ends where its next scale would be 0.
            var scale = 8
            for _ in 0..<(list < 6 ? 16 : 64) where scale != 0 && !bits.isOver {
                let coded = bits.readGolomb()
                let step = coded & 1 == 1 ? (coded + 1) / 2 : -coded / 2
                scale = (scale + step) & 0xff
            }
        }
    }
}

extension VP9Descriptor {
    /// By the header of a key frame's first packet (VP9 bitstream specification, §6.2).
    static func size(in payload: UnsafeRawBufferPointer) -> FrameSize? {
        guard let descriptor = VP9Descriptor(payload), descriptor.startsKeyFrame else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: payload[Int(descriptor.frameStart)...]))
        guard bits.read(2) == 2 else { return nil }
        let profile = bits.read(1) | bits.read(1) << 1
        if profile == 3 { bits.skip(1) }
        // It shows no earlier frame, and is a key frame.
        guard !bits.readFlag(), !bits.readFlag() else { return nil }
        bits.skip(2)
        guard bits.read(24) == 0x49_8342 else { return nil }
        if profile >= 2 { bits.skip(1) }
        let isRGB = bits.read(3) == 7
        if !isRGB { bits.skip(1) }
        if profile & 1 == 1 { bits.skip(isRGB ? 1 : 3) }
        let (width, height) = (bits.read(16) + 1, bits.read(16) + 1)
        return bits.isOver ? nil : FrameSize(width: width, height: height)
    }
}

extension AV1Payload {
    private static let sequenceHeader = 1

    /// By the sequence header, with which a coded video sequence begins.
    static func size(in payload: UnsafeRawBufferPointer) -> FrameSize? {
        guard let content = AV1Payload(payload), content.startsKeyFrame else { return nil }
        // How many units there are, the last of which has no length before it; 0: all have one.
        let count = Int(payload[0] >> 4 & 3)
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: payload[1...]))
        var number = 0
        while reader.remaining > 0 {
            number += 1
            let length = number == count ? reader.remaining : readLength(&reader)
            guard let length, let unit = reader.readBytes(length), let head = unit.first else { return nil }
            guard Int(head >> 3 & 0xf) == sequenceHeader else { continue }
            var inside = ByteReader(unit)
            guard inside.skip(head & 4 == 0 ? 1 : 2), head & 2 == 0 || readLength(&inside) != nil else { return nil }
            return size(header: UnsafeRawBufferPointer(rebasing: unit[inside.position...]))
        }
        return nil
    }

    /// LEB128 (AV1 §4.10.5), as far as a packet can need it.
    private static func readLength(_ reader: inout ByteReader) -> Int? {
        var value = 0
        for shift in [0, 7, 14] {
            guard let byte = reader.readUInt8() else { return nil }
            value |= Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    /// AV1 §5.5.1, up to the size.
    private static func size(header: UnsafeRawBufferPointer) -> FrameSize? {
        var bits = BitReader(header)
        bits.skip(4)
        if bits.readFlag() { bits.skip(5) } else { skipOperatingPoints(&bits) }
        let (widthBits, heightBits) = (bits.read(4) + 1, bits.read(4) + 1)
        let (width, height) = (bits.read(widthBits) + 1, bits.read(heightBits) + 1)
        return bits.isOver ? nil : FrameSize(width: width, height: height)
    }

    private static func skipOperatingPoints(_ bits: inout BitReader) {
        /// The width of a decoder's delays, where a model of it is given.
        var delayBits: Int?
        if bits.readFlag() {
            bits.skip(64)
            if bits.readFlag() { _ = bits.readGolomb() }
            if bits.readFlag() {
                delayBits = bits.read(5) + 1
                bits.skip(42)
            }
        }
        let hasDisplayDelay = bits.readFlag()
        for _ in 0...bits.read(5) {
            bits.skip(12)
            if bits.read(5) > 7 { bits.skip(1) }
            if let delayBits, bits.readFlag() { bits.skip(2 * delayBits + 1) }
            if hasDisplayDelay, bits.readFlag() { bits.skip(4) }
        }
    }
}
