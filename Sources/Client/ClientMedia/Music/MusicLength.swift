internal import MediaCodecs
package import Timing

extension MusicSettings {
    /// How long the sound at a path or an address is; `nil` if it does not tell. Blocks while that is opened, for some seconds
    /// if its server is slow.
    package static func duration(of source: String) throws(RoomAudioError) -> Interval? {
        do throws(CodecError) {
            guard let seconds = try AudioFileReader(source).duration, seconds >= 0, seconds < 1e9 else { return nil }
            return Interval(nanoseconds: Int64(seconds * 1e9))
        } catch {
            throw .codec(error)
        }
    }
}
