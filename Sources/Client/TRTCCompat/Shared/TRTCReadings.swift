/// How loud somebody is.
public final class TRTCVolumeInfo {
    /// Empty: oneself.
    public var userId: String?
    /// 0…100.
    public var volume: UInt

    /// A reading.
    public init(userId: String? = nil, volume: UInt = 0) {
        self.userId = userId
        self.volume = volume
    }
}

/// How well a connection carries sound, by its round trip to the server and by how much gets lost: the worse of the two counts.
public enum TRTCQuality: Int, Sendable, CaseIterable {
    /// Nothing is known yet.
    case unknown = 0
    /// Up to 60 ms and 0.5 %.
    case excellent = 1
    /// Up to 150 ms and 2 %, which repair hides.
    case good = 2
    /// Up to 300 ms and 5 %, which now and then is heard.
    case poor = 3
    /// Up to 600 ms and 15 %: talking is an effort.
    case bad = 4
    /// Worse still.
    case vbad = 5
    /// There is no connection.
    case down = 6
}

/// How good somebody's connection is.
public final class TRTCQualityInfo {
    /// Empty: oneself.
    public var userId: String?
    /// How good it is.
    public var quality: TRTCQuality

    /// A reading.
    public init(userId: String? = nil, quality: TRTCQuality = .unknown) {
        self.userId = userId
        self.quality = quality
    }
}

/// How much sound is sent: `setAudioQuality(quality:)` takes the raw values.
public enum TRTCAudioQuality: Int, Sendable, CaseIterable {
    /// 16 kHz, mono, 16 kbit/s.
    case speech = 1
    /// 48 kHz, mono, 50 kbit/s.
    case `default` = 2
    /// 48 kHz, stereo, 128 kbit/s.
    case music = 3
}
