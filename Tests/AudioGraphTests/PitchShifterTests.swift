import AudioGraph
import Foundation
import SoundAnalysis
import Testing

@Suite("Pitch shifter")
struct PitchShifterTests {
    private func factor(_ semitones: Double) -> Double { exp2(semitones / 12) }

    @Test(
        "a voice is raised and lowered by as many semitones, as long and as loud as before",
        arguments: [-12.0, -7, -3, -0.5, 0.5, 4, 7, 12], [110.0, 262])
    func voice(semitones: Double, pitch: Double) throws {
        let voice = TestSounds.voice(pitch: pitch, seconds: 0.6)
        let shifter = PitchShifter(channels: 1, semitones: semitones)
        let output = processed(voice, by: shifter)
        #expect(output.count == voice.count)
        let settled = Array(output[4_800...])
        let expected = pitch * factor(semitones)
        let found = try #require(Array(settled.prefix(9_600)).pitch(in: 40...700))
        #expect(abs(found / expected - 1) < 0.01)
        #expect(abs(settled.level - voice.level) < 1)
        #expect(settled.levels(every: 2_400).allSatisfy { abs($0 - settled.level) < 1.5 })
        #expect(settled.clicks().isEmpty)
    }

    @Test("a tone stays one tone", arguments: [-12.0, -5, 3, 12], [223.0, 1_477, 4_321])
    func tone(semitones: Double, frequency: Double) throws {
        let tone = TestSounds.sine(frequency, amplitude: 0.5, seconds: 0.5)
        let output = Array(processed(tone, by: PitchShifter(channels: 1, semitones: semitones))[4_800...])
        let expected = frequency * factor(semitones)
        let spectrum = Spectrum(of: output, window: .blackmanHarris)
        #expect(abs(try #require(spectrum.dominantFrequency()) / expected - 1) < 0.01)
        #expect(abs(output.level - tone.level) < 0.5)
        #expect(spectrum.level(without: [expected], width: 40) < (frequency < 2_000 ? -62 : -46))
        #expect(output.clicks().isEmpty)
    }

    @Test("every note of a chord moves by the same interval", arguments: [-5.0, 5])
    func music(semitones: Double) throws {
        let notes = [130.81, 329.63, 784.0]
        let parts = notes.map { TestSounds.sine($0, amplitude: 0.2, seconds: 1.2) }
        let chord = parts[0].indices.map { index in parts.reduce(0) { $0 + $1[index] } }
        let output = Array(processed(chord, by: PitchShifter(channels: 1, semitones: semitones, use: .music))[4_800...])
        let spectrum = Spectrum(of: output)
        for note in notes {
            let expected = note * factor(semitones)
            let found = try #require(spectrum.dominantFrequency(in: expected * 0.94...expected * 1.06))
            #expect(abs(found / expected - 1) < 0.01)
        }
        #expect(abs(output.level - chord.level) < 1.5)
        #expect(output.clicks().isEmpty)
    }

    @Test(
        "what would lie beyond the Nyquist frequency is taken away, not folded", arguments: [14_700.0, 16_000, 20_000])
    func aliasing(frequency: Double) {
        let tone = TestSounds.sine(frequency, amplitude: 0.5, seconds: 0.4)
        let output = processed(tone, by: PitchShifter(channels: 1, semitones: 12))
        #expect(Array(output[4_800...]).level < -40)
    }

    @Test(
        "noise keeps its level: nothing pumps where nothing is alike", arguments: [-12.0, -4, 4, 12],
        [1, 2] as [UInt64])
    func noise(semitones: Double, seed: UInt64) {
        let noise = TestSounds.noise(amplitude: 0.4, seconds: 1, seed: seed)
        let settled = Array(processed(noise, by: PitchShifter(channels: 1, semitones: semitones))[4_800...])
        // Upwards what would fold is missing, by steps of three semitones.
        let kept = 0.95 * exp2(-max(0, (semitones / 3).rounded(.up)) / 4)
        #expect(abs(settled.level - noise.level - 10 * log10(kept)) < 0.4, "seed \(seed)")
        #expect(settled.levels(every: 4_800).allSatisfy { abs($0 - settled.level) < 1 }, "seed \(seed)")
    }

    @Test(
        "the sound is as late as said, and never later than the bound", arguments: [-12.0, -6, -1, 1, 6, 12],
        [PitchShifter.Use.voice, .music])
    func latency(semitones: Double, use: PitchShifter.Use) {
        // Noise that swells five times a second, much slower than any jump: by how much the swelling is late.
        let swelling = 2 * Double.pi * 5 / 48_000
        let noise = TestSounds.noise(amplitude: 0.5, seconds: 1.4, seed: 31)
        let swell = noise.enumerated().map { $1 * Float(0.5 - 0.5 * cos(swelling * Double($0))) }
        let shifter = PitchShifter(channels: 1, semitones: semitones, use: use)
        let output = processed(swell, by: shifter)
        func phase(_ samples: [Float]) -> Double {
            var (real, imaginary) = (0.0, 0.0)
            for index in 9_600..<57_600 {
                let power = Double(samples[index] * samples[index])
                real += power * cos(swelling * Double(index))
                imaginary += power * sin(swelling * Double(index))
            }
            return atan2(imaginary, real)
        }
        let late = (phase(output) - phase(swell)).remainder(dividingBy: 2 * .pi) / swelling
        #expect(abs(late - Double(shifter.latencyFrames)) < 240, "late by \(late), said \(shifter.latencyFrames)")
        #expect(shifter.maximumLatencyFrames <= (use == .voice ? 1_440 : 2_450))
        // Nothing comes before its cause and nothing after the bound.
        let bound = shifter.maximumLatencyFrames
        let single =
            [Float](repeating: 0, count: 9_600) + TestSounds.noise(seconds: 0.01, seed: 5)
            + [Float](repeating: 0, count: 4_800)
        shifter.reset()
        let answer = processed(single, by: shifter)
        #expect(answer[..<9_600].allSatisfy { $0 == 0 })
        #expect(answer[(9_600 + 480 + bound + 16)...].allSatisfy { $0 == 0 })
        #expect(answer.peak > 0)
    }

    @Test("at 0 semitones every sample passes untouched and at once; going there and away does not click")
    func zero() {
        let voice = TestSounds.voice(pitch: 140, seconds: 1.2)
        let shifter = PitchShifter(channels: 1)
        #expect(shifter.latencyFrames == 0)
        var output = processed(Array(voice[..<9_600]), by: shifter)
        #expect(output == Array(voice[..<9_600]))
        for (turn, semitones) in [5.0, -4, 12, -12, 0, 0.3, 0].enumerated() {
            shifter.semitones = semitones
            let start = 9_600 + turn * 6_400
            output += processed(Array(voice[start..<start + 6_400]), by: shifter, blocks: [480, 131])
        }
        #expect(output.clicks().isEmpty)
        #expect(Array(output.suffix(3_200)) == Array(voice[(9_600 + 7 * 6_400 - 3_200)..<(9_600 + 7 * 6_400)]))
        shifter.semitones = 40
        #expect(shifter.semitones == 12)
    }

    @Test("a pitch that is drawn back and forth in every block does not click", arguments: [1, 2, 3] as [UInt64])
    func restless(seed: UInt64) {
        var random = NoiseSequence(seed: seed)
        let tone = TestSounds.sine(440, amplitude: 0.5, seconds: 1)
        let shifter = PitchShifter(channels: 1)
        var output: [Float] = []
        for start in stride(from: 0, to: tone.count, by: 480) {
            if start % 960 == 0 { shifter.semitones = Double(random.next(-12...12)) }
            output += processed(Array(tone[start..<start + 480]), by: shifter)
        }
        // A sine at 880 Hz may rise by this much per frame, and twice when two of them are faded over.
        #expect(output.largestJump < 2 * 0.5 * 2 * .pi * 880 / 48_000, "seed \(seed)")
        #expect(output.peak < 0.75)
    }

    @Test(
        "a sudden change of pitch at any moment of a jump neither clicks nor reads what has not come",
        arguments: [(-12, 12), (12, 11), (12, 1), (12, -12), (-1, 0.5)] as [(Double, Double)])
    func suddenChange(from: Double, to: Double) {
        let tone = TestSounds.sine(300, amplitude: 0.5, seconds: 0.3)
        // The place of reading jumps every 48 ms at most between octaves.
        for start in stride(from: 4_800, to: 7_200, by: 160) {
            let shifter = PitchShifter(channels: 1, semitones: from)
            var output = processed(Array(tone[..<start]), by: shifter)
            shifter.semitones = to
            output += processed(Array(tone[start..<start + 1_920]), by: shifter)
            #expect(output.peak < 0.75)
            #expect(Array(output[2_400...]).clicks().isEmpty, "changed at \(start)")
        }
    }

    @Test("channels keep apart but jump together; blocks of any length give the same; a reset begins anew")
    func channels() {
        let left = TestSounds.voice(pitch: 150, seconds: 0.4)
        let right = left.map { -0.5 * $0 }
        let stereo = PitchShifter(channels: 2, semitones: 3)
        let both = processed([left, right], by: stereo, blocks: [480])
        #expect(zip(both[0], both[1]).allSatisfy { abs(0.5 * $0 + $1) < 1e-5 })
        stereo.reset()
        #expect(both == processed([left, right], by: stereo, blocks: [1, 960, 47]))
    }
}
