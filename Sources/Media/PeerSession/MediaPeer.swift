package import BandwidthEstimation
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
    package internal(set) var mediaPath: NetworkPath? {
        get { lane.path }
        set {
            // Another path carries something else.
            if newValue != lane.path, lane.path != nil { bandwidth?.reset(at: now) }
            lane.path = newValue
            tellConnected()
        }
    }
    /// Our streams, and the way out for their packets.
    package let lane = SendLane()
    /// What the way to the other side carries; nil while nothing tells: see `measureLine`.
    package internal(set) var bandwidth: SendBandwidth?
    private var counted = PeerStats()
    package var stats: PeerStats {
        var stats = counted
        stats.packetsReceived = reception.packetsReceived
        stats.repeatsRequested = reception.repeatsRequested
        stats.repeatsAsked = reception.repeatsAsked
        stats.packetsSent = lane.packetsSent
        stats.repeatsSent = lane.repeatsSent
        return stats
    }

    /// Without an authentic packet for this long, the peer is reported lost.
    package static let silenceUntilLost = Interval.seconds(6)
    /// RFC 7675 §5.1: consent to send expires after 30 s.
    package static let silenceUntilClosed = Interval.seconds(30)
    /// How long ICE and DTLS may take together.
    package static let connectTimeout = Interval.seconds(30)
    /// The longest datagram that this module makes itself.
    package static let maximumDatagramLength = 1200
    /// 16 audio slots, and as many streams of video.
    package static let maximumSendStreams = 32
    enum Phase {
        /// → connected, closed
        case connecting(until: Instant)
        /// → closed
        case connected(SecureMedia)
        case closed
    }

    private(set) var phase: Phase {
        didSet { if case .connected(let media) = phase { lane.setSealer(media.sender) } else { lane.setSealer(nil) } }
    }
    var reception: PeerReception
    private var transport: PeerTransport
    private var events = PeerEventQueue()
    var now: Instant

    /// Throws if OpenSSL has no memory left.
    package init(_ configuration: PeerConfiguration, context: DTLSContext, at now: Instant) throws(DTLSError) {
        self.configuration = configuration
        self.now = now
        phase = .connecting(until: now + MediaPeer.connectTimeout)
        reception = PeerReception(configuration, lane: lane, at: now)
        transport = try PeerTransport(configuration, context: context, at: now)
    }

    deinit { lane.deallocate() }

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
        if case .dropped(let reason) = result { counted.count(reason) }
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
        case 20...63:
            guard transport.receiveHandshake(bytes, path: path, at: now) else { return .dropped(.unvalidatedPath) }
            takeHandshakeEvents()
            return .handled
        case 128...191: return receiveSRTP(datagram, length: length, path: path)
        default: return .dropped(.unknownProtocol)
        }
    }

    private func receiveSTUN(_ bytes: UnsafeRawBufferPointer, path: NetworkPath) -> Received {
        switch transport.receiveCheck(bytes, path: path, at: now) {
        case .authentic:
            mediaPath = transport.selectedPath
            noteAuthentic()
            transport.startHandshakeIfReady(at: now)
            // It may have failed with its first flight.
            takeHandshakeEvents()
            return .handled
        case .ignored: return .handled
        case .malformed: return .dropped(.malformed)
        case .wrongCredentials: return .dropped(.wrongCredentials)
        }
    }

    private func receiveSRTP(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath
    ) -> Received {
        guard case .connected(let media) = phase else { return .dropped(.noKeys) }
        guard path == mediaPath || transport.isValidated(path) else { return .dropped(.unvalidatedPath) }
        // RFC 5761 §4: RTCP's packet types lie where RTP would have the marker and payload types 64…95.
        let isControl = length > 1 && (192...223).contains(datagram[1])
        let result =
            isControl
            ? media.receiver.openControl(datagram, length: length) : media.receiver.open(datagram, length: length)
        switch result {
        case .opened(let clearLength, let extendedSequence):
            transport.noteMedia(on: path, at: now)
            noteAuthentic()
            let clear = UnsafeRawBufferPointer(rebasing: datagram[..<clearLength])
            guard isControl else { return reception.receive(clear, extendedSequence: extendedSequence, media, at: now) }
            return reception.receiveControl(clear, media, bandwidth, at: now, tell: &events)
        case .replayed: return .dropped(.replayed)
        case .authenticationFailed: return .dropped(.authenticationFailed)
        case .malformed: return .dropped(.malformed)
        case .tooManySources: return .dropped(.tooManyStreams)
        }
    }

    private func noteAuthentic() {
        guard case .connected(let media) = phase else { return }
        if media.liveness.noteAuthentic(at: now) { events.add(.recovered) }
    }

    /// Looks through a payload with copies (RFC 2198): gives each copy that stands in for a packet that has not come, oldest first. That
    /// one is not asked for any more.
    /// - Parameter type: the payload type that copies must have.
    package func recover(
        from packet: ReceivedMedia, _ redundant: RedundantPayload, type: PayloadType,
        in payload: UnsafeRawBufferPointer,
        at now: Instant, _ body: (_ copy: RedundantPayload.Copy, _ extendedSequence: UInt64) -> Void
    ) {
        guard case .connected(let media) = phase else { return }
        for index in 0..<redundant.copyCount {
            let copy = redundant.copy(index, in: payload)
            let distance = UInt64(copy.distance)
            guard copy.payloadType == type, !copy.range.isEmpty, packet.extendedSequence >= distance,
                media.receiver.isMissing(packet.header.ssrc, index: packet.extendedSequence - distance)
            else { continue }
            let sequence = packet.extendedSequence - distance
            reception.receiveCopy(packet.header.ssrc, extendedSequence: sequence, at: max(self.now, now))
            body(copy, sequence)
        }
    }

    /// What the other side may send, and which header extensions were agreed on. Streams that have come keep their track.
    package func setReceiving(_ tracks: [ReceiveTrack], extensions: HeaderExtensionMap) {
        reception.agree(on: tracks, extensions: extensions)
    }

    /// Asks for a key frame of a stream of the other side, once: whether one comes is the owner's to see.
    package func requestKeyFrame(of ssrc: SSRC, at now: Instant) {
        self.now = max(self.now, now)
        reception.requestKeyFrame(of: ssrc)
    }

    /// Counts a media packet for the reports as `receive` does, without opening it: for loads, which open samples only. Never for
    /// anything that is listened to.
    package func countUnopened(_ ssrc: SSRC, timestamp: RTPTimestamp, extendedSequence: UInt64, at now: Instant) {
        guard case .connected(let media) = phase else { return }
        self.now = max(self.now, now)
        reception.count(ssrc, timestamp: timestamp, extendedSequence: extendedSequence, media, at: self.now)
    }

    /// How a stream of the other side arrives; nil before its first packet.
    package func reception(of ssrc: SSRC) -> ReceptionStatistics? { reception.streams.reception(of: ssrc) }

    // MARK: Time

    /// When `advance(to:)` must be called at the latest; `distantFuture` if nothing is due.
    package var nextDeadline: Instant {
        switch phase {
        case .connecting(let until): min(until, transport.nextDeadline)
        case .connected(let media):
            // Reports wait while there is nowhere to send them to.
            min(
                media.liveness.nextDeadline, transport.nextCheck, media.pathUntil ?? .distantFuture,
                mediaPath == nil ? .distantFuture : reception.nextReport)
        case .closed: .distantFuture
        }
    }

    /// Does what is due: checks, repeats of handshake flights, reports, requests for repeats, time-outs.
    package func advance(to now: Instant) {
        self.now = max(self.now, now)
        switch phase {
        case .connecting(let until):
            guard until > now else { return close(.neverConnected) }
            // No path runs out meanwhile: it lasts as long as that may take.
            transport.advanceChecks(to: now)
            transport.advanceHandshake(to: now)
        case .connected(let media):
            if let until = media.pathUntil, until <= now { return close(.neverConnected) }
            switch media.liveness.advance(to: now) {
            case .expired: return close(.consentExpired)
            case .lost: events.add(.lost)
            case nil: break
            }
            transport.advanceChecks(to: now)
            mediaPath = transport.selectedPath
            reception.advance(to: now)
        case .closed: break
        }
    }

    // MARK: Output

    /// The next thing to send or to tell; nil if there is none. `buffer` has room for at least `maximumDatagramLength`.
    package func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> PeerOutput? {
        let path = mediaPath
        if let output = transport.nextOutput(into: buffer, path: path) {
            return .datagram(length: output.length, output.path)
        }
        if let path, case .connected(let media) = phase,
            let length = reception.nextReport(into: buffer, media, at: now)
        {
            return .datagram(length: length, path)
        }
        return events.next().map { .event($0) }
    }

    // MARK: Changes from outside

    /// New credentials of both sides (RFC 8445 §9). Keys, streams and the present path stay; checks with the old
    /// credentials are answered for a while yet. A client passes the paths to try; without any, it checks the present
    /// ones again.
    package func restartICE(
        local: ICECredentials, remote: ICECredentials, paths: [NetworkPath] = [], at now: Instant
    ) {
        guard !isClosed else { return }
        transport.restart(local: local, remote: remote, paths: paths, at: now)
        mediaPath = transport.selectedPath
    }

    /// Says goodbye to the other side. `closed(.local)` is the last event.
    package func close() { close(.local) }

    private func close(_ reason: CloseReason) {
        guard !isClosed else { return }
        phase = .closed
        transport.close()
        events.addLast(reason)
    }

    // MARK: Handshake

    private func takeHandshakeEvents() {
        while let event = transport.nextHandshakeEvent() {
            switch event {
            case .established(let profile, let keys): connect(profile, keys)
            case .closed: close(.remote)
            case .failed: close(.handshakeFailed)
            }
        }
    }

    private func connect(_ profile: DTLSProtectionProfile, _ exported: [UInt8]) {
        guard case .connecting(let until) = phase, let keyed = transport.protection(profile, exported) else {
            return close(.handshakeFailed)
        }
        phase = .connected(SecureMedia(sender: keyed.sender, receiver: keyed.receiver, pathUntil: until, at: now))
        reception.start(at: now)
        tellConnected()
    }

    /// With keys, and with a path to send by: the handshake may be over before the other side has chosen one.
    private func tellConnected() {
        guard mediaPath != nil, case .connected(let media) = phase, media.pathUntil != nil else { return }
        media.pathUntil = nil
        events.add(.connected)
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
