internal import RTP

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

        /// The payload as the audience gets it where no copy goes with it.
        var padded: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: payload.baseAddress, count: payload.count + Int(packet.padding))
        }
    }

    /// A payload behind a copy of the one before it.
    struct Doubled {
        /// The copy, then what is new. Valid until the next `doubled` or `store`.
        var payload: UnsafeRawBufferPointer
        fileprivate var copyLength: Int
        fileprivate var offset: UInt32

        /// Makes a packet say what it carries.
        @inline(__always)
        func dress(_ packet: inout OutgoingPacket, _ types: RedundancyTypes) {
            packet.patch = RedundantPayload.header(copyOf: copyLength, offset: offset, payloadType: types.content)
            packet.payloadType = types.packet
            packet.padding = 0
        }
    }

    private struct Record {
        /// `.max` while unused; a slot never counts that far.
        var packet = SlotPacket(sequence: .max, timestamp: 0, marker: false)
        /// Counts all bytes ever written; where the payload begins.
        var start: UInt64 = 0
        var length = 0
        /// So many bytes after it are free.
        var spare = 0
    }

    /// Allocated with the first packet, since most seats of most rooms stay silent.
    private var records: UnsafeMutablePointer<Record>?
    private var bytes: UnsafeMutableRawPointer?
    /// Where a payload is put together with a copy; made when the first one is.
    private var joined: UnsafeMutableRawPointer?
    private var written: UInt64 = 0

    init() {}

    deinit {
        records?.deallocate()
        bytes?.deallocate()
        joined?.deallocate()
    }

    /// `spare`: how much padding it may get.
    func store(_ packet: SlotPacket, payload: UnsafeRawBufferPointer, spare: Int = 0) {
        guard payload.count <= Self.maximumPayload, let base = payload.baseAddress else { return }
        let (records, bytes) = storage()
        let room = Self.byteCount - Int(written & UInt64(Self.byteCount - 1))
        // A payload is never split: what is left at the end of the ring is skipped.
        if payload.count + spare > room { written &+= UInt64(room) }
        (bytes + Int(written & UInt64(Self.byteCount - 1))).copyMemory(from: base, byteCount: payload.count)
        records[Int(packet.sequence & UInt64(Self.indexCount - 1))] = Record(
            packet: packet, start: written, length: payload.count, spare: spare)
        written &+= UInt64(payload.count + spare)
    }

    /// Lengthens a packet that nobody has got yet (RFC 3550 §5.1: the last byte says by how much).
    /// - Returns: payload and padding; nil if there is no room for that much.
    func pad(_ sequence: UInt64, by padding: Int) -> UnsafeRawBufferPointer? {
        guard let entry = find(sequence), let records, let bytes else { return nil }
        let place = Int(sequence & UInt64(Self.indexCount - 1))
        guard padding > 0, padding <= records[place].spare else { return nil }
        let start = bytes + Int(records[place].start & UInt64(Self.byteCount - 1)) + entry.payload.count
        UnsafeMutableRawBufferPointer(start: start, count: padding).initializeMemory(as: UInt8.self, repeating: 0)
        start.storeBytes(of: UInt8(padding), toByteOffset: padding - 1, as: UInt8.self)
        records[place].packet.padding = UInt8(padding)
        return find(sequence)?.padded
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

    /// `payload` with a copy of the packet before `packet`; nil if that one is not there, belongs before a seam, is too old or too long.
    func doubled(_ packet: SlotPacket, _ payload: UnsafeRawBufferPointer) -> Doubled? {
        guard !packet.startsSource, packet.sequence > 0, let before = find(packet.sequence - 1),
            let copy = before.payload.baseAddress, let own = payload.baseAddress
        else { return nil }
        let offset = packet.timestamp &- before.packet.timestamp
        guard RedundantPayload.takesCopy(of: before.payload.count, offset: offset, besides: payload.count) else {
            return nil
        }
        let place = joined ?? .allocate(byteCount: RedundantPayload.maximumLength, alignment: 16)
        joined = place
        place.copyMemory(from: copy, byteCount: before.payload.count)
        (place + before.payload.count).copyMemory(from: own, byteCount: payload.count)
        return Doubled(
            payload: UnsafeRawBufferPointer(start: place, count: before.payload.count + payload.count),
            copyLength: before.payload.count, offset: offset)
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
