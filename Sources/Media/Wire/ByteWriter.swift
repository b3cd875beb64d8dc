/// Writes big-endian fields one after the other into a buffer of fixed size. A field that does not fit is not written
/// and sets `overflowed`, which stays set: check it once, at the end.
///
/// A view: it must not outlive the buffer that it was made of.
package struct ByteWriter {
    package let bytes: UnsafeMutableRawBufferPointer
    /// Bytes written so far.
    package private(set) var count = 0
    package private(set) var overflowed = false

    package init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

    package var remaining: Int { bytes.count - count }

    package mutating func write(_ value: UInt8) { writeBigEndian(value) }
    package mutating func write(_ value: UInt16) { writeBigEndian(value) }
    package mutating func write(_ value: UInt32) { writeBigEndian(value) }
    package mutating func write(_ value: UInt64) { writeBigEndian(value) }

    /// The low 24 bits.
    package mutating func writeUInt24(_ value: UInt32) {
        guard reserve(3) else { return }
        bytes[count] = UInt8(truncatingIfNeeded: value >> 16)
        bytes[count + 1] = UInt8(truncatingIfNeeded: value >> 8)
        bytes[count + 2] = UInt8(truncatingIfNeeded: value)
        count += 3
    }

    package mutating func write(bytes source: UnsafeRawBufferPointer) {
        guard reserve(source.count) else { return }
        if let base = source.baseAddress, let start = bytes.baseAddress {
            (start + count).copyMemory(from: base, byteCount: source.count)
        }
        count += source.count
    }

    package mutating func writeZeros(_ number: Int) {
        guard number >= 0, reserve(number) else { return }
        for offset in count..<count + number { bytes[offset] = 0 }
        count += number
    }

    /// Writes over a field written before, such as a length known only at the end.
    package mutating func overwrite(at offset: Int, with value: UInt16) {
        guard offset >= 0, offset + 2 <= count else { return }
        bytes.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Forgets everything from `position` on.
    package mutating func truncate(to position: Int) {
        if position >= 0, position < count { count = position }
    }

    private mutating func writeBigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        guard reserve(size) else { return }
        bytes.storeBytes(of: value.bigEndian, toByteOffset: count, as: Value.self)
        count += size
    }

    private mutating func reserve(_ size: Int) -> Bool {
        guard !overflowed, remaining >= size else {
            overflowed = true
            return false
        }
        return true
    }
}
