import AudioGraph
import Foundation
import SoundAnalysis

extension [Float] {
    /// The resonances of a voice in hertz, lowest first: the peaks of a 14th-order linear prediction (Levinson and
    /// Durbin) at a quarter of the rate, which has room for the five formants below 6 kHz.
    func formants() -> [Double] {
        let coefficients = predictor(quarterRate(), order: 14)
        let step = 10.0
        let response = (0..<600).map { bin -> Double in
            let angle = 2 * Double.pi * Double(bin) * step / 12_000
            var (real, imaginary) = (0.0, 0.0)
            for (index, coefficient) in coefficients.enumerated() {
                real += coefficient * cos(angle * Double(index))
                imaginary -= coefficient * sin(angle * Double(index))
            }
            return 1 / (real * real + imaginary * imaginary)
        }
        return response.indices.dropFirst().dropLast()
            .filter { response[$0] > response[$0 - 1] && response[$0] >= response[$0 + 1] }.map { Double($0) * step }
    }

    /// At 12 kHz, with the fall of a voice's spectrum made level.
    private func quarterRate() -> [Double] {
        let below = [0, 1].reduce(self) { sound, _ in
            processed(sound, by: Biquad(.lowPass(4_500), channels: 1))
        }
        let samples = Swift.stride(from: 0, to: count, by: 4).map { Double(below[$0]) }
        return zip(samples.dropFirst(), samples).map { $0 - 0.95 * $1 }
    }

    private func predictor(_ samples: [Double], order: Int) -> [Double] {
        let correlation = (0...order).map { lag in
            zip(samples.dropFirst(lag), samples).reduce(0) { $0 + $1.0 * $1.1 }
        }
        var coefficients = [1.0] + [Double](repeating: 0, count: order)
        var error = correlation[0] * 1.0001
        for step in 1...order {
            let sum = (1..<step).reduce(correlation[step]) { $0 + coefficients[$1] * correlation[step - $1] }
            let reflection = -sum / error
            var next = coefficients
            for index in 1..<step { next[index] += reflection * coefficients[step - index] }
            next[step] = reflection
            coefficients = next
            error *= 1 - reflection * reflection
        }
        return coefficients
    }
}
