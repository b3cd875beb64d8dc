import Foundation
import SoundAnalysis

/// A speaker made of a source and a filter: Rosenberg's glottal pulses through four resonators, as one piece per period
/// and with formants that stay when the pitch changes. Effective value 0.15.
struct GlottalVoice {
    /// Hertz at the beginning and at the end; glides evenly.
    var pitch: ClosedRange<Double> = 110...110
    /// Frequencies and bandwidths in hertz.
    var formants: [(frequency: Double, width: Double)] = [(620, 80), (1_200, 100), (2_550, 140), (3_500, 200)]

    init(_ pitch: Double) { self.pitch = pitch...pitch }

    init(gliding pitch: ClosedRange<Double>) { self.pitch = pitch }

    func samples(seconds: Double, level: Double = 0.15) -> [Float] {
        var sound = source(Int(seconds * 48_000))
        for formant in formants { resonate(&sound, formant.frequency, formant.width) }
        let effective = (sound.reduce(0) { $0 + $1 * $1 } / Double(sound.count)).squareRoot()
        return sound.map { Float($0 / effective * level) }
    }

    /// The change of the flow through the vocal folds: they open for 40 % of a period and close within 16 %.
    private func source(_ count: Int) -> [Double] {
        var phase = 0.0
        var last = 0.0
        return (0..<count).map { index in
            let frequency = pitch.lowerBound + (pitch.upperBound - pitch.lowerBound) * Double(index) / Double(count)
            phase += frequency / 48_000
            if phase >= 1 { phase -= 1 }
            let flow: Double
            switch phase {
            case ..<0.4: flow = 0.5 * (1 - cos(.pi * phase / 0.4))
            case ..<0.56: flow = cos(.pi / 2 * (phase - 0.4) / 0.16)
            default: flow = 0
            }
            defer { last = flow }
            return flow - last
        }
    }

    private func resonate(_ sound: inout [Double], _ frequency: Double, _ width: Double) {
        let radius = exp(-.pi * width / 48_000)
        let first = -2 * radius * cos(2 * .pi * frequency / 48_000)
        let second = radius * radius
        var (before, earlier) = (0.0, 0.0)
        for index in sound.indices {
            let out = sound[index] * (1 + first + second) - first * before - second * earlier
            (earlier, before) = (before, out)
            sound[index] = out
        }
    }
}

extension GlottalVoice {
    /// Something like speech: gliding syllables with hisses and pauses between them, each swelling and fading softly.
    static func speech(syllables: Int, pitch: Double) -> [Float] {
        var speech: [Float] = []
        for syllable in 0..<syllables {
            let rises = pitch * (0.8 + 0.1 * Double(syllable % 5))
            let vowel = GlottalVoice(gliding: rises...rises * 1.25).samples(seconds: 0.22)
            let hiss = TestSounds.noise(amplitude: 0.06, seconds: 0.08, seed: UInt64(syllable))
            speech += swelling(vowel) + swelling(hiss) + [Float](repeating: 0, count: 48 * (20 + 30 * (syllable % 3)))
        }
        return speech
    }

    /// Faded in and out over a fifth of its length each.
    private static func swelling(_ sound: [Float]) -> [Float] {
        let edge = sound.count / 5
        return sound.enumerated().map { index, sample in
            let distance = min(index, sound.count - 1 - index)
            guard distance < edge else { return sample }
            return sample * Float(0.5 - 0.5 * cos(.pi * Double(distance) / Double(edge)))
        }
    }
}
