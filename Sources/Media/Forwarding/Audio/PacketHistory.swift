/// The last packets of one slot, kept once however many listeners there are, so that a lost one can be sent again.
///
/// Payloads lie in one ring of bytes; a packet is forgotten when its place in the index or its bytes are needed again.
final class PacketHistory {
    /// Two seconds of packets of 10 ms; a repeat is worth sending for one second. A power of two.
    static let indexCount = 256
    /// Two seconds of stereo music at 128 kbit/s. A power of two.
    static let byteCount = 32 * 1024
    /// An Opus packet has at most 1,275 bytes a frame (RFC 6716 §3.2); larger payloads would push out too many others.
    static let maximumPayload = 1500

    /// A packet in the numbering of the slot.
    struct Entry {
        var packet: SlotPacket
        var payload: UnsafeRawBufferPointer
    }

    private struct Record {
        /// `.max` while unused; a slot never counts that far.
        var packet = SlotPacket(sequence: .max, timestamp: 0, marker: false)
        /// Counts all bytes ever written; where the payload begins.
        var start: UInt64 = 0
        var length = 0
    }

    /// Allocated with the first packet, since most seats of most rooms stay silent.
    private var records: UnsafeMutablePointer<Record>?
    private var bytes: UnsafeMutableRawPointer?
    private var written: UInt64 = 0

    init() {}

    deinit {
        records?.deallocate()
        bytes?.deallocate()
    }

    func store(_ packet: SlotPacket, payload: UnsafeRawBufferPointer) {
        guard payload.count <= Self.maximumPayload, let base = payload.baseAddress else { return }
        let (records, bytes) = storage()
        let room = Self.byteCount - Int(written & UInt64(Self.byteCount - 1))
        // A payload is never split: what is left at the end of the ring is skipped.
        if payload.count > room { written &+= UInt64(room) }
        (bytes + Int(written & UInt64(Self.byteCount - 1))).copyMemory(from: base, byteCount: payload.count)
        records[Int(packet.sequence & UInt64(Self.indexCount - 1))] = Record(
            packet: packet, start: written, length: payload.count)
        written &+= UInt64(payload.count)
    }

    /// The packet with that sequence number of the slot, if it is still there. Valid until the next `store`.
    func find(_ sequence: UInt64) -> Entry? {
        guard let records, let bytes, sequence != .max else { return nil }
        let record = records[Int(sequence & UInt64(Self.indexCount - 1))]
        guard record.packet.sequence == sequence, written - record.start <= UInt64(Self.byteCount) else { return nil }
        let start = bytes + Int(record.start & UInt64(Self.byteCount - 1))
        return Entry(
            packet: record.packet, payload: UnsafeRawBufferPointer(start: start, count: record.length))
    }

    private func storage() -> (UnsafeMutablePointer<Record>, UnsafeMutableRawPointer) {
        if let records, let bytes { return (records, bytes) }
        let newRecords = UnsafeMutablePointer<Record>.allocate(capacity: Self.indexCount)
        newRecords.initialize(repeating: Record(), count: Self.indexCount)
        let newBytes = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 16)
        records = newRecords
        bytes = newBytes
        return (newRecords, newBytes)
    }
}
