package import RTP
package import Timing
package import Wire

/// How a stream that we send is described to the other side.
package struct SendStreamTerms: Hashable, Sendable {
    package var ssrc: SSRC
    /// Ticks a second.
    package var clockRate: UInt32
    package var cname: String
    package var payloadType: PayloadType
    /// Which media section the stream belongs to, and the extension id to say so. Sent along until the other side has reported on the
    /// stream (RFC 9143 §15); `midID` 0 leaves it out.
    package var mid: Mid?
    package var midID: UInt8
    /// Where what got lost is sent again (RFC 4588); nil: on the stream itself, the same to the last byte.
    package var repeats: RepeatStreamTerms?

    package init(
        ssrc: SSRC, clockRate: UInt32, cname: String, payloadType: PayloadType = PayloadType(0), mid: Mid? = nil,
        midID: UInt8 = 0, repeats: RepeatStreamTerms? = nil
    ) {
        self.ssrc = ssrc
        self.clockRate = clockRate
        self.cname = cname
        self.payloadType = payloadType
        self.mid = mid
        self.midID = midID
        self.repeats = repeats
    }
}

/// The stream of its own on which another one's packets are sent again.
package struct RepeatStreamTerms: Hashable, Sendable {
    package var ssrc: SSRC
    package var payloadType: PayloadType
    /// Where its numbers begin: random.
    package var firstSequence: UInt16

    package init(ssrc: SSRC, payloadType: PayloadType, firstSequence: UInt16) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.firstSequence = firstSequence
    }
}

/// One stream of ours: its header, where it stands, and what its sender reports are made from. What each packet needs stands first.
struct SendStream {
    /// Where its state stood among the sender's sources when its last packet was sealed.
    var source = 0
    /// Packets below carry the mid.
    private var midEnd = UInt64.max
    /// The number after the highest that was sent.
    private var nextSequence: UInt64 = 0
    private var clock: SendingClock
    private(set) var packets: UInt32 = 0
    private var octets: UInt32 = 0
    private var packetsReported: UInt32 = 0
    let ssrc: SSRC
    private var payloadType: PayloadType
    /// A report is to go out at once: the stream has begun, or its source has changed.
    var isReportWanted = false
    /// When what is sent was captured, if its producer says so; else the time of sending counts.
    var captureClock: CaptureClock?
    private var midExtension = MidExtension()
    /// Packets below went out under other terms and are not repeated: a second sealing must be the same to the last byte.
    private var firstRepeatable: UInt64 = 0
    /// The next number on the stream for repeats, and where that stands among the sender's sources.
    private var nextRepeat: UInt64
    var repeatSource = 0
    private(set) var terms: SendStreamTerms

    init(_ terms: SendStreamTerms) {
        self.terms = terms
        nextRepeat = UInt64(terms.repeats?.firstSequence ?? 0) & 0x7fff
        ssrc = terms.ssrc
        payloadType = terms.payloadType
        clock = SendingClock(clockRate: terms.clockRate)
        midExtension = MidExtension(terms)
    }

    // MARK: Terms

    /// Another payload type or mid, from the next packet on.
    mutating func describe(
        payloadType: PayloadType, mid: Mid?, midID: UInt8, repeatPayloadType: PayloadType? = nil
    ) {
        if let repeatPayloadType { terms.repeats?.payloadType = repeatPayloadType }
        guard payloadType != terms.payloadType || mid != terms.mid || midID != terms.midID else { return }
        if mid != terms.mid || midID != terms.midID { midEnd = .max }
        terms.payloadType = payloadType
        terms.mid = mid
        terms.midID = midID
        self.payloadType = payloadType
        firstRepeatable = nextSequence
        midExtension = MidExtension(terms)
    }

    /// The other side knows the stream: the mid is no longer needed.
    mutating func acknowledge() { midEnd = min(midEnd, nextSequence) }

    // MARK: Packets

    /// Writes the header of a packet; returns its length. `buffer` has room for the longest header, or it is nil.
    @inline(__always)
    func writeHeader(_ packet: OutgoingPacket, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard buffer.count >= RTPHeader.fixedLength + MidExtension.longest, let start = buffer.baseAddress else {
            return nil
        }
        let saysMid = midExtension.length > 0 && packet.sequence < midEnd
        start.storeBytes(of: saysMid ? 0x90 : 0x80, as: UInt8.self)
        start.storeBytes(
            of: payloadType.rawValue | (packet.marker ? 0x80 : 0), toByteOffset: 1, as: UInt8.self)
        start.storeBytes(
            of: UInt16(truncatingIfNeeded: packet.sequence).bigEndian, toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: packet.timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
        start.storeBytes(of: ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
        guard saysMid else { return RTPHeader.fixedLength }
        midExtension.write(to: start + RTPHeader.fixedLength)
        return RTPHeader.fixedLength + midExtension.length
    }

    /// The same for the packet's repeat on its own stream, whose payload begins with the packet's number (RFC 4588 §4): that is written
    /// too.
    /// - Returns: the header's length, and the packet's number on that stream; nil if there is no such stream.
    mutating func writeRepeatHeader(
        _ packet: OutgoingPacket, into buffer: UnsafeMutableRawBufferPointer
    ) -> (length: Int, sequence: UInt64)? {
        guard let repeats = terms.repeats, let length = writeHeader(packet, into: buffer),
            buffer.count >= length + 2, let start = buffer.baseAddress
        else { return nil }
        defer { nextRepeat += 1 }
        start.storeBytes(
            of: repeats.payloadType.rawValue | (packet.marker ? 0x80 : 0), toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: UInt16(truncatingIfNeeded: nextRepeat).bigEndian, toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: repeats.ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
        start.storeBytes(
            of: UInt16(truncatingIfNeeded: packet.sequence).bigEndian, toByteOffset: length, as: UInt16.self)
        return (length, nextRepeat)
    }

    /// Whether that packet would be the same to the last byte.
    func canRepeat(_ packet: OutgoingPacket) -> Bool {
        packet.sequence >= firstRepeatable && packet.sequence < nextSequence
    }

    @inline(__always)
    mutating func noteSequence(_ sequence: UInt64) { nextSequence = max(nextSequence, sequence &+ 1) }

    @inline(__always)
    mutating func sent(timestamp: RTPTimestamp, payloadLength: Int, at now: Instant) {
        clock.send(timestamp: timestamp, at: now)
        packets &+= 1
        octets &+= UInt32(truncatingIfNeeded: payloadLength)
    }

    // MARK: Reports

    /// Something was sent since the last report.
    var isActive: Bool { packets != packetsReported }

    /// nil before the first packet: there is nothing to say then, and a wanted report waits.
    mutating func makeReport(at now: Instant, ntp: UInt64) -> SenderInfo? {
        guard let sent = clock.timestamp(at: now) else { return nil }
        let timestamp = captureClock.map { RTPTimestamp($0.timestamp(at: now)) } ?? sent
        isReportWanted = false
        packetsReported = packets
        return SenderInfo(
            ssrc: ssrc, ntp: ntp, timestamp: timestamp, packetCount: packets, octetCount: octets)
    }
}

/// The header extension that says the mid, as it goes on the wire: profile word, length, element, padding.
private struct MidExtension {
    /// A mid has at most 16 bytes.
    static let longest = 24

    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private(set) var length = 0

    /// Nothing.
    init() {}

    init(_ terms: SendStreamTerms) {
        guard let mid = terms.mid, terms.midID != 0 else { return }
        var whole: Int?
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeTemporaryAllocation(byteCount: RTPHeader.fixedLength + Self.longest, alignment: 8) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            var writer = RTPHeaderWriter(
                into: buffer, payloadType: terms.payloadType, sequenceNumber: SequenceNumber16(0),
                timestamp: RTPTimestamp(0), ssrc: terms.ssrc)
            writer.add(mid, id: terms.midID)
            whole = writer.finish()
            let start = RTPHeader.fixedLength
            words.0 = buffer.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            words.1 = buffer.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
            words.2 = buffer.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)
        }
        // An id that the one-byte form cannot say is left out.
        guard let whole else { return }
        self.words = words
        length = whole - RTPHeader.fixedLength
    }

    /// `start` has room for the longest.
    @inline(__always)
    func write(to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: words.0, as: UInt64.self)
        start.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        start.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
    }
}
