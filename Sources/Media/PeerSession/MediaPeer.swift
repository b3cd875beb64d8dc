package import DTLS
package import ICE
package import RTP
package import SRTP
package import Timing
package import Wire

/// One peer's media path: ICE, DTLS, SRTP, its streams and their reports in one machine without sockets and clocks.
///
/// Owned by one thread. The contract: each call that changes the peer (`receive`, `advance`, `restartICE`, `close`,
/// `sendReport`) is followed by draining `nextOutput` until it is nil, and by reading `nextDeadline`.
package final class MediaPeer {
    package let configuration: PeerConfiguration
    /// Where media goes to; nil until a path is nominated.
    package private(set) var mediaPath: NetworkPath?
    package private(set) var stats = PeerStats()

    /// Without an authentic packet for this long, the peer is reported lost.
    package static let silenceUntilLost = Interval.seconds(6)
    /// RFC 7675 §5.1: consent to send expires after 30 s.
    package static let silenceUntilClosed = Interval.seconds(30)
    /// From the first moment to keys.
    package static let connectTimeout = Interval.seconds(30)
    /// Nothing that this module makes itself is longer than this.
    package static let maximumDatagramLength = 1200
    /// 16 audio slots, and as many again for pictures.
    package static let maximumSendStreams = 32
    /// What nobody fetches is not kept: the owner drains after each call, so only a flood of requests gets here.
    private static let maximumEvents = 256

    private enum Phase {
        /// → connected, closed
        case connecting(until: Instant)
        /// → closed
        case connected(SecureMedia)
        case closed
    }

    private var phase: Phase
    private var agent: any ICEAgent
    private let dtls: DTLSSession
    /// Where DTLS came from last: its answers go there until a path is nominated.
    private var handshakePath: NetworkPath?
    private var isHandshakeStarted = false
    private var reports: ReportSession
    private var events: [PeerEvent] = []
    private var eventsTaken = 0
    private var now: Instant

    /// Throws if OpenSSL has no memory left.
    package init(_ configuration: PeerConfiguration, context: DTLSContext, at now: Instant) throws(DTLSError) {
        self.configuration = configuration
        self.now = now
        phase = .connecting(until: now + MediaPeer.connectTimeout)
        reports = ReportSession(configuration)
        switch configuration.role {
        case .server:
            agent = ICELiteAgent(local: configuration.localCredentials, remote: configuration.remoteCredentials)
        case .client(let paths):
            agent = ICEControllingAgent(
                local: configuration.localCredentials, remote: configuration.remoteCredentials, paths: paths,
                seed: configuration.seed, at: now)
        }
        dtls = try DTLSSession(
            role: configuration.role == .server ? .server : .client, context: context,
            remoteFingerprint: configuration.remoteFingerprint)
    }

    /// What protects the media; nil until `connected`.
    package var protectionProfile: SRTPProfile? {
        if case .connected(let media) = phase { media.sender.profile } else { nil }
    }

    package var isClosed: Bool { if case .closed = phase { true } else { false } }

    // MARK: Input

    /// Takes a datagram that came by `path`: the first `length` bytes of `datagram`, which is deciphered in place.
    package func receive(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant
    ) -> Received {
        self.now = max(self.now, now)
        let result = dispatch(datagram, length: length, path: path)
        if case .dropped(let reason) = result { stats.count(reason) }
        return result
    }

    /// Tells the protocols of one path apart by the first byte (RFC 7983 §7).
    private func dispatch(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath
    ) -> Received {
        guard !isClosed else { return .dropped(.closed) }
        guard length > 0, length <= datagram.count else { return .dropped(.malformed) }
        let bytes = UnsafeRawBufferPointer(rebasing: datagram[..<length])
        switch bytes[0] {
        case 0...3: return receiveSTUN(bytes, path: path)
        case 20...63: return receiveDTLS(bytes, path: path)
        case 128...191: return receiveSRTP(datagram, length: length, path: path)
        default: return .dropped(.unknownProtocol)
        }
    }

    private func receiveSTUN(_ bytes: UnsafeRawBufferPointer, path: NetworkPath) -> Received {
        switch agent.receive(bytes, path: path, at: now) {
        case .authentic:
            mediaPath = agent.selectedPath
            noteAuthentic()
            startHandshakeIfReady()
            return .handled
        case .ignored: return .handled
        case .malformed: return .dropped(.malformed)
        case .wrongCredentials: return .dropped(.wrongCredentials)
        }
    }

    private func receiveDTLS(_ bytes: UnsafeRawBufferPointer, path: NetworkPath) -> Received {
        guard agent.isValidated(path) else { return .dropped(.unvalidatedPath) }
        handshakePath = path
        dtls.receive(bytes, at: now)
        takeDTLSEvents()
        return .handled
    }

    private func receiveSRTP(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath
    ) -> Received {
        guard case .connected(let media) = phase else { return .dropped(.noKeys) }
        guard path == mediaPath || agent.isValidated(path) else { return .dropped(.unvalidatedPath) }
        // RFC 5761 §4: RTCP's packet types lie where RTP would have the marker and payload types 64…95.
        let isControl = length > 1 && (192...223).contains(datagram[1])
        let result =
            isControl
            ? media.receiver.openControl(datagram, length: length) : media.receiver.open(datagram, length: length)
        switch result {
        case .opened(let clearLength, let extendedSequence):
            _ = agent.noteMedia(on: path, at: now)
            noteAuthentic()
            let clear = UnsafeRawBufferPointer(rebasing: datagram[..<clearLength])
            guard !isControl else { return receiveControl(clear, media) }
            return receiveMedia(clear, extendedSequence: extendedSequence, wireLength: length, media)
        case .replayed: return .dropped(.replayed)
        case .authenticationFailed: return .dropped(.authenticationFailed)
        case .malformed: return .dropped(.malformed)
        case .tooManySources: return .dropped(.tooManyStreams)
        }
    }

    private func receiveMedia(
        _ clear: UnsafeRawBufferPointer, extendedSequence: UInt64, wireLength: Int, _ media: SecureMedia
    ) -> Received {
        guard let header = RTPHeader.parse(clear) else { return .dropped(.malformed) }
        guard makeRoom(reports.receive(header, extendedSequence: extendedSequence, at: now), media) else {
            return .dropped(.tooManyStreams)
        }
        stats.packetsReceived &+= 1
        stats.bytesReceived &+= UInt64(wireLength)
        return .media(ReceivedMedia(header: header, length: clear.count, extendedSequence: extendedSequence))
    }

    /// Forgets a source whose place was needed. False if there was no place for the new one.
    private func makeRoom(_ reception: ReportSession.Reception, _ media: SecureMedia) -> Bool {
        switch reception {
        case .counted: return true
        case .replaced(let old):
            media.receiver.forget(old)
            return true
        case .tooManyStreams: return false
        }
    }

    private func receiveControl(_ clear: UnsafeRawBufferPointer, _ media: SecureMedia) -> Received {
        var compound = RTCPCompound(clear)
        while let packet = compound.next() {
            switch packet {
            case .senderReport(let info, let blocks):
                if makeRoom(reports.receiveSenderReport(info, at: now), media) {
                    tell(.senderReport(info.ssrc, ntp: info.ntp, timestamp: info.timestamp, at: now))
                }
                take(blocks)
            case .receiverReport(_, let blocks):
                take(blocks)
            case .nack(_, let media, let missing):
                for entry in missing {
                    stats.repeatsAsked &+= UInt64(1 + entry.following.nonzeroBitCount)
                    tell(.nack(media, sequence: entry.first, following: entry.following))
                }
            case .sourceDescription, .goodbye, .pictureLossIndication, .fullIntraRequest, .estimatedMaximumBitrate,
                .unknown:
                break
            }
        }
        return compound.isMalformed ? .dropped(.malformed) : .handled
    }

    private func take(_ blocks: ReportBlocks) {
        for block in blocks {
            if let event = reports.receive(block, at: now) { tell(event) }
        }
    }

    // MARK: Time

    /// When `advance(to:)` must be called at the latest; `distantFuture` if nothing is due.
    package var nextDeadline: Instant {
        switch phase {
        case .connecting(let until): min(until, agent.nextDeadline, dtls.nextDeadline)
        case .connected(let media):
            // Reports wait while there is nowhere to send them to.
            min(
                media.liveness.nextDeadline, agent.nextDeadline,
                mediaPath == nil ? .distantFuture : reports.nextDeadline)
        case .closed: .distantFuture
        }
    }

    /// Does what is due: checks, repeats of handshake flights, reports, requests for repeats, time-outs.
    package func advance(to now: Instant) {
        self.now = max(self.now, now)
        switch phase {
        case .connecting(let until):
            guard until > now else { return close(.neverConnected) }
            agent.advance(to: now)
            mediaPath = agent.selectedPath
            dtls.advance(to: now)
            startHandshakeIfReady()
        case .connected(let media):
            switch media.liveness.advance(to: now) {
            case .expired: return close(.consentExpired)
            case .lost: tell(.lost)
            case nil: break
            }
            agent.advance(to: now)
            mediaPath = agent.selectedPath
            reports.advance(to: now)
        case .closed: break
        }
    }

    private func noteAuthentic() {
        guard case .connected(let media) = phase else { return }
        if media.liveness.noteAuthentic(at: now) { tell(.recovered) }
    }

    // MARK: Output

    /// The next thing to send or to tell; nil if there is none. `buffer` has room for at least `maximumDatagramLength`.
    package func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> PeerOutput? {
        if let datagram = agent.nextOutput(into: buffer) { return .datagram(length: datagram.length, datagram.path) }
        if let path = mediaPath ?? handshakePath, let length = dtls.nextOutput(into: buffer) {
            return .datagram(length: length, path)
        }
        if let path = mediaPath, let length = nextReport(into: buffer) { return .datagram(length: length, path) }
        guard eventsTaken < events.count else { return nil }
        let event = events[eventsTaken]
        eventsTaken += 1
        if eventsTaken == events.count {
            events.removeAll(keepingCapacity: true)
            eventsTaken = 0
        }
        return .event(event)
    }

    private func nextReport(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard case .connected(let media) = phase else { return nil }
        let room = min(buffer.count, MediaPeer.maximumDatagramLength) - media.sender.profile.controlOverhead
        guard room > 0 else { return nil }
        var requested = 0
        let clear = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
        guard let length = reports.nextPacket(into: clear, at: now, requested: &requested) else { return nil }
        stats.repeatsRequested &+= UInt64(requested)
        return media.sender.sealControl(buffer, length: length)
    }

    private func tell(_ event: PeerEvent) {
        guard events.count < MediaPeer.maximumEvents else { return }
        events.append(event)
    }

    // MARK: Sending

    /// Declares a stream that we are going to send, before its first packet. Streams that were opened are told of in
    /// sender reports. False if the peer has `maximumSendStreams` already, or knows this SSRC.
    @discardableResult
    package func openSendStream(_ ssrc: SSRC, clockRate: UInt32, cname: String) -> Bool {
        reports.openSendStream(ssrc, clockRate: clockRate, cname: cname)
    }

    /// Ends a stream. Its SSRC cannot be opened again: its packet numbers are used up.
    package func closeSendStream(_ ssrc: SSRC) {
        guard reports.closeSendStream(ssrc), case .connected(let media) = phase else { return }
        media.sender.retire(ssrc)
    }

    /// Enciphers one packet of an open stream. The header stands at the start of `destination`; `payload` lies
    /// elsewhere or right behind the header. Returns the length of the SRTP packet, nil if there are no keys yet, the
    /// stream is not open, or it does not fit. It leaves by `mediaPath`.
    package func seal(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        at now: Instant
    ) -> Int? {
        guard case .connected(let media) = phase, headerLength >= RTPHeader.fixedLength,
            destination.count >= RTPHeader.fixedLength
        else { return nil }
        let bytes = UnsafeRawBufferPointer(destination)
        guard let stream = reports.sendStream(SSRC(bytes.bigEndianUInt32(at: 8))) else { return nil }
        let timestamp = RTPTimestamp(bytes.bigEndianUInt32(at: 4))
        guard let length = media.sender.seal(headerLength: headerLength, payload: payload, into: destination) else {
            return nil
        }
        reports.sent(stream, timestamp: timestamp, payloadLength: payload.count, at: now)
        stats.packetsSent &+= 1
        stats.bytesSent &+= UInt64(length)
        return length
    }

    /// Enciphers a packet once more that was sealed before: the bytes must be the same, header included. nil where
    /// `seal` would give nil, and for what was never sealed.
    package func sealAgain(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard case .connected(let media) = phase,
            let length = media.sender.sealAgain(headerLength: headerLength, payload: payload, into: destination)
        else { return nil }
        stats.repeatsSent &+= 1
        stats.bytesSent &+= UInt64(length)
        return length
    }

    /// Reports on a stream at once, without waiting for its turn: after a stream starts or its source changes.
    package func sendReport(for ssrc: SSRC, at now: Instant) {
        self.now = max(self.now, now)
        reports.wantReport(for: ssrc)
    }

    // MARK: Changes from outside

    /// New credentials of both sides (RFC 8445 §9). Keys, streams and the present path stay; checks with the old
    /// credentials are answered for a while yet. A client passes the paths to try; without any, it checks the present
    /// ones again.
    package func restartICE(
        local: ICECredentials, remote: ICECredentials, paths: [NetworkPath] = [], at now: Instant
    ) {
        self.now = max(self.now, now)
        guard !isClosed else { return }
        agent.restart(local: local, remote: remote, paths: paths, at: now)
        mediaPath = agent.selectedPath
    }

    /// Says goodbye to the other side. `closed(.local)` is the last event.
    package func close(at now: Instant) {
        self.now = max(self.now, now)
        close(.local)
    }

    private func close(_ reason: CloseReason) {
        guard !isClosed else { return }
        phase = .closed
        dtls.close()
        reports.stop()
        events.append(.closed(reason))
    }

    // MARK: Handshake

    /// A client speaks first, once there is a path.
    private func startHandshakeIfReady() {
        guard !isHandshakeStarted, mediaPath != nil, configuration.role != .server else { return }
        isHandshakeStarted = true
        dtls.start(at: now)
        takeDTLSEvents()
    }

    private func takeDTLSEvents() {
        while let event = dtls.nextEvent() {
            switch event {
            case .established(let profile, let keys): connect(profile, keys)
            case .closed: close(.remote)
            case .failed: close(.handshakeFailed)
            }
        }
    }

    private func connect(_ profile: DTLSProtectionProfile, _ exported: [UInt8]) {
        guard case .connecting = phase, let profile = SRTPProfile(rawValue: profile.identifier),
            let keys = SRTPMasterKey.split(exported: exported, profile: profile)
        else { return close(.handshakeFailed) }
        let isServer = configuration.role == .server
        guard let sender = SRTPSender(profile: profile, masterKey: isServer ? keys.server : keys.client),
            let receiver = SRTPReceiver(profile: profile, masterKey: isServer ? keys.client : keys.server)
        else { return close(.handshakeFailed) }
        phase = .connected(SecureMedia(sender: sender, receiver: receiver, at: now))
        reports.start(at: now)
        tell(.connected)
    }
}

extension DTLSContext {
    /// A context that agrees on what SRTP here can do.
    package convenience init(certificate: DTLSCertificate) throws(DTLSError) {
        try self.init(
            certificate: certificate,
            profiles: SRTPProfile.preference.map {
                DTLSProtectionProfile(
                    identifier: $0.rawValue, openSSLName: $0.openSSLName, exporterLength: $0.exporterLength)
            })
    }
}
