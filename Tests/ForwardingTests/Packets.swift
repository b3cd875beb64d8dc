internal import RTP
internal import Wire

@testable internal import Forwarding

extension RTPHeader {
    /// A packet of a browser's microphone, as far as forwarding looks at it.
    static func opus(ssrc: UInt32, sequence: UInt64, timestamp: UInt32, marker: Bool = false) -> RTPHeader {
        withUnsafeTemporaryAllocation(byteCount: RTPHeader.fixedLength, alignment: 4) { buffer in
            var writer = RTPHeaderWriter(
                into: buffer, marker: marker, payloadType: PayloadType(111),
                sequenceNumber: SequenceNumber16(UInt16(truncatingIfNeeded: sequence)),
                timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc))
            _ = writer.finish()
            return RTPHeader.parse(UnsafeRawBufferPointer(buffer))!
        }
    }
}

/// What a listener got, as it goes over the wire.
struct Delivery: Equatable {
    var handle: Int
    var header: OutgoingHeader
    var payload: [UInt8]

    init(_ handle: Int, _ header: OutgoingHeader, _ payload: UnsafeRawBufferPointer) {
        self.handle = handle
        self.header = header
        self.payload = Array(payload)
    }

    var bytes: [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
        defer { buffer.deallocate() }
        guard let length = header.write(into: buffer) else { return [] }
        return Array(buffer[..<length]) + payload
    }

    var isSilence: Bool { payload == SlotStream.silence }
}

extension ListenerLine {
    static func line(
        _ slot: Int, of member: MemberID, firstSequence: UInt16 = 100, firstTimestamp: UInt32 = 5000,
        payloadType: UInt8 = 96
    ) -> Self {
        ListenerLine(
            slot: slot, ssrc: SSRC(UInt32(member.rawValue) * 100 + UInt32(slot)), payloadType: PayloadType(payloadType),
            firstSequence: firstSequence, firstTimestamp: firstTimestamp)
    }
}
