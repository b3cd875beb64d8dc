internal import RTP
package import Wire

/// The last packets of our stream in clear, so that a lost one can be sent again, byte by byte the same.
package final class SentPackets {
    /// More than a second at 5 ms a packet. A power of two.
    static let indexCount = 256
    /// Two seconds of stereo music at 128 kbit/s. A power of two.
    static let byteCount = 32 * 1024

    private struct Record {
        var sequence: SequenceNumber16 = 0
        /// Counts all bytes ever written.
        var start: UInt64 = 0
        var headerLength = 0
        /// 0 while unused.
        var length = 0
    }

    private var records = [Record](repeating: Record(), count: indexCount)
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
    private var written: UInt64 = 0

    package init() {}

    deinit { bytes.deallocate() }

    package func store(
        _ sequence: SequenceNumber16, header: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer
    ) {
        let length = header.count + payload.count
        guard length <= Self.byteCount / 4, let head = header.baseAddress, let body = payload.baseAddress else {
            return
        }
        let room = Self.byteCount - Int(written & UInt64(Self.byteCount - 1))
        // A packet is never split: what is left at the end of the ring is skipped.
        if length > room { written &+= UInt64(room) }
        let place = bytes + Int(written & UInt64(Self.byteCount - 1))
        place.copyMemory(from: head, byteCount: header.count)
        (place + header.count).copyMemory(from: body, byteCount: payload.count)
        records[Int(sequence.rawValue) & (Self.indexCount - 1)] = Record(
            sequence: sequence, start: written, headerLength: header.count, length: length)
        written &+= UInt64(length)
    }

    /// Header and payload of a packet that is still there. Valid until the next `store`.
    package func find(_ sequence: SequenceNumber16) -> (
        header: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer
    )? {
        let record = records[Int(sequence.rawValue) & (Self.indexCount - 1)]
        guard record.length > 0, record.sequence == sequence, written - record.start <= UInt64(Self.byteCount)
        else { return nil }
        let place = UnsafeRawPointer(bytes) + Int(record.start & UInt64(Self.byteCount - 1))
        return (
            UnsafeRawBufferPointer(start: place, count: record.headerLength),
            UnsafeRawBufferPointer(start: place + record.headerLength, count: record.length - record.headerLength)
        )
    }
}
