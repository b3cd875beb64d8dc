import AudioGraph
import SoundAnalysis
import Testing

/// What a singer hears of each preset, in figures: those of Documentation/build/effects.md.
@Suite("Reverb characters")
struct ReverbCharacterTests {
    /// Seconds in which the octaves around 250 Hz, 1 kHz and 4 kHz decay by 60 dB.
    struct Decay: CustomStringConvertible {
        let preset: ReverbPreset
        let low: ClosedRange<Double>
        let middle: ClosedRange<Double>
        let high: ClosedRange<Double>
        var description: String { "\(preset)" }
    }

    static let decays = [
        Decay(preset: .ktv, low: 1.5...2.1, middle: 1.3...1.9, high: 1.0...1.6),
        Decay(preset: .smallRoom, low: 0.3...0.5, middle: 0.3...0.5, high: 0.2...0.4),
        Decay(preset: .greatHall, low: 2.6...3.4, middle: 2.5...3.3, high: 1.5...2.2),
        Decay(preset: .deep, low: 1.7...2.3, middle: 1.0...1.5, high: 0.5...1.0),
        Decay(preset: .loud, low: 0.9...1.3, middle: 0.9...1.3, high: 0.8...1.2),
        Decay(preset: .metallic, low: 0.6...1.1, middle: 0.7...1.2, high: 0.6...1.1),
        Decay(preset: .magnetic, low: 0.6...1.0, middle: 0.5...0.9, high: 0.4...0.7),
        Decay(preset: .ethereal, low: 4.5...6.0, middle: 4.5...6.0, high: 3.8...5.2),
        Decay(preset: .studio, low: 0.5...0.9, middle: 0.5...0.9, high: 0.4...0.8),
        Decay(preset: .melodious, low: 1.9...2.6, middle: 1.9...2.6, high: 1.6...2.3),
    ]

    /// What a click of 0.8 leaves behind.
    static func response(_ preset: ReverbPreset, seconds: Double) -> [Float] {
        var impulse = [Float](repeating: 0, count: Int(seconds * 48_000))
        impulse[0] = 0.8
        return processed(impulse, by: Reverb(preset), blocks: [960])
    }

    private static func octave(_ sound: [Float], around frequency: Double) -> [Float] {
        let steep = [0, 1].map { _ in Biquad(.bandPass(frequency, q: 1.41), channels: 1) }
        return steep.reduce(sound) { processed($0, by: $1) }
    }

    @Test("every room rings as long as documented, low, middle and high", arguments: decays)
    func decay(_ expected: Decay) throws {
        let response = Self.response(expected.preset, seconds: expected.middle.upperBound * 1.2 + 0.5)
        for (frequency, range) in [(250.0, expected.low), (1_000, expected.middle), (4_000, expected.high)] {
            // From 50 ms on: the click itself and the first reflections are not the tail.
            let tail = Array(Self.octave(response, around: frequency)[2_400...])
            let seconds = try #require(tail.reverberationTime(range: 30))
            #expect(range.contains(seconds), "\(expected) at \(frequency) Hz: \(seconds) s")
        }
    }

    /// Every preset's print of a click, of a voice that stops and of noise that stops.
    static let prints: [(preset: ReverbPreset, prints: [SoundPrint])] = {
        let silence = [Float](repeating: 0, count: 48_000)
        let voice = GlottalVoice(140).samples(seconds: 0.6) + silence
        let noise = TestSounds.noise(amplitude: 0.3, seconds: 0.4, seed: 3) + silence
        return ReverbPreset.allCases.map { preset in
            let click = response(preset, seconds: 1.2)
            return (
                preset,
                [
                    SoundPrint(click, stretches: [0..<0.03, 0.03..<0.08, 0.08..<0.2, 0.2..<0.5, 0.5..<1.1]),
                    SoundPrint(
                        processed(voice, by: Reverb(preset)), stretches: [0.3..<0.6, 0.6..<0.7, 0.7..<0.9, 0.9..<1.5]),
                    SoundPrint(
                        processed(noise, by: Reverb(preset)), stretches: [0.2..<0.4, 0.4..<0.5, 0.5..<0.7, 0.7..<1.3]),
                ]
            )
        }
    }()

    @Test("V15-K every two voice reverbs differ measurably, on a click, on a voice and on noise")
    func different() {
        var closest = Double.infinity
        for (index, one) in Self.prints.enumerated() {
            for other in Self.prints[..<index] {
                for (sound, pair) in zip(["click", "voice", "noise"], zip(one.prints, other.prints)) {
                    let distance = pair.0.distance(to: pair.1)
                    closest = min(closest, distance)
                    #expect(distance > 2.5, "\(one.preset) and \(other.preset) on a \(sound): \(distance) dB")
                }
            }
        }
        // The measure does not find differences where there are none.
        let again = SoundPrint(
            Self.response(.ktv, seconds: 1.2), stretches: [0..<0.03, 0.03..<0.08, 0.08..<0.2, 0.2..<0.5, 0.5..<1.1])
        #expect(again.distance(to: Self.prints[1].prints[0]) == 0)
        #expect(closest < 30)
    }

    @Test("ktv repeats the voice after 165 ms, softer after 330 ms")
    func slap() {
        // Short enough to see the repeats between the rest of the room.
        let click = Self.response(.ktv, seconds: 0.4)
        func energy(_ milliseconds: Int) -> Double {
            Array(click[(milliseconds - 2) * 48..<(milliseconds + 4) * 48]).level
        }
        #expect(energy(165) > energy(150) + 6)
        #expect(energy(165) > energy(185) + 6)
        #expect(energy(330) < energy(165) - 3)
    }

    @Test("deep lifts the bass and loud the treble of the voice itself")
    func tilt() {
        let noise = TestSounds.noise(amplitude: 0.2, seconds: 1, seed: 4)
        func tilt(_ preset: ReverbPreset) -> Double {
            let spectrum = Spectrum(of: processed(noise, by: Reverb(preset)))
            return spectrum.level(in: 60...200) - spectrum.level(in: 5_000...12_000)
        }
        #expect(tilt(.deep) > tilt(.off) + 10)
        #expect(tilt(.loud) < tilt(.off) - 5)
    }

    @Test("loud presses the voice together: soft passages come out louder, by more than loud ones")
    func pressed() {
        func gain(_ level: Double) -> Double {
            let voice = GlottalVoice(140).samples(seconds: 0.8, level: level)
            return processed(voice, by: Reverb(.loud)).suffix(19_200).level - voice.suffix(19_200).level
        }
        #expect(gain(0.01) > gain(0.25) + 4)
    }

    @Test("metallic rings at 287 Hz and its inharmonic partials whatever goes in")
    func ringing() {
        let tail = Array(Self.response(.metallic, seconds: 0.8)[4_800...])
        let spectrum = Spectrum(of: tail, window: .blackmanHarris)
        for partial in [1, 1.51, 2.13, 2.83] {
            // The other side rings 1.3 % higher.
            let pitch = 287 * partial
            let here = spectrum.level(in: pitch * 0.99...pitch * 1.023)
            let below = spectrum.level(in: pitch * 0.94...pitch * 0.973)
            #expect(here > below + 8, "partial \(partial): \(here) and \(below) dB")
        }
    }

    @Test("magnetic adds the odd harmonics of tape to a loud tone; studio adds none")
    func saturation() {
        let tone = TestSounds.sine(200, amplitude: 0.4, seconds: 0.5)
        func third(_ preset: ReverbPreset) -> Double {
            let spectrum = Spectrum(of: Array(processed(tone, by: Reverb(preset))[4_800...]), window: .blackmanHarris)
            return spectrum.level(ofToneAt: 600) - spectrum.level(ofToneAt: 200)
        }
        #expect(third(.magnetic) > -40)
        #expect(third(.magnetic) < -12)
        #expect(third(.studio) < -50)
    }

    @Test("the tail of ethereal shimmers an octave above the voice")
    func shimmer() {
        let tone = TestSounds.sine(500, amplitude: 0.4, seconds: 1) + [Float](repeating: 0, count: 48_000)
        func octave(_ preset: ReverbPreset) -> Double {
            let tail = Array(processed(tone, by: Reverb(preset))[52_000...])
            let spectrum = Spectrum(of: tail)
            return spectrum.level(in: 950...1_050) - spectrum.level(in: 450...550)
        }
        #expect(octave(.ethereal) > -16)
        #expect(octave(.greatHall) < -30)
    }

    @Test("melodious sways: the pitch of a steady tone is spread, in a hall it stays")
    func sway() {
        let tone = TestSounds.sine(1_000, amplitude: 0.3, seconds: 2.5)
        func spread(_ preset: ReverbPreset) -> Double {
            let heard = Array(processed(tone, by: Reverb(preset))[48_000...])
            let spectrum = Spectrum(of: heard, window: .blackmanHarris)
            return spectrum.level(without: [1_000], width: 3, upTo: 2_000) - spectrum.level(in: 900...1_100)
        }
        #expect(spread(.melodious) > spread(.studio) + 6, "\(spread(.melodious)) \(spread(.studio))")
    }
}
