internal import RTP
internal import Timing
internal import Wire

/// One stream of the other side.
struct ReceiveStream {
    /// What a stream is for.
    enum Use: Hashable {
        /// Of a track and layer, or of none that is known.
        case media(StreamPlace?)
        /// Sends packets of that layer again (RFC 4588).
        case repeats(StreamPlace)
    }

    let use: Use
    private(set) var statistics: ReceptionStatistics
    var repeats: RepeatRequester
    private let asksForRepeats: Bool
    private(set) var lastArrival: Instant
    /// When it came, or took its place over.
    private(set) var since: Instant
    /// Another stream has its place.
    private(set) var isRetired = false
    private var packetsReported: UInt64 = 0
    private var keyFrameCommands: UInt8 = 0

    var ssrc: SSRC { statistics.ssrc }

    init(ssrc: SSRC, use: Use, clockRate: UInt32, policy: RepeatPolicy, at now: Instant) {
        self.use = use
        repeats = RepeatRequester(policy)
        asksForRepeats = !policy.isNone
        statistics = ReceptionStatistics(ssrc: ssrc, clockRate: clockRate)
        lastArrival = now
        since = now
    }

    /// Another stream has taken its place: nothing of it is worth asking for any more.
    mutating func retire() {
        isRetired = true
        repeats = RepeatRequester(.none)
    }

    /// It takes its place again.
    mutating func comeBack(_ policy: RepeatPolicy, at now: Instant) {
        isRetired = false
        repeats = RepeatRequester(policy)
        since = now
    }

    mutating func receive(extendedSequence: UInt64, timestamp: RTPTimestamp, at now: Instant) {
        statistics.receive(extendedSequence: extendedSequence, timestamp: timestamp, at: now)
        if asksForRepeats, !isRetired { repeats.receive(extendedSequence, at: now) }
        lastArrival = now
    }

    /// A packet of this stream came on the stream for its repeats. Its number with all wraps; nil if that cannot be told.
    /// - Parameter onlyIfMissed: it may be a packet of another stream, unless this one has a gap there.
    mutating func receiveRepeat(of number: SequenceNumber16, onlyIfMissed: Bool, at now: Instant) -> UInt64? {
        guard let highest = statistics.highestSequence else { return nil }
        let distance = number.distance(from: SequenceNumber16(UInt16(truncatingIfNeeded: highest)))
        // Nobody asks for what has not been sent.
        guard distance <= 0, highest >= UInt64(-distance) else { return nil }
        let extended = highest - UInt64(-distance)
        guard !onlyIfMissed || repeats.isMissing(extended) else { return nil }
        if asksForRepeats { repeats.receive(extended, at: now) }
        lastArrival = now
        return extended
    }

    /// What got lost was found as a copy in a later packet: it need not be asked for.
    mutating func receiveCopy(extendedSequence: UInt64, at now: Instant) {
        if asksForRepeats { repeats.receive(extendedSequence, at: now) }
    }

    /// RFC 5104 §4.3.1: each request has the next number.
    mutating func nextKeyFrameCommand() -> UInt8 {
        defer { keyFrameCommands &+= 1 }
        return keyFrameCommands
    }

    mutating func receiveSenderReport(ntp: UInt64, at now: Instant) {
        statistics.receiveSenderReport(ntp: ntp, at: now)
    }

    /// Something was received since the last report.
    var isActive: Bool { statistics.packetsReceived != packetsReported }

    mutating func makeReportBlock(at now: Instant) -> ReportBlock? {
        packetsReported = statistics.packetsReceived
        return statistics.makeReportBlock(at: now)
    }
}
