package import AudioGraph
package import MediaCodecs
package import Timing

/// When a track that is opened begins to be heard, by this machine's clock. `MusicTrack.startsAt` is by the server's: whoever knows both
/// makes one of the other.
package enum MusicStart: Sendable, Hashable {
    /// As soon as it is open.
    case open
    /// At that instant of this machine's clock. If it has passed, the track begins where it would be by then. From then on it
    /// is kept there, however the output device's clock runs.
    case at(Instant)
    /// When it is resumed: until then it is held at its beginning.
    case resumed
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
