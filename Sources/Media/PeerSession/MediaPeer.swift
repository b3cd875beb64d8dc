package import BandwidthEstimation
package import DTLS
package import ICE
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
    var counted = PeerStats()
    package var stats: PeerStats {
        var stats = counted
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
    /// Requests for repeats in one datagram, each for up to 17 packets: more than a lost second of a stream. The rest is asked for
    /// again.
    static let maximumRepeatRequests = 32
    /// RTCP datagrams: a report a second for each of 16 streams, and requests for repeats every few milliseconds where a line is bad.
    private static let controlAllowance = Allowance(burst: 200, perSecond: 100)
    /// Further outputs are dropped. The owner drains after each call, so that only a flood of requests reaches this number.
    private static let maximumEvents = 256

    // What follows is the machine's own: not private only because its parts stand in files of their own.

    enum Phase {
        /// → connected, closed
        case connecting(until: Instant)
        /// → closed
        case connected(SecureMedia)
        case closed
    }

    var phase: Phase {
        didSet { if case .connected(let media) = phase { lane.setSealer(media.sender) } else { lane.setSealer(nil) } }
    }
    var agent: any ICEAgent
    let dtls: DTLSSession
    /// Where DTLS came from last: its answers go there until a path is nominated.
    var handshakePath: NetworkPath?
    private var isHandshakeStarted = false
    var receiving: ReceiveStreams
    var reports: ReportScheduler
    var publisherClock = PublisherClock()
    var control: TokenBucket
    private var events: [PeerEvent] = []
    private var eventsTaken = 0
    var now: Instant

    /// Throws if OpenSSL has no memory left.
    package init(_ configuration: PeerConfiguration, context: DTLSContext, at now: Instant) throws(DTLSError) {
        self.configuration = configuration
        self.now = now
        phase = .connecting(until: now + MediaPeer.connectTimeout)
        receiving = ReceiveStreams(
            clockRate: configuration.receiveClockRate, asksForRepeats: configuration.requestsRepeats)
        reports = ReportScheduler(configuration)
        control = TokenBucket(MediaPeer.controlAllowance, now: now)
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

    // MARK: Time

    /// When `advance(to:)` must be called at the latest; `distantFuture` if nothing is due.
    package var nextDeadline: Instant {
        switch phase {
        case .connecting(let until): min(until, agent.nextDeadline, dtls.nextDeadline)
        case .connected(let media):
            // Reports wait while there is nowhere to send them to.
            min(
                media.liveness.nextDeadline, agent.nextDeadline, media.pathUntil ?? .distantFuture,
                mediaPath == nil ? .distantFuture : reports.nextDeadline(receiving))
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
        case .connected(let media):
            if let until = media.pathUntil, until <= now { return close(.neverConnected) }
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

    func noteAuthentic() {
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
        guard let length = reports.nextPacket(lane, &receiving, into: clear, at: now, requested: &requested) else {
            return nil
        }
        counted.repeatsRequested &+= UInt64(requested)
        return media.sender.sealControl(buffer, length: length)
    }

    func tell(_ event: PeerEvent) {
        guard events.count < MediaPeer.maximumEvents else { return }
        events.append(event)
    }

    // MARK: Changes from outside

    /// New credentials of both sides (RFC 8445 §9). Keys, streams and the present path stay; checks with the old
    /// credentials are answered for a while yet. A client passes the paths to try; without any, it checks the present
    /// ones again.
    package func restartICE(
        local: ICECredentials, remote: ICECredentials, paths: [NetworkPath] = [], at now: Instant
    ) {
        guard !isClosed else { return }
        agent.restart(local: local, remote: remote, paths: paths, at: now)
        mediaPath = agent.selectedPath
    }

    /// Says goodbye to the other side. `closed(.local)` is the last event.
    package func close() { close(.local) }

    private func close(_ reason: CloseReason) {
        guard !isClosed else { return }
        phase = .closed
        dtls.close()
        events.append(.closed(reason))
    }

    // MARK: Handshake

    /// A client speaks first, once there is a path.
    func startHandshakeIfReady() {
        guard !isHandshakeStarted, mediaPath != nil, configuration.role != .server else { return }
        isHandshakeStarted = true
        dtls.start(at: now)
        takeDTLSEvents()
    }

    func takeDTLSEvents() {
        while let event = dtls.nextEvent() {
            switch event {
            case .established(let profile, let keys): connect(profile, keys)
            case .closed: close(.remote)
            case .failed: close(.handshakeFailed)
            }
        }
    }

    private func connect(_ profile: DTLSProtectionProfile, _ exported: [UInt8]) {
        guard case .connecting(let until) = phase, let profile = SRTPProfile(rawValue: profile.identifier),
            let keys = SRTPMasterKey.split(exported: exported, profile: profile)
        else { return close(.handshakeFailed) }
        let isServer = configuration.role == .server
        guard let sender = SRTPSender(profile: profile, masterKey: isServer ? keys.server : keys.client),
            let receiver = SRTPReceiver(profile: profile, masterKey: isServer ? keys.client : keys.server)
        else { return close(.handshakeFailed) }
        phase = .connected(SecureMedia(sender: sender, receiver: receiver, pathUntil: until, at: now))
        reports.start(at: now)
        tellConnected()
    }

    /// With keys, and with a path to send by: the handshake may be over before the other side has chosen one.
    private func tellConnected() {
        guard mediaPath != nil, case .connected(let media) = phase, media.pathUntil != nil else { return }
        media.pathUntil = nil
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
