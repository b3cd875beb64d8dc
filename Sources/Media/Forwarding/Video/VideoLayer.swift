internal import Codecs
internal import RTP
internal import Timing

/// One layer of one producer's picture: its packets, where its newest key frame is, and whether one has been asked for.
struct VideoLayer {
    /// A frame that needs no other, in the layer's numbers.
    struct KeyFrame: Equatable {
        var first: UInt64
        var timestamp: UInt32
    }

    /// How often a key frame is asked for: a browser makes no more than one in 300 ms, and one that was lost is asked for again.
    static let shortestRequest = Interval.milliseconds(300)
    static let longestRequest = Interval.seconds(1)
    /// Who comes so soon after a key frame gets it from the history; further back it costs more than a new one.
    static let replayedPackets: UInt64 = 40
    /// A jump further than this is a source that began anew: viewers see no gap then, and wait for a key frame.
    static let maximumJump: UInt64 = 1_000
    /// So many numbers may be skipped in all: what a camera of 10 Mbit/s loses in a second when nothing comes through. Without a limit, a
    /// camera whose numbers leap takes its viewers' numbers along, and one that misses packets for a moment can no longer tell how often
    /// they have wrapped (RFC 3711 §3.3.1).
    static let skipAllowance = Allowance(burst: 1_000, perSecond: 1_000)
    /// A source that jumps further begins anew, but not with every packet: each beginning costs a report to every viewer.
    static let jumpInterval = Interval.milliseconds(200)
    /// After so many requests without an answer the layer is one that takes none: OBS sends a key frame when it likes.
    static let requestsUntilDeaf = 3

    let ssrc: SSRC
    let format: VideoFormat
    let history = LayerHistory()
    private(set) var highest: UInt64?
    private(set) var lastArrival: Instant
    private(set) var keyFrame: KeyFrame?
    /// As its last key frame says, if that can be read.
    private(set) var size: FrameSize?
    /// When its pictures were captured, if a report has told.
    var clock: CaptureClock?
    private var unwrapper = PictureIDUnwrapper()
    /// Where parameters of H.264 were seen: a key frame of the same timestamp begins there.
    private var parameters: KeyFrame?
    private var skips = TokenBucket(VideoLayer.skipAllowance, now: .distantPast)
    private var lastJump = Instant.distantPast
    private var askedAt: Instant?
    private var requests = 0
    private var meter: LayerMeter

    /// What is sent beside a payload: headers, the tag, IPv4 and UDP.
    private static let overhead = 66

    init(_ packet: PicturePacket) {
        ssrc = packet.ssrc
        format = packet.format
        lastArrival = packet.arrival
        meter = LayerMeter(at: packet.arrival)
    }

    /// What it takes of a line in bits a second, some repeats included; nil while too little of it has come to tell.
    func rate(at now: Instant) -> Double? { meter.rate(at: now).map { $0 * 1.02 } }

    func steadyRate(at now: Instant) -> Double? { meter.steadyRate(at: now) }

    /// It does not answer requests for key frames.
    var isDeaf: Bool { requests > Self.requestsUntilDeaf }

    enum Accepted {
        /// The numbers do not go on where they were: whoever gets the layer waits for a key frame, and the packet is looked at again.
        case restarted
        /// The packet, and whether it is the one that shows that its frame is a key frame.
        case packet(LayerPacket, startsKeyFrame: Bool)
        /// It came before, it lies too far back, or it is no payload of the format.
        case dropped
    }

    mutating func accept(_ packet: PicturePacket, payload: UnsafeRawBufferPointer) -> Accepted {
        if let highest, packet.sequence <= highest {
            guard highest - packet.sequence < UInt64(LayerHistory.indexCount), history.find(packet.sequence) == nil
            else { return .dropped }
        } else if let highest {
            let skipped = packet.sequence - highest - 1
            guard
                skipped < Self.maximumJump,
                skipped == 0 || skips.take(Double(skipped), now: packet.arrival)
            else {
                guard packet.arrival - lastJump >= Self.jumpInterval else { return .dropped }
                lastJump = packet.arrival
                self.highest = nil
                keyFrame = nil
                parameters = nil
                return .restarted
            }
        }
        var content: VideoPayload?
        if !payload.isEmpty {
            guard var read = VideoPayload(payload, packet.format) else { return .dropped }
            if let id = read.descriptor?.pictureID { read.descriptor?.pictureID = unwrapper.unwrap(id) }
            content = read
        }
        lastArrival = max(lastArrival, packet.arrival)
        highest = max(highest ?? packet.sequence, packet.sequence)
        let kept = LayerPacket(
            sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, payload: content,
            arrival: packet.arrival)
        history.store(kept, payload: payload, at: packet.arrival)
        let startsKeyFrame = content.map { noteKeyFrame(kept, $0, payload) } ?? false
        meter.add(
            payload.count + Self.overhead, isKeyFrame: keyFrame?.timestamp == packet.timestamp, at: packet.arrival)
        return .packet(kept, startsKeyFrame: startsKeyFrame)
    }

    private mutating func noteKeyFrame(
        _ packet: LayerPacket, _ content: VideoPayload, _ payload: UnsafeRawBufferPointer
    ) -> Bool {
        let here = KeyFrame(first: packet.sequence, timestamp: packet.timestamp)
        if content.hasParameters, parameters?.timestamp != packet.timestamp {
            parameters = here
            size = FrameSize(payload, format)
        }
        guard content.isKeyFrame else { return false }
        let found: KeyFrame
        switch format {
        case .vp8, .vp9, .av1: found = here
        case .h264:
            // Slices of one picture: its first says it. Without parameters before it nobody can begin here.
            guard let parameters, parameters.timestamp == packet.timestamp, parameters.first <= packet.sequence else {
                return false
            }
            found = parameters
        }
        guard keyFrame?.timestamp != found.timestamp, keyFrame.map({ $0.first < found.first }) ?? true else {
            return false
        }
        keyFrame = found
        if format != .h264 { size = FrameSize(payload, format) }
        askedAt = nil
        requests = 0
        return true
    }

    /// The first packet of a key frame that somebody can begin with now: near enough, and with all that followed still there.
    var replayable: UInt64? {
        guard let keyFrame, let highest, highest >= keyFrame.first,
            isDeaf || highest - keyFrame.first <= Self.replayedPackets,
            history.find(keyFrame.first)?.packet.timestamp == keyFrame.timestamp
        else { return nil }
        return keyFrame.first
    }

    // MARK: Requests

    /// Whether to ask now, if somebody waits; a request is not repeated while its answer may be under way.
    mutating func asks(roundTrip: Interval?, at now: Instant) -> Bool {
        guard now >= nextRequest(roundTrip: roundTrip) else { return false }
        askedAt = now
        requests += 1
        return true
    }

    /// When somebody who waits should ask at the earliest.
    func nextRequest(roundTrip: Interval?) -> Instant {
        guard let askedAt else { return .distantPast }
        let wait = roundTrip.map { $0 * 2 } ?? Self.shortestRequest
        return askedAt + min(max(wait, Self.shortestRequest), Self.longestRequest)
    }
}
