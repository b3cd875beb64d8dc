internal import RTP
internal import Timing
internal import Wire

/// The streams of the other side, as they come and go.
struct ReceiveStreams {
    /// Sources of the other side: a browser has one per media section, plus those of sections that it changed its mind
    /// about.
    static let maximumCount = 32
    /// A source silent for so long makes room for a new one.
    static let lifetime = Interval.seconds(60)

    enum Reception {
        case counted
        /// A new source took the place of this one, which has long been silent.
        case replaced(SSRC)
        case tooManyStreams
    }

    private let clockRate: UInt32
    private let asksForRepeats: Bool
    private var streams: [ReceiveStream] = []
    /// Where the last packet's stream was found.
    private var last = 0
    /// When something is to be asked for again.
    private(set) var nextRequest = Instant.distantFuture

    init(clockRate: UInt32, asksForRepeats: Bool) {
        self.clockRate = clockRate
        self.asksForRepeats = asksForRepeats
    }

    mutating func receive(
        _ ssrc: SSRC, timestamp: RTPTimestamp, extendedSequence: UInt64, at now: Instant
    ) -> Reception {
        let (index, reception) = place(ssrc, at: now)
        guard let index else { return .tooManyStreams }
        streams[index].receive(
            extendedSequence: extendedSequence, timestamp: timestamp, asksForRepeats: asksForRepeats, at: now)
        if asksForRepeats { nextRequest = min(nextRequest, streams[index].repeats.nextDeadline) }
        return reception
    }

    /// A sender report of the other side, which may come before the stream's first packet.
    mutating func receiveSenderReport(_ info: SenderInfo, at now: Instant) -> Reception {
        let (index, reception) = place(info.ssrc, at: now)
        if let index { streams[index].receiveSenderReport(ntp: info.ntp, at: now) }
        return reception
    }

    /// Where a stream stands, new ones included; nil if there is no room for it.
    private mutating func place(_ ssrc: SSRC, at now: Instant) -> (index: Int?, Reception) {
        if last < streams.count, streams[last].ssrc == ssrc { return (last, .counted) }
        var reception = Reception.counted
        if let known = streams.firstIndex(where: { $0.ssrc == ssrc }) {
            last = known
        } else {
            if streams.count == Self.maximumCount {
                guard let oldest = streams.indices.min(by: { streams[$0].lastArrival < streams[$1].lastArrival }),
                    streams[oldest].lastArrival + Self.lifetime <= now
                else { return (nil, .tooManyStreams) }
                reception = .replaced(streams.remove(at: oldest).ssrc)
            }
            last = streams.count
            streams.append(ReceiveStream(ssrc: ssrc, clockRate: clockRate, at: now))
        }
        return (last, reception)
    }

    /// How a stream arrives; nil before its first packet.
    func reception(of ssrc: SSRC) -> ReceptionStatistics? { streams.first { $0.ssrc == ssrc }?.statistics }

    /// Something came since the last report.
    var areActive: Bool { streams.contains(where: \.isActive) }

    /// Blocks about streams that are active, at most so many.
    mutating func makeReportBlocks(_ most: Int, at now: Instant) -> [ReportBlock] {
        var blocks: [ReportBlock] = []
        for index in streams.indices where streams[index].isActive {
            guard blocks.count < most else { break }
            if let block = streams[index].makeReportBlock(at: now) { blocks.append(block) }
        }
        return blocks
    }

    /// What of one stream is to be asked for again now; nil if nothing is.
    mutating func takeRequest(at now: Instant, roundTrip: Interval) -> (ssrc: SSRC, missing: [SequenceNumber16])? {
        defer { nextRequest = streams.reduce(.distantFuture) { min($0, $1.repeats.nextDeadline) } }
        for index in streams.indices where streams[index].repeats.nextDeadline <= now {
            let missing = streams[index].repeats.requests(at: now, roundTrip: roundTrip)
            if !missing.isEmpty { return (streams[index].ssrc, missing) }
        }
        return nil
    }
}
