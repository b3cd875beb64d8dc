/// A piece of music for `TXAudioEffectManager.startPlayMusic`.
public final class TXAudioMusicParam {
    /// Chosen by the app; one id plays one piece at a time.
    public var id: Int32 = 0
    /// A file or URL: MP3, AAC, M4A, WAV.
    public var path = ""
    /// 0 once, 1 twice; a negative number or `Int.max` for ever.
    public var loopCount = 0
    /// Whether the others hear it too.
    public var publish = false
    /// For the reference systems' short sounds; makes no difference here.
    public var isShortFile = false
    /// Milliseconds.
    public var startTimeMS = 0
    /// Milliseconds; 0 is the end of the file.
    public var endTimeMS = 0

    /// A piece without a path, played once, for oneself.
    public init() {}

    /// The name in Objective-C.
    public var ID: Int32 {
        get { id }
        set { id = newValue }
    }
}

/// 0: it plays; negative: it cannot.
public typealias TXAudioMusicStartBlock = (_ errCode: Int) -> Void
/// About every 200 ms.
public typealias TXAudioMusicProgressBlock = (_ progressMs: Int, _ durationMs: Int) -> Void
/// 0: it has ended; negative: it broke off.
public typealias TXAudioMusicCompleteBlock = (_ errCode: Int) -> Void

/// 0…100.
public typealias TXMusicPreloadProgressBlock = (_ progress: Int) -> Void
/// Negative: it cannot be opened.
public typealias TXMusicPreloadErrorBlock = (_ errCode: Int) -> Void

/// How a room sounds around the voice.
public enum TXVoiceReverbType: Int, Sendable, CaseIterable {
    /// Off.
    case _0 = 0
    /// KTV.
    case _1 = 1
    /// A small room.
    case _2 = 2
    /// A great hall.
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

/// Another voice instead of one's own.
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
    /// Somebody with a cold.
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
