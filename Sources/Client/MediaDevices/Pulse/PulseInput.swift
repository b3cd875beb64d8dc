package import AudioGraph
internal import CPulse
internal import DatagramIO
package import Timing

/// A microphone of the machine, by PulseAudio or PipeWire.
package final class PulseInput: AudioInputDevice {
    private let device: PulseDevice
    private let source: String?

    /// `name`: as in `AudioDevices.list()`; `nil` is the server's default. `server`: as in PULSE_SERVER, `nil` the user's own.
    /// `onFailure` is called on the device's thread if device or server go away while it runs; nothing is delivered after
    /// that, and `stop()` makes it ready for another start.
    package init(
        name: String? = nil, server: String? = nil, onFailure: @escaping @Sendable (DeviceError) -> Void = { _ in }
    ) {
        source = name
        device = PulseDevice(name: "pulse-in", server: server, onFailure: onFailure)
    }

    package func start(
        channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        try device.start(channels: channels, framesPerBlock: framesPerBlock) { connection throws(DeviceError) in
            try connection.open(
                .record, device: source, channels: channels, latency: framesPerBlock, request: framesPerBlock)
        } makeBody: { connection in
            let assembler = BlockAssembler(channels: channels, framesPerBlock: framesPerBlock)
            return { () throws(DeviceError) in
                try connection.read { samples, frames, captured, guess in
                    assembler.take(samples, frames: frames, captured: captured, guess: guess, deliver: deliver)
                }
            }
        }
    }

    package func stop() { device.stop() }
}

extension PulseConnection {
    /// Hands out every portion that has come: the samples, interleaved (`nil` where the server lost some), how many frames,
    /// when the first was captured as far as the server tells, and a guess.
    fileprivate func read(
        _ use: (UnsafePointer<Float>?, Int, Instant?, Instant) -> Void
    ) throws(DeviceError) {
        guard let stream else { return }
        while pulse.functions.pa_stream_readable_size(stream) > 0 {
            var data: UnsafeRawPointer?
            var bytes = 0
            guard pulse.functions.pa_stream_peek(stream, &data, &bytes) >= 0 else {
                throw DeviceError(.lost, "the microphone gives nothing any more")
            }
            if bytes == 0 { return }
            let frames = bytes / (channels * MemoryLayout<Float>.size)
            let now = SystemClock.now()
            use(
                data?.assumingMemoryBound(to: Float.self), frames, latency.map { now + (Interval.zero - $0) },
                now + .frames(-frames))
            _ = pulse.functions.pa_stream_drop(stream)
        }
    }
}
