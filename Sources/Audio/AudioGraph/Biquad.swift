internal import Glibc

/// The five numbers of a second-order filter, normalised to a₀ = 1: y = b₀x + b₁x' + b₂x'' − a₁y' − a₂y''.
///
/// Formulas: R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients". Frequencies in hertz at
/// `AudioRate.standard`, kept inside 1 Hz … 0.49 of the rate; gains in dB.
package struct BiquadCoefficients: Hashable, Sendable {
    package var b0: Double
    package var b1: Double
    package var b2: Double
    package var a1: Double
    package var a2: Double

    package init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
        (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0, b1, b2, a1, a2)
    }

    /// Lets everything through.
    package static let identity = BiquadCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0)
    /// The flattest pass band (Butterworth).
    package static let butterworthQ = 0.5.squareRoot()

    /// −3 dB at `frequency` with the default q; 12 dB per octave.
    package static func lowPass(_ frequency: Double, q: Double = butterworthQ) -> Self {
        let (c, alpha) = angle(frequency, q: q)
        return normalised((1 - c) / 2, 1 - c, (1 - c) / 2, 1 + alpha, -2 * c, 1 - alpha)
    }

    package static func highPass(_ frequency: Double, q: Double = butterworthQ) -> Self {
        let (c, alpha) = angle(frequency, q: q)
        return normalised((1 + c) / 2, -(1 + c), (1 + c) / 2, 1 + alpha, -2 * c, 1 - alpha)
    }

    /// 0 dB at `frequency`, falling on both sides; the band between the −3 dB points is frequency/q wide.
    package static func bandPass(_ frequency: Double, q: Double) -> Self {
        let (c, alpha) = angle(frequency, q: q)
        return normalised(alpha, 0, -alpha, 1 + alpha, -2 * c, 1 - alpha)
    }

    /// Takes out `frequency`.
    package static func notch(_ frequency: Double, q: Double) -> Self {
        let (c, alpha) = angle(frequency, q: q)
        return normalised(1, -2 * c, 1, 1 + alpha, -2 * c, 1 - alpha)
    }

    /// All frequencies as loud as before, phases turned around `frequency`.
    package static func allPass(_ frequency: Double, q: Double = butterworthQ) -> Self {
        let (c, alpha) = angle(frequency, q: q)
        return normalised(1 - alpha, -2 * c, 1 + alpha, 1 + alpha, -2 * c, 1 - alpha)
    }

    /// A bell: `gain` dB at `frequency`, 0 dB far from it.
    package static func peak(_ frequency: Double, q: Double, gain: Double) -> Self {
        let (c, alpha) = angle(frequency, q: q)
        let a = pow(10, gain / 40)
        return normalised(1 + alpha * a, -2 * c, 1 - alpha * a, 1 + alpha / a, -2 * c, 1 - alpha / a)
    }

    /// `gain` dB below `frequency`, 0 dB above; half of it at `frequency`. A slope of 1 is the steepest without a hump.
    package static func lowShelf(_ frequency: Double, gain: Double, slope: Double = 1) -> Self {
        let (c, a, root) = shelf(frequency, gain: gain, slope: slope)
        return normalised(
            a * ((a + 1) - (a - 1) * c + root), 2 * a * ((a - 1) - (a + 1) * c), a * ((a + 1) - (a - 1) * c - root),
            (a + 1) + (a - 1) * c + root, -2 * ((a - 1) + (a + 1) * c), (a + 1) + (a - 1) * c - root)
    }

    /// `gain` dB above `frequency`, 0 dB below.
    package static func highShelf(_ frequency: Double, gain: Double, slope: Double = 1) -> Self {
        let (c, a, root) = shelf(frequency, gain: gain, slope: slope)
        return normalised(
            a * ((a + 1) + (a - 1) * c + root), -2 * a * ((a - 1) + (a + 1) * c), a * ((a + 1) + (a - 1) * c - root),
            (a + 1) - (a - 1) * c + root, 2 * ((a - 1) - (a + 1) * c), (a + 1) - (a - 1) * c - root)
    }

    /// The gain at a frequency, linear.
    package func gain(at frequency: Double) -> Double {
        let w = 2 * Double.pi * frequency / Double(AudioRate.standard)
        let (c1, s1, c2, s2) = (cos(w), sin(w), cos(2 * w), sin(2 * w))
        let above = hypot(b0 + b1 * c1 + b2 * c2, b1 * s1 + b2 * s2)
        return above / hypot(1 + a1 * c1 + a2 * c2, a1 * s1 + a2 * s2)
    }

    private static func angle(_ frequency: Double, q: Double) -> (cosine: Double, alpha: Double) {
        let rate = Double(AudioRate.standard)
        let w = 2 * Double.pi * max(1, min(0.49 * rate, frequency)) / rate
        return (cos(w), sin(w) / (2 * max(0.01, q)))
    }

    /// The last is 2·√A·α with the slope's α.
    private static func shelf(
        _ frequency: Double, gain: Double, slope: Double
    ) -> (cosine: Double, amplitude: Double, root: Double) {
        let a = pow(10, gain / 40)
        let (c, alpha) = angle(frequency, q: 0.5)
        // angle(q: 0.5) gives sin(w); the slope's factor follows.
        let factor = ((a + 1 / a) * (1 / max(0.01, slope) - 1) + 2).squareRoot() / 2
        return (c, a, 2 * a.squareRoot() * alpha * factor)
    }

    private static func normalised(
        _ b0: Double, _ b1: Double, _ b2: Double, _ a0: Double, _ a1: Double, _ a2: Double
    ) -> Self {
        Self(b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: a1 / a0, a2: a2 / a0)
    }
}

/// A second-order filter for every channel of a sound, its memory in doubles: low corner frequencies stay exact.
package final class Biquad: AudioProcessor {
    /// May change between blocks; the memory is kept, so that a small change is not heard as a click.
    package var coefficients: BiquadCoefficients
    package let channels: Int
    /// Two numbers per channel (transposed direct form II).
    private let memory: UnsafeMutablePointer<Double>

    /// Below this the memory is cleared: arithmetic on subnormal numbers is a hundred times slower.
    private static let silence = 1e-30

    package init(_ coefficients: BiquadCoefficients, channels: Int) {
        precondition(channels > 0)
        self.coefficients = coefficients
        self.channels = channels
        memory = .allocate(capacity: 2 * channels)
        memory.initialize(repeating: 0, count: 2 * channels)
    }

    deinit { memory.deallocate() }

    /// Channels beyond those of the filter pass as they are.
    package func process(_ buffer: AudioBuffer) {
        for channel in 0..<min(channels, buffer.channels) {
            guard let samples = buffer[channel].baseAddress else { return }
            process(samples, frames: buffer.frameCount, channel: channel)
        }
    }

    /// Filters samples of one channel in place.
    package func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, channel: Int) {
        let c = coefficients
        var (first, second) = (memory[2 * channel], memory[2 * channel + 1])
        var frame = 0
        while frame < frames {
            let x = Double(samples[frame])
            let y = c.b0 * x + first
            first = c.b1 * x - c.a1 * y + second
            second = c.b2 * x - c.a2 * y
            samples[frame] = Float(y)
            frame &+= 1
        }
        // A sample that is no number would stay in here for ever.
        let isSilent = abs(first) < Self.silence && abs(second) < Self.silence
        let isSound = first.isFinite && second.isFinite
        memory[2 * channel] = isSilent || !isSound ? 0 : first
        memory[2 * channel + 1] = isSilent || !isSound ? 0 : second
    }

    package func reset() { memory.update(repeating: 0, count: 2 * channels) }
}
