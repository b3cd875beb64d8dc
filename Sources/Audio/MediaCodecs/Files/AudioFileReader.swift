package import AudioGraph
package import Timing

/// Reads the sound of any file or address that FFmpeg reads (MP3, AAC, M4A, WAV, Ogg, FLAC, …; `http:` and `https:`), as
/// 48 kHz stereo.
///
/// Blocks its caller while it reads, hence not for a device's thread if the source is slow; one thread at a time. Positions
/// count what is heard: what the encoder put before the sound (its delay) is not there, as far as the file tells.
package final class AudioFileReader {
    /// How much is decoded before a target of a seek and thrown away. Opus wants 80 ms to settle (RFC 7845 §4.6), MP3 some
    /// frames of 26 ms whose bits lie in earlier ones.
    private static let preroll = 0.15
    /// The resampler's filter hears that much before the first sample that counts; at 48 kHz.
    private static let settling = 480

    private let stream: SoundStream
    private let converter: StereoConverter
    /// When the first sample that is heard is on the stream's clock.
    private let origin: Double
    private var isFinished = false
    /// Of the next sample to be fetched, in frames.
    private var next = 0

    /// How long the sound is, in seconds, as the file claims; `measure` counts.
    package let duration: Double?
    /// Where the next `read` begins, in seconds.
    package var position: Double { Double(next) / Double(AudioRate.standard) }

    /// Opens a path or an address and decodes the first frame, so that a file without sound fails here.
    ///
    /// `timeout` is for each single operation, not for the whole. `certificates` is a PEM file of those that are trusted over TLS;
    /// without it the system's are. Throws `libraryMissing`, `cannotOpen`, `malformed`,
    /// `timedOut` or `cancelled`.
    package convenience init(
        _ location: String, timeout: Interval = .seconds(10), certificates: String? = nil,
        cancellation: ReadCancellation = ReadCancellation()
    ) throws(CodecError) {
        try self.init(
            location, descriptor: nil, timeout: timeout, certificates: certificates, cancellation: cancellation)
    }

    /// Reads a stranger's file from a descriptor that can be sought in: the formats that people may upload, and nothing that the file
    /// names. `prepare` loads what it takes, before whoever calls gives up the right to.
    package convenience init(descriptor: Int32) throws(CodecError) {
        try self.init(
            "the file", descriptor: descriptor, timeout: .zero, certificates: nil, cancellation: ReadCancellation())
    }

    /// Loads FFmpeg's libraries.
    package static func prepare() throws(CodecError) { _ = try LibAV.loaded() }

    private init(
        _ location: String, descriptor: Int32?, timeout: Interval, certificates: String?,
        cancellation: ReadCancellation
    ) throws(CodecError) {
        let av = try LibAV.loaded()
        stream = try SoundStream(
            location, descriptor: descriptor, av: av, timeout: timeout, certificates: certificates,
            cancellation: cancellation)
        converter = StereoConverter(av: av)
        guard let first = try stream.nextFrame() else {
            throw CodecError(.malformed, "there is no sound in \(location)")
        }
        origin = stream.time(of: first) ?? 0
        duration = stream.duration
        try converter.take(first)
    }

    /// Fills the block as far as its capacity goes, and with no more than `limit` frames, and sets its `frameCount`, which it also returns: less than asked for
    /// only at the end, 0 after it. A block of one channel gets the mean. A file that was cut off ends where it was cut.
    package func read(into block: AudioBuffer, atMost limit: Int = .max) throws(CodecError) -> Int {
        block.frameCount = min(block.capacity, max(0, limit))
        var filled = 0
        while true {
            filled += converter.fetch(into: block, at: filled)
            if filled == block.frameCount || isFinished { break }
            try decodeMore()
        }
        block.frameCount = filled
        next += filled
        return filled
    }

    /// How long the sound from a descriptor is, in seconds: all of it is decoded and counted, whatever the file claims.
    ///
    /// What is longer than `limit` is not decoded to its end; then more than `limit` is returned. Throws as opening does.
    package static func measure(descriptor: Int32, limit: Double) throws(CodecError) -> Double {
        let stream = try SoundStream(
            "the file", descriptor: descriptor, av: try LibAV.loaded(), timeout: .zero,
            cancellation: ReadCancellation())
        var seconds = 0.0
        while seconds <= limit, let frame = try stream.nextFrame() { seconds += stream.length(of: frame) }
        guard seconds > 0 else { throw CodecError(.malformed, "there is no sound in the file") }
        return seconds
    }

    /// The next `read` begins with the sample at that time. Beyond the end there is nothing to read; before the start is the
    /// start.
    package func seek(toSeconds seconds: Double) throws(CodecError) {
        let target = max(0, Self.frames(seconds))
        converter.reset()
        next = target
        isFinished = false
        do throws(CodecError) {
            try stream.seek(to: max(origin, origin + Double(target) / Double(AudioRate.standard) - Self.preroll))
        } catch {
            // Some demuxers fail where others find the end.
            guard let duration, seconds >= duration, error.kind == .inputOutput else { throw error }
            isFinished = true
            return
        }
        // Frames that end before the target are only decoded, the rest of what comes too early is dropped after conversion.
        while let frame = try stream.nextFrame() {
            guard let time = stream.time(of: frame) else {
                try converter.take(frame)
                return
            }
            let start = Self.frames(time - origin)
            if start + Self.frames(stream.length(of: frame)) <= target - Self.settling { continue }
            try converter.take(frame)
            // A container without better marks may come out late; then the position says so.
            next = max(start, target)
            try drop(max(0, target - start))
            return
        }
        isFinished = true
    }

    /// At 48 kHz; at most 700 years, so that what a file claims leaves room to calculate.
    private static func frames(_ seconds: Double) -> Int {
        Int(Int64(clamping: (seconds * Double(AudioRate.standard)).rounded())).clamped(to: -(1 << 50)...1 << 50)
    }

    private func drop(_ frames: Int) throws(CodecError) {
        var left = frames
        while true {
            let now = min(left, converter.count)
            converter.discard(now)
            left -= now
            if left == 0 || isFinished { return }
            try decodeMore()
        }
    }

    private func decodeMore() throws(CodecError) {
        if let frame = try stream.nextFrame() {
            try converter.take(frame)
        } else {
            try converter.finish()
            isFinished = true
        }
    }
}
