internal import Glibc

/// Keeps a mix below full scale without the sound of clipping.
///
/// Below `threshold` the samples pass untouched, only later by the look-ahead. Above, a soft knee leads towards
/// `ceiling`; the gain goes down within the look-ahead, so that it has arrived when the peak comes out, and back up
/// slowly. Channels share one gain: the picture of the stereo stays where it is.
package final class Limiter: AudioProcessor {
    /// −1 dB: what is softer is not touched.
    package static let threshold: Float = 0.891
    /// Never reached, only approached.
    package static let ceiling: Float = 0.999
    /// 1.3 ms: long enough for a gain change without crackling, short enough for people who sing together.
    package static let standardLookAhead = 64
    /// Time constant of the way back up, in seconds.
    private static let release = 0.08
    /// Gains are kept as integers with this one, so that the moving mean is exact and 1 stays exactly 1.
    private static let one = 1 << 30

    package let channels: Int
    /// Frames by which the sound is late; 0 turns peaks down at once, which is heard as a slight distortion.
    package let lookAhead: Int
    package var latencyFrames: Int { lookAhead }

    private let window: Int
    /// `lookAhead` samples per channel.
    private let delayed: UnsafeMutablePointer<Float>
    private var linePlace = 0
    /// Peaks, then gains of the block at hand.
    private let applied: UnsafeMutablePointer<Float>
    /// Gains below 1 asked for within the window, in rising order: the first is the smallest.
    private let queue: UnsafeMutablePointer<Candidate>
    private var queueStart = 0
    private var queueCount = 0
    /// The last `window` gains, whose mean is applied.
    private let gains: UnsafeMutablePointer<Int>
    private var sum: Int
    private var released = Limiter.one
    private var clock = 0
    private var place = 0
    private let recovery: Double

    private struct Candidate {
        var gain: Int
        var time: Int
    }

    package init(channels: Int, lookAhead: Int = Limiter.standardLookAhead) {
        precondition(channels > 0 && lookAhead >= 0)
        self.channels = channels
        self.lookAhead = lookAhead
        window = lookAhead + 1
        delayed = .allocate(capacity: max(1, channels * lookAhead))
        delayed.initialize(repeating: 0, count: max(1, channels * lookAhead))
        applied = .allocate(capacity: maximumBlockFrames)
        applied.initialize(repeating: 0, count: maximumBlockFrames)
        queue = .allocate(capacity: window)
        queue.initialize(repeating: Candidate(gain: 0, time: 0), count: window)
        gains = .allocate(capacity: window)
        gains.initialize(repeating: Self.one, count: window)
        sum = window * Self.one
        recovery = 1 - exp(-1 / (Self.release * Double(AudioRate.standard)))
    }

    deinit {
        delayed.deallocate()
        applied.deallocate()
        queue.deallocate()
        gains.deallocate()
    }

    /// Channels beyond those of the limiter are silenced: nothing leaves unlimited.
    package func process(_ buffer: AudioBuffer) {
        var start = 0
        while start < buffer.frameCount {
            let frames = min(maximumBlockFrames, buffer.frameCount - start)
            process(buffer, from: start, frames: frames)
            start += frames
        }
        for channel in channels..<max(channels, buffer.channels) { buffer[channel].update(repeating: 0) }
    }

    private func process(_ buffer: AudioBuffer, from start: Int, frames: Int) {
        let used = min(channels, buffer.channels)
        applied.update(repeating: 0, count: frames)
        for channel in 0..<used { takePeaks(buffer[channel].baseAddress.unsafelyUnwrapped + start, frames: frames) }
        // From here on `applied` holds gains instead of peaks.
        var frame = 0
        while frame < frames {
            applied[frame] = nextGain(applied[frame])
            frame &+= 1
        }
        for channel in 0..<used {
            let samples = buffer[channel].baseAddress.unsafelyUnwrapped + start
            delay(samples, frames: frames, line: delayed + channel * lookAhead)
            frame = 0
            while frame < frames {
                let sample = samples[frame] * applied[frame]
                // The mean of the gains is exact; this is for the last bit of the product.
                samples[frame] = sample > Self.ceiling ? Self.ceiling : sample < -Self.ceiling ? -Self.ceiling : sample
                frame &+= 1
            }
        }
        linePlace = lookAhead == 0 ? 0 : (linePlace + frames) % lookAhead
    }

    private func takePeaks(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        var frame = 0
        while frame < frames {
            var size = samples[frame].magnitude
            // One sample that is no number would silence the room for good.
            if !(size <= Float.greatestFiniteMagnitude) {
                samples[frame] = 0
                size = 0
            }
            if size > applied[frame] { applied[frame] = size }
            frame &+= 1
        }
    }

    private func delay(_ samples: UnsafeMutablePointer<Float>, frames: Int, line: UnsafeMutablePointer<Float>) {
        guard lookAhead > 0 else { return }
        var place = linePlace
        var frame = 0
        while frame < frames {
            let late = line[place]
            line[place] = samples[frame]
            samples[frame] = late
            place = place &+ 1 == lookAhead ? 0 : place &+ 1
            frame &+= 1
        }
    }

    package func reset() {
        delayed.update(repeating: 0, count: channels * lookAhead)
        gains.update(repeating: Self.one, count: window)
        sum = window * Self.one
        released = Self.one
        (queueStart, queueCount, place, linePlace, clock) = (0, 0, 0, 0, 0)
    }

    /// The gain for the frame that leaves now, when one with this peak comes in.
    private func nextGain(_ peak: Float) -> Float {
        clock &+= 1
        if queueCount > 0, queue[queueStart].time <= clock &- window {
            queueStart = wrapped(queueStart &+ 1)
            queueCount &-= 1
        }
        if peak > Self.threshold {
            let wanted = Self.wanted(peak)
            while queueCount > 0, queue[wrapped(queueStart &+ queueCount &- 1)].gain >= wanted { queueCount &-= 1 }
            queue[wrapped(queueStart &+ queueCount)] = Candidate(gain: wanted, time: clock)
            queueCount &+= 1
        } else if queueCount == 0 && sum == window &* Self.one && released == Self.one {
            return 1
        }
        let lowest = queueCount > 0 ? queue[queueStart].gain : Self.one
        // Down at once, up slowly; by a whole number at least, so that 1 is reached.
        let step = max(1, Int(Double(Self.one &- released) * recovery))
        released = min(lowest, released &+ step)
        // The mean over the window: each of its members is low enough for the frame that leaves.
        sum = sum &- gains[place] &+ released
        gains[place] = released
        place = place &+ 1 == window ? 0 : place &+ 1
        return Float(Double(sum) / Double(window &* Self.one))
    }

    private func wrapped(_ index: Int) -> Int { index >= window ? index &- window : index }

    /// The soft knee: never above the ceiling, and as steep as what is below the threshold where it begins.
    private static func wanted(_ peak: Float) -> Int {
        let room = ceiling - threshold
        let level = threshold + room * tanh((peak - threshold) / room)
        return Int(Double(level / peak) * Double(one))
    }
}
