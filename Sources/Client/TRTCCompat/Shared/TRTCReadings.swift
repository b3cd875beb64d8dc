/// How loud somebody is.
public final class TRTCVolumeInfo {
    /// Empty: oneself.
    public var userId: String?
    /// 0…100.
    public var volume: UInt

    public init(userId: String? = nil, volume: UInt = 0) {
        self.userId = userId
        self.volume = volume
    }
}

/// How good a connection is.
public enum TRTCQuality: Int, Sendable, CaseIterable {
    case unknown = 0
    case excellent = 1
    case good = 2
    case poor = 3
    case bad = 4
    case vbad = 5
    case down = 6
}

/// How good somebody's connection is.
public final class TRTCQualityInfo {
    /// Empty: oneself.
    public var userId: String?
    public var quality: TRTCQuality

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
