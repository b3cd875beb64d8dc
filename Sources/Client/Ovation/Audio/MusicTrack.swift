internal import ClientMedia

/// What the sound is encoded for.
public enum AudioQuality: Int32, Sendable, CaseIterable {
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

        var engineControls: MusicControls {
            var controls = MusicControls()
            controls.isPublished = isPublished
            controls.publishVolume = publishVolume
            controls.localVolume = localVolume
            controls.pitch = pitch
            controls.speed = speed
            return controls
        }
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
    public var startsAt: Int64?

    /// The whole track, once.
    public init(id: Int32, source: String) {
        self.id = id
        self.source = source
    }

    /// Without `startsAt`, which is on another clock.
    var engineSettings: MusicSettings {
        var settings = MusicSettings(id: id, source: source)
        settings.loops = loops
        settings.start = .init(start)
        settings.end = end.map { .init($0) }
        settings.controls = controls.engineControls
        return settings
    }
}

extension MusicTrack {
    /// How long the sound at a path or an address is, such as `Song.durationMs` wants it. Blocks its thread while that is opened,
    /// for some seconds if its server is slow.
    /// - Parameter certificates: a PEM file of those that are trusted over TLS; without it the system's are.
    /// - Throws: `media_failed` if it cannot be opened, or does not tell.
    package static func duration(of source: String, certificates: String? = nil) throws(OvationError) -> Duration {
        let found: Duration?
        do throws(RoomAudioError) {
            found = try MusicSettings.duration(of: source, certificates: certificates).map { Duration($0) }
        } catch {
            throw OvationError(.mediaFailed, error.description)
        }
        guard let found else { throw OvationError(.mediaFailed, "\(source) does not tell how long it is") }
        return found
    }
}

extension RoomAudio {
    /// Opens a track and holds it at its beginning: `resumeMusic` makes it heard at once.
    package func prepareMusic(_ track: MusicTrack) {
        var settings = track.engineSettings
        settings.isHeld = true
        work { [settings] engine in engine.playMusic(settings) }
    }
}
