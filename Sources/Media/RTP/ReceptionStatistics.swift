package import Timing
package import Wire

/// What we know of how one source reaches us (RFC 3550 §6.4, A.3, A.8). Packets come here once each, authenticated and
/// without replays.
package struct ReceptionStatistics: Sendable {
    /// A jump of the timestamp against the clock that is no jitter but a new beginning.
    private static let maximumTransitChangeSeconds: UInt64 = 5

    package let ssrc: SSRC
    /// Ticks a second.
    package let clockRate: UInt32
    package private(set) var packetsReceived: UInt64 = 0
    /// nil before the first packet.
    package private(set) var highestSequence: UInt64?

    private var firstSequence: UInt64 = 0
    /// Arrival minus timestamp of the newest packet, in ticks, modulo 2^32.
    private var transit: UInt32 = 0
    /// Sixteen times the jitter in ticks (RFC 3550 A.8).
    private var jitterTimes16: UInt32 = 0
    private var expectedBefore: UInt64 = 0
    private var receivedBefore: UInt64 = 0
    /// Middle 32 bits of the last sender report's NTP time, and when it came.
    private var senderReport: (ntp: UInt32, arrival: Instant)?

    package init(ssrc: SSRC, clockRate: UInt32) {
        self.ssrc = ssrc
        self.clockRate = clockRate
    }

    /// In ticks.
    package var jitter: UInt32 { jitterTimes16 >> 4 }

    /// How many packets there should have been, from the first one that came to the newest.
    package var packetsExpected: UInt64 { highestSequence.map { $0 - firstSequence + 1 } ?? 0 }

    /// Negative if packets from before the first one came late.
    package var packetsLost: Int64 { Int64(clamping: packetsExpected) - Int64(clamping: packetsReceived) }

    package mutating func receive(extendedSequence: UInt64, timestamp: RTPTimestamp, at arrival: Instant) {
        packetsReceived += 1
        let newTransit = ReceptionStatistics.ticks(arrival, rate: clockRate) &- timestamp.rawValue
        guard let highestSequence else {
            self.highestSequence = extendedSequence
            firstSequence = extendedSequence
            transit = newTransit
            return
        }
        // Late packets and repeats say more about the way back than about jitter.
        guard extendedSequence > highestSequence else { return }
        self.highestSequence = extendedSequence
        let change = Int32(bitPattern: newTransit &- transit).magnitude
        transit = newTransit
        guard UInt64(change) < UInt64(clockRate) * ReceptionStatistics.maximumTransitChangeSeconds else { return }
        jitterTimes16 = jitterTimes16 &+ change &- (jitterTimes16 &+ 8) >> 4
    }

    package mutating func receiveSenderReport(ntp: UInt64, at arrival: Instant) {
        senderReport = (UInt32(truncatingIfNeeded: ntp >> 16), arrival)
    }

    /// The block for the next report, which begins a new interval for the fraction lost. nil before the first packet.
    package mutating func makeReportBlock(at now: Instant) -> ReportBlock? {
        guard let highestSequence else { return nil }
        let expected = Int64(clamping: packetsExpected - expectedBefore)
        let lost = expected - Int64(clamping: packetsReceived - receivedBefore)
        expectedBefore = packetsExpected
        receivedBefore = packetsReceived
        var delay: UInt32 = 0
        if let senderReport {
            let nanoseconds = max(0, (now - senderReport.arrival).nanoseconds)
            let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            // Saturates after 18 hours.
            delay = UInt32(clamping: (seconds << 16) + (rest << 16) / 1_000_000_000)
        }
        return ReportBlock(
            ssrc: ssrc,
            fractionLost: expected > 0 && lost > 0 ? UInt8(clamping: lost * 256 / expected) : 0,
            // RFC 3550 A.3: clamped to 24 bits.
            cumulativeLost: Int32(min(max(packetsLost, -0x80_0000), 0x7f_ffff)),
            extendedHighestSequence: UInt32(truncatingIfNeeded: highestSequence), jitter: jitter,
            lastSenderReport: senderReport?.ntp ?? 0, delaySinceLastSenderReport: delay)
    }

    /// An instant in ticks of a clock, modulo 2^32.
    static func ticks(_ instant: Instant, rate: UInt32) -> UInt32 {
        let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return UInt32(truncatingIfNeeded: seconds &* Int64(rate) &+ rest * Int64(rate) / 1_000_000_000)
    }
}
