internal import Glibc

/// Weights for reading a sound between its samples: a sinc under a Kaiser window, tabulated for 256 places between two
/// samples, with straight lines between those. The lines cost less than −96 dB of accuracy: (π/256)²/8 at the Nyquist
/// frequency.
///
/// `@unchecked Sendable`: the table is written while it is made, and only read from then on.
final class SincKernel: @unchecked Sendable {
    /// For reading live sound at its own rate, as every seat does: half a millisecond to make, and 33 KB.
    static let live = SincKernel(taps: 32, cutoff: 1, attenuation: 80)

    static let phaseBits = 8
    private static let phases = 1 << phaseBits

    /// A multiple of 8. The place that is read lies between the two in the middle.
    let taps: Int
    private let rows: UnsafeMutablePointer<Float>

    /// `cutoff`: where the gain is −6 dB, 1 is the Nyquist frequency. `attenuation`: dB in the stop band. The transition
    /// is (attenuation − 8)/(2.285·π·taps) Nyquist frequencies wide (Kaiser's formula).
    init(taps: Int, cutoff: Double, attenuation: Double) {
        precondition(taps > 0 && taps % 8 == 0)
        self.taps = taps
        rows = .allocate(capacity: (Self.phases + 1) * taps)
        let beta = 0.1102 * (attenuation - 8.7)
        let half = Double(taps / 2)
        for phase in 0...Self.phases {
            let row = rows + phase * taps
            var sum = 0.0
            for tap in 0..<taps {
                let time = Double(tap) - (half - 1) - Double(phase) / Double(Self.phases)
                let weight = Self.sinc(cutoff * time) * Self.kaiser(time / half, beta: beta)
                (row + tap).initialize(to: Float(weight))
                sum += weight
            }
            // Exact for a constant, so that no hum comes from the phases' differences.
            for tap in 0..<taps { row[tap] /= Float(sum) }
        }
    }

    deinit { rows.deallocate() }

    /// Weights for a place; `fraction` has 40 bits. They go into `weights` unless they stand in the table.
    @inline(__always)
    func weights(at fraction: Int, into weights: UnsafeMutablePointer<Float>) -> UnsafePointer<Float> {
        let low = FixedPoint.bits - Self.phaseBits
        let row = UnsafePointer(rows + (fraction >> low) &* taps)
        let rest = fraction & ((1 << low) - 1)
        guard rest != 0 else { return row }
        let next = row + taps
        let part = Float(rest) * (1 / Float(1 << low))
        var tap = 0
        while tap < taps {
            weights[tap] = row[tap] + part * (next[tap] - row[tap])
            tap &+= 1
        }
        return UnsafePointer(weights)
    }

    private static func sinc(_ x: Double) -> Double { abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x) }

    private static func kaiser(_ x: Double, beta: Double) -> Double {
        abs(x) >= 1 ? 0 : bessel(beta * (1 - x * x).squareRoot()) / bessel(beta)
    }

    /// The modified Bessel function I₀ by its series.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term, k) = (1.0, 1.0, 1.0)
        while term > 1e-12 * sum {
            term *= (x / (2 * k)) * (x / (2 * k))
            sum += term
            k += 1
        }
        return sum
    }
}

/// Positions between samples as integers, so that hours of sound are counted without error.
enum FixedPoint {
    /// A step is wrong by 2⁻⁴¹ at most: less than a ten-thousandth of a frame in an hour.
    static let bits = 40
    static let one = 1 << bits
    static func fixed(_ value: Double) -> Int { Int((value * Double(one)).rounded()) }
}
