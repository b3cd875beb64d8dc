package import Timing
package import Wire

/// Tells which RTP timestamp a stream that we send has at an instant, for its sender reports: the last packet's, moved on
/// by the time since.
package struct SendingClock: Sendable {
    /// Ticks a second.
    package let clockRate: UInt32
    private var last: (timestamp: RTPTimestamp, sent: Instant)?

    package init(clockRate: UInt32) { self.clockRate = clockRate }

    /// A packet of the stream leaves. One that is late says nothing about the present: a report made from it would move the stream back
    /// by as much as the packet is late. A stream that goes back by more has begun anew.
    package mutating func send(timestamp: RTPTimestamp, at now: Instant) {
        if let last, (-Self.late * Int64(clockRate)..<0).contains(Int64(timestamp.distance(from: last.timestamp))) {
            return
        }
        last = (timestamp, now)
    }

    /// Seconds; what is later no jitter buffer waits for.
    private static let late: Int64 = 2

    /// nil before the first packet.
    package func timestamp(at now: Instant) -> RTPTimestamp? {
        guard let last else { return nil }
        let passed =
            ReceptionStatistics.ticks(now, rate: clockRate) &- ReceptionStatistics.ticks(last.sent, rate: clockRate)
        return RTPTimestamp(last.timestamp.rawValue &+ passed)
    }
}

/// How a stream that we receive maps to its sender's wall clock, by its last sender report.
package struct ReceivingClock: Hashable, Sendable {
    /// Ticks a second; not zero.
    package let clockRate: UInt32
    package let ntp: UInt64
    package let timestamp: RTPTimestamp

    /// nil if the rate is zero.
    package init?(clockRate: UInt32, ntp: UInt64, timestamp: RTPTimestamp) {
        guard clockRate > 0 else { return nil }
        self.clockRate = clockRate
        self.ntp = ntp
        self.timestamp = timestamp
    }

    /// The sender's NTP time of a timestamp that lies within half the timestamp's range of the report: 12 hours at 48 kHz.
    package func ntp(of other: RTPTimestamp) -> UInt64 {
        let (seconds, rest) = Int64(other.distance(from: timestamp)).quotientAndRemainder(dividingBy: Int64(clockRate))
        let change = seconds &<< 32 &+ (rest &<< 32) / Int64(clockRate)
        return ntp &+ UInt64(bitPattern: change)
    }
}
