/// What the sound is encoded for.
@nonexhaustive public enum AudioQuality: Int32, Sendable, CaseIterable {
    /// Mono up to 8 kHz, 16 kbit/s.
    case speech = 1
    /// Mono, 50 kbit/s.
    case standard = 2
    /// Stereo, 128 kbit/s.
    case music = 3
}

/// A track to be played: accompaniment, an effect, a jingle.
public struct MusicTrack: Sendable, Hashable {
    /// What can be changed while it plays. Volumes are 0…150, 100 leaves the sound as it is.
    public struct Controls: Sendable, Hashable {
        /// Others hear it too.
        public var isPublished = false
        /// How loud others hear it.
        public var publishVolume = 100
        /// How loud one hears it oneself.
        public var localVolume = 100
        /// Semitones, -12…12.
        public var pitch = 0.0
        /// 0.5…2 without a change of pitch.
        public var speed = 1.0

        /// One hears it oneself, unchanged.
        public init() {}
    }

    /// Names the track; a second one with the same id takes the place of the first.
    public var id: Int32
    /// A path or an address of sound.
    public var source: String
    /// What can be changed while it plays.
    public var controls = Controls()
    /// How often more after the first time; -1 for ever.
    public var loops = 0
    /// Where the part begins that is played, and repeated.
    public var start: Duration = .zero
    /// Where it ends; without, the end of the track.
    public var end: Duration?
    /// When `start` is heard, in milliseconds since 1970 on the server's clock, as `SongPlay.startAt` has it. If that has passed, the
    /// track begins where it would be by then; from then on it is kept there. Without: as soon as it is open.
    package var startsAt: Int64?

    /// The whole track, once.
    public init(id: Int32, source: String) {
        self.id = id
        self.source = source
    }
}
