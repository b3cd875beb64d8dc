internal import RTP
internal import RoomPorts
internal import Timing

/// What is noted of one peer's way between two looks at it.
struct PathWatch {
    /// Between looks: a hundred packets and more.
    static let period = Interval.seconds(2)
    /// Fewer packets say nothing about a share of lost ones.
    private static let fewest: UInt64 = 20

    /// The stream that the microphone's newest packet belongs to.
    var microphone: SSRC?
    private var counted: (ssrc: SSRC, expected: UInt64, received: UInt64)?
    /// Of all that was reported since the last look: what takes longer was held up somewhere.
    private var shortestRoundTrip: Interval?
    private var worstFraction: UInt8 = 0

    mutating func noteReport(roundTrip: Interval?, fractionLost: UInt8) {
        if let roundTrip { shortestRoundTrip = min(shortestRoundTrip ?? roundTrip, roundTrip) }
        worstFraction = max(worstFraction, fractionLost)
    }

    /// - Parameter roundTrip: the newest, for when nothing was reported since the last look.
    mutating func read(
        _ reception: (SSRC) -> ReceptionStatistics?, roundTrip: Interval?, isLost: Bool
    ) -> PathReading {
        defer {
            shortestRoundTrip = nil
            worstFraction = 0
        }
        var reading = PathReading(
            isLost: isLost, roundTrip: shortestRoundTrip ?? roundTrip, lossToPeer: Double(worstFraction) / 256)
        guard let microphone, let statistics = reception(microphone) else { return reading }
        let (expected, received) = (statistics.packetsExpected, statistics.packetsReceived)
        let isSame = counted?.ssrc == microphone
        let before: (expected: UInt64, received: UInt64) =
            isSame ? (counted?.expected ?? 0, counted?.received ?? 0) : (0, 0)
        counted = (microphone, expected, received)
        reading.jitter = Interval(
            nanoseconds: Int64(statistics.jitter) * 1_000_000_000 / Int64(max(1, statistics.clockRate)))
        let (due, came) = (expected - min(expected, before.expected), received - min(received, before.received))
        if due >= Self.fewest, came < due { reading.lossFromPeer = Double(due - came) / Double(due) }
        return reading
    }
}
