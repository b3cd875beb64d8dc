package import AudioGraph
internal import Platform
package import Timing

/// A microphone before which someone plays a sine.
package final class ToneInput: AudioInputDevice {
    private struct Tone {
        var frequency: Double
        var amplitude: Float
    }

    private let device: PacedDevice
    /// Held for a copy.
    private let tone: Mutex<Tone>

    /// `frequency` in hertz; `amplitude` is the peak, 1 is full scale.
    package init(
        frequency: Double = 440, amplitude: Float = 0.5, ratePPM: Double = 0,
        clock: any DeviceClock = SystemDeviceClock()
    ) {
        tone = Mutex(Tone(frequency: frequency, amplitude: amplitude))
        device = PacedDevice(name: "tone-in", edge: .end, ratePPM: ratePPM, clock: clock)
    }

    /// Hertz; a change slides there within a block.
    package var frequency: Double {
        get { tone.withLock { $0.frequency } }
        set { tone.withLock { $0.frequency = newValue } }
    }

    /// The peak; a change takes a block.
    package var amplitude: Float {
        get { tone.withLock { $0.amplitude } }
        set { tone.withLock { $0.amplitude = newValue } }
    }

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
            let first = self.tone.withLock { $0 }
            let source = ToneSource(frequency: first.frequency, amplitude: first.amplitude)
            return { block, begin in
                let wanted = self.tone.withLock { $0 }
                source.frequency = wanted.frequency
                source.amplitude = wanted.amplitude
                source.render(into: block)
                deliver(block, begin)
            }
        }
    }

    package func stop() { device.stop() }

    package var hasExactTimes: Bool { true }
}
