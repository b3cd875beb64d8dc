package import AudioGraph
package import MediaCodecs
internal import Platform
package import Timing

/// Loudspeakers that write what they play into a WAV file.
///
/// The file is whole when `stop()` returns, and readable up to its last second if the program is killed. A disk that is full
/// does not stop the device: see `failure`.
package final class RecordingOutput: AudioOutputDevice {
    private let device: PacedDevice
    private let path: String
    private let sample: WAVWriter.Sample
    /// Held for a look.
    private let lastFailure = Mutex<CodecError?>(nil)

    package init(
        path: String, sample: WAVWriter.Sample = .int16, ratePPM: Double = 0,
        clock: any DeviceClock = SystemDeviceClock()
    ) {
        self.path = path
        self.sample = sample
        device = PacedDevice(name: "record-out", edge: .start, ratePPM: ratePPM, clock: clock)
    }

    /// Why nothing more is written, if so.
    package var failure: CodecError? { lastFailure.withLock { $0 } }

    /// By how many parts per million it is faster than the clock; may change while it runs.
    package var ratePPM: Double {
        get { device.ratePPM }
        set { device.ratePPM = newValue }
    }

    /// Blocks that never were because the thread did not get to run in time. They are missing in the file.
    package var skippedBlocks: Int { device.skippedBlocks }

    /// Creates the file, or empties it. Throws `file` if it cannot.
    package func start(
        channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        try DeviceBlock.check(channels: channels, framesPerBlock: framesPerBlock)
        guard !device.isRunning else { throw DeviceError(.alreadyStarted, "the recording \(path) is already running") }
        let handover: Handover<WAVWriter>
        do {
            handover = Handover(try WAVWriter(path: path, channels: channels, sample: sample))
        } catch {
            throw DeviceError(.file, error.description)
        }
        lastFailure.withLock { $0 = nil }
        try device.start(channels: channels, framesPerBlock: framesPerBlock) {
            // Released, and thereby closed, when the thread ends.
            let writer = handover.value
            var isWriting = true
            return { block, begin in
                render(block, begin)
                guard isWriting else { return }
                do throws(CodecError) {
                    try writer.write(block)
                } catch {
                    isWriting = false
                    self.lastFailure.withLock { $0 = error }
                }
            }
        }
    }

    package func stop() { device.stop() }
}
