import AudioGraph
import SoundAnalysis
import Testing

@Suite("Tone and noise")
struct SourceTests {
    private func rendered(_ seconds: Double, block: Int = 480, channels: Int = 1, _ render: (AudioBuffer) -> Void)
        -> [[Float]]
    {
        let buffer = AudioBuffer(channels: channels, capacity: block)
        var sound = [[Float]](repeating: [], count: channels)
        while sound[0].count < Int(seconds * 48_000) {
            render(buffer)
            for channel in 0..<channels { sound[channel] += buffer[channel] }
        }
        return sound
    }

    @Test(
        "a tone has its frequency and amplitude, and no seam between blocks", arguments: [27.5, 440, 997.3, 19_000],
        [1, 117, 480])
    func tone(frequency: Double, block: Int) throws {
        let source = ToneSource(frequency: frequency, amplitude: 0.7)
        let sound = rendered(0.5, block: block, channels: 2) { source.render(into: $0) }
        #expect(sound[0] == sound[1])
        let expected = TestSounds.sine(frequency, amplitude: 0.7, seconds: 0.5)
        #expect(zip(sound[0], expected).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test("frequency and amplitude change without a click")
    func changes() throws {
        let source = ToneSource(frequency: 300, amplitude: 0.2)
        var sound = rendered(0.1) { source.render(into: $0) }[0]
        source.frequency = 731
        source.amplitude = 0.6
        sound += rendered(0.1) { source.render(into: $0) }[0]
        #expect(sound.clicks().isEmpty)
        let end = Array(sound.suffix(4_000))
        #expect(abs(try #require(Spectrum(of: end).dominantFrequency()) - 731) < 1)
        #expect(abs(end.level - decibels(0.18)) < 0.1)
        source.reset()
        #expect(rendered(0.01) { source.render(into: $0) }[0][0] == 0)
    }

    @Test("noise is white, the same for a seed, and each channel its own")
    func noise() {
        let (one, same, other) = (NoiseSource(seed: 4), NoiseSource(seed: 4), NoiseSource(seed: 5))
        let sound = rendered(0.3, channels: 2) { one.render(into: $0) }
        #expect(sound == rendered(0.3, channels: 2) { same.render(into: $0) })
        #expect(sound != rendered(0.3, channels: 2) { other.render(into: $0) })
        #expect(abs(sound[0].delay(after: sound[1], maximum: 1_000).correlation) < 0.05)
        #expect(abs(sound[0].level - decibels(0.25 / 3)) < 0.15)
        #expect(abs((Spectrum(of: sound[0]).centroid() ?? 0) - 10_010) < 400)
        one.reset()
        #expect(rendered(0.3, channels: 2) { one.render(into: $0) } == sound)
    }
}
