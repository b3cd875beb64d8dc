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
            let block = AudioBuffer(channels: channels, capacity: framesPerBlock)
            var filled = 0
            var clock = BlockClock()
            return { () throws(DeviceError) in
                try connection.read { samples, frames, captured, guess in
                    var done = 0
                    while done < frames {
                        let count = min(frames - done, framesPerBlock - filled)
                        block.deinterleave(samples.map { $0 + done * channels }, frames: count, at: filled)
                        done += count
                        filled += count
                        guard filled == framesPerBlock else { continue }
                        filled = 0
                        let offset = Interval.frames(done - framesPerBlock)
                        let begin = clock.begin(
                            measured: captured.map { $0 + offset }, guess: guess + offset,
                            duration: .frames(framesPerBlock))
                        deliver(block, begin)
                        block.frameCount = framesPerBlock
                    }
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

extension Interval {
    static func frames(_ count: Int) -> Interval {
        Interval(nanoseconds: Int64(count) * 1_000_000_000 / Int64(AudioRate.standard))
    }
}

extension AudioBuffer {
    /// Sets frames from `start` on; no samples are silence.
    fileprivate func deinterleave(_ samples: UnsafePointer<Float>?, frames: Int, at start: Int) {
        for channel in 0..<channels {
            let plane = self[channel]
            for frame in 0..<frames { plane[start + frame] = samples?[frame * channels + channel] ?? 0 }
        }
    }
}
