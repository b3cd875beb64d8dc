internal import DTLS
internal import DatagramIO
internal import ICE
internal import PeerSession
internal import Platform
internal import RTP
internal import SDP
package import Timing
package import Wire

/// One media path to the server: a thread with its sockets and the peer's protocol machine, behind calls that any thread
/// may make.
///
/// The texts of offers and answers travel by other means. The first offer opens nothing yet; its answer does. A path that
/// is closed stays closed: make another.
package final class MediaTransport: Sendable {
    package struct Configuration: Sendable {
        /// How many seats to hear.
        package var slots: Int
        /// To send from; empty: all addresses of this host.
        package var localAddresses: [IPAddress]
        /// By connections instead of datagrams.
        package var usesTCP: Bool
        package var clock: @Sendable () -> Instant

        package init(
            slots: Int, localAddresses: [IPAddress] = [], usesTCP: Bool = false,
            clock: @escaping @Sendable () -> Instant = SystemClock.now
        ) {
            self.slots = slots
            self.localAddresses = localAddresses
            self.usesTCP = usesTCP
            self.clock = clock
        }
    }

    /// RTP clock of Opus (RFC 7587 §4.1).
    static let clockRate: UInt32 = 48_000
    private static let songPositionID: UInt8 = 5

    private struct Negotiation {
        var credentials: ICECredentials
        var version: UInt64 = 0
        /// Of the answer that is in use.
        var remote: ICECredentials?
        var random = SystemRandomNumberGenerator()
    }

    private let configuration: Configuration
    private let certificate: DTLSCertificate
    private let sessionID: UInt64
    private let source: SlotSource
    private let mailbox: TransportMailbox
    private let locals: @Sendable () -> [TransportAddress]
    /// Held while a text is made or read, never together with the mailbox's lock of a sending thread.
    private let negotiation: Mutex<Negotiation>

    /// Opens sockets and starts the thread. Both closures are called on it and must return soon. What it is telling while `close` is called
    /// may still be heard; `onEvent` is not called after that.
    package init(
        _ configuration: Configuration,
        onPacket: @escaping @Sendable (IncomingPacket, UnsafeRawBufferPointer) -> Void,
        onEvent: @escaping @Sendable (PathEvent) -> Void
    ) throws(MediaTransportError) {
        self.configuration = configuration
        do { certificate = try DTLSCertificate.selfSigned() } catch { throw .cryptography(error.message) }
        var random = SystemRandomNumberGenerator()
        // 62 bits, since some read it as a signed number (RFC 9429 §5.2.1).
        sessionID = UInt64.random(in: 1..<(1 << 62), using: &random)
        let name = String(UInt64.random(in: 0...(.max), using: &random), radix: 36)
        source = SlotSource(
            ssrc: UInt32.random(in: 1...(.max), using: &random), cname: name,
            stream: StreamIdentification(stream: "-", track: nil))
        negotiation = Mutex(Negotiation(credentials: .random(using: &random)))
        do {
            let sockets = try DatagramSockets(
                addresses: configuration.localAddresses, port: 0, connectsByTCP: configuration.usesTCP)
            let mailbox = TransportMailbox(waker: sockets.waker)
            self.mailbox = mailbox
            let known = CandidatePaths.locals(of: sockets)
            // Interfaces behind an unspecified address are looked up for each answer; the port is known now.
            let port = known.first?.port ?? 0
            let isAnywhere = configuration.localAddresses.isEmpty
            locals = {
                guard isAnywhere else { return known }
                let interfaces = (try? InterfaceAddresses.current()) ?? []
                return interfaces.map { TransportAddress(ip: $0, port: port) }
            }
            let made = Handover(
                TransportLoop(
                    sockets: sockets, mailbox: mailbox, certificate: certificate, source: source,
                    clock: configuration.clock, onPacket: onPacket, onEvent: onEvent))
            _ = try WorkerThread(name: "media-path", urgency: .sound) { made.value.run() }
        } catch {
            throw .system(error.description)
        }
    }

    deinit { mailbox.post(.stop) }

    // MARK: Negotiation

    /// The text of the next offer. With `restartsICE` the path is looked for anew with new names.
    package func offer(restartsICE: Bool = false) -> String {
        negotiation.withLock { state in
            if restartsICE { state.credentials = .random(using: &state.random) }
            state.version += 1
            var builder = OfferBuilder(
                ufrag: state.credentials.ufrag, password: state.credentials.password,
                fingerprint: certificate.fingerprint.sdpValue, sessionID: sessionID, version: state.version,
                microphone: source, slots: configuration.slots)
            builder.extensions.append(
                ExtensionMapping(id: Self.songPositionID, uri: TransportLoop.songPositionURI))
            return builder.offer().text
        }
    }

    /// Takes the answer to the newest offer.
    package func accept(answer text: String) throws(MediaTransportError) {
        let accepted: AcceptedOffer
        do {
            accepted = try AcceptedOffer(answer: try SessionDescription(parsing: text))
        } catch {
            throw .badAnswer(error.message)
        }
        guard let fingerprint = accepted.fingerprints.lazy.compactMap(CertificateFingerprint.init(sdpValue:)).first
        else { throw .badAnswer("no certificate fingerprint of a known hash") }
        let (paths, remotes) =
            configuration.usesTCP
            ? ([], CandidatePaths.remotes(from: locals(), byTCP: accepted.candidates))
            : (CandidatePaths.paths(from: locals(), to: accepted.candidates), [])
        guard !(paths.isEmpty && remotes.isEmpty) else {
            throw .badAnswer("no address of the server can be reached from here")
        }
        let remote = ICECredentials(ufrag: accepted.ufrag, password: accepted.password)
        let command = negotiation.withLock { state -> TransportCommand in
            defer { state.remote = remote }
            guard let known = state.remote else {
                let now = configuration.clock()
                return .open(
                    PeerConfiguration(
                        role: .client(paths: paths), localCredentials: state.credentials, remoteCredentials: remote,
                        remoteFingerprint: fingerprint, reportSSRC: SSRC(source.ssrc ^ 0x5a5a_5a5a),
                        cname: source.cname, clock: NTPClock(reference: now, wallTime: SystemClock.wallTime()),
                        seed: state.random.next()),
                    accepted, connectingTo: remotes)
            }
            let restart = TransportCommand.Restart(
                local: state.credentials, remote: remote, paths: paths, remotes: remotes)
            return .update(accepted, restart: known == remote ? nil : restart)
        }
        guard mailbox.post(command) else { throw .closed }
    }

    // MARK: Media

    /// Hands a frame to the path's thread. Neither waits nor allocates; what there is no room or no path for is dropped.
    package func send(_ frame: OutgoingFrame, payload: UnsafeRawBufferPointer) { mailbox.send(frame, payload) }

    package var statistics: PathStatistics { mailbox.statistics }

    /// Says goodbye and ends the thread soon after. May be called more than once.
    package func close() { mailbox.post(.stop) }
}

/// What the thread of a path is told to do.
enum TransportCommand: Sendable {
    struct Restart: Sendable {
        var local: ICECredentials
        var remote: ICECredentials
        var paths: [NetworkPath]
        /// Where connections are made to, in place of `paths`.
        var remotes: [TransportAddress]
    }

    case open(PeerConfiguration, AcceptedOffer, connectingTo: [TransportAddress])
    case update(AcceptedOffer, restart: Restart?)
    case stop
}

/// Between the thread of a path and all others.
final class TransportMailbox: Sendable {
    private struct State {
        var commands: [TransportCommand] = []
        var frames = FrameQueue()
        var dropped: UInt64 = 0
        var statistics = PathStatistics()
        var isStopping = false
        /// The poller is gone: nothing may wake it.
        var isClosed = false
    }

    /// Held for the copy of one frame at most. Waking happens under it, so that the poller outlives each wake.
    private let state = Mutex(State())
    private let waker: Poller.Waker

    init(waker: Poller.Waker) { self.waker = waker }

    /// False if nobody will ever do it.
    @discardableResult
    func post(_ command: TransportCommand) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            if case .stop = command { state.isStopping = true }
            state.commands.append(command)
            waker.wake()
            return true
        }
    }

    func send(_ frame: OutgoingFrame, _ payload: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if !state.frames.push(frame, payload: payload) { state.dropped &+= 1 }
            waker.wake()
        }
    }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    var statistics: PathStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.framesDropped &+= state.dropped
            return statistics
        }
    }

    // For the path's thread:

    func takeCommands() -> [TransportCommand] {
        state.withLock { state in
            guard !state.commands.isEmpty else { return [] }
            defer { state.commands = [] }
            return state.commands
        }
    }

    func takeFrame(into buffer: UnsafeMutableRawBufferPointer) -> (frame: OutgoingFrame, length: Int)? {
        state.withLock { $0.frames.pop(into: buffer) }
    }

    func publish(_ statistics: PathStatistics) { state.withLock { $0.statistics = statistics } }

    func close() { state.withLock { $0.isClosed = true } }
}
