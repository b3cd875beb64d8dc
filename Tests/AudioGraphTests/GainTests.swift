import AudioGraph
import SoundAnalysis
import Testing

@Suite("Gain")
struct GainTests {
    @Test(
        "a step in volume moves within 5 ms and never clicks",
        arguments: [(0.0, 1.0), (1, 0), (0.2, 1.5), (1, -1)] as [(Float, Float)])
    func step(from: Float, to: Float) {
        let tone = TestSounds.sine(400, amplitude: 0.5, seconds: 0.2)
        let gain = Gain(from)
        var sound = processed(Array(tone[..<4_830]), by: gain)
        gain.target = to
        sound += processed(Array(tone[4_830...]), by: gain, blocks: [37, 480])
        #expect(sound.clicks().isEmpty)
        // As fast as the tone at its loudest and the ramp (steepest in its middle) allow, not faster.
        let steepest = 0.5 * max(abs(from), abs(to)) * 2 * .pi * 400 / 48_000
        #expect(sound.largestJump <= steepest + 0.5 * abs(to - from) * .pi / 2 / Float(Gain.rampFrames))
        for (frame, sample) in sound.enumerated() where frame < 4_830 || frame >= 4_830 + Gain.rampFrames {
            #expect(sample == tone[frame] * (frame < 4_830 ? from : to))
        }
        // Nothing far from the tone: a step at once spreads to −50 dB.
        let spectrum = Spectrum(of: Array(sound[4_000..<6_000]), window: .blackmanHarris)
        #expect(spectrum.level(in: 4_000...24_000) < -85)
    }

    @Test("the same step without a ramp would be found")
    func instrument() {
        let tone = TestSounds.sine(400, amplitude: 0.5, seconds: 0.2)
        let sound = tone.enumerated().map { $0.offset < 4_830 ? $0.element : $0.element * 0.2 }
        #expect(!sound.clicks().isEmpty)
        #expect(Spectrum(of: Array(sound[4_000..<6_000]), window: .blackmanHarris).level(in: 4_000...24_000) > -75)
    }

    @Test("a new target in the middle of a ramp goes on from where the ramp is")
    func interrupted() {
        let gain = Gain(0)
        gain.target = 1
        let ones = [Float](repeating: 1, count: 100)
        var sound = processed(ones, by: gain)
        gain.target = 0.1
        sound += processed([Float](repeating: 1, count: 400), by: gain, blocks: [1, 9])
        #expect(sound.largestJump < 0.01)
        #expect(sound.last == 0.1)
        #expect(gain.current == 0.1)
    }

    @Test("at 1 nothing is touched, at 0 there is exact silence, after a reset the target holds at once")
    func exact() {
        let noise = TestSounds.noise(seconds: 0.02, seed: 11)
        let gain = Gain()
        #expect(processed(noise, by: gain) == noise)
        gain.target = 0
        gain.reset()
        #expect(processed(noise + [.nan], by: gain).allSatisfy { $0 == 0 })
    }
}
