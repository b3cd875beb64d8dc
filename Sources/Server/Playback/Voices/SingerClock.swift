internal import AudioGraph
internal import Timing

/// Where a singer's samples belong on the room's line: what the singer says with each packet, and else what the arrivals
/// tell.
struct SingerClock {
    /// By how many frames what is decoded lags behind the packet's timestamp, which is the encoder's look-ahead. Packets do
    /// not tell; below 10 ms there is only the low-delay mode (2.5 ms), from 10 ms on browsers and our clients use the
    /// others (6.5 ms).
    static func lookahead(frames: Int) -> Double { frames < 480 ? 120 : 312 }

    /// Stated positions are believed within this of what the arrivals tell; further off, the song has been moved
    /// meanwhile or the client is mistaken. Wireless headphones take 300 ms, long ways the rest.
    static let tolerance = Double(AudioRate.standard)
    /// Half a second of packets is the mean of what is stated.
    private static let smoothing = Double(AudioRate.standard) / 2
    /// Stated places that lie further apart than this do not belong to one line; 10 ms.
    private static let outlier = 480.0
    /// So many in a row, and the old line is the wrong one.
    private static let outliersBelieved = 5
    /// Without a stated position for this long the arrivals count again; 2 s.
    private static let statedFor: Int64 = 96_000

    private var arrivals = ArrivalClock()
    /// Of the fastest way that was seen; to and fro, in frames.
    private var roundTrip: Double?
    /// Place minus timestamp, as stated.
    private var stated: Double?
    private var statedUntil = Int64.min
    private var outliers = 0
    private var lookahead = 312.0
    /// Frames that the singer's equipment takes.
    var latency = 0.0

    /// A packet of `frames` came. `places`: where its first sample may belong by the position that it states.
    mutating func add(
        timestamp: Int64, frames: Int, arrival: Double, roundTrip newRoundTrip: Interval?, places: [Double]
    ) {
        lookahead = Self.lookahead(frames: frames)
        arrivals.add(timestamp: timestamp + Int64(frames), arrival: arrival)
        if let newRoundTrip, newRoundTrip > .zero {
            let trip = min(RoomLine.frames(newRoundTrip), Self.tolerance)
            // Down at once, up slowly: what is longer than usual was held up.
            roundTrip = roundTrip.map { trip < $0 ? trip : $0 + (trip - $0) * 0.001 } ?? trip
        }
        guard let heard = byArrival(at: Double(timestamp)).map({ $0 + Double(timestamp) }) else { return }
        guard let place = places.min(by: { abs($0 - heard) < abs($1 - heard) }), abs(place - heard) <= Self.tolerance
        else { return }
        state(place - Double(timestamp), frames: frames)
        statedUntil = max(statedUntil, timestamp + Self.statedFor)
    }

    private mutating func state(_ offset: Double, frames: Int) {
        guard let mean = stated else {
            stated = offset
            return
        }
        guard abs(offset - mean) > Self.outlier else {
            stated = mean + (offset - mean) * min(1, Double(frames) / Self.smoothing)
            outliers = 0
            return
        }
        outliers += 1
        guard outliers >= Self.outliersBelieved else { return }
        outliers = 0
        stated = offset
    }

    /// The song has been moved: what was stated belonged to the former one.
    mutating func forgetStated() {
        stated = nil
        statedUntil = .min
        outliers = 0
    }

    /// Place minus timestamp of what is decoded; nil before the first packet.
    mutating func offset(at timestamp: Double) -> Double? {
        if let stated, timestamp < Double(statedUntil) { return stated - lookahead }
        return byArrival(at: timestamp).map { $0 - latency - lookahead }
    }

    /// Place of the capture minus timestamp.
    private mutating func byArrival(at timestamp: Double) -> Double? {
        arrivals.offset(at: timestamp).map { $0 - (roundTrip ?? 0) / 2 }
    }
}
