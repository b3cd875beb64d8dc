internal import DTLS
internal import ICE
internal import SRTP
internal import Timing
internal import Wire

/// How a peer comes to a path and to keys: ICE finds the path, DTLS agrees on the keys over it.
struct PeerTransport {
    private let isClient: Bool
    private var agent: any ICEAgent
    private let dtls: DTLSSession
    /// Where DTLS came from last: its answers go there until a path is nominated.
    private var handshakePath: NetworkPath?
    private var isStarted = false

    init(_ configuration: PeerConfiguration, context: DTLSContext, at now: Instant) throws(DTLSError) {
        switch configuration.role {
        case .server:
            isClient = false
            agent = ICELiteAgent(local: configuration.localCredentials, remote: configuration.remoteCredentials)
        case .client(let paths):
            isClient = true
            agent = ICEControllingAgent(
                local: configuration.localCredentials, remote: configuration.remoteCredentials, paths: paths,
                seed: configuration.seed, at: now)
        }
        dtls = try DTLSSession(
            role: isClient ? .client : .server, context: context, remoteFingerprint: configuration.remoteFingerprint)
    }

    // MARK: The path

    /// Where to send to; nil until a path is nominated.
    var selectedPath: NetworkPath? { agent.selectedPath }

    func isValidated(_ path: NetworkPath) -> Bool { agent.isValidated(path) }

    mutating func noteMedia(on path: NetworkPath, at now: Instant) { _ = agent.noteMedia(on: path, at: now) }

    mutating func receiveCheck(_ datagram: UnsafeRawBufferPointer, path: NetworkPath, at now: Instant) -> ICEVerdict {
        agent.receive(datagram, path: path, at: now)
    }

    mutating func restart(local: ICECredentials, remote: ICECredentials, paths: [NetworkPath], at now: Instant) {
        agent.restart(local: local, remote: remote, paths: paths, at: now)
    }

    // MARK: The keys

    /// A client speaks first, once there is a path.
    mutating func startHandshakeIfReady(at now: Instant) {
        guard !isStarted, isClient, selectedPath != nil else { return }
        isStarted = true
        dtls.start(at: now)
    }

    /// - Returns: false for what comes by a path that has not passed a check.
    mutating func receiveHandshake(_ datagram: UnsafeRawBufferPointer, path: NetworkPath, at now: Instant) -> Bool {
        guard agent.isValidated(path) else { return false }
        handshakePath = path
        dtls.receive(datagram, at: now)
        return true
    }

    func nextHandshakeEvent() -> DTLSEvent? { dtls.nextEvent() }

    /// What protects media in both directions; nil if it is not what is spoken here.
    func protection(
        _ profile: DTLSProtectionProfile, _ exported: [UInt8]
    ) -> (sender: SRTPSender, receiver: SRTPReceiver)? {
        guard let profile = SRTPProfile(rawValue: profile.identifier),
            let keys = SRTPMasterKey.split(exported: exported, profile: profile),
            let sender = SRTPSender(profile: profile, masterKey: isClient ? keys.client : keys.server),
            let receiver = SRTPReceiver(profile: profile, masterKey: isClient ? keys.server : keys.client)
        else { return nil }
        return (sender, receiver)
    }

    /// Says goodbye to the other side.
    func close() { dtls.close() }

    // MARK: Time and output

    var nextCheck: Instant { agent.nextDeadline }
    /// While the handshake goes on.
    var nextDeadline: Instant { min(agent.nextDeadline, dtls.nextDeadline) }

    mutating func advanceChecks(to now: Instant) { agent.advance(to: now) }
    func advanceHandshake(to now: Instant) { dtls.advance(to: now) }

    /// The next datagram, and where it goes.
    /// - Parameter path: where media goes to.
    mutating func nextOutput(
        into buffer: UnsafeMutableRawBufferPointer, path: NetworkPath?
    ) -> (length: Int, path: NetworkPath)? {
        if let check = agent.nextOutput(into: buffer) { return (check.length, check.path) }
        if let path = path ?? handshakePath, let length = dtls.nextOutput(into: buffer) { return (length, path) }
        return nil
    }
}
