internal import COpenSSL
package import RTP
internal import Wire

/// Seals everything that one side of a session sends (RFC 3711, RFC 7714). Not `Sendable`: it belongs to one thread.
///
/// A packet index is sealed once per key: with GCM, two different packets under one index give the key stream and the
/// authentication key away. `seal` therefore refuses an index that it has sealed, or may have sealed; a repeat goes
/// through `sealAgain` and must be the same packet, which debug builds check.
package final class SRTPSender {
    /// Live sources per session: 16 slots and their video with repeats leave ample room.
    package static let maximumSources = 64
    /// Sources given up in a session. They are remembered, since a source that came back would repeat its indices.
    package static let maximumRetiredSources = 1024
    /// RFC 3711 §9.2: at most 2^31 RTCP and 2^48 RTP packets per key.
    private static let maximumControlIndex: UInt32 = 0x7fff_ffff
    private static let maximumIndex: UInt64 = 0xffff_ffff_ffff

    package let profile: SRTPProfile
    private let media: PacketCipher
    private let control: PacketCipher
    /// In memory of their own: one is looked at for each packet and listener, without a check whether somebody else does.
    private var sources: UnsafeMutablePointer<Source>
    private var sourceCount = 0
    private var sourceCapacity = 4
    private var retired: [SSRC] = []
    /// One counter for all our RTCP sources, so that it need not be remembered with them.
    private var nextControlIndex: UInt32 = 0

    private struct Source {
        let ssrc: SSRC
        var sealed = ReplayWindow()
        #if DEBUG
            var digests = [UInt64](repeating: 0, count: Int(ReplayWindow.length))
        #endif

        /// The index of the packet with that number, which is used up from now on; nil if it was before, or may have been.
        mutating func claim(_ number: SequenceNumber16) -> UInt64? {
            let index: UInt64
            if let highest = sealed.highest {
                let distance = number.distance(from: SequenceNumber16(UInt16(truncatingIfNeeded: highest)))
                guard distance > 0 || highest >= UInt64(-distance) else { return nil }
                index = highest &+ UInt64(bitPattern: Int64(distance))
            } else {
                index = UInt64(number.rawValue)
            }
            return claim(index: index) ? index : nil
        }

        mutating func claim(index: UInt64) -> Bool {
            guard index <= SRTPSender.maximumIndex, case .unused = sealed.verdict(on: index) else { return false }
            sealed.markUsed(index)
            return true
        }
    }

    /// nil if the master key does not have the profile's lengths, or OpenSSL has no memory.
    package init?(profile: SRTPProfile, masterKey: SRTPMasterKey) {
        guard let media = PacketCipher(masterKey, profile: profile, use: .media, direction: .seal),
            let control = PacketCipher(masterKey, profile: profile, use: .control, direction: .seal)
        else { return nil }
        self.profile = profile
        self.media = media
        self.control = control
        sources = .allocate(capacity: sourceCapacity)
    }

    deinit {
        sources.deinitialize(count: sourceCount)
        sources.deallocate()
    }

    // MARK: RTP

    /// Seals an RTP packet whose header stands at the start of `destination`. `payload` lies elsewhere, or in
    /// `destination` right behind the header; padding counts as payload.
    ///
    /// Returns the packet's length. nil, and nothing is to be sent, if the packet does not fit, the header is none, the
    /// index has been sealed before or lies too far back, or there are too many sources.
    package func seal(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var source = 0
        return seal(headerLength: headerLength, payload: payload, into: destination, source: &source)
    }

    /// The same. `source` is where the packet's source was found last time, or any number; afterwards it is where it was found now.
    package func seal(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        source: inout Int
    ) -> Int? {
        guard let header = self.header(headerLength, payload.count, in: destination),
            let position = position(of: header.ssrc, likely: source)
        else { return nil }
        source = position
        // Used up before anything is encrypted: a failure half way has used the index up as well.
        guard let index = sources[position].claim(header.sequenceNumber) else { return nil }
        #if DEBUG
            sources[position].digests[Int(index % ReplayWindow.length)] = digest(headerLength, payload, destination)
        #endif
        return encrypt(header.ssrc, header.headerLength, index: index, payload: payload, into: destination)
    }

    /// The same for a header that the caller has just written, whose fields it knows: nothing is parsed. `index` is the packet's number
    /// with all its wraps. Behind the header stand `patchLength` bytes in clear, which come before `payload`.
    package func seal(
        _ ssrc: SSRC, index: UInt64, headerLength: Int, patchLength: Int = 0, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer, source: inout Int
    ) -> Int? {
        guard headerLength + patchLength + payload.count + profile.tagLength <= destination.count,
            let position = position(of: ssrc, likely: source)
        else { return nil }
        source = position
        guard sources[position].claim(index: index) else { return nil }
        #if DEBUG
            assert(
                header(headerLength, payload.count, in: destination)?.ssrc == ssrc,
                "the header is what it is said to be")
            sources[position].digests[Int(index % ReplayWindow.length)] = digest(
                headerLength + patchLength, payload, destination)
        #endif
        return encrypt(
            ssrc, headerLength, patchLength: patchLength, index: index, payload: payload, into: destination)
    }

    /// Seals a packet once more, byte for byte as before: same header, same payload (RFC 3711 allows no other repeat).
    /// nil if it has not been sealed or lies more than 2^15 packets back.
    package func sealAgain(
        headerLength: Int, patchLength: Int = 0, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let header = self.header(headerLength, patchLength + payload.count, in: destination),
            let position = known.first(where: { sources[$0].ssrc == header.ssrc }),
            let highest = sources[position].sealed.highest
        else { return nil }
        let distance = header.sequenceNumber.distance(from: SequenceNumber16(UInt16(truncatingIfNeeded: highest)))
        guard distance <= 0, highest >= UInt64(-distance) else { return nil }
        let index = highest - UInt64(-distance)
        if case .unused = sources[position].sealed.verdict(on: index) { return nil }
        #if DEBUG
            if case .used = sources[position].sealed.verdict(on: index) {
                assert(
                    sources[position].digests[Int(index % ReplayWindow.length)]
                        == digest(headerLength + patchLength, payload, destination),
                    "a packet index was to be sealed again with other content")
            }
        #endif
        return encrypt(
            header.ssrc, headerLength, patchLength: patchLength, index: index, payload: payload, into: destination)
    }

    private func encrypt(
        _ ssrc: SSRC, _ headerLength: Int, patchLength: Int = 0, index: UInt64, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let start = destination.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let clear = UnsafeRawBufferPointer(start: start, count: headerLength)
        let output = start + headerLength
        let patch = UnsafeRawBufferPointer(start: output, count: patchLength)
        let end = headerLength + patchLength + payload.count
        switch profile {
        case .aeadAES128GCM:
            guard
                media.sealGCM(
                    source: ssrc.rawValue, index: index, clear: clear, patch: patch, payload: payload, output: output,
                    tag: start + end)
            else { return nil }
        case .aes128CMHMACSHA1_80:
            guard
                media.applyKeystream(
                    source: ssrc.rawValue, index: index, patch: patch, payload: payload, output: output),
                media.writeTag(
                    over: UnsafeRawBufferPointer(start: start, count: end),
                    trailer: UInt32(truncatingIfNeeded: index >> 16), into: start + end)
            else { return nil }
        }
        return end + profile.tagLength
    }

    /// The header, if it is one, has this length, and the sealed packet fits.
    private func header(
        _ length: Int, _ payloadLength: Int, in destination: UnsafeMutableRawBufferPointer
    ) -> RTPHeader? {
        guard length >= RTPHeader.fixedLength, length + payloadLength + profile.tagLength <= destination.count
        else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: destination[..<length])
        guard let header = RTPHeader.parse(bytes, isEncrypted: true), header.headerLength == length
        else { return nil }
        return header
    }

    private var known: Range<Int> { 0..<sourceCount }

    private func position(of ssrc: SSRC, likely: Int) -> Int? {
        if known.contains(likely), sources[likely].ssrc == ssrc { return likely }
        if let position = known.first(where: { sources[$0].ssrc == ssrc }) { return position }
        guard sourceCount < SRTPSender.maximumSources, !retired.contains(ssrc) else { return nil }
        if sourceCount == sourceCapacity { growSources() }
        (sources + sourceCount).initialize(to: Source(ssrc: ssrc))
        sourceCount += 1
        return sourceCount - 1
    }

    private func growSources() {
        let larger = UnsafeMutablePointer<Source>.allocate(capacity: sourceCapacity * 2)
        larger.moveInitialize(from: sources, count: sourceCount)
        sources.deallocate()
        sources = larger
        sourceCapacity *= 2
    }

    /// Frees the state of a source that will send no more. It cannot send again in this session. False if so many have
    /// been given up that this one must be kept.
    @discardableResult
    package func retire(_ ssrc: SSRC) -> Bool {
        guard let position = known.first(where: { sources[$0].ssrc == ssrc }) else { return true }
        guard retired.count < SRTPSender.maximumRetiredSources else { return false }
        sourceCount -= 1
        sources[position] = sources[sourceCount]
        (sources + sourceCount).deinitialize(count: 1)
        retired.append(ssrc)
        return true
    }

    #if DEBUG
        /// FNV-1a over header and payload.
        private func digest(
            _ headerLength: Int, _ payload: UnsafeRawBufferPointer, _ destination: UnsafeMutableRawBufferPointer
        ) -> UInt64 {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in destination[..<headerLength] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash
        }
    #endif

    // MARK: RTCP

    /// Seals a compound RTCP packet in place; `buffer` has `profile.controlOverhead` bytes of room behind it.
    /// Returns the sealed length; nil if it does not fit, is too short, or the key is used up.
    package func sealControl(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
        guard length >= ControlLayout.clearLength, length + profile.controlOverhead <= buffer.count,
            nextControlIndex <= SRTPSender.maximumControlIndex,
            let start = buffer.bindMemory(to: UInt8.self).baseAddress
        else { return nil }
        let bytes = UnsafeRawBufferPointer(buffer)
        let source = bytes.bigEndianUInt32(at: 4)
        let index = nextControlIndex
        nextControlIndex += 1
        let word = ControlLayout.encryptedFlag | index
        let clear = UnsafeRawBufferPointer(start: start, count: ControlLayout.clearLength)
        let payload = UnsafeRawBufferPointer(rebasing: bytes[ControlLayout.clearLength..<length])
        let output = start + ControlLayout.clearLength
        switch profile {
        case .aeadAES128GCM:
            // RFC 7714 §9.2: tag, then the index word.
            guard
                control.sealGCM(
                    source: source, index: UInt64(index), clear: clear, trailer: word, payload: payload,
                    output: output, tag: start + length)
            else { return nil }
            buffer.storeBytes(of: word.bigEndian, toByteOffset: length + profile.tagLength, as: UInt32.self)
        case .aes128CMHMACSHA1_80:
            // RFC 3711 §3.4: index word, then the tag over everything before it.
            guard control.applyKeystream(source: source, index: UInt64(index), payload: payload, output: output)
            else { return nil }
            buffer.storeBytes(of: word.bigEndian, toByteOffset: length, as: UInt32.self)
            guard
                control.writeTag(
                    over: UnsafeRawBufferPointer(rebasing: bytes[..<(length + 4)]), into: start + length + 4)
            else { return nil }
        }
        return length + profile.controlOverhead
    }
}

/// What SRTCP leaves in clear, and how it marks the index word (RFC 3711 §3.4).
enum ControlLayout {
    /// Fixed header and SSRC of the first packet.
    static let clearLength = 8
    static let encryptedFlag: UInt32 = 0x8000_0000
}
