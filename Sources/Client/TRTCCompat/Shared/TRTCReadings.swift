/// The volume of a user's voice.
public final class TRTCVolumeInfo {
    /// The user id; empty for the local user.
    public var userId: String?
    /// 0…100.
    public var volume: UInt

    /// Creates a reading.
    public init(userId: String? = nil, volume: UInt = 0) {
        self.userId = userId
        self.volume = volume
    }
}

/// The quality of a network connection, from its round trip to the server and its packet loss. The worse of the two counts.
public enum TRTCQuality: Int, Sendable, CaseIterable {
    /// Not measured yet.
    case unknown = 0
    /// Up to 60 ms and 0.5 %.
    case excellent = 1
    /// Up to 150 ms and 2 %: losses are repaired and not heard.
    case good = 2
    /// Up to 300 ms and 5 %: losses are heard now and then.
    case poor = 3
    /// Up to 600 ms and 15 %: conversation is difficult.
    case bad = 4
    /// Worse than `bad`.
    case vbad = 5
    /// No connection.
    case down = 6
}

/// The network quality of a user.
public final class TRTCQualityInfo {
    /// The user id; empty for the local user.
    public var userId: String?
    /// The quality.
    public var quality: TRTCQuality

    /// Creates a reading.
    public init(userId: String? = nil, quality: TRTCQuality = .unknown) {
        self.userId = userId
        self.quality = quality
    }
}

/// The quality of the sound that is sent. `setAudioQuality(quality:)` takes the raw values.
public enum TRTCAudioQuality: Int, Sendable, CaseIterable {
    /// 16 kHz, mono, 16 kbit/s.
    case speech = 1
    /// 48 kHz, mono, 50 kbit/s.
    case `default` = 2
    /// 48 kHz, stereo, 128 kbit/s.
    case music = 3
}
