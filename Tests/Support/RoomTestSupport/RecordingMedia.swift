package import RoomModel
package import RoomPorts
import Synchronization
package import Timing

/// A media plane that writes down what it is told, and confirms cuts by itself or when a test says so.
package final class RecordingMedia: MediaControl {
    package struct Slot: Hashable, Sendable {
        package var peer: PeerID?
        package var muted: Bool
        package var dark: Bool
        package init(peer: PeerID?, muted: Bool, dark: Bool = true) {
            self.peer = peer
            self.muted = muted
            self.dark = dark
        }
    }

    package enum Order: Hashable, Sendable {
        case open(StageID, slots: Int)
        case close(StageID)
        case admit(PeerID, StageID)
        case closePeer(PeerID, StageID)
        case assign(slot: Int, PeerID?, muted: Bool, dark: Bool = true, StageID)
        case assignScreen(PeerID?, StageID)
        case openBridge(BridgeID, place: Int, muted: Bool, StageID)
        case closeBridge(BridgeID, StageID)
        case view(PictureView, PictureLayer, PeerID, StageID)
    }

    private struct Contents: Sendable {
        var orders: [Order] = []
        var stages: [StageID: [Int: Slot]] = [:]
        var kinds: [StageID: StageKind] = [:]
        var songs: [StageID: [StageSong?]] = [:]
        var latencies: [PeerID: Interval] = [:]
        var roundTrips: [PeerID: Interval] = [:]
        var holding = false
        var held: [@Sendable () -> Void] = []
        var epoch: UInt64
        var admitted: Set<PeerID> = []
    }
    private let contents: Mutex<Contents>
    package let facts: AsyncStream<MediaFact>
    private let report: AsyncStream<MediaFact>.Continuation

    package init(epoch: UInt64 = 1) {
        contents = Mutex(Contents(epoch: epoch))
        (facts, report) = AsyncStream.makeStream(of: MediaFact.self)
    }

    package var epoch: UInt64 { contents.withLock { $0.epoch } }
    package var orders: [Order] { contents.withLock { $0.orders } }
    /// Who has been let onto a stage and not closed since.
    package var admitted: Set<PeerID> { contents.withLock { $0.admitted } }
    /// Who may be heard where, as of now.
    package func slots(of stage: StageID) -> [Int: Slot]? { contents.withLock { $0.stages[stage] } }
    package func kind(of stage: StageID) -> StageKind? { contents.withLock { $0.kinds[stage] } }
    /// What was to be sung, from first to last.
    package func songs(on stage: StageID) -> [StageSong?] { contents.withLock { $0.songs[stage] ?? [] } }
    package var latencies: [PeerID: Interval] { contents.withLock { $0.latencies } }
    package var roundTrips: [PeerID: Interval] { contents.withLock { $0.roundTrips } }
    package func tell(_ fact: MediaFact) { report.yield(fact) }

    /// From now on confirmations wait for `confirm()`.
    package func holdConfirmations() { contents.withLock { $0.holding = true } }

    package func confirm() {
        let held = contents.withLock { contents in
            defer { contents.held = [] }
            return contents.held
        }
        for confirm in held { confirm() }
    }

    package func openStage(_ stage: StageID, slots: Int, kind: StageKind) {
        contents.withLock {
            $0.kinds[stage] = kind
            $0.orders.append(.open(stage, slots: slots))
            $0.stages[stage] = [:]
        }
    }

    package func closeStage(_ stage: StageID) {
        contents.withLock {
            $0.orders.append(.close(stage))
            $0.stages[stage] = nil
        }
    }

    package func setSong(_ song: StageSong?, on stage: StageID) {
        contents.withLock { $0.songs[stage, default: []].append(song) }
    }

    package func setLatency(_ latency: Interval, roundTrip: Interval?, of peer: PeerID, on stage: StageID) {
        contents.withLock {
            $0.latencies[peer] = latency
            $0.roundTrips[peer] = roundTrip
        }
    }

    /// Answers with the offer's own text.
    package func answer(_ offer: MediaOffer) async throws(MediaRefusal) -> MediaAnswer {
        guard contents.withLock({ $0.stages[offer.stage] != nil }) else { throw .unknownStage }
        guard admitted.contains(offer.peer) else { throw .notAdmitted }
        return MediaAnswer(number: offer.number, sdp: offer.sdp, slots: [])
    }

    package func admit(_ peer: PeerID, on stage: StageID) {
        contents.withLock {
            $0.orders.append(.admit(peer, stage))
            $0.admitted.insert(peer)
        }
    }

    package func closePeer(_ peer: PeerID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        let holding = contents.withLock { contents in
            contents.orders.append(.closePeer(peer, stage))
            contents.admitted.remove(peer)
            if contents.holding { contents.held.append(confirmed) }
            return contents.holding
        }
        if !holding { confirmed() }
    }

    package func view(_ picture: PictureView, as layer: PictureLayer, by peer: PeerID, on stage: StageID) {
        contents.withLock { $0.orders.append(.view(picture, layer, peer, stage)) }
    }

    package func openBridge(
        _ bridge: BridgeID, place: Int, muted: Bool, on stage: StageID, confirmed: @escaping @Sendable () -> Void
    ) {
        note(.openBridge(bridge, place: place, muted: muted, stage), confirmed)
    }

    package func closeBridge(_ bridge: BridgeID, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        note(.closeBridge(bridge, stage), confirmed)
    }

    private func note(_ order: Order, _ confirmed: @escaping @Sendable () -> Void) {
        let holding = contents.withLock { contents in
            contents.orders.append(order)
            if contents.holding { contents.held.append(confirmed) }
            return contents.holding
        }
        if !holding { confirmed() }
    }

    package func assignScreen(to peer: PeerID?, on stage: StageID, confirmed: @escaping @Sendable () -> Void) {
        note(.assignScreen(peer, stage), confirmed)
    }

    package func assign(
        slot: Int, to peer: PeerID?, muted: Bool, dark: Bool, on stage: StageID,
        confirmed: @escaping @Sendable () -> Void
    ) {
        let holding = contents.withLock { contents in
            contents.orders.append(.assign(slot: slot, peer, muted: muted, dark: dark, stage))
            contents.stages[stage]?[slot] = Slot(peer: peer, muted: muted, dark: dark)
            if contents.holding { contents.held.append(confirmed) }
            return contents.holding
        }
        if !holding { confirmed() }
    }
}
