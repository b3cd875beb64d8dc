import MediaCodecs

/// How long a sound file is.
package enum SoundLength {
    /// - Returns: milliseconds; 0 for what holds no sound that can be read; `nil` where this machine has no library to read it
    ///   with, or the file does not tell.
    package static func milliseconds(of path: String) -> Int64? {
        do throws(CodecError) {
            guard let seconds = try AudioFileReader(path).duration, seconds > 0, seconds < 1e6 else { return nil }
            return Int64((seconds * 1000).rounded())
        } catch {
            return error.kind == .libraryMissing ? nil : 0
        }
    }
}
