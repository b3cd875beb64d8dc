/// Reads big-endian fields one after the other. Reading past the end gives nil and leaves the position where it is.
///
/// A view: it must not outlive the buffer that it was made of.
package struct ByteReader {
    package let bytes: UnsafeRawBufferPointer
    package private(set) var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var remaining: Int { bytes.count - position }

    package mutating func readUInt8() -> UInt8? {
        guard remaining >= 1 else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func readUInt16() -> UInt16? {
        guard remaining >= 2 else { return nil }
        defer { position += 2 }
        return bytes.bigEndianUInt16(at: position)
    }

    /// Three bytes, as in RTCP's loss counter and DTLS's sequence fields.
    package mutating func readUInt24() -> UInt32? {
        guard remaining >= 3 else { return nil }
        defer { position += 3 }
        return UInt32(bytes[position]) << 16 | UInt32(bytes.bigEndianUInt16(at: position + 1))
    }

    package mutating func readUInt32() -> UInt32? {
        guard remaining >= 4 else { return nil }
        defer { position += 4 }
        return bytes.bigEndianUInt32(at: position)
    }

    package mutating func readUInt64() -> UInt64? {
        guard remaining >= 8 else { return nil }
        defer { position += 8 }
        return bytes.bigEndianUInt64(at: position)
    }

    /// The next `count` bytes as a view into the same buffer.
    package mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, remaining >= count else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// False, and no move, if fewer than `count` bytes are left.
    package mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, remaining >= count else { return false }
        position += count
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The caller has checked that the field lies inside.
    @inline(__always)
    package func bigEndianUInt16(at offset: Int) -> UInt16 {
        assert(offset >= 0 && offset + 2 <= count)
        return UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The caller has checked that the field lies inside.
    @inline(__always)
    package func bigEndianUInt32(at offset: Int) -> UInt32 {
        assert(offset >= 0 && offset + 4 <= count)
        return UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The caller has checked that the field lies inside.
    @inline(__always)
    package func bigEndianUInt64(at offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= count)
        return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
