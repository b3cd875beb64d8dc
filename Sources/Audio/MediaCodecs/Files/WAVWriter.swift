package import AudioGraph
internal import Glibc

/// Writes sound as a WAV file (RIFF), 48 kHz.
///
/// The sizes in its header are set right every second, so that a file whose program was killed still plays, up to the last
/// second. Takes its memory with the first block; used by one thread at a time.
package final class WAVWriter {
    package enum Sample: Sendable {
        /// Clipped at full scale.
        case int16
        case float32

        var bytes: Int { self == .int16 ? 2 : 4 }
    }

    /// The header counts bytes in 32 bits; about 6 hours of 16-bit stereo.
    private static let maximumBytes = Int(UInt32.max) - 64
    /// How many frames may be missing from the header.
    private static let framesBetweenHeaders = AudioRate.standard

    package let path: String
    package let channels: Int
    package let sample: Sample
    /// What was written so far.
    package private(set) var frameCount = 0

    private var descriptor: Int32
    private var framesInHeader = 0
    private var scratch: [UInt8] = []

    /// Creates the file or empties it. Throws `cannotOpen`.
    package init(path: String, channels: Int, sample: Sample = .int16) throws(CodecError) {
        guard (1...2).contains(channels) else {
            throw CodecError(.invalidArgument, "a WAV file here has 1 or 2 channels, not \(channels)")
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system(.cannotOpen, "cannot create \(path)") }
        self.descriptor = descriptor
        self.path = path
        self.channels = channels
        self.sample = sample
        do {
            try writeHeader()
        } catch {
            _ = Glibc.close(descriptor)
            self.descriptor = -1
            throw error
        }
    }

    deinit { try? close() }

    /// Appends a block; mono and stereo are mapped. Throws `inputOutput` when the disk is full, the file has reached 4 GiB or
    /// is closed; what was written stays.
    package func write(_ block: AudioBuffer) throws(CodecError) {
        guard descriptor >= 0 else { throw CodecError(.inputOutput, "\(path) is closed") }
        let frames = block.frameCount
        let bytes = frames * channels * sample.bytes
        guard (frameCount * channels * sample.bytes) + bytes <= Self.maximumBytes else {
            throw CodecError(.inputOutput, "\(path) is full: a WAV file holds 4 GiB")
        }
        if scratch.count < bytes { scratch = [UInt8](repeating: 0, count: bytes) }
        fillScratch(from: block)
        try append(bytes)
        frameCount += frames
        if frameCount - framesInHeader >= Self.framesBetweenHeaders { try writeHeader() }
    }

    /// Sets the header right for the last time. Later calls do nothing.
    package func close() throws(CodecError) {
        guard descriptor >= 0 else { return }
        defer {
            _ = Glibc.close(descriptor)
            descriptor = -1
        }
        try writeHeader()
    }

    private func fillScratch(from block: AudioBuffer) {
        for channel in 0..<channels {
            let plane = block[min(channel, block.channels - 1)]
            let other = channels == 1 && block.channels > 1 ? block[1] : plane
            scratch.withUnsafeMutableBytes { target in
                for frame in 0..<block.frameCount {
                    // The mean of two, or of one with itself.
                    let value = (plane[frame] + other[frame]) / 2
                    let offset = (frame * channels + channel) * sample.bytes
                    switch sample {
                    case .int16:
                        let scaled = value.isNaN ? 0 : (value * 32_768).rounded()
                        let whole = Int16(min(max(scaled, -32_768), 32_767))
                        target.storeBytes(of: whole.littleEndian, toByteOffset: offset, as: Int16.self)
                    case .float32:
                        target.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: offset, as: UInt32.self)
                    }
                }
            }
        }
    }

    /// Behind what counts as written, so that a block that did not go through leaves no half of itself behind.
    private func append(_ count: Int) throws(CodecError) {
        let end = headerBytes + frameCount * channels * sample.bytes
        var done = 0
        while done < count {
            let written = scratch.withUnsafeBytes { bytes in
                pwrite(descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(end + done))
            }
            if written >= 0 {
                done += written
            } else if errno != EINTR {
                throw .system(.inputOutput, "cannot write \(path)")
            }
        }
    }

    private var headerBytes: Int { sample == .float32 ? 58 : 44 }

    private func writeHeader() throws(CodecError) {
        let header = header
        let written = header.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard written == header.count else { throw .system(.inputOutput, "cannot write \(path)") }
        framesInHeader = frameCount
    }

    /// RIFF, the format, for floats the number of frames as well (they need a `fact` chunk), and the head of the data.
    private var header: [UInt8] {
        let dataBytes = frameCount * channels * sample.bytes
        let isFloat = sample == .float32
        var bytes: [UInt8] = []
        func text(_ four: StaticString) { four.withUTF8Buffer { bytes += $0 } }
        func number(_ value: Int, _ width: Int) {
            for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
        text("RIFF")
        number(dataBytes + headerBytes - 8, 4)
        text("WAVE")
        text("fmt ")
        number(isFloat ? 18 : 16, 4)
        number(isFloat ? 3 : 1, 2)
        number(channels, 2)
        number(AudioRate.standard, 4)
        number(AudioRate.standard * channels * sample.bytes, 4)
        number(channels * sample.bytes, 2)
        number(sample.bytes * 8, 2)
        if isFloat {
            number(0, 2)
            text("fact")
            number(4, 4)
            number(frameCount, 4)
        }
        text("data")
        number(dataBytes, 4)
        return bytes
    }
}

extension CodecError {
    /// With the words of the last system call that failed.
    fileprivate static func system(_ kind: Kind, _ what: String) -> CodecError {
        CodecError(kind, "\(what): \(String(cString: strerror(errno)))")
    }
}
