package import RTP
package import Timing
internal import Wire

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
    /// The extension id of the transport-wide number, which each packet gets then (draft-holmer-rmcat-transport-wide-cc-extensions-01); 0:
    /// none. Only where repeats have a stream of their own: the same packet never goes out with another number.
    package var transportNumberID: UInt8 = 0
    /// How long the other side should wait at least and at most before it shows what the stream carries, and the extension id to say so;
    /// sent along as the mid is. `playoutID` 0 leaves it out.
    package var playout: PlayoutRange?
    package var playoutID: UInt8 = 0
    /// Its packets wait for the line's budget, as those of pictures do.
    package var isPaced = false
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

/// The bounds of what a receiver waits before it shows a frame (http://www.webrtc.org/experiments/rtp-hdrext/playout-delay).
package struct PlayoutRange: Hashable, Sendable {
    /// What the wire can say: 12 bits of 10 ms.
    package static let longest = Interval.milliseconds(40_950)

    /// Both bounds, in steps of 10 ms.
    private let (least, most): (UInt32, UInt32)

    /// What is too long is as long as can be said; the upper bound is no less than the lower one.
    package init(least: Interval, most: Interval) {
        func steps(_ length: Interval) -> UInt32 {
            UInt32(clamping: min(max(length, .zero), Self.longest).nanoseconds / 10_000_000)
        }
        self.least = steps(least)
        self.most = max(steps(most), steps(least))
    }

    /// As they go on the wire.
    var bytes: (UInt8, UInt8, UInt8) {
        let both = least << 12 | most
        return (
            UInt8(truncatingIfNeeded: both >> 16), UInt8(truncatingIfNeeded: both >> 8), UInt8(truncatingIfNeeded: both)
        )
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
    /// Packets below carry the mid, and the playout delay.
    private var midEnd = UInt64.max
    /// The number after the highest that was sent.
    private var nextSequence: UInt64 = 0
    private var clock: SendingClock
    private(set) var packets: UInt32 = 0
    private var octets: UInt32 = 0
    private var packetsReported: UInt32 = 0
    let ssrc: SSRC
    let isPaced: Bool
    private var payloadType: PayloadType
    /// A report is to go out at once: the stream has begun, or its source has changed.
    var isReportWanted = false
    /// When what is sent was captured, if its producer says so; else the time of sending counts.
    var captureClock: CaptureClock?
    /// With the mid, and without.
    private var introduction = StreamExtensions()
    private var usual = StreamExtensions()
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
        isPaced = terms.isPaced
        payloadType = terms.payloadType
        clock = SendingClock(clockRate: terms.clockRate)
        setExtensions()
    }

    // MARK: Terms

    /// Another payload type, mid or extension, from the next packet on.
    mutating func describe(
        payloadType: PayloadType, mid: Mid?, midID: UInt8, transportNumberID: UInt8 = 0,
        repeatPayloadType: PayloadType? = nil
    ) {
        if let repeatPayloadType { terms.repeats?.payloadType = repeatPayloadType }
        guard
            payloadType != terms.payloadType || mid != terms.mid || midID != terms.midID
                || transportNumberID != terms.transportNumberID
        else { return }
        if mid != terms.mid || midID != terms.midID { midEnd = .max }
        terms.payloadType = payloadType
        terms.mid = mid
        terms.midID = midID
        terms.transportNumberID = transportNumberID
        self.payloadType = payloadType
        firstRepeatable = nextSequence
        setExtensions()
    }

    private mutating func setExtensions() {
        introduction = StreamExtensions(terms, introduces: true)
        usual = StreamExtensions(terms, introduces: false)
    }

    /// The other side knows the stream: the mid is no longer needed.
    mutating func acknowledge() { midEnd = min(midEnd, nextSequence) }

    // MARK: Packets

    /// Writes the header of a packet; returns its length, and where its transport-wide number belongs: 0 if it has none. `buffer` has room
    /// for the longest header, or it is nil. Changes nothing; `mutating` lets the compiler use the stream where it stands instead of
    /// copying it, and counting its references, for each packet.
    @inline(__always)
    mutating func writeHeader(
        _ packet: OutgoingPacket, into buffer: UnsafeMutableRawBufferPointer
    ) -> (length: Int, numberOffset: Int)? {
        guard buffer.count >= RTPHeader.fixedLength + StreamExtensions.longest, let start = buffer.baseAddress else {
            return nil
        }
        let saysMid = packet.sequence < midEnd
        let extensionLength = saysMid ? introduction.length : usual.length
        start.storeBytes(
            of: (extensionLength > 0 ? 0x90 : 0x80) | (packet.padding > 0 ? 0x20 : 0), as: UInt8.self)
        start.storeBytes(
            of: (packet.payloadType ?? payloadType).rawValue | (packet.marker ? 0x80 : 0), toByteOffset: 1,
            as: UInt8.self)
        start.storeBytes(
            of: UInt16(truncatingIfNeeded: packet.sequence).bigEndian, toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: packet.timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
        start.storeBytes(of: ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
        guard extensionLength > 0 else { return (RTPHeader.fixedLength, 0) }
        if saysMid {
            introduction.write(to: start + RTPHeader.fixedLength)
        } else {
            usual.write(to: start + RTPHeader.fixedLength)
        }
        return (RTPHeader.fixedLength + extensionLength, saysMid ? introduction.numberOffset : usual.numberOffset)
    }

    /// The same for the packet's repeat on its own stream, whose payload begins with the packet's number (RFC 4588 §4): that is written
    /// too.
    /// - Returns: also the packet's number on that stream; nil if there is no such stream.
    mutating func writeRepeatHeader(
        _ packet: OutgoingPacket, into buffer: UnsafeMutableRawBufferPointer
    ) -> (length: Int, numberOffset: Int, sequence: UInt64)? {
        guard let header = writePaddingHeader(packet, into: buffer), buffer.count >= header.length + 2,
            let start = buffer.baseAddress
        else { return nil }
        start.storeBytes(
            of: UInt16(truncatingIfNeeded: packet.sequence).bigEndian, toByteOffset: header.length, as: UInt16.self)
        return header
    }

    /// The same for a packet of the stream for repeats that carries nothing.
    mutating func writePaddingHeader(
        _ packet: OutgoingPacket, into buffer: UnsafeMutableRawBufferPointer
    ) -> (length: Int, numberOffset: Int, sequence: UInt64)? {
        guard let repeats = terms.repeats, let (length, numberOffset) = writeHeader(packet, into: buffer),
            let start = buffer.baseAddress
        else { return nil }
        defer { nextRepeat += 1 }
        start.storeBytes(
            of: repeats.payloadType.rawValue | (packet.marker ? 0x80 : 0), toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: UInt16(truncatingIfNeeded: nextRepeat).bigEndian, toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: repeats.ssrc.rawValue.bigEndian, toByteOffset: 8, as: UInt32.self)
        return (length, numberOffset, nextRepeat)
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
