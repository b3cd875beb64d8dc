/// The rate inside the client: devices and files are converted at the edge.
package enum AudioRate {
    /// Frames per second. Opus works at this rate internally (RFC 6716 §2), so nothing is resampled twice.
    package static let standard = 48_000
}

/// A block of sound: 32-bit floats, one plane per channel, 48 kHz, 1.0 is full scale.
///
/// Memory is taken once; a block never grows, so that what runs on a device's thread does not allocate. Not `Sendable`:
/// one owner at a time.
package final class AudioBuffer {
    package let channels: Int
    /// Frames for which there is memory.
    package let capacity: Int
    /// Frames in use, at most `capacity`.
    package var frameCount: Int {
        didSet { precondition((0...capacity).contains(frameCount), "a block of sound does not grow") }
    }
    private let samples: UnsafeMutablePointer<Float>

    /// Silence of `capacity` frames.
    package init(channels: Int, capacity: Int) {
        precondition(channels > 0 && capacity > 0)
        self.channels = channels
        self.capacity = capacity
        frameCount = capacity
        samples = .allocate(capacity: channels * capacity)
        samples.initialize(repeating: 0, count: channels * capacity)
    }

    deinit { samples.deallocate() }

    /// The samples of one channel, `frameCount` long.
    package subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition((0..<channels).contains(channel))
        return UnsafeMutableBufferPointer(start: samples + channel * capacity, count: frameCount)
    }

    /// Silence, as long as before.
    package func clear() {
        for channel in 0..<channels { self[channel].update(repeating: 0) }
    }

    /// Takes over length and sound. Mono goes to every channel, stereo to mono as the mean.
    package func copy(from other: AudioBuffer) {
        frameCount = other.frameCount
        clear()
        add(other, gain: 1)
    }

    /// Adds the other sound, as far as both are long. Mono goes to every channel, several channels to mono as their mean;
    /// otherwise channel by channel.
    package func add(_ other: AudioBuffer, gain: Float = 1) {
        let frames = min(frameCount, other.frameCount)
        if channels == 1, other.channels > 1 {
            let share = gain / Float(other.channels)
            for channel in 0..<other.channels { add(other[channel], to: 0, frames: frames, gain: share) }
        } else {
            for channel in 0..<channels {
                add(other[min(channel, other.channels - 1)], to: channel, frames: frames, gain: gain)
            }
        }
    }

    private func add(_ source: UnsafeMutableBufferPointer<Float>, to channel: Int, frames: Int, gain: Float) {
        let target = self[channel]
        for frame in 0..<frames { target[frame] += source[frame] * gain }
    }
}
