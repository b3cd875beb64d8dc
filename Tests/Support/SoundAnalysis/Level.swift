import Foundation

/// 10·log₁₀ of a power; −200 for nothing.
package func decibels(_ power: Double) -> Double { power > 1e-20 ? 10 * log10(power) : -200 }

/// 20·log₁₀ of an amplitude; −200 for nothing.
package func decibels(amplitude: Double) -> Double { decibels(amplitude * amplitude) }

extension Collection<Float> {
    /// Effective level in dB relative to a full-scale square wave (dBov, RFC 6465): a full-scale sine is −3.01; silence −200.
    package var level: Double {
        let sum = reduce(into: 0.0) { $0 += Double($1) * Double($1) }
        return isEmpty ? -200 : decibels(sum / Double(count))
    }

    /// The largest magnitude.
    package var peak: Float { reduce(0) { Swift.max($0, abs($1)) } }
}

extension [Float] {
    /// Levels of successive stretches, in dB: how steady a sound is.
    package func levels(every frames: Int) -> [Double] {
        stride(from: 0, through: count - frames, by: frames).map { self[$0..<$0 + frames].level }
    }
}
