internal import Timing

/// How well the network carries sound, in the steps that the reference components tell (1…6).
public enum NetworkQuality: Int32, Sendable, Hashable, CaseIterable {
    /// Nothing is known yet.
    case unknown = 0
    /// A round trip of at most 60 ms, a loss of at most 0.5 %.
    case excellent = 1
    /// Up to 150 ms, up to 2 %, which repair hides.
    case good = 2
    /// Up to 300 ms, up to 5 %, which now and then is heard.
    case poor = 3
    /// Up to 600 ms, up to 15 %: talking is an effort.
    case bad = 4
    /// Worse still.
    case veryBad = 5
    /// No sound gets through.
    case down = 6
}

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

    /// The way is too long for two to sing in time by hearing each other: let one lead and the other follow, or sing by turns.
    public var isTooFarForTightDuet: Bool {
        quality >= .bad || (roundTrip.map { $0 > Self.tightDuetLimit } ?? false)
    }
}

extension NetworkQuality: Comparable {
    /// Worse is more.
    public static func < (a: NetworkQuality, b: NetworkQuality) -> Bool { a.rawValue < b.rawValue }
}

/// Judges the network by what was counted since the last look. Pure.
struct NetworkObserver: Sendable {
    /// Between looks: a few hundred packets.
    static let interval = Interval.seconds(2)
    /// Fewer packets say nothing about a share of lost ones.
    static let fewest: UInt64 = 20

    /// What one step allows at most: the round trip (ITU-T G.114: up to 150 ms one way nobody notices in talking, 400 ms is the
    /// limit), the loss (in-band repair hides some 2 %, concealment some 5 %), and the wait for late packets.
    private struct Step {
        var quality: NetworkQuality
        var roundTrip: Interval
        var loss: Double
        var wait: Interval
    }

    private static let steps = [
        Step(quality: .excellent, roundTrip: .milliseconds(60), loss: 0.005, wait: .milliseconds(40)),
        Step(quality: .good, roundTrip: .milliseconds(150), loss: 0.02, wait: .milliseconds(80)),
        Step(quality: .poor, roundTrip: .milliseconds(300), loss: 0.05, wait: .milliseconds(150)),
        Step(quality: .bad, roundTrip: .milliseconds(600), loss: 0.15, wait: .milliseconds(300)),
    ]

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
        let step = Self.steps.first {
            (counts.roundTrip ?? .zero) <= $0.roundTrip && loss <= $0.loss && (counts.wait ?? .zero) <= $0.wait
        }
        reading.quality = step?.quality ?? .veryBad
        return reading.quality != before
    }
}
