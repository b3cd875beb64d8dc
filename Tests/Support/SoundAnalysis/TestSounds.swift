import Foundation

/// Sounds to test with, at 48 kHz unless another rate is given; the same on every machine.
package enum TestSounds {
    package static func sine(
        _ frequency: Double, amplitude: Double = 0.5, seconds: Double, rate: Double = 48_000, phase: Double = 0
    ) -> [Float] {
        (0..<Int((seconds * rate).rounded())).map {
            Float(amplitude * sin(phase + 2 * .pi * frequency * Double($0) / rate))
        }
    }

    /// White noise with an even distribution over ±amplitude (effective value amplitude/√3).
    package static func noise(amplitude: Double = 0.5, seconds: Double, seed: UInt64, rate: Double = 48_000) -> [Float]
    {
        var state = (seed &+ 1) &* 0x9e37_79b9_7f4a_7c15 | 1
        return (0..<Int((seconds * rate).rounded())).map { _ in
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            let uniform = Double((state &* 0x2545_f491_4f6c_dd1d) >> 11) / Double(1 << 53)
            return Float(amplitude * (2 * uniform - 1))
        }
    }

    /// Something like a sung vowel: harmonics of `pitch` with formants at 700, 1,220 and 2,600 Hz and, if wanted, a
    /// vibrato of 5.5 Hz and some percent. The effective value is about 0.15.
    package static func voice(
        pitch: Double, seconds: Double, vibratoPercent: Double = 0, rate: Double = 48_000
    ) -> [Float] {
        let harmonics = max(1, Int(5_000 / pitch))
        let weights = (1...harmonics).map { number -> Double in
            let frequency = pitch * Double(number)
            let formants = [(700.0, 110.0, 1.0), (1_220, 120, 0.5), (2_600, 160, 0.25)].reduce(0.05) { sum, formant in
                let offset = (frequency - formant.0) / formant.1
                return sum + formant.2 / (1 + offset * offset)
            }
            return formants / Double(number).squareRoot()
        }
        let norm = 0.15 / (weights.reduce(0) { $0 + $1 * $1 } / 2).squareRoot()
        // Schroeder's phases spread the harmonics over the period: without them each period is one sharp pulse.
        let shifts = (0..<harmonics).map { Double.pi * Double($0 * $0) / Double(harmonics) }
        let inPhase = zip(weights, shifts).map { norm * $0 * cos($1) }
        let shifted = zip(weights, shifts).map { norm * $0 * sin($1) }
        var sound = [Float](repeating: 0, count: Int((seconds * rate).rounded()))
        inPhase.withUnsafeBufferPointer { inPhase in
            shifted.withUnsafeBufferPointer { shifted in
                var phase = 0.0
                for index in sound.indices {
                    let vibrato = vibratoPercent / 100 * sin(2 * .pi * 5.5 * Double(index) / rate)
                    phase += 2 * .pi * pitch * (1 + vibrato) / rate
                    // Chebyshev's recurrence: one sine and one cosine for all harmonics.
                    let twice = 2 * cos(phase)
                    var (sum, sine, cosine) = (0.0, sin(phase), cos(phase))
                    var (lastSine, lastCosine) = (0.0, 1.0)
                    var harmonic = 0
                    while harmonic < harmonics {
                        sum += inPhase[harmonic] * sine + shifted[harmonic] * cosine
                        (lastSine, sine) = (sine, twice * sine - lastSine)
                        (lastCosine, cosine) = (cosine, twice * cosine - lastCosine)
                        harmonic &+= 1
                    }
                    sound[index] = Float(sum)
                }
            }
        }
        return sound
    }

    /// A sine that rises evenly in octaves per second.
    package static func sweep(
        from low: Double, to high: Double, amplitude: Double = 0.5, seconds: Double, rate: Double = 48_000
    ) -> [Float] {
        let ratio = log(high / low)
        return (0..<Int((seconds * rate).rounded())).map { index in
            let position = Double(index) / (seconds * rate)
            return Float(amplitude * sin(2 * .pi * low * seconds / ratio * (exp(position * ratio) - 1)))
        }
    }
}
