internal import RTP
internal import Timing
internal import Wire

/// One stream of the other side.
struct ReceiveStream {
    private(set) var statistics: ReceptionStatistics
    var repeats = RepeatRequester()
    private(set) var lastArrival: Instant
    private var packetsReported: UInt64 = 0

    var ssrc: SSRC { statistics.ssrc }

    init(ssrc: SSRC, clockRate: UInt32, at now: Instant) {
        statistics = ReceptionStatistics(ssrc: ssrc, clockRate: clockRate)
        lastArrival = now
    }

    mutating func receive(extendedSequence: UInt64, timestamp: RTPTimestamp, asksForRepeats: Bool, at now: Instant) {
        statistics.receive(extendedSequence: extendedSequence, timestamp: timestamp, at: now)
        if asksForRepeats { repeats.receive(extendedSequence, at: now) }
        lastArrival = now
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
