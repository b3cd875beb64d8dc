import AudioGraph
import SoundAnalysis
import Testing

/// What each preset makes of a voice, in figures: those of Documentation/build/effects.md.
@Suite("Voice characters")
struct VoiceCharacterTests {
    /// Pitch and formants of the changed voice over those of the voice.
    struct Character: CustomStringConvertible {
        let preset: VoicePreset
        let pitch: Double
        let formants: Double
        var description: String { "\(preset)" }
    }

    static let characters = [
        Character(preset: .naughtyKid, pitch: 1.5, formants: 1.3),
        Character(preset: .lolita, pitch: 1.8, formants: 1.17),
        Character(preset: .uncle, pitch: 0.75, formants: 0.85),
        Character(preset: .cold, pitch: 0.94, formants: 0.95),
        Character(preset: .indoorsman, pitch: 0.85, formants: 0.79),
    ]

    /// The middle one of the pitches of stretches of 85 ms.
    static func pitches(_ sound: [Float], upTo highest: Double = 900) -> [Double] {
        stride(from: 9_600, to: sound.count - 4_096, by: 2_400)
            .compactMap { Array(sound[$0..<$0 + 4_096]).pitch(in: 45...highest) }.sorted()
    }

    static func changed(_ preset: VoicePreset, _ voice: [Float]) -> [Float] {
        processed(voice, by: VoiceChanger(preset))
    }

    @Test("pitch moves as documented, for low and high voices", arguments: characters)
    func pitch(_ character: Character) {
        for pitch in [85.0, 120, 170, 240] {
            let found = Self.pitches(Self.changed(character.preset, GlottalVoice(pitch).samples(seconds: 0.6)))
            #expect(found.count >= 6)
            let ratio = found[found.count / 2] / pitch
            #expect(abs(ratio / character.pitch - 1) < 0.015, "\(character) of \(pitch) Hz: \(ratio)")
        }
    }

    @Test("formants move as documented, whatever the pitch does", arguments: characters)
    func formants(_ character: Character) throws {
        let voice = GlottalVoice(gliding: 110...118)
        let heard = Self.changed(character.preset, voice.samples(seconds: 0.8))
        let found = Array(heard[9_600...]).formants()
        // The third one: far from the others and, unlike the first, not drawn to single partials.
        let expected = voice.formants[2].frequency * character.formants
        let nearest = try #require(found.min { abs($0 - expected) < abs($1 - expected) })
        #expect(abs(nearest / expected - 1) < 0.05, "\(character): \(found), expected \(expected)")
        let unchanged = voice.formants[2].frequency
        if abs(character.formants - 1) > 0.1 { #expect(!found.contains { abs($0 / unchanged - 1) < 0.05 }) }
    }

    @Test("a steady voice stays clean: next to nothing beside its partials")
    func clean() {
        for pitch in [95.0, 150, 230] {
            let heard = Array(Self.changed(.uncle, GlottalVoice(pitch).samples(seconds: 0.9))[9_600..<42_368])
            let spectrum = Spectrum(of: heard, window: .blackmanHarris)
            let lowest = pitch * 0.75
            let partials = stride(from: lowest, to: 4_000, by: lowest).map { $0 }
            let beside = spectrum.level(without: partials, width: 24, upTo: 4_000)
            #expect(beside < spectrum.level(in: 40...4_000) - 55, "\(pitch) Hz: \(beside)")
        }
    }

    @Test("the pitch is found in a noisy room as well: 15 dB above the noise")
    func noisy() {
        for pitch in [95.0, 140, 210] {
            let voice = GlottalVoice(pitch).samples(seconds: 0.8)
            let noise = TestSounds.noise(amplitude: 0.15 * 1.732 * 0.178, seconds: 0.8, seed: 7)
            let found = Self.pitches(Self.changed(.uncle, zip(voice, noise).map { $0 + $1 }))
            #expect(found.count >= 8)
            #expect(found.dropFirst().dropLast().allSatisfy { abs($0 / pitch / 0.75 - 1) < 0.03 }, "\(pitch): \(found)")
        }
    }

    @Test("the pitch follows a voice that glides")
    func glide() {
        let heard = Self.changed(.naughtyKid, GlottalVoice(gliding: 100...200).samples(seconds: 1))
        for (time, voice) in [(0.3, 130.0), (0.5, 150), (0.7, 170)] {
            // Later by the latency; measured over 60 ms.
            let middle = Int(time * 48_000) + VoiceChangerTests.latency
            let found = Array(heard[middle - 1_440..<middle + 1_440]).pitch(in: 100...500)
            #expect(abs((found ?? 0) / (voice * 1.5) - 1) < 0.03, "at \(time) s: \(found ?? 0)")
        }
    }

    /// Every preset's print of a voice and of noise: long-term spectrum, and how levels move within it.
    static let prints: [(preset: VoicePreset, prints: [SoundPrint])] = {
        let voice = GlottalVoice(gliding: 130...150).samples(seconds: 1)
        let noise = TestSounds.noise(amplitude: 0.3, seconds: 0.5, seed: 3)
        return VoicePreset.allCases.map { preset in
            (
                preset,
                [
                    SoundPrint(changed(preset, voice), stretches: [0.2..<0.4, 0.4..<0.6, 0.6..<0.8, 0.8..<1]),
                    SoundPrint(changed(preset, noise), stretches: [0.1..<0.3, 0.3..<0.5]),
                ]
            )
        }
    }()

    @Test("V15-K every two changed voices differ measurably")
    func different() {
        for (index, one) in Self.prints.enumerated() {
            for other in Self.prints[..<index] {
                let distance = one.prints[0].distance(to: other.prints[0])
                #expect(distance > 3, "\(one.preset) and \(other.preset): \(distance) dB")
            }
        }
        let again = Self.changed(.uncle, GlottalVoice(gliding: 130...150).samples(seconds: 1))
        let print = SoundPrint(again, stretches: [0.2..<0.4, 0.4..<0.6, 0.6..<0.8, 0.8..<1])
        #expect(print.distance(to: Self.prints[3].prints[0]) == 0)
    }

    @Test("a whisper is coloured as well: every preset changes noise", arguments: VoiceChangerTests.voices)
    func whisper(_ preset: VoicePreset) {
        let distance = Self.prints[Int(preset.rawValue)].prints[1].distance(to: Self.prints[0].prints[1])
        #expect(distance > 1, "\(preset): \(distance) dB")
    }

    @Test("brightness moves as the character says")
    func brightness() throws {
        let voice = GlottalVoice(140).samples(seconds: 0.7)
        let plain = try #require(Spectrum(of: Array(voice[9_600...])).centroid())
        func ratio(_ preset: VoicePreset) throws -> Double {
            try #require(Spectrum(of: Array(Self.changed(preset, voice)[9_600...])).centroid()) / plain
        }
        for preset in [VoicePreset.naughtyKid, .lolita, .heavyMetal, .ethereal] {
            #expect(try ratio(preset) > 1.15, "\(preset)")
        }
        for preset in [VoicePreset.uncle, .cold, .trappedBeast, .indoorsman] {
            #expect(try ratio(preset) < 0.85, "\(preset)")
        }
    }

    @Test("a foreign accent wanders irregularly over more than five semitones")
    func accent() {
        let found = Self.pitches(Self.changed(.foreignAccent, GlottalVoice(150).samples(seconds: 3)), upTo: 300)
        #expect(found.count > 30)
        #expect(found[found.count * 9 / 10] / found[found.count / 10] > 1.33)
        // Five semitones to either side of 1.06.
        #expect(found.allSatisfy { (0.77...1.44).contains($0 / 150) }, "\(found)")
    }

    @Test("a machine speaks at 82 Hz whatever the voice does")
    func machine() {
        for voice in [GlottalVoice(gliding: 110...130), GlottalVoice(gliding: 180...220)] {
            let heard = Self.changed(.heavyMachinery, voice.samples(seconds: 1))
            let spectrum = Spectrum(of: Array(heard[9_600...]), window: .blackmanHarris)
            let partials = spectrum.level(in: 6 * 82 - 4...6 * 82 + 4)
            #expect(partials > spectrum.level(in: 6.5 * 82 - 4...6.5 * 82 + 4) + 6)
        }
    }

    @Test("a beast growls: half the changed pitch is there as well")
    func growl() {
        let heard = Array(Self.changed(.trappedBeast, GlottalVoice(200).samples(seconds: 1))[9_600...])
        let spectrum = Spectrum(of: heard, window: .blackmanHarris)
        // Odd multiples of half the pitch: those that the growl alone makes.
        func level(_ multiple: Double) -> Double {
            spectrum.level(in: 200 * 0.56 * multiple - 12...200 * 0.56 * multiple + 12)
        }
        #expect(level(2.5) > level(2.25) + 3)
        #expect(level(1) > level(1.25) + 6)
    }

    @Test("a strong current chops the voice a hundred times a second")
    func current() {
        let noise = TestSounds.noise(amplitude: 0.3, seconds: 1, seed: 8)
        let heard = Array(Self.changed(.strongCurrent, noise)[9_600..<38_400])
        // All periods of 10 ms laid over one another, in eight parts.
        let parts = (0..<8).map { part in
            stride(from: part * 60, to: heard.count, by: 480).flatMap { heard[$0..<$0 + 60] }.level
        }
        #expect((parts.max() ?? 0) > (parts.min() ?? 0) + 8, "\(parts)")
    }

    @Test("a cold takes away what lies about 1 kHz and the brilliance")
    func cold() {
        let noise = TestSounds.noise(amplitude: 0.3, seconds: 0.6, seed: 6)
        func level(_ preset: VoicePreset, _ band: ClosedRange<Double>) -> Double {
            let spectrum = Spectrum(of: Array(Self.changed(preset, noise)[4_800...]))
            return spectrum.level(in: band) - spectrum.level(in: 250...350)
        }
        #expect(level(.cold, 900...1_100) < level(.off, 900...1_100) - 15)
        #expect(level(.cold, 5_000...8_000) < level(.off, 5_000...8_000) - 20)
    }

    @Test("the ethereal voice has an octave above and echoes after 210 ms")
    func ethereal() {
        let tone = TestSounds.sine(600, amplitude: 0.3, seconds: 0.6)
        let spectrum = Spectrum(of: Array(Self.changed(.ethereal, tone)[9_600...]))
        #expect(spectrum.level(in: 1_150...1_400) > spectrum.level(in: 500...800) - 20)
        let voice = GlottalVoice(200).samples(seconds: 0.1) + [Float](repeating: 0, count: 24_000)
        let heard = Self.changed(.ethereal, voice)
        // Begins at 32 ms, first echo at 242 ms: between voice and echo it is softer than in the echo.
        let levels = heard.levels(every: 480)
        #expect(levels[28] > levels[22] + 6, "\(levels)")
    }
}
