package import Timing
package import Wire

/// How one source is received (RFC 3550 §6.4.1).
package struct ReportBlock: Hashable, Sendable {
    static let length = 24

    package var ssrc: SSRC
    /// In 256ths, since the report before.
    package var fractionLost: UInt8
    /// Since the start; negative where repeats outnumber losses. 24 bits on the wire.
    package var cumulativeLost: Int32
    /// Sequence number with its wraps above.
    package var extendedHighestSequence: UInt32
    /// In ticks of the stream's clock.
    package var jitter: UInt32
    /// The middle 32 bits of the last sender report's NTP time; 0 = none yet.
    package var lastSenderReport: UInt32
    /// In 65,536ths of a second.
    package var delaySinceLastSenderReport: UInt32

    package init(
        ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequence: UInt32, jitter: UInt32,
        lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequence = extendedHighestSequence
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// The caller has checked that the block lies inside.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let loss = bytes.bigEndianUInt32(at: offset + 4)
        self.init(
            ssrc: SSRC(bytes.bigEndianUInt32(at: offset)), fractionLost: UInt8(loss >> 24),
            // Shifted up and down again, so that the 24th bit becomes the sign.
            cumulativeLost: Int32(bitPattern: loss << 8) >> 8,
            extendedHighestSequence: bytes.bigEndianUInt32(at: offset + 8),
            jitter: bytes.bigEndianUInt32(at: offset + 12),
            lastSenderReport: bytes.bigEndianUInt32(at: offset + 16),
            delaySinceLastSenderReport: bytes.bigEndianUInt32(at: offset + 20))
    }

    func write(into writer: inout ByteWriter) {
        writer.write(ssrc.rawValue)
        writer.write(fractionLost)
        writer.writeUInt24(UInt32(bitPattern: cumulativeLost))
        writer.write(extendedHighestSequence)
        writer.write(jitter)
        writer.write(lastSenderReport)
        writer.write(delaySinceLastSenderReport)
    }

    /// The way there and back, given the NTP time at which this block arrived (RFC 3550 §6.4.1, figure 2). nil if the
    /// other side has had no sender report of ours, or its figures cannot be true.
    package func roundTrip(arrivingAt ntp: UInt64) -> Interval? {
        guard lastSenderReport != 0 else { return nil }
        let units = Int32(
            bitPattern: UInt32(truncatingIfNeeded: ntp >> 16) &- lastSenderReport &- delaySinceLastSenderReport)
        // A tenth of a second: rounding and the other side's clock may make a short way slightly negative; more than that is a lie.
        guard units > -(1 << 16) / 10 else { return nil }
        return Interval(nanoseconds: (Int64(max(0, units)) * 1_000_000_000) >> 16)
    }
}

/// The report blocks of one RTCP packet. A view: it must not outlive the packet.
package struct ReportBlocks: RandomAccessCollection {
    private let bytes: UnsafeRawBufferPointer
    package let startIndex = 0
    package let endIndex: Int

    /// nil if `count` blocks do not fit into the bytes. What follows them is a profile's extension, and skipped.
    init?(_ bytes: UnsafeRawBufferPointer, count: Int) {
        guard bytes.count >= count * ReportBlock.length else { return nil }
        self.bytes = bytes
        endIndex = count
    }

    package subscript(position: Int) -> ReportBlock {
        precondition(indices.contains(position))
        return ReportBlock(bytes, at: position * ReportBlock.length)
    }
}

/// What a sender says of its own stream (RFC 3550 §6.4.1), without the report blocks.
package struct SenderInfo: Hashable, Sendable {
    package var ssrc: SSRC
    /// Seconds since 1900 in the upper 32 bits, their fraction in the lower.
    package var ntp: UInt64
    /// The same instant in the stream's clock.
    package var timestamp: RTPTimestamp
    package var packetCount: UInt32
    /// Payload bytes, without header and padding.
    package var octetCount: UInt32

    package init(ssrc: SSRC, ntp: UInt64, timestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32) {
        self.ssrc = ssrc
        self.ntp = ntp
        self.timestamp = timestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
    }
}
