package import DatagramIO
package import RoomModel
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

    /// The port at which no TCP connections can be taken.
    package var deafPort: UInt16? {
        guard case .socket(let failure) = self, failure.operation == .listen else { return nil }
        return failure.address?.port
    }
}

/// The media plane of one server: worker threads that own the peers, behind the port that the room core knows.
package final class MediaPlane: MediaControl {
    package let epoch: UInt64
    package let facts: AsyncStream<MediaFact>

    private let configuration: MediaNodeConfiguration
    private let pool: WorkerPool
    private let mixer: (any AudienceMixer)?
    /// Refused before they reached a worker.
    private let earlyRefusals = Atomic<UInt64>(0)

    /// Opens the sockets and starts the workers. The media plane serves when this returns.
    /// Without a mixer the audience of a chorus hears each seat by itself.
    package static func start(
        _ configuration: MediaNodeConfiguration, mixer: (any AudienceMixer)? = nil
    ) async throws(MediaNodeError) -> MediaPlane {
        try await start(configuration, mixer: mixer, clock: SystemClock.now)
    }

    /// `clock` is the workers' monotonic time; a test lets it leap.
    static func start(
        _ configuration: MediaNodeConfiguration, mixer: (any AudienceMixer)? = nil,
        clock: @escaping @Sendable () -> Instant
    ) async throws(MediaNodeError) -> MediaPlane {
        let facts = FactStream(publishers: configuration.workers)
        let pool = try await WorkerPool.start(configuration, facts: facts, clock: clock)
        return MediaPlane(configuration, pool: pool, facts: facts.stream, mixer: mixer)
    }

    private init(
        _ configuration: MediaNodeConfiguration, pool: WorkerPool, facts: AsyncStream<MediaFact>,
        mixer: (any AudienceMixer)?
    ) {
        self.configuration = configuration
        self.pool = pool
        self.facts = facts
        self.mixer = mixer
        // Milliseconds since 1970: larger than in any earlier run, and exact as a JSON number.
        epoch = UInt64(max(1, SystemClock.wallTime().millisecondsSince1970))
    }

    /// The UDP ports in use, a worker each.
    package var ports: [UInt16] { pool.ports }

    /// Refuses new peers from now on; those that are there go on.
    package func drain() { pool.drain() }

    /// Says goodbye to all peers and ends the workers. The facts end with them. May be called more than once.
    package func stop() {
        pool.stop()
        mixer?.stop()
    }

    /// What the workers have done so far; nil once they have stopped.
    package func counters() async -> MediaCounters? {
        guard var counters = await pool.counters() else { return nil }
        counters.offersRefused &+= earlyRefusals.load(ordering: .relaxed)
        return counters
    }

    // MARK: MediaControl

    package func openStage(_ stage: StageID, slots: Int, kind: StageKind) {
        pool.openStage(stage, slots: slots, kind: kind) { wake in
            kind == .chorus ? mixer?.open(stage, wakeStage: wake) : nil
        }
    }

    package func closeStage(_ stage: StageID) {
        pool.closeStage(stage)
        mixer?.close(stage)
    }

    package func setSong(_ song: StageSong?, on stage: StageID) { mixer?.set(song, on: stage) }

    package func setLatency(_ latency: Interval, roundTrip: Interval?, of peer: PeerID, on stage: StageID) {
        mixer?.set(latency: latency, of: peer, on: stage)
        if let roundTrip { pool.stateRoundTrip(roundTrip, of: peer, on: stage) }
    }

    package func admit(_ peer: PeerID, on stage: StageID) { pool.admit(peer, on: stage) }

    package func closePeer(_ peer: PeerID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        pool.closePeer(peer, on: stage, confirmed: confirmed)
    }

    package func assign(
        slot: Int, to peer: PeerID?, muted: Bool, dark: Bool, on stage: StageID,
        confirmed: @escaping @Sendable () -> Void
    ) {
        pool.assign(slot: slot, to: peer, muted: muted, dark: dark, on: stage, confirmed: confirmed)
    }

    package func view(_ picture: PictureView, as layer: PictureLayer, by peer: PeerID, on stage: StageID) {
        pool.view(picture, as: layer, by: peer, on: stage)
    }

    package func assignScreen(to peer: PeerID?, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        pool.assignScreen(to: peer, on: stage, confirmed: confirmed)
    }

    package func openBridge(
        _ bridge: BridgeID, place: Int, muted: Bool, on stage: StageID, confirmed: @escaping @Sendable () -> Void
    ) {
        pool.openBridge(bridge, place: place, muted: muted, on: stage, confirmed: confirmed)
    }

    package func closeBridge(_ bridge: BridgeID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        pool.closeBridge(bridge, on: stage, confirmed: confirmed)
    }

    package func answer(_ offer: MediaOffer) async throws(MediaRefusal) -> MediaAnswer {
        let parsed: ParsedOffer
        do throws(MediaRefusal) {
            let port = try pool.port(for: offer.peer, on: offer.stage)
            parsed = try await parse(offer, port: port)
        } catch {
            earlyRefusals.add(1, ordering: .relaxed)
            throw error
        }
        let negotiated = try await pool.answer(parsed)
        return MediaAnswer(
            number: negotiated.number, sdp: negotiated.session.answer.text,
            slots: negotiated.session.slots.map { MediaAnswer.Slot(negotiated.sound($0.index), mid: $0.mid) },
            pictures: negotiated.session.views.map { MediaAnswer.Picture(negotiated.picture($0.index), mid: $0.mid) })
    }

    /// An offer of 17 lines has 30 KB: reading it would hold up packets on the media thread, and the caller's actor too.
    @concurrent
    private func parse(_ offer: MediaOffer, port: UInt16) async throws(MediaRefusal) -> ParsedOffer {
        let description: SessionDescription
        do {
            description = try SessionDescription(parsing: offer.sdp)
        } catch {
            throw .badOffer(error.message)
        }
        return ParsedOffer(
            stage: offer.stage, peer: offer.peer, number: offer.number, description: description,
            candidates: candidates(port: port), uses: offer.lines.mapValues(LineUse.init))
    }

    /// Where this host may be reached now: interfaces come and go.
    private func candidates(port: UInt16) -> [ICECandidate] {
        let interfaces = (try? InterfaceAddresses.current()) ?? []
        let addresses = configuration.candidateAddresses(interfaces: interfaces).map(\.text)
        var candidates = addresses.enumerated().map { rank, address in
            ICECandidate.host(address: address, port: port, rank: UInt16(truncatingIfNeeded: rank))
        }
        let ports = (configuration.takesTCP ? [port] : []) + [configuration.sharedTCPPort].compactMap { $0 }
        for port in ports {
            for address in addresses {
                let rank = UInt16(truncatingIfNeeded: candidates.count - addresses.count)
                candidates.append(.passive(address: address, port: port, rank: rank))
            }
        }
        return candidates
    }
}

extension LineUse {
    fileprivate init(_ line: MediaLine) {
        switch line {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .spare: self = .spare
        case .screen: self = .screen
        case .sound(let index): self = .sound(index)
        case .picture(let index): self = .picture(index)
        }
    }
}
