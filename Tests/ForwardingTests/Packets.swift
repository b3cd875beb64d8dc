internal import RTP
internal import Timing
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

/// What a listener got.
struct Delivery: Equatable {
    var handle: Int
    var header: OutgoingPacket
    var payload: [UInt8]

    init(_ handle: Int, _ header: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
        self.handle = handle
        self.header = header
        self.payload = Array(payload)
    }

    var isSilence: Bool { payload == SlotStream.silence }
}

extension ListenerLine {
    static func line(
        _ slot: Int, of member: MemberID, firstSequence: UInt16 = 100, firstTimestamp: UInt32 = 5000
    ) -> Self {
        ListenerLine(
            slot: slot, ssrc: SSRC(UInt32(member.rawValue) * 100 + UInt32(slot)), stream: slot,
            firstSequence: firstSequence, firstTimestamp: firstTimestamp)
    }
}

extension AudioStage {
    /// A packet that came with this header just now.
    func forward(
        from member: MemberID, _ header: RTPHeader, extendedSequence: UInt64, level: AudioLevel?,
        payload: UnsafeRawBufferPointer, at now: Instant, send: Send
    ) {
        forward(
            SourcePacket(
                ssrc: header.ssrc, sequence: extendedSequence, timestamp: header.timestamp.rawValue,
                marker: header.marker, level: level, arrival: now),
            from: member, payload: payload, send: send)
    }
}

/// Keeps what it hears, and takes its time to follow cuts.
final class NotingTap: StageTap {
    let hearsMix: Bool
    private(set) var heard: [TappedPacket] = []
    private(set) var payloads: [[UInt8]] = []
    private(set) var cuts: [(slot: Int, before: UInt64)] = []
    var inForce: UInt64 = 0

    init(hearsMix: Bool = false) { self.hearsMix = hearsMix }

    func hear(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer) {
        heard.append(packet)
        payloads.append(Array(payload))
    }

    func cut(slot: Int, before sequence: UInt64) -> UInt64 {
        cuts.append((slot, sequence))
        return UInt64(cuts.count)
    }

    func isInForce(_ cut: UInt64) -> Bool { inForce >= cut }
}
