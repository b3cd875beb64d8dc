/// A singer's packets until they are decoded: found by sequence number, in whatever order they came. Memory is taken
/// once; a packet is forgotten when its place is needed again.
final class VocalStore {
    /// 640 ms of packets of 2.5 ms: twice what is kept waiting. A power of two.
    private static let recordCount = 256
    /// A second at the highest rate that Opus has. A power of two.
    private static let byteCount = 64 * 1024
    /// An Opus packet has at most 1,275 bytes a frame (RFC 6716 §3.2); nothing that came over UDP is larger than this.
    private static let maximumPayload = 1_500

    struct Packet {
        var sequence: UInt64
        /// Of the first frame, counted without wraps.
        var timestamp: Int64
        var frames: Int
        var payload: UnsafeRawBufferPointer

        var end: Int64 { timestamp + Int64(frames) }
    }

    private struct Record {
        var sequence = UInt64.max
        var timestamp: Int64 = 0
        var frames = 0
        /// Counts all bytes ever written.
        var start = 0
        var length = 0
    }

    private let records: UnsafeMutablePointer<Record>
    private let bytes: UnsafeMutableRawPointer
    private var written = 0
    private var highest: UInt64?

    init() {
        records = .allocate(capacity: Self.recordCount)
        records.initialize(repeating: Record(), count: Self.recordCount)
        bytes = .allocate(byteCount: Self.byteCount, alignment: 16)
    }

    deinit {
        records.deallocate()
        bytes.deallocate()
    }

    func insert(sequence: UInt64, timestamp: Int64, frames: Int, payload: UnsafeRawBufferPointer) {
        guard sequence != .max, payload.count <= Self.maximumPayload, let base = payload.baseAddress else { return }
        if let highest, highest &- sequence < UInt64.max / 2, highest &- sequence >= UInt64(Self.recordCount) { return }
        let room = Self.byteCount - written & (Self.byteCount - 1)
        if payload.count > room { written += room }
        (bytes + written & (Self.byteCount - 1)).copyMemory(from: base, byteCount: payload.count)
        records[index(sequence)] = Record(
            sequence: sequence, timestamp: timestamp, frames: frames, start: written, length: payload.count)
        written += payload.count
        highest = highest.map { max($0, sequence) } ?? sequence
    }

    /// Forgets what came with lower numbers than that.
    func removeAll(before sequence: UInt64) {
        for index in 0..<Self.recordCount where records[index].sequence < sequence { records[index] = Record() }
    }

    /// Valid until the next `insert`.
    func find(_ sequence: UInt64) -> Packet? {
        let record = records[index(sequence)]
        guard record.sequence == sequence, sequence != .max, written - record.start <= Self.byteCount else {
            return nil
        }
        return Packet(
            sequence: sequence, timestamp: record.timestamp, frames: record.frames,
            payload: UnsafeRawBufferPointer(start: bytes + record.start & (Self.byteCount - 1), count: record.length))
    }

    /// The first one that is there, from that number on.
    func first(from sequence: UInt64) -> Packet? {
        guard let highest, sequence <= highest else { return nil }
        let oldest = highest - min(highest, UInt64(Self.recordCount - 1))
        for candidate in max(sequence, oldest)...highest {
            if let packet = find(candidate) { return packet }
        }
        return nil
    }

    /// The first one of which something lies after that timestamp.
    func first(endingAfter timestamp: Double) -> Packet? {
        guard let highest, let newest = find(highest), Double(newest.end) > timestamp else { return nil }
        var next: UInt64 = 0
        while let packet = first(from: next) {
            if Double(packet.end) > timestamp { return packet }
            next = packet.sequence + 1
        }
        return nil
    }

    private func index(_ sequence: UInt64) -> Int { Int(sequence & UInt64(Self.recordCount - 1)) }
}
