import AudioGraph
import Foundation
import SeededRandom

/// Sounds to feed and ways to look at what came out.
enum Sound {
    static func tone(_ hertz: Double, frames: Int, level: Float = 0.5, from start: Int = 0) -> [Float] {
        (start..<start + frames).map { level * Float(sine(hertz * Double($0) / 48_000)) }
    }

    /// Like a vowel: pulses, gliding between 120 and 200 Hz, through three resonances; swelling, never silent.
    static func voice(frames: Int, level: Float = 0.5) -> [Float] {
        let resonances = [(500.0, 1.0), (1_500, 0.5), (2_500, 0.25)].map { hertz, share in
            (turn: 2 * 0.985 * cos(2 * .pi * hertz / 48_000), share: share)
        }
        var memory = [(Double, Double)](repeating: (0, 0), count: resonances.count)
        var phase = 0.0
        return (0..<frames).map { frame in
            let seconds = Double(frame) / 48_000
            phase += (160 + 40 * sine(seconds * 0.7)) / 48_000
            let pulse = phase >= 1 ? 1.0 : 0
            if phase >= 1 { phase -= 1 }
            var sample = 0.0
            for (index, resonance) in resonances.enumerated() {
                let (last, before) = memory[index]
                let next = pulse + resonance.turn * last - 0.985 * 0.985 * before
                memory[index] = (next, last)
                sample += (next - before) * resonance.share / 4
            }
            return level * Float(sample * (0.7 + 0.3 * sine(seconds * 4)))
        }
    }

    /// Like talk: a vowel and a hiss in turn, each for 1/8 s, over the breath of a room.
    static func speech(frames: Int, seed: UInt64) -> [Float] {
        let hiss = noise(frames: frames, level: 0.2, seed: seed)
        return zip(voice(frames: frames), hiss).enumerated().map { frame, pair in
            (frame / 6_000).isMultiple(of: 2) ? pair.0 + 0.02 * pair.1 : pair.1
        }
    }

    static func noise(frames: Int, level: Float = 0.5, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<frames).map { _ in Float.random(in: -level...level, using: &generator) }
    }

    /// The sine of a phase in turns.
    static func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }

    /// Root of the mean square.
    static func rms(_ samples: some Collection<Float>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }

    /// The power at one frequency (Goertzel, Hann window), as the amplitude of a sine there.
    static func amplitude(at hertz: Double, of samples: some Collection<Float>) -> Double {
        let count = Double(samples.count)
        var real = 0.0
        var imaginary = 0.0
        for (n, sample) in samples.enumerated() {
            let window = 0.5 - 0.5 * sine(Double(n) / count + 0.25)
            real += Double(sample) * window * sine(hertz * Double(n) / 48_000 + 0.25)
            imaginary += Double(sample) * window * sine(hertz * Double(n) / 48_000)
        }
        return (real * real + imaginary * imaginary).squareRoot() / count * 4
    }

    /// The mean power between two frequencies, by amplitudes at steps that the window resolves.
    static func power(from low: Double, to high: Double, of samples: some Collection<Float>) -> Double {
        let steps = 25
        return (0..<steps).reduce(0.0) { sum, step in
            let amplitude = amplitude(at: low + (high - low) * Double(step) / Double(steps), of: samples)
            return sum + amplitude * amplitude
        } / Double(steps)
    }

    /// The frequency of a tone from its rising zero crossings.
    static func frequency(of samples: [Float]) -> Double {
        var crossings: [Double] = []
        for n in 1..<max(1, samples.count) where samples[n - 1] < 0 && samples[n] >= 0 {
            crossings.append(Double(n - 1) + Double(-samples[n - 1]) / Double(samples[n] - samples[n - 1]))
        }
        guard let first = crossings.first, let last = crossings.last, crossings.count > 1 else { return 0 }
        return 48_000 * Double(crossings.count - 1) / (last - first)
    }
}

extension AudioBuffer {
    /// A block that holds the given channels.
    convenience init(_ planes: [[Float]]) {
        self.init(channels: planes.count, capacity: planes[0].count)
        for (channel, plane) in planes.enumerated() { _ = self[channel].update(fromContentsOf: plane) }
    }
}
