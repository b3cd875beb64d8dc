package import AudioGraph
package import MediaCodecs
package import Timing

/// A track to be played: accompaniment, an effect, a jingle.
package struct MusicSettings: Sendable {
    /// Names the track; a second one with the same id takes the place of the first.
    package var id: Int32
    /// A path or an address of anything that FFmpeg reads.
    package var source: String
    package var controls = MusicControls()
    /// How often more after the first time; −1 for ever.
    package var loops = 0
    /// The part that is played, and repeated.
    package var start = Interval.zero
    package var end: Interval?
    /// When `start` is to be heard. If that has passed, the track begins where it would be by then. From then on it is kept
    /// there, however the output device's clock runs. nil: as soon as possible.
    package var startsAt: Instant?
    /// Opened and held at its beginning, until it is resumed.
    package var isHeld = false

    package init(id: Int32, source: String) {
        self.id = id
        self.source = source
    }
}

/// What can be changed while a track plays. Volumes are 0…150, 100 leaves the sound as it is.
package struct MusicControls: Sendable, Hashable {
    /// Others hear it too.
    package var isPublished = false
    package var publishVolume = 100
    package var localVolume = 100
    /// Semitones, −12…12.
    package var pitch = 0.0
    /// 0.5…2 without a change of pitch.
    package var speed = 1.0

    package init() {}
}

/// Where a track's sound comes from: 48 kHz, mono or stereo blocks as asked for. Used by one thread, which may block.
package protocol MusicSource: AnyObject {
    /// Seconds, if known.
    var duration: Double? { get }
    /// Fills the block as far as there is sound and sets its `frameCount`, which it returns; 0 at the end.
    func fill(_ block: AudioBuffer) throws(CodecError) -> Int
    func seek(toSeconds seconds: Double) throws(CodecError)
}

extension AudioFileReader: MusicSource {
    package func fill(_ block: AudioBuffer) throws(CodecError) -> Int { try read(into: block) }
}
