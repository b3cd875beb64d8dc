internal import Wire

/// What an H.264 payload holds, as far as switching needs it (RFC 6184): single units, aggregates (STAP-A) and fragments (FU-A).
package struct H264Payload: Hashable, Sendable {
    enum Unit {
        static let instantRefresh: UInt8 = 5
        static let sequenceParameters: UInt8 = 7
        static let pictureParameters: UInt8 = 8
        static let aggregate: UInt8 = 24
        static let fragment: UInt8 = 28
    }

    /// Sequence parameters: a key frame may follow, or be in the same packet.
    package private(set) var hasParameters = false
    /// A slice of a picture that needs no other begins here. An intra-refresh stream never has one, although it repeats its parameters.
    package private(set) var startsKeyFrame = false
    /// Neither parameters nor the whole of a unit: the middle or the end of a fragmented one.
    package private(set) var continuesUnit = false

    /// nil for what is no payload of H.264.
    package init?(_ payload: UnsafeRawBufferPointer) {
        // The highest bit says that the unit is broken.
        guard let first = payload.first, first & 0x80 == 0 else { return nil }
        switch first & 0x1f {
        case 1...23: note(first & 0x1f)
        case Unit.aggregate:
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: payload[1...]))
            guard reader.remaining > 0 else { return nil }
            while reader.remaining > 0 {
                guard let size = reader.readUInt16(), size > 0, let unit = reader.readBytes(Int(size)) else {
                    return nil
                }
                note(unit[0] & 0x1f)
            }
        case Unit.fragment:
            guard payload.count > 2 else { return nil }
            if payload[1] & 0x80 != 0 { note(payload[1] & 0x1f) } else { continuesUnit = true }
        default: return nil
        }
    }

    private mutating func note(_ type: UInt8) {
        if type == Unit.sequenceParameters { hasParameters = true }
        if type == Unit.instantRefresh { startsKeyFrame = true }
    }
}
