internal import Timing

/// The last packets of one layer, kept once however many viewers there are: for repeats, and for viewers who come right after a key
/// frame.
///
/// Payloads lie in one ring of bytes, which grows until a lap takes as long as `retention`; a packet is forgotten when its place in the
/// index or its bytes are needed again.
final class LayerHistory {
    /// A second of 10 Mbit/s. A power of two.
    static let indexCount = 1024
    /// The ring of a thumbnail stays at the first; a second of 8 Mbit/s needs the last. Powers of two.
    static let firstByteCount = 64 * 1024
    static let maximumByteCount = 1024 * 1024
    /// What a repeat is worth sending for.
    static let retention = Interval.seconds(1)
    /// Nothing longer passes the path that it came by.
    static let maximumPayload = 2048

    private struct Record {
        /// `.max` while unused; a layer never counts that far.
        var packet = LayerPacket(sequence: .max, timestamp: 0, marker: false, payload: nil)
        /// Counts all bytes ever written; where the payload begins.
        var start: UInt64 = 0
        var length = 0
    }

    private let records: UnsafeMutablePointer<Record>
    private var bytes: UnsafeMutableRawPointer
    private(set) var byteCount = LayerHistory.firstByteCount
    private var written: UInt64 = 0
    private var lapBegan: Instant?

    init() {
        records = .allocate(capacity: Self.indexCount)
        records.initialize(repeating: Record(), count: Self.indexCount)
        bytes = .allocate(byteCount: Self.firstByteCount, alignment: 16)
    }

    deinit {
        records.deinitialize(count: Self.indexCount)
        records.deallocate()
        bytes.deallocate()
    }

    private func place(_ position: UInt64) -> Int { Int(position & UInt64(byteCount - 1)) }

    func store(_ packet: LayerPacket, payload: UnsafeRawBufferPointer, at now: Instant) {
        guard payload.count <= Self.maximumPayload, let base = payload.baseAddress else { return }
        // A payload is never split: what is left at the end of the ring is skipped.
        if payload.count > byteCount - place(written) {
            if byteCount < Self.maximumByteCount, let lapBegan, now - lapBegan < Self.retention { grow() }
            // In the larger ring the place may be near the end as well.
            if payload.count > byteCount - place(written) { written &+= UInt64(byteCount - place(written)) }
        }
        if place(written) == 0 || lapBegan == nil { lapBegan = now }
        assert(place(written) + payload.count <= byteCount, "a payload lies within the ring")
        (bytes + place(written)).copyMemory(from: base, byteCount: payload.count)
        records[Int(packet.sequence & UInt64(Self.indexCount - 1))] = Record(
            packet: packet, start: written, length: payload.count)
        written &+= UInt64(payload.count)
    }

    /// Twice the room, with everything that is in the ring at the place that it has there.
    private func grow() {
        let (old, oldCount) = (bytes, byteCount)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: oldCount * 2, alignment: 16)
        var position = written > UInt64(oldCount) ? written - UInt64(oldCount) : 0
        while position < written {
            let from = Int(position & UInt64(oldCount - 1))
            // Up to the end of the old ring, which is never past the end of the new one.
            let length = min(oldCount - from, Int(written - position))
            (larger + Int(position & UInt64(oldCount * 2 - 1))).copyMemory(from: old + from, byteCount: length)
            position += UInt64(length)
        }
        old.deallocate()
        bytes = larger
        byteCount = oldCount * 2
        // A payload that does not fit before the end of the new ring begins at its start; the lap goes on.
        if place(written) == 0 { lapBegan = nil }
    }

    /// The packet with that number, if it is still there. Valid until the next `store`.
    func find(_ sequence: UInt64) -> (packet: LayerPacket, payload: UnsafeRawBufferPointer)? {
        guard sequence != .max else { return nil }
        let record = records[Int(sequence & UInt64(Self.indexCount - 1))]
        guard record.packet.sequence == sequence, written - record.start <= UInt64(byteCount) else { return nil }
        return (record.packet, UnsafeRawBufferPointer(start: bytes + place(record.start), count: record.length))
    }
}
