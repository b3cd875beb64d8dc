/// A track for `TXAudioEffectManager.startPlayMusic`.
public final class TXAudioMusicParam {
    /// An id chosen by the app. Each id plays one track at a time.
    public var id: Int32 = 0
    /// A file or URL: MP3, AAC, M4A, WAV.
    public var path = ""
    /// The number of repetitions: 0 plays the track once, 1 twice, a negative number or `Int.max` without end.
    public var loopCount = 0
    /// Whether others hear the track.
    public var publish = false
    /// For short sounds, as published. Has no effect here.
    public var isShortFile = false
    /// The start position in milliseconds.
    public var startTimeMS = 0
    /// The end position in milliseconds; 0 is the end of the file.
    public var endTimeMS = 0

    /// Creates a track without a path that is played once and not published.
    public init() {}

    /// The same, with its name in Objective-C.
    public var ID: Int32 {
        get { id }
        set { id = newValue }
    }
}

/// Receives 0 when the track starts; a negative number if it cannot be played.
public typealias TXAudioMusicStartBlock = (_ errCode: Int) -> Void
/// Receives the position and the duration about every 200 ms.
public typealias TXAudioMusicProgressBlock = (_ progressMs: Int, _ durationMs: Int) -> Void
/// Receives 0 when the track has ended; a negative number if it was interrupted by an error.
public typealias TXAudioMusicCompleteBlock = (_ errCode: Int) -> Void

/// Receives the progress, 0…100.
public typealias TXMusicPreloadProgressBlock = (_ progress: Int) -> Void
/// Receives a negative number if the track cannot be opened.
public typealias TXMusicPreloadErrorBlock = (_ errCode: Int) -> Void

/// The reverb of the voice.
public enum TXVoiceReverbType: Int, Sendable, CaseIterable {
    /// Off.
    case _0 = 0
    /// KTV.
    case _1 = 1
    /// A small room.
    case _2 = 2
    /// A large hall.
    case _3 = 3
    /// Deep.
    case _4 = 4
    /// Loud.
    case _5 = 5
    /// Metallic.
    case _6 = 6
    /// Magnetic.
    case _7 = 7
    /// Ethereal.
    case _8 = 8
    /// A studio.
    case _9 = 9
    /// Melodious.
    case _10 = 10
}

/// The voice changer.
public enum TXVoiceChangeType: Int, Sendable, CaseIterable {
    /// Off.
    case _0 = 0
    /// A naughty kid.
    case _1 = 1
    /// A young girl.
    case _2 = 2
    /// An elder man.
    case _3 = 3
    /// Heavy metal.
    case _4 = 4
    /// A person with a cold.
    case _5 = 5
    /// A foreign accent.
    case _6 = 6
    /// A trapped beast.
    case _7 = 7
    /// A couch potato.
    case _8 = 8
    /// Strong current.
    case _9 = 9
    /// Heavy machinery.
    case _10 = 10
    /// Ethereal.
    case _11 = 11
}

/// The name in newer headers.
public typealias TXVoiceChangerType = TXVoiceChangeType
