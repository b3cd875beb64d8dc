import AudioGraph
import SoundAnalysis
import Testing

@Suite("Limiter")
struct LimiterTests {
    @Test("whatever comes in, nothing above full scale comes out", arguments: [1, 2, 3, 4] as [UInt64], [0, 16, 64])
    func bounded(seed: UInt64, lookAhead: Int) {
        let limiter = Limiter(channels: 2, lookAhead: lookAhead)
        // Bursts from soft to 40 times full scale, of lengths around the look-ahead.
        let noise = TestSounds.noise(amplitude: 1, seconds: 0.2, seed: seed)
        let other = TestSounds.noise(amplitude: 1, seconds: 0.2, seed: seed + 100)
        func bursts(_ samples: [Float]) -> [Float] {
            samples.enumerated().map { $1 * [0.3, 40, 0.9, 3, 1.1, 0.01][$0 / (17 + Int(seed) * 31) % 6] }
        }
        let output = processed([bursts(noise), bursts(other)], by: limiter, blocks: [480, 1, 960, 77])
        #expect(output[0].peak <= 1, "seed \(seed)")
        #expect(output[1].peak <= 1, "seed \(seed)")
        #expect(max(output[0].peak, output[1].peak) > 0.85)
    }

    @Test("what stays below the threshold passes bit by bit, as late as it says")
    func transparent() {
        let sound = TestSounds.noise(amplitude: 0.89, seconds: 0.1, seed: 21)
        for lookAhead in [0, 1, 64] {
            let limiter = Limiter(channels: 1, lookAhead: lookAhead)
            let output = processed(sound, by: limiter, blocks: [480, 33])
            #expect(limiter.latencyFrames == lookAhead)
            #expect(Array(output[lookAhead...]) == Array(sound[..<(sound.count - lookAhead)]))
        }
    }

    @Test("a tone over full scale stays a tone: distortion below −46 dB of it, no click when it begins and ends")
    func clean() {
        let tone = TestSounds.sine(1_000, amplitude: 1, seconds: 0.6)
        // Rises smoothly to 12 dB above full scale and falls again.
        let loud = tone.enumerated().map { index, sample -> Float in
            let phase = Float(index) / Float(tone.count)
            return sample * (phase < 0.3 ? phase / 0.3 * 4 : phase < 0.7 ? 4 : 4 - (phase - 0.7) / 0.3 * 3.7)
        }
        let output = processed(loud, by: Limiter(channels: 1))
        #expect(output.clicks().isEmpty)
        let steady = Spectrum(of: Array(output[10_000..<20_000]), window: .blackmanHarris)
        #expect(abs(steady.level(ofToneAt: 1_000) - -3) < 0.5)
        #expect(steady.level(without: [1_000], width: 60) < -49)
    }

    @Test("peaks are turned down, not cut off", arguments: [1, 2] as [UInt64], [1, 64])
    func gainNotClipping(seed: UInt64, lookAhead: Int) {
        // Too soft for the knee to be flat: what touches the ceiling has been cut.
        let noise = TestSounds.noise(amplitude: 0.5, seconds: 0.5, seed: seed)
        let peaks = noise.enumerated().map { $0 % 331 == 7 ? $1 * 2.8 : $1 }
        #expect(peaks.peak > 1.3)
        let output = processed(peaks, by: Limiter(channels: 1, lookAhead: lookAhead))
        #expect(output.allSatisfy { abs($0) < Limiter.ceiling }, "seed \(seed)")
    }

    @Test("a deep tone over full scale is held evenly: the gain does not follow its waves")
    func deep() {
        let tone = TestSounds.sine(60, amplitude: 3, seconds: 0.8)
        let output = processed(tone, by: Limiter(channels: 1))
        let steady = Spectrum(of: Array(output[9_600...]), window: .blackmanHarris)
        #expect(steady.level(without: [60], width: 20) < steady.level(ofToneAt: 60) - 25)
    }

    @Test("after a peak the sound comes back to exactly what it was, and channels keep their balance")
    func recovers() {
        let quiet = TestSounds.noise(amplitude: 0.4, seconds: 3, seed: 8)
        var left = quiet
        left[1_000] = 3
        let output = processed([left, quiet.map { $0 / 2 }], by: Limiter(channels: 2))
        #expect(output[0].peak <= 1)
        // Both channels are turned down together.
        for frame in 1_070..<2_000 where abs(output[0][frame]) > 0.01 {
            #expect(abs(output[1][frame] / output[0][frame] - 0.5) < 0.001)
        }
        #expect(abs(output[0][1_070]) < 0.5 * abs(quiet[1_070 - 64]))
        #expect(Array(output[0].suffix(4_800)) == Array(quiet[(quiet.count - 4_800 - 64)..<(quiet.count - 64)]))
    }

    @Test("samples that are no numbers are silence and leave no trace")
    func notANumber() {
        let limiter = Limiter(channels: 1)
        let output =
            processed([0.5, .nan, .infinity, -.infinity, 0.5], by: limiter)
            + processed([Float](repeating: 0.25, count: 200), by: limiter)
        #expect(output.allSatisfy { $0.isFinite })
        #expect(output.last == 0.25)
    }

    @Test("a channel that the limiter does not know is silent rather than loud")
    func unknownChannel() {
        let output = processed([[2, 2, 2], [9, 9, 9]] as [[Float]], by: Limiter(channels: 1, lookAhead: 0))
        #expect(output[0].peak <= 1)
        #expect(output[1].peak == 0)
    }
}
