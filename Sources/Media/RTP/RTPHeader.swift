package import Wire

/// The header of an RTP packet (RFC 3550 §5.1) and where its parts lie. Offsets count from the packet's first byte.
package struct RTPHeader: Hashable, Sendable {
    package static let fixedLength = 12

    package var marker: Bool
    package var payloadType: PayloadType
    package var sequenceNumber: SequenceNumber16
    package var timestamp: RTPTimestamp
    package var ssrc: SSRC
    /// 0…15 contributing sources follow the fixed part.
    package var csrcCount: Int
    /// Fixed part, contributing sources and extension: what SRTP authenticates in clear.
    package var headerLength: Int
    /// What lies between header and padding.
    package var payloadLength: Int
    /// The padding bit. The length of the padding is known only once the payload is in clear.
    package var hasPadding: Bool
    package var paddingLength: Int
    /// The profile word of the extension, nil without one: 0xBEDE or 0x100x for RFC 8285.
    package var extensionProfile: UInt16?
    /// Where the extension's body begins; equals `headerLength` without one.
    package var extensionOffset: Int
    package var extensionLength: Int { headerLength - extensionOffset }

    package var payload: Range<Int> { headerLength..<headerLength + payloadLength }

    /// What is known of a packet that was not looked into: for loads, which open samples only.
    package init(unopened ssrc: SSRC, timestamp: RTPTimestamp) {
        self.init(
            marker: false, payloadType: PayloadType(0), sequenceNumber: SequenceNumber16(0), timestamp: timestamp,
            ssrc: ssrc, csrcCount: 0, headerLength: RTPHeader.fixedLength, payloadLength: 0, hasPadding: false,
            paddingLength: 0, extensionProfile: nil, extensionOffset: RTPHeader.fixedLength)
    }

    private init(
        marker: Bool, payloadType: PayloadType, sequenceNumber: SequenceNumber16, timestamp: RTPTimestamp, ssrc: SSRC,
        csrcCount: Int, headerLength: Int, payloadLength: Int, hasPadding: Bool, paddingLength: Int,
        extensionProfile: UInt16?, extensionOffset: Int
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.csrcCount = csrcCount
        self.headerLength = headerLength
        self.payloadLength = payloadLength
        self.hasPadding = hasPadding
        self.paddingLength = paddingLength
        self.extensionProfile = extensionProfile
        self.extensionOffset = extensionOffset
    }

    /// nil for anything that is no RTP packet. For a packet whose payload is still encrypted, the padding cannot be
    /// read: `payload` then runs to the end of the packet, authentication tag included.
    package static func parse(_ packet: UnsafeRawBufferPointer, isEncrypted: Bool = false) -> RTPHeader? {
        guard packet.count >= fixedLength else { return nil }
        let first = packet[0]
        guard first >> 6 == 2 else { return nil }
        let csrcCount = Int(first & 0x0f)
        var offset = fixedLength + 4 * csrcCount
        guard packet.count >= offset else { return nil }

        var extensionProfile: UInt16?
        var extensionOffset = offset
        if first & 0x10 != 0 {
            guard packet.count >= offset + 4 else { return nil }
            extensionProfile = packet.bigEndianUInt16(at: offset)
            extensionOffset = offset + 4
            offset = extensionOffset + 4 * Int(packet.bigEndianUInt16(at: offset + 2))
            guard packet.count >= offset else { return nil }
        }

        let hasPadding = first & 0x20 != 0
        var paddingLength = 0
        if hasPadding, !isEncrypted {
            guard packet.count > offset else { return nil }
            paddingLength = Int(packet[packet.count - 1])
            guard paddingLength > 0, paddingLength <= packet.count - offset else { return nil }
        }
        return RTPHeader(
            marker: packet[1] & 0x80 != 0,
            payloadType: PayloadType(packet[1]),
            sequenceNumber: SequenceNumber16(packet.bigEndianUInt16(at: 2)),
            timestamp: RTPTimestamp(packet.bigEndianUInt32(at: 4)),
            ssrc: SSRC(packet.bigEndianUInt32(at: 8)),
            csrcCount: csrcCount,
            headerLength: offset,
            payloadLength: packet.count - offset - paddingLength,
            hasPadding: hasPadding,
            paddingLength: paddingLength,
            extensionProfile: extensionProfile,
            extensionOffset: extensionOffset)
    }

    /// A contributing source; the caller keeps `index` within 0..<csrcCount and passes the packet that was parsed.
    package func csrc(_ index: Int, in packet: UnsafeRawBufferPointer) -> SSRC {
        SSRC(packet.bigEndianUInt32(at: RTPHeader.fixedLength + 4 * index))
    }
}
