package import RTP
internal import Wire

/// The header of one packet to one listener.
package struct OutgoingHeader: Hashable, Sendable {
    package var ssrc: SSRC
    /// The stream's number at its peer, as the line has it.
    package var stream: Int
    package var payloadType: PayloadType
    /// Never wraps; its lower 16 bits go out, the whole is the packet's index in SRTP.
    package var sequence: UInt64
    package var timestamp: UInt32
    package var marker: Bool
    /// Which media section the stream belongs to, and the extension id to say so; 0 if it is not said.
    package var mid: Mid?
    package var midID: UInt8
    /// The listener hears another source, or the first, from here on: it should get a sender report soon.
    package var startsSource: Bool

    /// Writes the header; returns its length, nil if `buffer` is too short.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var writer = RTPHeaderWriter(
            into: buffer, marker: marker, payloadType: payloadType,
            sequenceNumber: SequenceNumber16(UInt16(truncatingIfNeeded: sequence)),
            timestamp: RTPTimestamp(timestamp), ssrc: ssrc)
        if let mid, midID != 0 { writer.add(mid, id: midID) }
        return writer.finish()
    }
}

/// The line on which a listener receives a slot, as it was negotiated.
package struct ListenerLine: Hashable, Sendable {
    package var slot: Int
    package var ssrc: SSRC
    /// The stream's number at its peer, which comes back with each packet: nothing is searched for a packet.
    package var stream: Int
    package var payloadType: PayloadType
    /// Sent along until the listener has acknowledged the stream (RFC 8843 §14); `midID` 0 leaves it out.
    package var mid: Mid?
    package var midID: UInt8
    /// Where the listener's numbers start: random (RFC 3550 §5.1). The lower 15 bits of the sequence are used, so that
    /// the first packets cannot be taken for ones before a wrap.
    package var firstSequence: UInt16
    package var firstTimestamp: UInt32

    package init(
        slot: Int, ssrc: SSRC, stream: Int = 0, payloadType: PayloadType, mid: Mid? = nil, midID: UInt8 = 0,
        firstSequence: UInt16, firstTimestamp: UInt32
    ) {
        self.slot = slot
        self.ssrc = ssrc
        self.stream = stream
        self.payloadType = payloadType
        self.mid = mid
        self.midID = midID
        self.firstSequence = firstSequence
        self.firstTimestamp = firstTimestamp
    }
}

/// One listener on one slot: adds constants to the slot's numbers, and new ones after a stretch that it was left out of.
struct AudioConsumer {
    let member: MemberID
    /// The owner's handle of the listener; opaque here.
    let handle: Int
    private(set) var line: ListenerLine
    /// The number of the next packet. All packets so far lie below.
    private var nextSequence: UInt64
    /// Added to the slot's numbers, modulo 2⁶⁴.
    private var sequenceOffset: UInt64 = 0
    /// The slot's number of the first packet that `sequenceOffset` holds for; `.max` while nothing is sent.
    private var firstSlotSequence = UInt64.max
    /// Packets below carry the mid.
    private var midEnd = UInt64.max

    init(member: MemberID, handle: Int, line: ListenerLine) {
        self.member = member
        self.handle = handle
        self.line = line
        nextSequence = UInt64(line.firstSequence & 0x7fff)
    }

    /// Numbers a packet for this listener; nil if it is older than what the listener began with.
    mutating func header(for packet: SlotPacket) -> OutgoingHeader? {
        if firstSlotSequence == .max {
            guard !packet.isLate else { return nil }
            firstSlotSequence = packet.sequence
            sequenceOffset = nextSequence &- packet.sequence
        }
        guard packet.sequence >= firstSlotSequence else { return nil }
        let header = assembled(packet)
        nextSequence = max(nextSequence, header.sequence + 1)
        return header
    }

    /// Nothing more goes out until the next `header(for:)`, which goes on without a gap.
    mutating func pause() { firstSlotSequence = .max }

    /// The line's later description: another payload type or mid, from the next packet on. What went out before is not repeated: a
    /// packet's second sealing must be the same as its first to the last byte.
    mutating func describe(_ line: ListenerLine) {
        var next = self.line
        next.payloadType = line.payloadType
        next.mid = line.mid
        next.midID = line.midID
        guard next != self.line else { return }
        if next.mid != self.line.mid || next.midID != self.line.midID { midEnd = .max }
        self.line = next
        pause()
    }

    /// The listener's side knows the stream: the mid is no longer needed.
    mutating func acknowledge() { midEnd = min(midEnd, nextSequence) }

    /// The slot's number of a packet that this listener has missed; nil if it was never sent, or before a pause.
    func slotSequence(of number: SequenceNumber16) -> UInt64? {
        guard firstSlotSequence != .max, nextSequence > 0 else { return nil }
        let newest = nextSequence - 1
        let age = UInt64(UInt16(truncatingIfNeeded: newest) &- number.rawValue)
        guard age <= newest else { return nil }
        let sequence = newest - age
        guard sequence >= firstSlotSequence &+ sequenceOffset, age <= SlotStream.maximumLateness else { return nil }
        return sequence &- sequenceOffset
    }

    /// The same header that `header(for:)` gave for this packet.
    func repeatedHeader(for packet: SlotPacket) -> OutgoingHeader { assembled(packet) }

    private func assembled(_ packet: SlotPacket) -> OutgoingHeader {
        let sequence = packet.sequence &+ sequenceOffset
        let isFirst = packet.sequence == firstSlotSequence
        return OutgoingHeader(
            ssrc: line.ssrc, stream: line.stream, payloadType: line.payloadType, sequence: sequence,
            timestamp: packet.timestamp &+ line.firstTimestamp, marker: packet.marker || isFirst,
            mid: sequence < midEnd ? line.mid : nil, midID: line.midID,
            startsSource: packet.startsSource || isFirst)
    }
}
