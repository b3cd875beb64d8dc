package import AudioGraph
internal import MediaCodecs
package import Timing

extension MusicTrack {
    /// How long the sound at a path or an address is; `nil` if it does not tell. Blocks while that is opened, for some seconds
    /// if its server is slow. `certificates` is a PEM file of those that are trusted over TLS; without it the system's are.
    package static func length(
        of source: String, certificates: String? = nil
    ) throws(RoomAudioError) -> Interval? {
        do throws(CodecError) {
            let told = try AudioFileReader(source, certificates: certificates).duration
            guard let seconds = told, seconds >= 0 else { return nil }
            return Interval(seconds: seconds)
        } catch {
            throw .codec(error)
        }
    }
}
