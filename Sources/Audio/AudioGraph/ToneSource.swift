internal import Glibc

/// An endless sine without a seam between blocks; frequency and amplitude may change between them.
package final class ToneSource {
    /// Hertz; a change slides there within the next block and never breaks the wave.
    package var frequency: Double
    /// Peak, linear; a change is spread evenly over the next block, so that it does not click.
    package var amplitude: Float
    private var applied: Float
    private var slid: Double
    /// Radians, 0..<2π, of the next sample.
    private var phase = 0.0

    package init(frequency: Double, amplitude: Float = 0.5) {
        self.frequency = frequency
        self.amplitude = amplitude
        applied = amplitude
        slid = frequency
    }

    /// Fills every channel.
    package func render(into buffer: AudioBuffer) {
        let frames = buffer.frameCount
        guard frames > 0, let samples = buffer[0].baseAddress else { return }
        if frequency == slid { turn(samples, frames: frames) } else { slide(samples, frames: frames) }
        let rise = (amplitude - applied) / Float(frames)
        var frame = 0
        while frame < frames {
            samples[frame] *= applied + rise * Float(frame)
            frame &+= 1
        }
        applied = amplitude
        for channel in 1..<max(1, buffer.channels) {
            buffer[channel].baseAddress.unsafelyUnwrapped.update(from: samples, count: frames)
        }
    }

    /// Begins anew at phase 0.
    package func reset() {
        phase = 0
        applied = amplitude
        slid = frequency
    }

    /// A turning pointer within the block, set anew from the phase for each block: one multiplication per sample instead
    /// of a sine, without an error that grows.
    private func turn(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        let step = Self.step(frequency)
        let (turnCosine, turnSine) = (cos(step), sin(step))
        var (c, s) = (cos(phase), sin(phase))
        var frame = 0
        while frame < frames {
            samples[frame] = Float(s)
            (c, s) = (c * turnCosine - s * turnSine, s * turnCosine + c * turnSine)
            frame &+= 1
        }
        phase = (phase + step * Double(frames)).truncatingRemainder(dividingBy: 2 * .pi)
    }

    /// A block in which the frequency goes evenly from the old one to the new one.
    private func slide(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        var step = Self.step(slid)
        let change = (Self.step(frequency) - step) / Double(frames)
        var frame = 0
        while frame < frames {
            samples[frame] = Float(sin(phase))
            phase += step
            step += change
            frame &+= 1
        }
        phase = phase.truncatingRemainder(dividingBy: 2 * .pi)
        slid = frequency
    }

    private static func step(_ frequency: Double) -> Double {
        2 * .pi * frequency / Double(AudioRate.standard)
    }
}

/// White noise, evenly distributed over ±amplitude, the same for the same seed; each channel its own.
package final class NoiseSource {
    /// Peak, linear. The effective value is amplitude/√3.
    package var amplitude: Float
    private let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64, amplitude: Float = 0.5) {
        self.seed = seed
        self.amplitude = amplitude
        state = Self.state(seed)
    }

    package func render(into buffer: AudioBuffer) {
        for channel in 0..<buffer.channels {
            guard let samples = buffer[channel].baseAddress else { return }
            var frame = 0
            while frame < buffer.frameCount {
                samples[frame] = next() * amplitude
                frame &+= 1
            }
        }
    }

    /// −1 ..< 1.
    package func next() -> Float {
        // Xorshift64*; the upper 24 bits fill a float's mantissa.
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Float(Int64(bitPattern: (state &* 0x2545_f491_4f6c_dd1d) >> 40) - (1 << 23)) / Float(1 << 23)
    }

    /// The same noise from its beginning.
    package func reset() { state = Self.state(seed) }

    private static func state(_ seed: UInt64) -> UInt64 { (seed &+ 1) &* 0x9e37_79b9_7f4a_7c15 | 1 }
}
