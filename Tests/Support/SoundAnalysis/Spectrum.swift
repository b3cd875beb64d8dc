import Foundation

/// Power over frequency of a stretch of sound, seen through one window.
///
/// Scaled so that a sine of amplitude a has the power a²/2 in the sum of its bins, and noise its variance over all bins.
package struct Spectrum {
    package enum Window {
        /// Side lobes fall quickly; the usual choice.
        case hann
        /// Side lobes below −92 dB, for measuring what is far below a tone.
        case blackmanHarris
    }

    /// Hertz between neighbouring bins.
    package let binWidth: Double
    /// One-sided power per bin, from 0 Hz to half the rate.
    package let powers: [Double]

    package init(of samples: [Float], rate: Double = 48_000, window: Window = .hann) {
        let transform = FourierTransform(holding: samples.count)
        let count = samples.count
        var real = [Double](repeating: 0, count: transform.size)
        var imaginary = real
        var energy = 0.0
        var index = 0
        while index < count {
            let weight = Self.weight(window, Double(index) / Double(count))
            real[index] = Double(samples[index]) * weight
            energy += weight * weight
            index += 1
        }
        transform.transform(real: &real, imaginary: &imaginary)
        let scale = 1 / (energy * Double(transform.size))
        powers = (0...transform.size / 2).map { bin in
            let power = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) * scale
            return bin == 0 || bin == transform.size / 2 ? power : 2 * power
        }
        binWidth = rate / Double(transform.size)
    }

    private static func weight(_ window: Window, _ phase: Double) -> Double {
        let angle = 2 * Double.pi * phase
        switch window {
        case .hann: return 0.5 - 0.5 * cos(angle)
        case .blackmanHarris:
            return 0.35875 - 0.48829 * cos(angle) + 0.14128 * cos(2 * angle) - 0.01168 * cos(3 * angle)
        }
    }

    /// Power between two frequencies, in dB; a full-scale sine is −3.01.
    package func level(in band: ClosedRange<Double>) -> Double { decibels(power(in: band)) }

    /// Power between two frequencies.
    package func power(in band: ClosedRange<Double>) -> Double {
        let low = max(0, Int((band.lowerBound / binWidth).rounded()))
        let high = min(powers.count - 1, Int((band.upperBound / binWidth).rounded()))
        return low <= high ? powers[low...high].reduce(0, +) : 0
    }

    /// Power of the tone at a frequency: the bins that the window spreads it over.
    package func level(ofToneAt frequency: Double) -> Double {
        level(in: (frequency - 6 * binWidth)...(frequency + 6 * binWidth))
    }

    /// Everything but the bins around these frequencies, in dB.
    package func level(without tones: [Double], width: Double, upTo limit: Double = .infinity) -> Double {
        var sum = 0.0
        for (bin, power) in powers.enumerated() where Double(bin) * binWidth <= limit {
            let frequency = Double(bin) * binWidth
            if frequency > width && !tones.contains(where: { abs($0 - frequency) <= width }) { sum += power }
        }
        return decibels(sum)
    }

    /// The frequency with the most power, between bins by a parabola through the logarithms; nil for silence.
    package func dominantFrequency(in band: ClosedRange<Double> = 20...24_000) -> Double? {
        let low = max(1, Int(band.lowerBound / binWidth))
        let high = min(powers.count - 2, Int(band.upperBound / binWidth))
        guard low <= high, let peak = (low...high).max(by: { powers[$0] < powers[$1] }), powers[peak] > 1e-20 else {
            return nil
        }
        let offset = vertex(log(powers[peak - 1] + 1e-30), log(powers[peak]), log(powers[peak + 1] + 1e-30))
        return (Double(peak) + offset) * binWidth
    }

    /// The mean frequency weighted by power: how bright it sounds. Nil for silence.
    package func centroid(in band: ClosedRange<Double> = 20...20_000) -> Double? {
        let low = max(1, Int(band.lowerBound / binWidth))
        let high = min(powers.count - 1, Int(band.upperBound / binWidth))
        guard low <= high else { return nil }
        let total = powers[low...high].reduce(0, +)
        guard total > 1e-20 else { return nil }
        return (low...high).reduce(0) { $0 + Double($1) * binWidth * powers[$1] } / total
    }
}
