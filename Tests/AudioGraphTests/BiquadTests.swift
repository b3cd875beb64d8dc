import AudioGraph
import SoundAnalysis
import Testing

@Suite("Biquad")
struct BiquadTests {
    /// Gain in dB that the filter really has for a tone, measured after it has settled.
    private func measured(_ coefficients: BiquadCoefficients, at frequency: Double) -> Double {
        let tone = TestSounds.sine(frequency, amplitude: 0.25, seconds: 0.3)
        let output = processed(tone, by: Biquad(coefficients, channels: 1), blocks: [480, 111])
        return Array(output[4_800...]).level - Array(tone[4_800...]).level
    }

    @Test("low and high pass: −3 dB at the corner, 12 dB per octave beyond, nothing lost on the other side")
    func passes() {
        for corner in [80.0, 1_000, 6_000] {
            #expect(abs(measured(.lowPass(corner), at: corner) - -3.01) < 0.1, "\(corner)")
            #expect(abs(measured(.highPass(corner), at: corner) - -3.01) < 0.1, "\(corner)")
            #expect(abs(measured(.highPass(corner), at: corner / 4) - -24.1) < 1, "\(corner)")
            #expect(abs(measured(.highPass(corner), at: min(20_000, corner * 8))) < 0.1, "\(corner)")
        }
        #expect(abs(measured(.lowPass(500), at: 2_000) - -24.1) < 1)
        #expect(abs(measured(.lowPass(1_000), at: 100)) < 0.1)
    }

    @Test("bell and shelves lift and lower what they name by what they name", arguments: [-12.0, -3, 6, 15])
    func equaliser(gain: Double) {
        #expect(abs(measured(.peak(1_500, q: 1, gain: gain), at: 1_500) - gain) < 0.1)
        #expect(abs(measured(.peak(1_500, q: 2, gain: gain), at: 150)) < 0.3)
        #expect(abs(measured(.lowShelf(500, gain: gain), at: 40) - gain) < 0.2)
        #expect(abs(measured(.lowShelf(500, gain: gain), at: 500) - gain / 2) < 0.2)
        #expect(abs(measured(.lowShelf(500, gain: gain), at: 8_000)) < 0.2)
        #expect(abs(measured(.highShelf(3_000, gain: gain), at: 20_000) - gain) < 0.2)
        #expect(abs(measured(.highShelf(3_000, gain: gain), at: 200)) < 0.2)
    }

    @Test("band pass, notch and all-pass do what their names say")
    func others() {
        #expect(abs(measured(.bandPass(2_000, q: 4), at: 2_000)) < 0.05)
        #expect(abs(measured(.bandPass(2_000, q: 4), at: 2_265) - -3) < 0.3)
        #expect(measured(.notch(2_000, q: 4), at: 2_000) < -60)
        #expect(abs(measured(.notch(2_000, q: 4), at: 500)) < 0.1)
        for frequency in [100.0, 2_000, 9_000] { #expect(abs(measured(.allPass(2_000), at: frequency)) < 0.01) }
    }

    @Test("the gain that is calculated is the gain that is measured")
    func calculated() {
        let filters: [BiquadCoefficients] = [
            .lowPass(900, q: 2), .peak(700, q: 3, gain: 9), .highShelf(4_000, gain: -7),
        ]
        for filter in filters {
            for frequency in [150.0, 700, 1_300, 6_000] {
                let expected = decibels(amplitude: filter.gain(at: frequency))
                #expect(abs(measured(filter, at: frequency) - expected) < 0.05, "\(filter) at \(frequency) Hz")
            }
        }
    }

    @Test("a very low corner stays exact: no offset and no growth in 32 bits")
    func lowCorner() {
        let sound = TestSounds.noise(amplitude: 0.5, seconds: 0.5, seed: 3).map { $0 + 0.3 }
        let output = processed(sound, by: Biquad(.highPass(10), channels: 1))
        let rest = output[12_000...]
        #expect(abs(rest.reduce(0) { $0 + Double($1) } / Double(rest.count)) < 0.01)
        #expect(abs(rest.level - decibels(0.25 / 3)) < 0.2)
    }

    @Test("channels do not hear each other, the length of blocks does not matter, and a reset forgets")
    func channels() {
        let (left, right) = (TestSounds.noise(seconds: 0.05, seed: 1), TestSounds.noise(seconds: 0.05, seed: 2))
        let filter = Biquad(.lowPass(800), channels: 2)
        let both = processed([left, right], by: filter, blocks: [960])
        let alone = Biquad(.lowPass(800), channels: 1)
        #expect(both[0] == processed(left, by: alone, blocks: [7, 480, 1]))
        alone.reset()
        #expect(both[1] == processed(right, by: alone, blocks: [113]))
    }

    @Test("one sample that is no number does not stay")
    func recovers() {
        let filter = Biquad(.lowPass(800), channels: 1)
        _ = processed([0.1, .nan, .infinity, 0.1], by: filter)
        #expect(processed(TestSounds.sine(200, seconds: 0.05), by: filter).allSatisfy { $0.isFinite })
    }
}
