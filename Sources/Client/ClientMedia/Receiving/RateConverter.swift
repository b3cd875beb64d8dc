package import AudioGraph

/// Plays waiting sound a little faster or slower than it was recorded.
package protocol RateConverter: AnyObject {
    /// How many frames must wait so that `frames` can be made. Called once before each `convert`.
    func framesNeeded(for frames: Int, rate: Double) -> Int
    /// Fills `block` and takes from the queue what was used up: `rate` frames for each of the block's. The caller has seen
    /// to it that as many wait as were said to be needed.
    func convert(from queue: SampleQueue, into block: AudioBuffer, rate: Double)
    /// Forgets the sound so far.
    func reset()
}

/// By band-limited interpolation: a change of rate is heard as nothing but a change of pitch, and that not at all.
package final class SincRateConverter: RateConverter {
    private let resampler: Resampler
    private let transfer: AudioBuffer

    package init(channels: Int) {
        resampler = Resampler(channels: channels, ratio: 1, quality: .live)
        // A block at the fastest rate, and what the kernel wants to see beyond it.
        transfer = AudioBuffer(channels: channels, capacity: 2 * maximumBlockFrames)
    }

    package func framesNeeded(for frames: Int, rate: Double) -> Int {
        resampler.correction = (rate - 1) * 1e6
        return min(resampler.inputNeeded(for: frames), transfer.capacity)
    }

    package func convert(from queue: SampleQueue, into block: AudioBuffer, rate: Double) {
        transfer.frameCount = framesNeeded(for: block.frameCount, rate: rate)
        queue.take(into: transfer)
        _ = resampler.push(transfer)
        _ = resampler.pull(block)
    }

    package func reset() { resampler.reset() }
}
