internal import Platform

/// The sound input and output. By default they are the system's microphone and loudspeaker, as published. A program
/// without sound devices chooses others before it enters a room.
///
/// ```swift
/// OvationDevices.input = .file("/srv/jingle.mp3")
/// OvationDevices.output = .none
/// ```
public enum OvationDevices {
    /// A sound input.
    @nonexhaustive public enum Input: Sendable, Hashable {
        /// No input.
        case none
        /// The default microphone, or the one with that name.
        case microphone(String? = nil)
        /// A tone with that frequency in Hz, at half of full scale.
        case tone(Double)
        /// A sound file or URL, played repeatedly.
        case file(String)
    }

    /// A sound output.
    @nonexhaustive public enum Output: Sendable, Hashable {
        /// No output.
        case none
        /// The default loudspeaker, or the one with that name.
        case speaker(String? = nil)
        /// Written to a WAV file.
        case recording(String)
    }

    private static let chosen = Mutex((input: Input.microphone(), output: Output.speaker()))

    /// The input, from the next room on.
    public static var input: Input {
        get { chosen.withLock { $0.input } }
        set { chosen.withLock { $0.input = newValue } }
    }

    /// The output, from the next room on.
    public static var output: Output {
        get { chosen.withLock { $0.output } }
        set { chosen.withLock { $0.output = newValue } }
    }
}
