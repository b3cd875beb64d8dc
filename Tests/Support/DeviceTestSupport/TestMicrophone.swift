package import AudioGraph
internal import Dispatch
package import MediaDevices
internal import Synchronization
package import Timing

/// A microphone that is there or not, opens at once or when it is told to, can be unplugged, and counts how often it was opened. What it
/// captures is a tone of 660 Hz.
package final class TestMicrophone: AudioInputDevice {
    private struct State {
        var isThere: Bool
        var isOpening = false
        var tries = 0
        var starts = 0
        var stops = 0
        var onFailure: (@Sendable (DeviceError) -> Void)?
    }

    private let tone = ToneInput(frequency: 660, amplitude: 0.25)
    private let state: Mutex<State>
    private let gate: DispatchSemaphore?
    /// Tells of each opening that waits to be told.
    package let opening: AsyncStream<Void>
    private let entered: AsyncStream<Void>.Continuation

    /// - Parameter isSlow: it opens when it is told to.
    package init(isThere: Bool = true, isSlow: Bool = false) {
        state = Mutex(State(isThere: isThere))
        gate = isSlow ? DispatchSemaphore(value: 0) : nil
        (opening, entered) = AsyncStream.makeStream(of: Void.self)
    }

    /// For whoever makes a device with a way to tell of its end.
    package func made(_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> TestMicrophone {
        state.withLock { $0.onFailure = onFailure }
        return self
    }

    package var isOpening: Bool { state.withLock { $0.isOpening } }
    /// How often somebody wanted it opened, in vain or not.
    package var tries: Int { state.withLock { $0.tries } }
    /// Whether it was closed less often than it was opened.
    package var isRunning: Bool { state.withLock { $0.starts > $0.stops } }
    /// Whether it was closed as often as it was opened, and was opened.
    package var isClosed: Bool { state.withLock { $0.starts > 0 && $0.starts == $0.stops } }

    package func start(
        channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        let isThere = state.withLock { state in
            state.tries += 1
            return state.isThere
        }
        guard isThere else { throw DeviceError(.notFound, "no microphone") }
        if let gate {
            state.withLock { $0.isOpening = true }
            entered.yield()
            // Whoever waits for it in vain fails, and does not wait for ever. A test may wait for minutes until it has a thread.
            _ = gate.wait(timeout: .now() + 600)
            state.withLock { $0.isOpening = false }
        }
        try tone.start(channels: channels, framesPerBlock: framesPerBlock, deliver: deliver)
        state.withLock { $0.starts += 1 }
    }

    package func stop() {
        tone.stop()
        state.withLock { $0.stops += 1 }
    }

    /// Lets an opening go on.
    package func open() { gate?.signal() }

    package func plugIn() { state.withLock { $0.isThere = true } }

    /// It is away, and says so if it was made with a way to.
    package func unplug() {
        let onFailure = state.withLock { state in
            state.isThere = false
            return state.onFailure
        }
        tone.stop()
        onFailure?(DeviceError(.lost, "unplugged"))
    }
}
