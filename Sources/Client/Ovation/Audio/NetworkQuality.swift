public import RoomModel
internal import Timing

/// How the network did lately.
public struct NetworkReading: Sendable, Hashable {
    /// To the server and back, the shorter the tighter two can sing: at this, with both singers alike and the 20 ms that sound needs
    /// in devices and packets, each hears the other after 50 ms, which is about where people stop keeping time by ear.
    public static let tightDuetLimit = Duration.milliseconds(30)

    /// All in one.
    public var quality = NetworkQuality.unknown
    /// To the server and back; absent before it was measured.
    public var roundTrip: Duration?
    /// The share of sent packets that got lost lately, 0…1.
    public var lossSent = 0.0
    /// The share of packets that got lost on the way here lately, 0…1.
    public var lossReceived = 0.0
    /// How long sound that comes in waits for what is late; absent while nobody is heard.
    public var wait: Duration?

    /// The way is too long for two to sing in time by hearing each other, as far as one's own half of it tells. Between two who
    /// sing the room's word counts, which knows both halves: `RoomState.network`.
    public var isTooFarForTightDuet: Bool {
        quality >= .bad || (roundTrip.map { $0 > Self.tightDuetLimit } ?? false)
    }
}

/// Judges the network by what was counted since the last look. Pure.
struct NetworkObserver: Sendable {
    /// Between looks: a few hundred packets.
    static let interval = Interval.seconds(2)
    /// Fewer packets say nothing about a share of lost ones.
    static let fewest: UInt64 = 20

    /// What was counted since the path was opened.
    struct Counts: Sendable, Hashable {
        var isConnected = false
        var received: UInt64 = 0
        var missing: UInt64 = 0
        var lossSent = 0.0
        var roundTrip: Interval?
        /// Of the seats that are heard.
        var wait: Interval?
    }

    private(set) var reading = NetworkReading()
    private var last = Counts()

    /// Takes a look. Returns whether the quality is another one now.
    mutating func take(_ counts: Counts) -> Bool {
        let before = reading.quality
        defer { last = counts }
        guard counts.isConnected else {
            // Before the first connection nothing is known; after it something is wrong.
            reading.quality = before == .unknown ? .unknown : .down
            return reading.quality != before
        }
        // Another path counts anew; a hole that was filled late makes the number smaller.
        let isSamePath = counts.received >= last.received
        let received = counts.received - (isSamePath ? last.received : 0)
        let missing = counts.missing - min(counts.missing, isSamePath ? last.missing : 0)
        let expected = received + missing
        reading.lossReceived = expected < Self.fewest ? 0 : Double(missing) / Double(expected)
        reading.lossSent = min(max(counts.lossSent, 0), 1)
        reading.roundTrip = counts.roundTrip.map { Duration($0) }
        reading.wait = counts.wait.map { Duration($0) }
        let loss = max(reading.lossSent, reading.lossReceived)
        reading.quality = NetworkQuality(
            roundTripMs: counts.roundTrip?.exactMs, loss: loss, waitMs: counts.wait?.exactMs)
        return reading.quality != before
    }
}

extension Interval {
    fileprivate var exactMs: Double { Double(nanoseconds) / 1e6 }
}
