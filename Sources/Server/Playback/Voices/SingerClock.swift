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
    private var roundTrip = LeastRoundTrip()
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
            roundTrip.add(min(RoomLine.frames(newRoundTrip), Self.tolerance), at: timestamp)
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
        arrivals.offset(at: timestamp).map { $0 - (roundTrip.frames ?? 0) / 2 }
    }
}

/// The way to a singer and back where nothing holds it up: the shortest round trip of late. The mean would not do, since of the
/// arrivals too only the earliest count.
struct LeastRoundTrip {
    /// 20 s, so that each value is looked back on for 20 to 40 s: reports come every few seconds, and each was held up by something.
    private static let period: Int64 = 960_000

    private var begin = Int64.min
    private var present: Double?
    private var former: Double?

    /// To and fro; nil before the first.
    var frames: Double? {
        guard let present else { return former }
        return min(present, former ?? present)
    }

    /// `timestamp`: of the singer's sound, in frames without wraps.
    mutating func add(_ trip: Double, at timestamp: Int64) {
        // A timestamp before the beginning is that of another stream.
        if begin == .min || timestamp < begin || timestamp - begin >= Self.period {
            former = begin == .min ? nil : present
            present = nil
            begin = timestamp
        }
        present = min(trip, present ?? trip)
    }
}
