internal import RTP
internal import Timing
internal import Wire

/// What the sender reports of one of our streams are made from.
struct SendStream {
    let ssrc: SSRC
    let cname: String
    /// Where its state stood among the sender's sources when its last packet was sealed.
    var source = 0
    private var clock: SendingClock
    private var packets: UInt32 = 0
    private var octets: UInt32 = 0
    private var packetsReported: UInt32 = 0
    /// A report is to go out at once: the stream has begun, or its source has changed.
    var isReportWanted = false

    init(ssrc: SSRC, clockRate: UInt32, cname: String) {
        self.ssrc = ssrc
        self.cname = cname
        clock = SendingClock(clockRate: clockRate)
    }

    mutating func sent(timestamp: RTPTimestamp, payloadLength: Int, at now: Instant) {
        clock.send(timestamp: timestamp, at: now)
        packets &+= 1
        octets &+= UInt32(truncatingIfNeeded: payloadLength)
    }

    /// Something was sent since the last report.
    var isActive: Bool { packets != packetsReported }

    /// nil before the first packet: there is nothing to say then, and a wanted report waits.
    mutating func makeReport(at now: Instant, ntp: UInt64) -> SenderInfo? {
        guard let timestamp = clock.timestamp(at: now) else { return nil }
        isReportWanted = false
        packetsReported = packets
        return SenderInfo(
            ssrc: ssrc, ntp: ntp, timestamp: timestamp, packetCount: packets, octetCount: octets)
    }
}
