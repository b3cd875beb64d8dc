internal import Wire

/// One packet of an RTCP compound. The cases that carry lists are views: they must not outlive the buffer.
package enum RTCPPacket {
    case senderReport(SenderInfo, ReportBlocks)
    case receiverReport(SSRC, ReportBlocks)
    case sourceDescription(SourceDescriptions)
    case goodbye(GoodbyeSources)
    case nack(sender: SSRC, media: SSRC, MissingSequences)
    case pictureLossIndication(sender: SSRC, media: SSRC)
    case fullIntraRequest(sender: SSRC, FullIntraRequests)
    /// Bits a second that the receiver thinks it can take (draft-alvestrand-rmcat-remb).
    case estimatedMaximumBitrate(sender: SSRC, UInt64)
    /// On everything that was sent on a path, whatever its stream.
    case transportFeedback(sender: SSRC, media: SSRC, TransportFeedback)
    /// Well-formed, but of no use to us. `format` is the count or feedback type field.
    case unknown(type: UInt8, format: UInt8)
}

/// The packet types and feedback formats that we know.
enum RTCPType {
    static let senderReport: UInt8 = 200
    static let receiverReport: UInt8 = 201
    static let sourceDescription: UInt8 = 202
    static let goodbye: UInt8 = 203
    /// RFC 4585 §6.2; format 1 is the generic NACK.
    static let transportFeedback: UInt8 = 205
    static let nack: UInt8 = 1
    /// draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.
    static let transportWide: UInt8 = 15
    /// RFC 4585 §6.3; format 1 is PLI, 4 is FIR (RFC 5104 §4.3.1), 15 is application-defined (REMB).
    static let payloadFeedback: UInt8 = 206
    static let pictureLossIndication: UInt8 = 1
    static let fullIntraRequest: UInt8 = 4
    static let applicationLayer: UInt8 = 15
    /// "REMB"
    static let estimatedMaximumBitrate: UInt32 = 0x5245_4d42

    static let headerLength = 4
}

/// Walks the packets of an RTCP compound, or of a reduced-size one (RFC 5506), without allocation. It ends at the first
/// packet that is not well-formed; `isMalformed` then tells.
///
/// A view: it must not outlive the buffer.
package struct RTCPCompound: Sequence, IteratorProtocol {
    private var reader: ByteReader
    package private(set) var isMalformed = false

    package init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

    package mutating func next() -> RTCPPacket? {
        guard reader.remaining > 0, !isMalformed else { return nil }
        guard let packet = readPacket() else {
            isMalformed = true
            return nil
        }
        return packet
    }

    private mutating func readPacket() -> RTCPPacket? {
        guard let first = reader.readUInt8(), first >> 6 == 2, let type = reader.readUInt8(),
            let words = reader.readUInt16(), var body = reader.readBytes(4 * Int(words))
        else { return nil }
        if first & 0x20 != 0 {
            // RFC 3550 §6.4.1: the last byte counts the padding, itself included. A multiple of four, it says there; browsers pad
            // transport-wide feedback by one to three bytes.
            guard let padding = body.last, padding > 0, Int(padding) <= body.count,
                padding % 4 == 0 || type == RTCPType.transportFeedback
            else { return nil }
            body = UnsafeRawBufferPointer(rebasing: body[..<(body.count - Int(padding))])
        }
        return RTCPCompound.decode(type: type, count: first & 0x1f, body)
    }

    private static func decode(type: UInt8, count: UInt8, _ body: UnsafeRawBufferPointer) -> RTCPPacket? {
        var reader = ByteReader(body)
        switch (type, count) {
        case (RTCPType.senderReport, _):
            guard let ssrc = reader.readUInt32(), let ntp = reader.readUInt64(), let timestamp = reader.readUInt32(),
                let packets = reader.readUInt32(), let octets = reader.readUInt32(),
                let blocks = ReportBlocks(reader.rest, count: Int(count))
            else { return nil }
            let info = SenderInfo(
                ssrc: SSRC(ssrc), ntp: ntp, timestamp: RTPTimestamp(timestamp), packetCount: packets,
                octetCount: octets)
            return .senderReport(info, blocks)
        case (RTCPType.receiverReport, _):
            guard let ssrc = reader.readUInt32(), let blocks = ReportBlocks(reader.rest, count: Int(count))
            else { return nil }
            return .receiverReport(SSRC(ssrc), blocks)
        case (RTCPType.sourceDescription, _):
            return .sourceDescription(SourceDescriptions(body, count: Int(count)))
        case (RTCPType.goodbye, _):
            return GoodbyeSources(body, count: Int(count)).map { .goodbye($0) }
        case (RTCPType.transportFeedback, RTCPType.nack):
            guard let sender = reader.readUInt32(), let media = reader.readUInt32() else { return nil }
            return .nack(sender: SSRC(sender), media: SSRC(media), MissingSequences(reader.rest))
        case (RTCPType.transportFeedback, RTCPType.transportWide):
            guard let sender = reader.readUInt32(), let media = reader.readUInt32(),
                let feedback = TransportFeedback(reader.rest)
            else { return nil }
            return .transportFeedback(sender: SSRC(sender), media: SSRC(media), feedback)
        case (RTCPType.payloadFeedback, RTCPType.pictureLossIndication):
            guard let sender = reader.readUInt32(), let media = reader.readUInt32() else { return nil }
            return .pictureLossIndication(sender: SSRC(sender), media: SSRC(media))
        case (RTCPType.payloadFeedback, RTCPType.fullIntraRequest):
            guard let sender = reader.readUInt32(), reader.skip(4) else { return nil }
            return .fullIntraRequest(sender: SSRC(sender), FullIntraRequests(reader.rest))
        case (RTCPType.payloadFeedback, RTCPType.applicationLayer):
            // Sender, zero, "REMB", number of sources, exponent (6 bits) and mantissa (18 bits), sources.
            guard let sender = reader.readUInt32(), reader.skip(4) else { return nil }
            guard reader.readUInt32() == RTCPType.estimatedMaximumBitrate, let rate = reader.readUInt32()
            else { return .unknown(type: type, format: count) }
            // Saturates: the field can say far more than 64 bits hold.
            let mantissa = UInt64(rate & 0x3ffff)
            let exponent = UInt64(rate >> 18 & 0x3f)
            let bitrate = mantissa.leadingZeroBitCount >= exponent ? mantissa << exponent : .max
            return .estimatedMaximumBitrate(sender: SSRC(sender), bitrate)
        default:
            return .unknown(type: type, format: count)
        }
    }
}

extension ByteReader {
    /// Everything that has not been read yet.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }
}
