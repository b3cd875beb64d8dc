internal import Wire

/// The loudness of the packet's sound (RFC 6464), sent in clear.
package struct AudioLevel: Hashable, Sendable {
    /// −dBov: 0 is the loudest, 127 is silence.
    package var attenuation: UInt8
    /// The sender's own opinion whether this is voice.
    package var isVoice: Bool

    package init(attenuation: UInt8, isVoice: Bool) {
        self.attenuation = min(attenuation, 127)
        self.isVoice = isVoice
    }

    package init(byte: UInt8) { self.init(attenuation: byte & 0x7f, isVoice: byte & 0x80 != 0) }

    package var byte: UInt8 { attenuation | (isVoice ? 0x80 : 0) }
}

/// The header extensions that we understand.
package enum HeaderExtensionKind: Int, CaseIterable, Sendable {
    /// RFC 6464.
    case audioLevel
    /// Which media section a stream belongs to (RFC 9143 §15).
    case mid
    /// Which layer of a section a stream is, and which one it repeats (RFC 8852).
    case rid
    case repairedRid
    /// The number for feedback on everything that is sent on a path (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    case transportNumber
    /// When the packet left, in 1/2¹⁸ s modulo 64 s.
    case absoluteSendTime
    /// When the content was captured, by the capturing system's clock.
    case absoluteCaptureTime
    /// Which layers a frame belongs to and needs (AV1 RTP specification, appendix A).
    case dependencyDescriptor
    /// How the picture is turned (3GPP TS 26.114).
    case orientation
    /// How long a receiver should at least and at most wait before it shows a frame.
    case playoutDelay
    /// Which part of the song the singer heard when the packet's first sample was captured: see `RTPHeader.songPosition`.
    case songPosition

    package var uri: String {
        switch self {
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRid: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .transportNumber: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .absoluteSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .absoluteCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
        case .dependencyDescriptor:
            "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
        case .orientation: "urn:3gpp:video-orientation"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .songPosition: "urn:ovation:params:rtp-hdrext:song-position"
        }
    }

    package init?(uri: String) {
        guard let kind = HeaderExtensionKind.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = kind
    }
}

/// Which id stands for which kind of header extension, as one peer negotiated it: a table by kind.
package struct HeaderExtensionMap: Hashable, Sendable {
    /// By the kind's raw value; 0 = not negotiated.
    private var ids = SIMD16<UInt8>()

    package init() {}

    /// Ids 1…14 (one-byte form) and 16…255 (two-byte form) are usable; others are not entered, and the result is false.
    @discardableResult
    package mutating func set(_ kind: HeaderExtensionKind, id: UInt8) -> Bool {
        guard id != 0, id != 15 else { return false }
        ids[kind.rawValue] = id
        return true
    }

    package func id(of kind: HeaderExtensionKind) -> UInt8? {
        let id = ids[kind.rawValue]
        return id == 0 ? nil : id
    }

    package func kind(of id: UInt8) -> HeaderExtensionKind? {
        guard id != 0 else { return nil }
        return HeaderExtensionKind.allCases.first { ids[$0.rawValue] == id }
    }
}

/// Walks the elements of a header extension in either form of RFC 8285. Anything that is not well-formed ends the walk.
///
/// A view: it must not outlive the packet.
package struct HeaderExtensions: Sequence, IteratorProtocol {
    package static let oneByteProfile: UInt16 = 0xbede
    /// The low four bits are "appbits", which we send as zero and ignore.
    package static let twoByteProfile: UInt16 = 0x1000

    package struct Element {
        package var id: UInt8
        /// Where the value lies in the packet.
        package var range: Range<Int>
    }

    private let packet: UnsafeRawBufferPointer
    private let isOneByte: Bool
    private var offset: Int
    private let end: Int

    package init(of header: RTPHeader, in packet: UnsafeRawBufferPointer) {
        self.packet = packet
        offset = header.extensionOffset
        isOneByte = header.extensionProfile == HeaderExtensions.oneByteProfile
        let isTwoByte = header.extensionProfile.map { $0 & 0xfff0 == HeaderExtensions.twoByteProfile } ?? false
        end = isOneByte || isTwoByte ? Swift.min(header.headerLength, packet.count) : offset
    }

    package mutating func next() -> Element? {
        while offset < end {
            let head = packet[offset]
            // RFC 8285 §4.1: an id of 0 is a padding byte. In the one-byte form its length bits are not looked at.
            if isOneByte ? head >> 4 == 0 : head == 0 {
                offset += 1
                continue
            }
            let element: Element
            if isOneByte {
                // RFC 8285 §4.2: id 15 ends the walk, whatever follows.
                guard head >> 4 != 15 else { break }
                let start = offset + 1
                element = Element(id: head >> 4, range: start..<start + Int(head & 0x0f) + 1)
            } else {
                guard offset + 1 < end else { break }
                let start = offset + 2
                element = Element(id: head, range: start..<start + Int(packet[offset + 1]))
            }
            guard element.range.upperBound <= end else { break }
            offset = element.range.upperBound
            return element
        }
        offset = end
        return nil
    }
}

extension RTPHeader {
    /// Where the value of the extension with this id lies; nil if the packet has none. `packet` is the one that was parsed.
    package func extensionRange(id: UInt8, in packet: UnsafeRawBufferPointer) -> Range<Int>? {
        guard extensionProfile != nil else { return nil }
        var elements = HeaderExtensions(of: self, in: packet)
        while let element = elements.next() {
            if element.id == id { return element.range }
        }
        return nil
    }

    package func audioLevel(in packet: UnsafeRawBufferPointer, _ map: HeaderExtensionMap) -> AudioLevel? {
        guard let id = map.id(of: .audioLevel), let range = extensionRange(id: id, in: packet), range.count == 1
        else { return nil }
        return AudioLevel(byte: packet[range.lowerBound])
    }

    /// Where in the song the singer was when the packet's first sample was captured, in ticks of 48 kHz since the song's
    /// beginning: what they heard then, their latencies already subtracted. nil while they sing to no song, or do not
    /// say.
    package func songPosition(in packet: UnsafeRawBufferPointer, _ map: HeaderExtensionMap) -> UInt32? {
        guard let id = map.id(of: .songPosition), let range = extensionRange(id: id, in: packet), range.count == 4
        else { return nil }
        return packet.bigEndianUInt32(at: range.lowerBound)
    }

    package func mid(in packet: UnsafeRawBufferPointer, _ map: HeaderExtensionMap) -> Mid? {
        name(.mid, in: packet, map)
    }

    /// A name that is carried by an extension: a mid, or the name of a layer.
    package func name(
        _ kind: HeaderExtensionKind, in packet: UnsafeRawBufferPointer, _ map: HeaderExtensionMap
    ) -> Mid? {
        guard let id = map.id(of: kind), let range = extensionRange(id: id, in: packet) else { return nil }
        return Mid(packet[range])
    }
}
