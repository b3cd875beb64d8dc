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

/// How good a connection is.
public enum TRTCQuality: Int, Sendable, CaseIterable {
    /// Nothing is known of it.
    case unknown = 0
    /// A round trip below 50 ms.
    case excellent = 1
    /// Below 100 ms.
    case good = 2
    /// Below 200 ms.
    case poor = 3
    /// Below 400 ms.
    case bad = 4
    /// More than that.
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
