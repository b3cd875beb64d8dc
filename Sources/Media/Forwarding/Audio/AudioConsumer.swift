package import RTP
internal import Wire

/// The line on which a listener receives a slot, as it was negotiated.
package struct ListenerLine: Hashable, Sendable {
    package var slot: Int
    package var ssrc: SSRC
    /// The stream's number at its peer, which comes back with each packet: nothing is searched for a packet.
    package var stream: Int
    /// Where the listener's numbers start: random (RFC 3550 §5.1). The lower 15 bits of the sequence are used, so that
    /// the first packets cannot be taken for ones before a wrap.
    package var firstSequence: UInt16
    package var firstTimestamp: UInt32
    /// The payload types of packets with copies of earlier ones, if the listener takes them (RFC 2198).
    package var redundancy: RedundancyTypes?

    package init(slot: Int, ssrc: SSRC, stream: Int = 0, firstSequence: UInt16, firstTimestamp: UInt32) {
        self.slot = slot
        self.ssrc = ssrc
        self.stream = stream
        self.firstSequence = firstSequence
        self.firstTimestamp = firstTimestamp
    }
}

/// How packets with copies look on a line.
package struct RedundancyTypes: Hashable, Sendable {
    /// Of the packet as a whole.
    package var packet: PayloadType
    /// Of what is in it.
    package var content: PayloadType

    package init(packet: PayloadType, content: PayloadType) {
        self.packet = packet
        self.content = content
    }
}

/// One listener on one slot: adds constants to the slot's numbers, and new ones after a stretch that it was left out of.
struct AudioConsumer {
    let member: MemberID
    /// The owner's handle of the listener; opaque here.
    let handle: Int
    private(set) var line: ListenerLine
    /// Who has a slot gets packets at once and without padding.
    private(set) var isSeated = false
    /// The number of the next packet. All packets so far lie below.
    private var nextSequence: UInt64
    /// Added to the slot's numbers, modulo 2⁶⁴.
    private var sequenceOffset: UInt64 = 0
    /// The slot's number of the first packet that `sequenceOffset` holds for; `.max` while nothing is sent.
    private var firstSlotSequence = UInt64.max

    init(member: MemberID, handle: Int, line: ListenerLine) {
        self.member = member
        self.handle = handle
        self.line = line
        nextSequence = UInt64(line.firstSequence & 0x7fff)
    }

    /// Nothing has gone out on this line yet, and it only listens: who has a slot waits for nothing, so has nothing to catch up.
    var isNewcomer: Bool {
        firstSlotSequence == .max && nextSequence == UInt64(line.firstSequence & 0x7fff) && !isSeated
    }

    /// Numbers a packet for this listener; nil if it is older than what the listener began with.
    mutating func next(_ packet: SlotPacket) -> OutgoingPacket? {
        if firstSlotSequence == .max {
            guard !packet.isLate else { return nil }
            firstSlotSequence = packet.sequence
            sequenceOffset = nextSequence &- packet.sequence
        }
        guard packet.sequence >= firstSlotSequence else { return nil }
        let outgoing = numbered(packet)
        nextSequence = max(nextSequence, outgoing.sequence + 1)
        return outgoing
    }

    /// The same line under other payload types. What went out before is not repeated any more: it would not be the same.
    mutating func setRedundancy(_ types: RedundancyTypes?) {
        guard types != line.redundancy else { return }
        line.redundancy = types
        pause()
    }

    /// `wasPadded`: the audience's packets are not the same as others', to the last byte. What went out before is not repeated then.
    mutating func setSeated(_ seated: Bool, wasPadded: Bool) {
        guard seated != isSeated else { return }
        isSeated = seated
        if wasPadded { pause() }
    }

    /// Nothing more goes out until the next `next(_:)`, which goes on without a gap.
    mutating func pause() { firstSlotSequence = .max }

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

    /// The same that `next(_:)` gave for this packet.
    func again(_ packet: SlotPacket) -> OutgoingPacket { numbered(packet) }

    private func numbered(_ packet: SlotPacket) -> OutgoingPacket {
        let isFirst = packet.sequence == firstSlotSequence
        return OutgoingPacket(
            ssrc: line.ssrc, stream: line.stream, sequence: packet.sequence &+ sequenceOffset,
            timestamp: packet.timestamp &+ line.firstTimestamp, marker: packet.marker || isFirst,
            startsSource: packet.startsSource || isFirst, padding: isSeated ? 0 : packet.padding)
    }
}
