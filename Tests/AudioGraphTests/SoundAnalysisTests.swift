import SoundAnalysis
import Testing

/// The instruments themselves: each is shown something whose answer is known, and something that it must not report.
@Suite("Sound analysis")
struct SoundAnalysisTests {
    @Test("a spectrum has a sine's power at its frequency and nothing far from it")
    func sine() throws {
        let spectrum = Spectrum(of: TestSounds.sine(1_234.5, amplitude: 0.5, seconds: 0.5), window: .blackmanHarris)
        #expect(abs(try #require(spectrum.dominantFrequency()) - 1_234.5) < 0.1)
        #expect(abs(spectrum.level(ofToneAt: 1_234.5) - -9.03) < 0.05)
        #expect(spectrum.level(without: [1_234.5], width: 20) < -100)
    }

    @Test("the power of noise is spread evenly over the bands", arguments: [1, 2, 3] as [UInt64])
    func noise(seed: UInt64) {
        let samples = TestSounds.noise(amplitude: 0.6, seconds: 1, seed: seed)
        let expected = decibels(0.36 / 3)
        #expect(abs(samples.level - expected) < 0.1, "seed \(seed)")
        let spectrum = Spectrum(of: samples)
        for band in stride(from: 1_000.0, to: 20_000, by: 4_000) {
            let share = expected - decibels(24_000 / 4_000)
            #expect(abs(spectrum.level(in: band...band + 4_000) - share) < 0.6, "seed \(seed), from \(band) Hz")
        }
        #expect(abs((spectrum.centroid() ?? 0) - 10_010) < 300)
    }

    @Test("silence has no frequency, no pitch and no level")
    func silence() {
        let silence = [Float](repeating: 0, count: 9_600)
        #expect(Spectrum(of: silence).dominantFrequency() == nil)
        #expect(silence.pitch() == nil)
        #expect(silence.level == -200)
        #expect(silence.clicks().isEmpty)
    }

    @Test("the pitch of a voice is that of its vocal cords", arguments: [82.4, 110, 146.8, 220, 415.3, 659.3])
    func voicePitch(frequency: Double) throws {
        let voice = TestSounds.voice(pitch: frequency, seconds: 0.3)
        #expect(abs(try #require(voice.pitch()) / frequency - 1) < 0.002)
        #expect(abs(voice.level - decibels(amplitude: 0.15)) < 1)
        // The loudest harmonic is elsewhere: a formant.
        #expect(TestSounds.noise(seconds: 0.3, seed: 7).pitch() == nil)
    }

    @Test("delay and likeness of a copy in noise", arguments: [-317, -1, 0, 40, 479])
    func copyLater(frames: Int) {
        let source = TestSounds.noise(seconds: 0.3, seed: 5)
        let other = TestSounds.noise(amplitude: 0.1, seconds: 0.3, seed: 6)
        let copy = source.indices.map { index in
            let from = index - frames
            return -0.5 * (source.indices.contains(from) ? source[from] : 0) + other[index]
        }
        let found = copy.delay(after: source, maximum: 500)
        #expect(abs(found.frames - Double(frames)) < 0.1)
        #expect(found.correlation < -0.9)
    }

    @Test("a reverberation time is read from the slope of an exponential decay", arguments: [0.2, 0.8, 2.0])
    func decay(seconds: Double) throws {
        var factor = 1.0
        let perFrame = 1 / (1 + 6.907755 / (seconds * 48_000))
        let response = TestSounds.noise(seconds: seconds * 1.2, seed: 9).map { sample in
            factor *= perFrame
            return sample * Float(factor)
        }
        #expect(abs(try #require(response.reverberationTime()) / seconds - 1) < 0.05)
        #expect([Float](repeating: 0.5, count: 300).reverberationTime(range: 60) == nil)
    }

    @Test("a skipped sample is a click; tone, voice and noise are none", arguments: [1, 2] as [UInt64])
    func clicks(seed: UInt64) throws {
        let tone = TestSounds.sine(440, seconds: 0.3)
        #expect(tone.clicks().isEmpty)
        #expect(TestSounds.voice(pitch: 180, seconds: 0.3, vibratoPercent: 3).clicks().isEmpty)
        #expect(TestSounds.noise(seconds: 0.3, seed: seed).clicks().isEmpty, "seed \(seed)")
        var broken = tone
        broken.removeSubrange(5_000..<5_010)
        #expect(broken.clicks().map(\.frame).allSatisfy { abs($0 - 5_000) < 3 })
        #expect(broken.clicks().count == 1)
        #expect(broken.largestJump > 1.1 * tone.largestJump)
    }
}
