package import RTP
internal import Wire

/// What came of opening a packet.
package enum SRTPOpenResult: Hashable, Sendable {
    /// The packet in clear is the buffer's first `length` bytes. `extendedSequence` is the packet's index: with RTP the
    /// sequence number with its rollovers (48 bits), with RTCP the sender's RTCP counter (31 bits).
    case opened(length: Int, extendedSequence: UInt64)
    /// Seen before, or too old to know.
    case replayed
    /// Forged or damaged; the payload may be spoilt.
    case authenticationFailed
    /// No packet of this kind.
    case malformed
    /// Genuine, but from one source more than a session may have.
    case tooManySources
}

/// Opens everything that the other side of a session sends (RFC 3711, RFC 7714). Not `Sendable`: it belongs to one
/// thread. What it knows of a source changes only by packets whose tag has been verified.
package final class SRTPReceiver {
    /// Sources per session; a browser has a few per media section.
    package static let maximumSources = 64

    package let profile: SRTPProfile
    private let media: PacketCipher
    private let control: PacketCipher
    private var sources: [Source] = []
    /// Where the last packet's source was found.
    private var lastPosition = 0

    private struct Source {
        let ssrc: SSRC
        var media = ReplayWindow()
        var control = ReplayWindow()
    }

    /// nil if the master key does not have the profile's lengths, or OpenSSL has no memory.
    package init?(profile: SRTPProfile, masterKey: SRTPMasterKey) {
        guard let media = PacketCipher(masterKey, profile: profile, use: .media, direction: .open),
            let control = PacketCipher(masterKey, profile: profile, use: .control, direction: .open)
        else { return nil }
        self.profile = profile
        self.media = media
        self.control = control
    }

    // MARK: RTP

    /// Opens the RTP packet in the buffer's first `length` bytes in place.
    package func open(_ packet: UnsafeMutableRawBufferPointer, length: Int) -> SRTPOpenResult {
        guard length >= 0, length <= packet.count else { return .malformed }
        let bytes = UnsafeRawBufferPointer(rebasing: packet[..<length])
        guard let header = RTPHeader.parse(bytes, isEncrypted: true),
            header.payloadLength >= profile.tagLength,
            let start = packet.bindMemory(to: UInt8.self).baseAddress
        else { return .malformed }

        let position = position(of: header.ssrc)
        let window = position.map { sources[$0].media } ?? ReplayWindow()
        let index = SRTPReceiver.index(of: header.sequenceNumber, after: window.highest)
        guard case .unused = window.verdict(on: index) else { return .replayed }

        let end = length - profile.tagLength
        let payload = UnsafeMutableRawBufferPointer(rebasing: packet[header.headerLength..<end])
        switch profile {
        case .aeadAES128GCM:
            guard
                media.openGCM(
                    source: header.ssrc.rawValue, index: index,
                    clear: UnsafeRawBufferPointer(start: start, count: header.headerLength), payload: payload,
                    tag: start + end)
            else { return .authenticationFailed }
        case .aes128CMHMACSHA1_80:
            guard
                media.hasTag(
                    start + end, over: UnsafeRawBufferPointer(start: start, count: end),
                    trailer: UInt32(truncatingIfNeeded: index >> 16)),
                media.applyKeystream(
                    source: header.ssrc.rawValue, index: index, payload: UnsafeRawBufferPointer(payload),
                    output: start + header.headerLength)
            else { return .authenticationFailed }
        }
        guard let position = position ?? add(header.ssrc) else { return .tooManySources }
        sources[position].media.markUsed(index)
        return .opened(length: end, extendedSequence: index)
    }

    /// Whether the packet with that index, which is older than others that came, has not come yet. False if that is too long ago to know.
    package func isMissing(_ ssrc: SSRC, index: UInt64) -> Bool {
        guard let position = position(of: ssrc), let highest = sources[position].media.highest, index < highest,
            case .unused = sources[position].media.verdict(on: index)
        else { return false }
        return true
    }

    /// The index that lies nearest to the newest one (RFC 3711 §3.3.1); a first packet is taken to be in rollover zero.
    static func index(of number: SequenceNumber16, after highest: UInt64?) -> UInt64 {
        guard let highest else { return UInt64(number.rawValue) }
        let distance = number.distance(from: SequenceNumber16(UInt16(truncatingIfNeeded: highest)))
        // Before rollover zero there is nothing: the number can only be one far ahead.
        if distance < 0, highest < UInt64(-distance) { return UInt64(number.rawValue) }
        return highest &+ UInt64(bitPattern: Int64(distance))
    }

    // MARK: RTCP

    /// Opens the RTCP packet in the buffer's first `length` bytes in place. One without encryption is refused: no
    /// session of ours agrees to that.
    package func openControl(_ packet: UnsafeMutableRawBufferPointer, length: Int) -> SRTPOpenResult {
        guard length <= packet.count, length >= ControlLayout.clearLength + profile.controlOverhead,
            let start = packet.bindMemory(to: UInt8.self).baseAddress
        else { return .malformed }
        let bytes = UnsafeRawBufferPointer(rebasing: packet[..<length])
        guard bytes[0] >> 6 == 2 else { return .malformed }
        let end = length - profile.controlOverhead
        let wordOffset: Int
        let tagOffset: Int
        switch profile {
        case .aeadAES128GCM: (tagOffset, wordOffset) = (end, end + profile.tagLength)
        case .aes128CMHMACSHA1_80: (wordOffset, tagOffset) = (end, end + 4)
        }
        let word = bytes.bigEndianUInt32(at: wordOffset)
        guard word & ControlLayout.encryptedFlag != 0 else { return .authenticationFailed }
        let index = UInt64(word & ~ControlLayout.encryptedFlag)
        let ssrc = SSRC(bytes.bigEndianUInt32(at: 4))

        let position = position(of: ssrc)
        if let position {
            guard case .unused = sources[position].control.verdict(on: index) else { return .replayed }
        }
        let payload = UnsafeMutableRawBufferPointer(rebasing: packet[ControlLayout.clearLength..<end])
        switch profile {
        case .aeadAES128GCM:
            guard
                control.openGCM(
                    source: ssrc.rawValue, index: index,
                    clear: UnsafeRawBufferPointer(start: start, count: ControlLayout.clearLength), trailer: word,
                    payload: payload, tag: start + tagOffset)
            else { return .authenticationFailed }
        case .aes128CMHMACSHA1_80:
            guard
                control.hasTag(
                    start + tagOffset, over: UnsafeRawBufferPointer(start: start, count: tagOffset)),
                control.applyKeystream(
                    source: ssrc.rawValue, index: index, payload: UnsafeRawBufferPointer(payload),
                    output: start + ControlLayout.clearLength)
            else { return .authenticationFailed }
        }
        guard let position = position ?? add(ssrc) else { return .tooManySources }
        sources[position].control.markUsed(index)
        return .opened(length: end, extendedSequence: index)
    }

    // MARK: Sources

    /// Makes room for another source. Packets recorded from this one would then be taken as new: only for sources that
    /// the other side has given up, and whose packets nobody listens to any more.
    package func forget(_ ssrc: SSRC) {
        sources.removeAll { $0.ssrc == ssrc }
        lastPosition = 0
    }

    private func position(of ssrc: SSRC) -> Int? {
        if lastPosition < sources.count, sources[lastPosition].ssrc == ssrc { return lastPosition }
        guard let position = sources.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        lastPosition = position
        return position
    }

    private func add(_ ssrc: SSRC) -> Int? {
        guard sources.count < SRTPReceiver.maximumSources else { return nil }
        sources.append(Source(ssrc: ssrc))
        return sources.count - 1
    }
}
