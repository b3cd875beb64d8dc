package import AudioGraph
internal import CPulse
internal import DatagramIO
package import Timing

/// Loudspeakers or headphones of the machine, by PulseAudio or PipeWire.
package final class PulseOutput: AudioOutputDevice {
    private let device: PulseDevice
    private let sink: String?
    private let latency: Interval

    /// `name`, `server` and `onFailure` as with `PulseInput`. `latency`: what is wished between `render` and the ears; two
    /// blocks are the least, and the server may take more.
    package init(
        name: String? = nil, server: String? = nil, latency: Interval = .milliseconds(20),
        onFailure: @escaping @Sendable (DeviceError) -> Void = { _ in }
    ) {
        sink = name
        self.latency = latency
        device = PulseDevice(name: "pulse-out", server: server, onFailure: onFailure)
    }

    package func start(
        channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        // At most a second; the server would take that for a wish to save power.
        let wished = Int(min(max(latency.nanoseconds, 0), 1_000_000_000) * Int64(AudioRate.standard) / 1_000_000_000)
        try device.start(channels: channels, framesPerBlock: framesPerBlock) { connection throws(DeviceError) in
            try connection.open(
                .playback, device: sink, channels: channels, latency: max(wished, 2 * framesPerBlock),
                request: framesPerBlock)
        } makeBody: { connection in
            let block = AudioBuffer(channels: channels, capacity: framesPerBlock)
            let interleaved = Interleaved(count: channels * framesPerBlock)
            var clock = BlockClock()
            return { () throws(DeviceError) in
                try connection.write(interleaved, frames: framesPerBlock) { now, latency in
                    block.frameCount = framesPerBlock
                    block.clear()
                    let heard = clock.begin(
                        measured: latency.map { now + $0 }, guess: now + .frames(2 * framesPerBlock),
                        duration: .frames(framesPerBlock))
                    render(block, heard)
                    interleaved.take(block)
                }
            }
        }
    }

    package func stop() { device.stop() }
}

/// Memory for a block as the sound server wants it.
private final class Interleaved {
    let samples: UnsafeMutableBufferPointer<Float>

    init(count: Int) {
        samples = .allocate(capacity: count)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    func take(_ block: AudioBuffer) {
        let channels = block.channels
        for channel in 0..<channels {
            let plane = block[channel]
            for frame in plane.indices { samples[frame * channels + channel] = plane[frame] }
        }
    }
}

extension PulseConnection {
    /// Writes a block after `fill` as long as the server has room for a whole one.
    fileprivate func write(
        _ block: Interleaved, frames: Int, fill: (Instant, Interval?) -> Void
    ) throws(DeviceError) {
        guard let stream else { return }
        let bytes = block.samples.count * MemoryLayout<Float>.size
        while true {
            let room = pulse.functions.pa_stream_writable_size(stream)
            // The largest number stands for an error, which the next turn reports.
            guard room != .max, room >= bytes else { return }
            fill(SystemClock.now(), latency)
            guard
                pulse.functions.pa_stream_write(stream, block.samples.baseAddress, bytes, nil, 0, PA_SEEK_RELATIVE) >= 0
            else { throw DeviceError(.lost, "the loudspeakers take nothing any more") }
        }
    }
}
