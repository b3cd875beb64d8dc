/// The packets of one stream that wait to be decoded, found by their sequence number.
///
/// Payloads lie in one ring of bytes in the order of arrival; a packet that is not fetched before its bytes are needed
/// again is gone, as if it had been lost. Memory is taken once. Used by one thread at a time.
final class PacketStore {
    /// More than a second of the shortest frames in use between singers (5 ms); a power of two.
    static let indexCount = 512
    /// More than a second at 320 kbit/s; a power of two.
    static let byteCount = 64 * 1024
    /// An Opus packet of 20 ms has at most 1,275 bytes (RFC 6716 §3.2), a datagram on the usual paths at most 1,500.
    static let maximumPayload = 1_500

    struct Packet {
        var sequence: UInt64
        /// Wraps counted; relative to nothing.
        var timestamp: Int64
        var payload: UnsafeRawBufferPointer
    }

    private struct Record {
        var sequence: UInt64 = 0
        var timestamp: Int64 = 0
        /// Counts all bytes ever written; where the payload begins.
        var start: UInt64 = 0
        var length: Int32 = -1
    }

    private let records: UnsafeMutablePointer<Record>
    private let bytes: UnsafeMutableRawPointer
    private var written: UInt64 = 0
    /// The range in which packets may be; the lowest is kept exact.
    private(set) var lowest: UInt64?
    private var highest: UInt64 = 0
    private(set) var count = 0

    init() {
        records = .allocate(capacity: Self.indexCount)
        records.initialize(repeating: Record(), count: Self.indexCount)
        bytes = .allocate(byteCount: Self.byteCount, alignment: 16)
    }

    deinit {
        records.deallocate()
        bytes.deallocate()
    }

    enum Outcome {
        case stored
        case duplicate
        /// Too long, or too far from the others.
        case refused
    }

    func insert(sequence: UInt64, timestamp: Int64, payload: UnsafeRawBufferPointer) -> Outcome {
        guard payload.count <= Self.maximumPayload, let base = payload.baseAddress else { return .refused }
        if let lowest {
            let newLowest = min(lowest, sequence)
            let newHighest = max(highest, sequence)
            guard newHighest - newLowest < UInt64(Self.indexCount) else { return .refused }
        }
        let record = records + Int(sequence & UInt64(Self.indexCount - 1))
        guard record.pointee.length < 0 || record.pointee.sequence != sequence else { return .duplicate }
        let room = Self.byteCount - Int(written & UInt64(Self.byteCount - 1))
        // A payload is never split: what is left at the end of the ring is skipped.
        if payload.count > room { written &+= UInt64(room) }
        (bytes + Int(written & UInt64(Self.byteCount - 1))).copyMemory(from: base, byteCount: payload.count)
        record.pointee = Record(
            sequence: sequence, timestamp: timestamp, start: written, length: Int32(payload.count))
        written &+= UInt64(payload.count)
        highest = count == 0 ? sequence : max(highest, sequence)
        lowest = min(lowest ?? sequence, sequence)
        count += 1
        return .stored
    }

    /// The packet with the lowest number. Its payload is valid until the next `insert`.
    func first() -> Packet? {
        while let lowest {
            let record = records[Int(lowest & UInt64(Self.indexCount - 1))]
            if written - record.start <= UInt64(Self.byteCount) {
                return Packet(
                    sequence: lowest, timestamp: record.timestamp,
                    payload: UnsafeRawBufferPointer(
                        start: bytes + Int(record.start & UInt64(Self.byteCount - 1)),
                        count: Int(record.length)))
            }
            // Its bytes have been written over.
            removeFirst()
        }
        return nil
    }

    /// Forgets the packet with the lowest number.
    func removeFirst() {
        guard let old = lowest else { return }
        records[Int(old & UInt64(Self.indexCount - 1))].length = -1
        count -= 1
        guard count > 0 else {
            lowest = nil
            return
        }
        var next = old &+ 1
        while next < highest, records[Int(next & UInt64(Self.indexCount - 1))].length < 0 { next &+= 1 }
        lowest = next
    }

    func removeAll() {
        while lowest != nil { removeFirst() }
    }
}
