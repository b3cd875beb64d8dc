package import AudioGraph
package import MediaCodecs
internal import Platform
package import Timing

/// A microphone before which someone plays a file.
///
/// The file is read on the device's thread; for a source over a slow network that may cost blocks (`skippedBlocks`).
package final class FileInput: AudioInputDevice {
    /// The file belongs to the device's thread while there is one, and to who starts the device before that; `PacedDevice`
    /// allows one thread at a time. Hence `Sendable` although Swift cannot see it.
    private final class Player: @unchecked Sendable {
        let reader: AudioFileReader
        var hasEnded = false

        init(_ reader: AudioFileReader) { self.reader = reader }
    }

    private let device: PacedDevice
    private let player: Player
    private let loops: Bool
    private let gain: Float
    private let onEnd: @Sendable (CodecError?) -> Void

    /// Opens a path or an address that libav reads.
    ///
    /// `startAt`: seconds. `loops`: begins anew at 0 without a gap. `onEnd`: called once on the device's thread, when the file
    /// has ended or cannot be read on (then with the error); silence follows. It may stop the device. `certificates`: a PEM file
    /// of those trusted over TLS, without it the system's.
    package init(
        _ location: String, loops: Bool = false, startAt: Double = 0, gain: Float = 1, ratePPM: Double = 0,
        clock: any DeviceClock = SystemDeviceClock(), certificates: String? = nil,
        onEnd: @escaping @Sendable (CodecError?) -> Void = { _ in }
    ) throws(CodecError) {
        let reader = try AudioFileReader(location, certificates: certificates)
        if startAt > 0 { try reader.seek(toSeconds: startAt) }
        player = Player(reader)
        self.loops = loops
        self.gain = gain
        self.onEnd = onEnd
        device = PacedDevice(name: "file-in", edge: .end, ratePPM: ratePPM, clock: clock)
    }

    /// How long the file is, in seconds, as far as it tells.
    package var duration: Double? { player.reader.duration }

    /// By how many parts per million it is faster than the clock; may change while it runs.
    package var ratePPM: Double {
        get { device.ratePPM }
        set { device.ratePPM = newValue }
    }

    /// Blocks that never were because the thread did not get to run in time.
    package var skippedBlocks: Int { device.skippedBlocks }

    package func start(
        channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        try device.start(channels: channels, framesPerBlock: framesPerBlock) {
            let piece = AudioBuffer(channels: channels, capacity: framesPerBlock)
            return { block, begin in
                self.fill(block, through: piece)
                deliver(block, begin)
            }
        }
    }

    package func stop() { device.stop() }

    package var hasExactTimes: Bool { true }

    private func fill(_ block: AudioBuffer, through piece: AudioBuffer) {
        guard !player.hasEnded else { return }
        do {
            var filled = 0
            var isAtStart = false
            while filled < block.frameCount {
                let count = try player.reader.read(into: piece, atMost: block.frameCount - filled)
                if count > 0 {
                    append(piece, to: block, at: filled)
                    filled += count
                    isAtStart = false
                } else if loops, !isAtStart {
                    try player.reader.seek(toSeconds: 0)
                    // A file that is empty from its very start must not be turned over for ever.
                    isAtStart = true
                } else {
                    end(nil)
                    return
                }
            }
        } catch {
            end(error)
        }
    }

    private func append(_ piece: AudioBuffer, to block: AudioBuffer, at start: Int) {
        for channel in 0..<block.channels {
            let (source, target) = (piece[channel], block[channel])
            for frame in 0..<piece.frameCount { target[start + frame] = source[frame] * gain }
        }
    }

    private func end(_ error: CodecError?) {
        player.hasEnded = true
        onEnd(error)
    }
}
