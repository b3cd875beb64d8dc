/// How well the network carries sound, in the steps that the reference components tell (1…6).
public enum NetworkQuality: Int32, Codable, Sendable, Hashable, CaseIterable {
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

extension NetworkQuality: Comparable {
    /// Worse is more.
    public static func < (a: NetworkQuality, b: NetworkQuality) -> Bool { a.rawValue < b.rawValue }
}

extension NetworkQuality {
    /// What a step allows at most: the round trip (ITU-T G.114: up to 150 ms one way nobody notices in talking, 400 ms is the
    /// limit), the share of lost packets (in-band repair hides some 2 %, concealment some 5 %), and the wait for late packets.
    private struct Step {
        var quality: NetworkQuality
        var roundTripMs: Double
        var loss: Double
        var waitMs: Double
    }

    private static let steps = [
        Step(quality: .excellent, roundTripMs: 60, loss: 0.005, waitMs: 40),
        Step(quality: .good, roundTripMs: 150, loss: 0.02, waitMs: 80),
        Step(quality: .poor, roundTripMs: 300, loss: 0.05, waitMs: 150),
        Step(quality: .bad, roundTripMs: 600, loss: 0.15, waitMs: 300),
    ]

    /// Of a way that is open: the worst of the three counts, what is not known counts as nothing. `loss` is a share, 0…1.
    package init(roundTripMs: Double?, loss: Double, waitMs: Double?) {
        let step = Self.steps.first {
            roundTripMs ?? 0 <= $0.roundTripMs && loss <= $0.loss && waitMs ?? 0 <= $0.waitMs
        }
        self = step?.quality ?? .veryBad
    }
}

/// How the ways of those who sing in a chorus room do, as the server measures them.
public struct NetworkReport: Hashable, Sendable {
    /// Of everybody seated of whose way anything is known.
    public var singers: [UserID: SingerNetwork]
    /// How late singers hear each other; absent with fewer than two of them, and before it was measured.
    public var apart: SingersApart?

    /// As its parts say.
    public init(singers: [UserID: SingerNetwork] = [:], apart: SingersApart? = nil) {
        self.singers = singers
        self.apart = apart
    }

    /// The way is too long for singing at once by hearing each other: let one lead and the other follow, or sing by turns.
    public var isTooFarForTightDuet: Bool { apart.map { !$0.isTight } ?? false }
}

/// How the way of one singer does.
public struct SingerNetwork: Hashable, Sendable, Codable {
    /// All in one.
    public var quality: NetworkQuality
    /// From the server to the singer and back, in milliseconds; absent before it was measured.
    public var roundTripMs: Int?
    /// How unevenly the singer's packets arrive at the server (RFC 3550), in milliseconds.
    public var jitterMs: Int?
    /// The share of packets that got lost lately, there or back, whichever is more, in percent.
    public var lossPercent: Int

    /// As its parts say.
    public init(quality: NetworkQuality, roundTripMs: Int? = nil, jitterMs: Int? = nil, lossPercent: Int = 0) {
        self.quality = quality
        self.roundTripMs = roundTripMs
        self.jitterMs = jitterMs
        self.lossPercent = lossPercent
    }
}

/// How late singers hear each other.
public struct SingersApart: Hashable, Sendable {
    /// One singer's sound to another one's ear, one way, in milliseconds; of the two who are furthest apart.
    public var ms: Int
    /// Close enough for singing at once. It is said to be so again only some way below the limit, so that the word does not
    /// change back and forth.
    public var isTight: Bool

    /// Up to here people keep time by hearing each other, measured on clapping and playing musicians; milliseconds, one way.
    public static let tightLimitMs = 50

    /// So far, and what that means.
    public init(ms: Int, isTight: Bool) {
        self.ms = ms
        self.isTight = isTight
    }
}
