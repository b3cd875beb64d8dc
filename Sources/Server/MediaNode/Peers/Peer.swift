internal import Forwarding
internal import ICE
internal import PeerSession
internal import RTP
internal import RoomPorts
internal import SDP
internal import Timing
internal import Wire

/// One person's media path on this worker: the protocol machine, and what was negotiated around it.
final class Peer {
    let id: PeerID
    let stage: Stage
    /// Place in the table; what Forwarding gives back with each packet.
    let handle: Int
    let generation: UInt32
    let media: MediaPeer

    /// The session's own part of all answers; stays as long as the peer lives.
    let terms: PeerTerms
    private(set) var credentials: ICECredentials
    /// Of what was agreed on, what is needed later: the answer as a whole takes 17 KB.
    private(set) var remote: NegotiatedSession.RemoteTransport
    private(set) var slots: [NegotiatedSession.Slot]
    /// Number of the newest offer that was answered.
    private(set) var offerNumber: UInt32
    /// The `o=` line's id in the peer's offers: another one is another peer connection.
    let remoteSessionID: UInt64
    private(set) var answerVersion: UInt64 = 1
    private(set) var extensions = HeaderExtensionMap()
    private(set) var microphonePayloadType: PayloadType?

    var isConnected = false
    /// Nothing came for a while.
    var isLost = false
    /// What a microphone may send before it is multiplied by the listeners: the shortest frames are 400 a second, half as many again for
    /// repeats and what a line has held up.
    private static let packetAllowance = Allowance(burst: 300, perSecond: 600)
    /// Opus ends at 510 kbit/s (RFC 6716 §2.1.1).
    private static let byteAllowance = Allowance(burst: 64_000, perSecond: 80_000)
    private var packets: TokenBucket
    private var bytes: TokenBucket
    /// As the peer's newest report tells it.
    private(set) var measuredRoundTrip: Interval?
    /// As the client tells it, which counts until a report does.
    var statedRoundTrip: Interval?
    /// What was noted of its way since the last look.
    private var watch = PathWatch()
    /// The remote address that counts against the limit per address.
    var countedAddress: IPAddress?
    /// Where datagrams of this peer come from, oldest first.
    var paths: [NetworkPath] = []
    /// Our ICE names for this peer that checks may carry, oldest first.
    var ufrags: [String] = []
    /// The earliest entry in the deadline queue that stands for this peer.
    var scheduled = Instant.distantFuture
    /// The machine's time never goes back, although datagrams carry the time of their arrival.
    private var clock = Instant.distantPast

    init(
        id: PeerID, stage: Stage, handle: Int, generation: UInt32, media: MediaPeer, terms: PeerTerms,
        credentials: ICECredentials, negotiated: NegotiatedSession, offerNumber: UInt32, remoteSessionID: UInt64
    ) {
        self.id = id
        self.stage = stage
        self.handle = handle
        self.generation = generation
        self.media = media
        self.terms = terms
        self.credentials = credentials
        remote = negotiated.remote
        slots = negotiated.slots
        self.offerNumber = offerNumber
        self.remoteSessionID = remoteSessionID
        packets = TokenBucket(Self.packetAllowance, now: .distantPast)
        bytes = TokenBucket(Self.byteAllowance, now: .distantPast)
        take(negotiated)
    }

    var member: MemberID { MemberID(rawValue: id.rawValue) }

    /// Whether the microphone keeps within what one may send.
    func maySend(_ count: Int, at now: Instant) -> Bool {
        packets.take(now: now) && bytes.take(Double(count), now: now)
    }

    /// To the peer and back, as far as known.
    var roundTrip: Interval? { measuredRoundTrip ?? statedRoundTrip }

    /// The peer reports how a stream of ours arrives.
    func noteReport(roundTrip: Interval?, fractionLost: UInt8) {
        if let roundTrip { measuredRoundTrip = roundTrip }
        watch.noteReport(roundTrip: roundTrip, fractionLost: fractionLost)
    }

    /// A packet of the microphone's stream `ssrc` came.
    func noteMicrophone(_ ssrc: SSRC) { watch.microphone = ssrc }

    /// How its way did since the last look.
    func readPath() -> PathReading {
        watch.read(media.reception(of:), roundTrip: measuredRoundTrip, isLost: isLost)
    }

    /// `now`, but never before what this was called with last.
    func time(_ now: Instant) -> Instant {
        clock = max(clock, now)
        return clock
    }

    /// A later offer of the same peer connection has been answered.
    func renegotiate(_ negotiated: NegotiatedSession, number: UInt32, credentials: ICECredentials) {
        offerNumber = number
        answerVersion += 1
        self.credentials = credentials
        take(negotiated)
    }

    private func take(_ negotiated: NegotiatedSession) {
        remote = negotiated.remote
        slots = negotiated.slots
        microphonePayloadType = negotiated.microphone.map { PayloadType($0.payloadType) }
        extensions = HeaderExtensionMap()
        for mapping in negotiated.extensions {
            if let kind = HeaderExtensionKind(uri: mapping.uri) { extensions.set(kind, id: mapping.id) }
        }
    }

    /// The lines on which this peer hears its stage.
    func lines() -> [ListenerLine] {
        let midID = extensions.id(of: .mid) ?? 0
        return slots.map { slot in
            let start = terms.starts[slot.index]
            return ListenerLine(
                slot: slot.index, ssrc: SSRC(slot.ssrc), stream: slot.index, payloadType: PayloadType(slot.payloadType),
                mid: Mid(slot.mid), midID: midID, firstSequence: start.sequence, firstTimestamp: start.timestamp)
        }
    }
}

/// What we chose for one peer before its first answer, at random where it must not be guessed or met twice.
struct PeerTerms {
    /// For the `o=` line: 62 bits, since some read it as a signed number (RFC 9429 §5.2.1).
    let sessionID: UInt64
    let reportSSRC: SSRC
    /// Names our end (RFC 7022).
    let cname: String
    let sources: [SlotSource]
    /// Where each slot's numbers start.
    let starts: [(sequence: UInt16, timestamp: UInt32)]

    init(slots: Int, using generator: inout some RandomNumberGenerator) {
        sessionID = UInt64.random(in: 1..<(1 << 62), using: &generator)
        var taken: Set<UInt32> = [0]
        func ssrc() -> UInt32 {
            while true {
                let candidate = UInt32.random(in: 1...(.max), using: &generator)
                if taken.insert(candidate).inserted { return candidate }
            }
        }
        reportSSRC = SSRC(ssrc())
        let name = String(UInt64.random(in: 0...(.max), using: &generator), radix: 36)
        cname = name
        // Each slot is a stream of its own, so that browsers do not delay one speaker to match another.
        sources = (0..<slots).map {
            SlotSource(
                ssrc: ssrc(), cname: "\(name)-\($0)",
                stream: StreamIdentification(stream: "slot-\($0)", track: "slot-\($0)-audio"))
        }
        starts = (0..<slots).map { _ in
            (UInt16.random(in: 0...(.max), using: &generator), UInt32.random(in: 0...(.max), using: &generator))
        }
    }
}

/// One room on this worker.
final class Stage {
    let id: StageID
    let audio: AudioStage
    let kind: StageKind
    var peers: Set<PeerID> = []
    /// Whom the room has let in. As many as it has members; a peer that has no path yet is among them.
    private(set) var admitted: Set<PeerID> = []
    /// What clients have told of their ways, those whose path is not open yet among them.
    private(set) var statedRoundTrips: [PeerID: Interval] = [:]
    /// Somebody's way was told last time.
    var hasToldPaths = false
    /// Its levels are read at every tick.
    var isMetered = false
    /// To and from the mixer, if there is a mix.
    let feed: MixFeed?
    /// The number of the last cut that the mixer was told of.
    private(set) var lastCut: UInt64 = 0
    /// Told when the mixer has those cuts in force, in their order.
    private var awaitedCuts: [(cut: UInt64, confirmed: @Sendable () -> Void)] = []

    init(id: StageID, slots: Int, kind: StageKind = .voice, feed: MixFeed? = nil) {
        self.id = id
        self.kind = kind
        self.feed = feed
        audio = AudioStage(slots: slots, hasMix: feed != nil)
        guard let feed else { return }
        audio.onCut = { [unowned self] slot, before in lastCut = feed.cut(slot: slot, before: before) }
    }

    /// What is to be told once everything that has been cut so far is silent in the mix too; at once if it is.
    func afterCuts(_ confirmed: @escaping @Sendable () -> Void, now: (@escaping @Sendable () -> Void) -> Void) {
        guard let feed, !feed.isInForce(lastCut) else { return now(confirmed) }
        awaitedCuts.append((lastCut, confirmed))
    }

    /// Whoever waits for what the mixer has in force by now: to be told once the packets that it has made are taken.
    func takeCuts() -> [@Sendable () -> Void] {
        guard let feed else { return [] }
        let count = awaitedCuts.prefix { feed.isInForce($0.cut) }.count
        defer { awaitedCuts.removeFirst(count) }
        return awaitedCuts.prefix(count).map(\.confirmed)
    }

    /// Nothing is heard here any more.
    func giveUpCuts() -> [@Sendable () -> Void] {
        defer { awaitedCuts = [] }
        return awaitedCuts.map(\.confirmed)
    }

    func note(_ roundTrip: Interval, of peer: PeerID) {
        // Nobody needs it of those who are no longer there.
        if statedRoundTrips.count >= Self.statementsKept, statedRoundTrips[peer] == nil {
            statedRoundTrips = statedRoundTrips.filter { peers.contains($0.key) }
            guard statedRoundTrips.count < Self.statementsKept else { return }
        }
        statedRoundTrips[peer] = roundTrip
    }

    func forgetRoundTrip(of peer: PeerID) { statedRoundTrips[peer] = nil }

    func admit(_ peer: PeerID) { admitted.insert(peer) }
    func expel(_ peer: PeerID) { admitted.remove(peer) }

    /// Far more than people who sing at once.
    private static let statementsKept = 256
}
