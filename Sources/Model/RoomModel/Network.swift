/// Network quality, in the published steps (1…6).
@nonexhaustive public enum NetworkQuality: Int32, Codable, Sendable, Hashable, CaseIterable {
    /// Not measured yet.
    case unknown = 0
    /// Excellent: a round trip of at most 60 ms, at most 0.5 % loss.
    case excellent = 1
    /// Good: up to 150 ms, up to 2 % loss, which error correction hides.
    case good = 2
    /// Poor: up to 300 ms, up to 5 % loss, which is audible now and then.
    case poor = 3
    /// Bad: up to 600 ms, up to 15 % loss. Talking takes an effort.
    case bad = 4
    /// Very bad: anything worse.
    case veryBad = 5
    /// Down: no sound gets through.
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

/// The network quality of a chorus room's singers, or of those on a live room's stage whose quality is poor, as the server measures it.
public struct NetworkReport: Hashable, Sendable {
    /// The singers whose network quality is known.
    public var singers: [UserID: SingerNetwork]
    /// How late the singers hear each other; `nil` with fewer than two singers, and before it has been measured.
    public var apart: SingersApart?

    /// Creates the value from its parts.
    public init(singers: [UserID: SingerNetwork] = [:], apart: SingersApart? = nil) {
        self.singers = singers
        self.apart = apart
    }

    /// Whether the singers are too far apart to sing together. Let one lead and the others follow, or sing in turns.
    public var isTooFarForTightDuet: Bool { apart.map { !$0.isTight } ?? false }
}

/// The network quality of one singer.
public struct SingerNetwork: Hashable, Sendable, Codable {
    /// The overall quality.
    public var quality: NetworkQuality
    /// The round trip time between server and singer in milliseconds; `nil` before it has been measured.
    package var roundTripMs: Int?
    /// The jitter of the singer's packets at the server (RFC 3550), in milliseconds.
    package var jitterMs: Int?
    /// The packets lost recently in percent, of the worse direction.
    public var lossPercent: Int

    /// Creates the value from its parts.
    package init(quality: NetworkQuality, roundTripMs: Int? = nil, jitterMs: Int? = nil, lossPercent: Int = 0) {
        self.quality = quality
        self.roundTripMs = roundTripMs
        self.jitterMs = jitterMs
        self.lossPercent = lossPercent
    }
}

/// How late the singers hear each other.
public struct SingersApart: Hashable, Sendable {
    /// The delay from one singer's mouth to another's ear in milliseconds, of the two who are furthest apart.
    package var ms: Int
    /// Whether the delay is short enough to sing together. It becomes true again only well below the limit, so that it does not keep
    /// changing.
    public var isTight: Bool

    /// The longest delay at which people keep time by hearing each other, from studies with clapping and playing musicians, in
    /// milliseconds.
    package static let tightLimitMs = 50

    /// So far, and what that means.
    package init(ms: Int, isTight: Bool) {
        self.ms = ms
        self.isTight = isTight
    }
}

extension NetworkReport: EventPayload {
    private enum CodingKeys: String, CodingKey { case users, apartMs, tight }

    /// `{users, apartMs?, tight?}`
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(singers: try fields.decodeByUser(SingerNetwork.self, forKey: .users))
        if let ms = try fields.decodeIfPresent(Int.self, forKey: .apartMs) {
            apart = SingersApart(ms: ms, isTight: try fields.decode(Bool.self, forKey: .tight))
        }
    }

    /// `{users, apartMs?, tight?}`
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeByUser(singers, forKey: .users)
        try fields.encodeIfPresent(apart?.ms, forKey: .apartMs)
        try fields.encodeIfPresent(apart?.isTight, forKey: .tight)
    }

    package var type: EventType { .network }
    package var wireSize: Int { WireSize.object * (2 + singers.count) }
}

/// Loudness 0…100 of whoever speaks; empty once at silence.
package struct SpeakingLevels: EventPayload {
    package var levels: [UserID: Int]

    package init(_ levels: [UserID: Int]) { self.levels = levels }

    private enum CodingKeys: String, CodingKey { case levels }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try fields.decodeByUser(Int.self, forKey: .levels))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeByUser(levels, forKey: .levels)
    }

    package var type: EventType { .levels }
    package var wireSize: Int { WireSize.object + 40 * levels.count }
}

// A dictionary whose keys are of another type than String would become a list.

extension KeyedEncodingContainer {
    fileprivate mutating func encodeByUser(_ values: [UserID: some Encodable], forKey key: Key) throws {
        try encode(Dictionary(values.map { ($0.key.rawValue, $0.value) }) { first, _ in first }, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Whoever has an id that is none is left out.
    fileprivate func decodeByUser<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> [UserID: Value] {
        let values = try decode([String: Value].self, forKey: key)
        return Dictionary(values.compactMap { id, value in UserID(id).map { ($0, value) } }) { first, _ in first }
    }
}
