internal import Codecs
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
    /// The number of each slot's stream at the machine, once it has been offered.
    var streams: [Int: Int] = [:]
    private(set) var views: [NegotiatedSession.View]
    /// The same for pictures.
    var viewStreams: [Int: Int] = [:]
    /// How it sees pictures, once it has lines for them.
    var viewer: PictureViewer?
    /// Number of the newest offer that was answered.
    private(set) var offerNumber: UInt32
    /// The `o=` line's id in the peer's offers: another one is another peer connection.
    let remoteSessionID: UInt64
    private(set) var answerVersion: UInt64 = 1
    private(set) var extensions = HeaderExtensionMap()
    private(set) var microphonePayloadType: PayloadType?
    /// Of packets with copies of earlier ones (RFC 2198).
    private(set) var redundantPayloadType: PayloadType?
    /// What it may send, in the order of `Track`.
    private(set) var tracks: [ReceiveTrack] = []

    var isConnected = false
    /// Nothing came for a while.
    var isLost = false
    /// What it may send.
    private var limits = SendLimits()
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
        views = negotiated.views
        self.offerNumber = offerNumber
        self.remoteSessionID = remoteSessionID
        take(negotiated)
    }

    var member: MemberID { MemberID(rawValue: id.rawValue) }

    /// Whether the microphone keeps within what one may send.
    func maySend(_ count: Int, at now: Instant) -> Bool {
        limits.takeSound(count, at: now)
    }

    /// Whether its pictures keep within what one may send.
    func maySendPicture(_ count: Int, at now: Instant) -> Bool {
        limits.takePicture(count, at: now)
    }

    /// What to do with a datagram of this peer's before it is opened.
    func judge(_ datagram: UnsafeRawBufferPointer, at now: Instant) -> SendLimits.Judgement {
        limits.judge(datagram, at: now)
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
        views = negotiated.views
        tracks = Track.allCases.map { $0.terms(in: negotiated) }
        microphonePayloadType = negotiated.microphone.map { PayloadType($0.payloadType) }
        redundantPayloadType = negotiated.microphone?.redundantPayloadType.map { PayloadType($0) }
        extensions = HeaderExtensionMap()
        for mapping in negotiated.extensions {
            if let kind = HeaderExtensionKind(uri: mapping.uri) { extensions.set(kind, id: mapping.id) }
        }
    }

    /// The lines on which this peer hears its stage.
    func lines() -> [ListenerLine] {
        slots.compactMap { slot in
            let start = terms.starts[slot.index]
            return streams[slot.index].map {
                var line = ListenerLine(
                    slot: slot.index, ssrc: SSRC(slot.ssrc), stream: $0, firstSequence: start.sequence,
                    firstTimestamp: start.timestamp)
                line.redundancy = slot.redundantPayloadType.map {
                    RedundancyTypes(packet: PayloadType($0), content: PayloadType(slot.payloadType))
                }
                return line
            }
        }
    }

    /// The lines on which it sees some of its stage's pictures.
    func viewLines(of part: VideoStage, in pictures: StagePictures) -> [ViewerLine] {
        views.compactMap { view in
            let (stage, slot) = pictures.place(view.index)
            guard stage === part else { return nil }
            let start = terms.viewStarts[view.index]
            return viewStreams[view.index].map {
                ViewerLine(
                    slot: slot, ssrc: SSRC(view.ssrc), stream: $0,
                    format: view.isSpare ? StagePictures.spareFormat : pictures.format, isSpare: view.isSpare,
                    firstSequence: start.sequence, firstTimestamp: start.timestamp)
            }
        }
    }

    /// Whether that format was agreed on for a track.
    func takes(_ payloadType: PayloadType, on track: Int) -> Bool {
        tracks.indices.contains(track) && tracks[track].formats.contains { $0.payloadType == payloadType }
    }

    /// The number of the view whose stream that is; nil for sound.
    func view(ofStream stream: Int) -> Int? { viewStreams.first { $0.value == stream }?.key }
}

/// What a peer may send, numbered as its machine numbers tracks.
enum Track: Int, CaseIterable {
    case microphone
    case camera
    case screen
    /// The camera once more, in the spare format.
    case spare

    fileprivate func terms(in negotiated: NegotiatedSession) -> ReceiveTrack {
        switch self {
        case .microphone:
            guard let line = negotiated.microphone else { return Self.nothing }
            return ReceiveTrack(
                mid: Mid(line.mid),
                formats: [line.payloadType, line.redundantPayloadType].compactMap { $0 }.map {
                    ReceiveTrack.Format(payloadType: PayloadType($0), clockRate: 48_000)
                },
                sources: line.ssrc.map { [ReceiveTrack.Source(ssrc: SSRC($0))] } ?? [],
                repeats: line.hasNACK ? .sound : .none)
        case .camera, .screen, .spare:
            guard let line = negotiated.pictures.first(where: { $0.use == use }) else { return Self.nothing }
            return ReceiveTrack(
                mid: Mid(line.mid),
                formats: [
                    ReceiveTrack.Format(
                        payloadType: PayloadType(line.payloadType), clockRate: 90_000,
                        repeats: line.repeatPayloadType.map { PayloadType($0) })
                ],
                sources: line.sources.map { source in
                    ReceiveTrack.Source(
                        ssrc: SSRC(source.ssrc),
                        repeats: line.repeatGroups.first { $0.ssrc == source.ssrc }.map { SSRC($0.repeats) })
                },
                rids: line.layers.compactMap { Rid($0) }, repeats: line.hasNACK ? .picture : .none,
                keyFrameRequest: line.wantsFullIntraRequests ? .fullIntra : .pictureLoss)
        }
    }

    private var use: LineUse {
        switch self {
        case .microphone: .microphone
        case .camera: .camera
        case .screen: .screen
        case .spare: .spare
        }
    }

    private static var nothing: ReceiveTrack { ReceiveTrack(mid: nil, formats: [], repeats: .none) }
}
