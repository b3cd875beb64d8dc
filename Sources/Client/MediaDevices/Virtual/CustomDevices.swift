package import AudioGraph
package import Timing

/// A microphone whose sound is made by a function, for sound from elsewhere, and for silence.
package final class CustomInput: AudioInputDevice {
    private let device: PacedDevice
    private let fill: @Sendable (AudioBuffer, Instant) -> Void

    /// `fill` gets silence of the length asked for, on the device's thread, and leaves there what is captured.
    package init(
        ratePPM: Double = 0, clock: any DeviceClock = SystemDeviceClock(),
        fill: @escaping @Sendable (AudioBuffer, Instant) -> Void = { _, _ in }
    ) {
        device = PacedDevice(name: "sound-in", edge: .end, ratePPM: ratePPM, clock: clock)
        self.fill = fill
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
        let fill = fill
        try device.start(channels: channels, framesPerBlock: framesPerBlock) {
            { block, begin in
                fill(block, begin)
                deliver(block, begin)
            }
        }
    }

    package func stop() { device.stop() }

    package var hasExactTimes: Bool { true }
}

/// Loudspeakers whose sound goes to a function, for sound that is used elsewhere, and for nobody.
package final class CustomOutput: AudioOutputDevice {
    private let device: PacedDevice
    private let consume: @Sendable (AudioBuffer, Instant) -> Void

    /// `consume` gets what was rendered, on the device's thread.
    package init(
        ratePPM: Double = 0, clock: any DeviceClock = SystemDeviceClock(),
        consume: @escaping @Sendable (AudioBuffer, Instant) -> Void = { _, _ in }
    ) {
        device = PacedDevice(name: "sound-out", edge: .start, ratePPM: ratePPM, clock: clock)
        self.consume = consume
    }

    /// By how many parts per million it is faster than the clock; may change while it runs.
    package var ratePPM: Double {
        get { device.ratePPM }
        set { device.ratePPM = newValue }
    }

    /// Blocks that never were because the thread did not get to run in time.
    package var skippedBlocks: Int { device.skippedBlocks }

    package func start(
        channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        let consume = consume
        try device.start(channels: channels, framesPerBlock: framesPerBlock) {
            { block, begin in
                render(block, begin)
                consume(block, begin)
            }
        }
    }

    package func stop() { device.stop() }
}

/// A microphone that hears nothing.
package typealias NullInput = CustomInput

/// Loudspeakers that nobody hears.
package typealias NullOutput = CustomOutput
