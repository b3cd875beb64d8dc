internal import Synchronization

/// Where sound comes from and goes to. The reference systems take what the telephone has, and so does this module by default; a
/// program without sound devices says what it uses instead, before it enters a room.
///
/// ```swift
/// OvationDevices.input = .file("/srv/jingle.mp3")
/// OvationDevices.output = .none
/// ```
public enum OvationDevices {
    /// Where sound comes from.
    public enum Input: Sendable, Hashable {
        /// From nowhere.
        case none
        /// The system's microphone, or the one of that name.
        case microphone(String? = nil)
        /// A tone of so many Hz at half of full scale.
        case tone(Double)
        /// A file or address of sound, again and again.
        case file(String)
    }

    /// Where sound goes.
    public enum Output: Sendable, Hashable {
        /// Nowhere, in time with the clock.
        case none
        /// The system's loudspeaker, or the one of that name.
        case speaker(String? = nil)
        /// A WAV file.
        case recording(String)
    }

    private static let chosen = Mutex((input: Input.microphone(), output: Output.speaker()))

    /// From the next room on.
    public static var input: Input {
        get { chosen.withLock { $0.input } }
        set { chosen.withLock { $0.input = newValue } }
    }

    /// From the next room on.
    public static var output: Output {
        get { chosen.withLock { $0.output } }
        set { chosen.withLock { $0.output = newValue } }
    }
}
