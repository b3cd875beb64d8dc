internal import DTLS
package import DatagramIO
internal import Forwarding
package import RoomPorts
internal import SDP
internal import Synchronization
package import Timing
internal import Wire

/// Why the media plane could not start.
package enum MediaNodeError: Error, Sendable, CustomStringConvertible {
    case socket(SocketFailure)
    case cryptography(String)

    package var description: String {
        switch self {
        case .socket(let failure): "media: \(failure)"
        case .cryptography(let message): "media: \(message)"
        }
    }
}

/// The media plane of one server: worker threads that own the peers, behind the port that the room core knows.
///
/// There is one worker; everything that reaches it goes through its mailbox, and a peer never moves, so that more of them
/// need a choice of mailbox by stage and nothing else here.
package final class MediaPlane: MediaControl {
    package let epoch: UInt64
    /// The UDP port in use.
    package let port: UInt16
    package let facts: AsyncStream<MediaFact>

    private let configuration: MediaNodeConfiguration
    private let mailbox: Mailbox
    private let thread: WorkerThread
    private let mixer: (any AudienceMixer)?
    /// Refused before they reached a worker.
    private let unreadableOffers = Atomic<UInt64>(0)

    /// Opens the sockets and starts the worker. The media plane serves when this returns.
    /// Without a mixer the audience of a chorus hears each seat by itself.
    package static func start(
        _ configuration: MediaNodeConfiguration, mixer: (any AudienceMixer)? = nil
    ) async throws(MediaNodeError) -> MediaPlane {
        try await start(configuration, mixer: mixer, clock: SystemClock.now)
    }

    /// `clock` is the worker's monotonic time; a test lets it leap.
    static func start(
        _ configuration: MediaNodeConfiguration, mixer: (any AudienceMixer)? = nil,
        clock: @escaping @Sendable () -> Instant
    ) async throws(MediaNodeError) -> MediaPlane {
        let certificate: DTLSCertificate
        do { certificate = try DTLSCertificate.selfSigned() } catch { throw .cryptography(error.message) }
        let publisher = FactPublisher()
        let launch = Launch()
        let thread: WorkerThread
        do {
            thread = try WorkerThread(name: "media-0") {
                do throws(MediaNodeError) {
                    let worker = try MediaWorker(
                        configuration, certificate: certificate, facts: publisher, clock: clock)
                    launch.finish(.success((worker.mailbox, worker.port)))
                    worker.run()
                } catch {
                    launch.finish(.failure(error))
                }
            }
        } catch {
            throw .socket(error)
        }
        let (mailbox, port) = try await launch.result().get()
        return MediaPlane(
            configuration, mailbox: mailbox, port: port, facts: publisher.stream, thread: thread, mixer: mixer)
    }

    private init(
        _ configuration: MediaNodeConfiguration, mailbox: Mailbox, port: UInt16, facts: AsyncStream<MediaFact>,
        thread: WorkerThread, mixer: (any AudienceMixer)?
    ) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.port = port
        self.facts = facts
        self.thread = thread
        self.mixer = mixer
        // Milliseconds since 1970: larger than in any earlier run, and exact as a JSON number.
        epoch = UInt64(max(1, SystemClock.wallTime().millisecondsSince1970))
    }

    deinit { _ = mailbox.post(.stop) }

    /// Refuses new peers from now on; those that are there go on.
    package func drain() { _ = mailbox.post(.drain) }

    /// Says goodbye to all peers and ends the worker. The facts end with it. May be called more than once.
    package func stop() {
        _ = mailbox.post(.stop)
        thread.join()
        mixer?.stop()
    }

    /// What the workers have done so far; nil once they have stopped.
    package func counters() async -> MediaCounters? {
        let unreadable = unreadableOffers.load(ordering: .relaxed)
        let counters: MediaCounters? = await withCheckedContinuation { continuation in
            if !mailbox.post(.readCounters { continuation.resume(returning: $0) }) {
                continuation.resume(returning: nil)
            }
        }
        guard var counters else { return nil }
        counters.offersRefused &+= unreadable
        return counters
    }

    // MARK: MediaControl

    package func openStage(_ stage: StageID, slots: Int, kind: StageKind) {
        var feed: MixFeed?
        if kind == .chorus { feed = mixer?.open(stage) { [mailbox] in mailbox.wake() } }
        _ = mailbox.post(.openStage(stage, slots: slots, kind, feed: feed))
    }

    package func closeStage(_ stage: StageID) {
        _ = mailbox.post(.closeStage(stage))
        mixer?.close(stage)
    }

    package func setSong(_ song: StageSong?, on stage: StageID) { mixer?.set(song, on: stage) }

    package func setLatency(_ latency: Interval, roundTrip: Interval?, of peer: PeerID, on stage: StageID) {
        mixer?.set(latency: latency, of: peer, on: stage)
        if let roundTrip { _ = mailbox.post(.stateRoundTrip(roundTrip, peer, stage)) }
    }

    package func admit(_ peer: PeerID, on stage: StageID) { _ = mailbox.post(.admit(peer, stage)) }

    package func closePeer(_ peer: PeerID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        // Nothing leaves a stopped worker.
        if !mailbox.post(.closePeer(peer, stage, confirmed: confirmed)) { confirmed() }
    }

    package func assign(
        slot: Int, to peer: PeerID?, muted: Bool, on stage: StageID, confirmed: @escaping @Sendable () -> Void
    ) {
        let command = WorkerCommand.assign(slot: slot, peer, muted: muted, stage, confirmed: confirmed)
        // Nothing leaves a stopped worker.
        if !mailbox.post(command) { confirmed() }
    }

    package func answer(_ offer: MediaOffer) async throws(MediaRefusal) -> MediaAnswer {
        let parsed = try await parse(offer)
        let result: Result<NegotiatedOffer, MediaRefusal> = await withCheckedContinuation { continuation in
            if !mailbox.post(.offer(parsed) { continuation.resume(returning: $0) }) {
                continuation.resume(returning: .failure(.stopped))
            }
        }
        let negotiated = try result.get()
        return MediaAnswer(
            number: negotiated.number, sdp: negotiated.session.answer.text,
            slots: negotiated.session.slots.map {
                MediaAnswer.Slot(index: $0.index, mid: $0.mid, isMix: $0.index == negotiated.mixSlot)
            })
    }

    /// An offer of 17 lines has 30 KB: reading it would hold up packets on the media thread, and the caller's actor too.
    @concurrent
    private func parse(_ offer: MediaOffer) async throws(MediaRefusal) -> ParsedOffer {
        let description: SessionDescription
        do {
            description = try SessionDescription(parsing: offer.sdp)
        } catch {
            unreadableOffers.add(1, ordering: .relaxed)
            throw .badOffer(error.message)
        }
        return ParsedOffer(
            stage: offer.stage, peer: offer.peer, number: offer.number, description: description,
            candidates: candidates())
    }

    /// Where this host may be reached now: interfaces come and go.
    private func candidates() -> [ICECandidate] {
        let interfaces = (try? InterfaceAddresses.current()) ?? []
        return configuration.candidateAddresses(interfaces: interfaces).enumerated().map { rank, address in
            .host(address: address.text, port: port, rank: UInt16(truncatingIfNeeded: rank))
        }
    }
}

/// How the start of a thread ends, known once.
private final class Launch: Sendable {
    typealias Outcome = Result<(Mailbox, UInt16), MediaNodeError>
    private let stream: AsyncStream<Outcome>
    private let continuation: AsyncStream<Outcome>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func finish(_ outcome: Outcome) {
        continuation.yield(outcome)
        continuation.finish()
    }

    func result() async -> Outcome {
        for await outcome in stream { return outcome }
        return .failure(.cryptography("the media thread ended before it began"))
    }
}
