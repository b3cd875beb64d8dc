import AudioGraph
import SoundAnalysis
import Testing

@Suite("Resampler")
struct ResamplerTests {
    /// The whole of a sound through a resampler, in blocks of these lengths.
    private func resampled(
        _ sound: [[Float]], by resampler: Resampler, push: [Int] = [480], pull: [Int] = [480]
    ) -> [[Float]] {
        var result = [[Float]](repeating: [], count: sound.count)
        let output = AudioBuffer(channels: sound.count, capacity: maximumBlockFrames)
        var (start, turn) = (0, 0)
        while start < sound[0].count {
            let end = min(sound[0].count, start + push[turn % push.count])
            let input = AudioBuffer(channels: sound.count, capacity: end - start)
            for channel in sound.indices { _ = input[channel].update(fromContentsOf: sound[channel][start..<end]) }
            #expect(resampler.push(input) == end - start)
            repeat {
                output.frameCount = min(pull[turn % pull.count], max(1, resampler.available))
                output.frameCount = resampler.pull(output)
                for channel in sound.indices { result[channel] += output[channel] }
            } while resampler.available > 0
            start = end
            turn += 1
        }
        return result
    }

    struct Rates: CustomTestStringConvertible {
        let (input, output): (Int, Int)
        var testDescription: String { "\(input) → \(output)" }
        static let all = [
            (44_100, 48_000), (48_000, 44_100), (48_000, 16_000), (16_000, 48_000), (96_000, 48_000), (32_000, 44_100),
        ]
        .map { Rates(input: $0.0, output: $0.1) }
    }

    @Test(
        "up to 0.9 of the lower Nyquist frequency tones keep their level within 0.1 dB and get no company above −80 dB",
        arguments: Rates.all)
    func passBand(rates: Rates) throws {
        let nyquist = Double(min(rates.input, rates.output)) / 2
        for share in [0.02, 0.3, 0.61, 0.9] {
            let frequency = share * nyquist
            let tone = TestSounds.sine(frequency, amplitude: 0.5, seconds: 0.25, rate: Double(rates.input))
            let resampler = Resampler(channels: 1, from: rates.input, to: rates.output)
            let output = resampled([tone], by: resampler)[0].dropFirst(500)
            let spectrum = Spectrum(of: Array(output), rate: Double(rates.output), window: .blackmanHarris)
            #expect(abs(spectrum.level(ofToneAt: frequency) - -9.03) < 0.1, "\(frequency) Hz")
            #expect(abs(try #require(spectrum.dominantFrequency(in: 20...Double(rates.output) / 2)) - frequency) < 0.2)
            #expect(spectrum.level(without: [frequency], width: 60) < -9 - 80, "\(frequency) Hz")
        }
    }

    @Test("what the new rate cannot hold is gone: −80 dB", arguments: [8_000.0, 8_200, 11_000, 15_990, 20_000])
    func aliasing(frequency: Double) {
        let tone = TestSounds.sine(frequency, amplitude: 0.5, seconds: 0.25)
        let output = resampled([tone], by: Resampler(channels: 1, from: 48_000, to: 16_000))[0].dropFirst(200)
        #expect(Array(output.dropLast(200)).level < -9 - 80)
    }

    @Test(
        "the quick kernel: even up to 20 kHz, mirrors below −80 dB, 16 frames ahead", arguments: [500.0, 9_000, 20_000])
    func live(frequency: Double) {
        let resampler = Resampler(channels: 1, ratio: 1, quality: .live)
        #expect(resampler.latencyFrames == 16)
        resampler.correction = 870
        let tone = TestSounds.sine(frequency, amplitude: 0.5, seconds: 0.25)
        let spectrum = Spectrum(of: Array(resampled([tone], by: resampler)[0].dropFirst(100)), window: .blackmanHarris)
        #expect(abs(spectrum.level(ofToneAt: frequency * 1.00087) - -9.03) < 0.1)
        #expect(spectrum.level(without: [frequency * 1.00087], width: 60) < -89)
    }

    @Test(
        "input and output are counted exactly: as much as was said is enough, one less is not",
        arguments: [1, 2, 3] as [UInt64])
    func accounting(seed: UInt64) {
        for ratio in [0.91875, 1, 1.088_435, 3] {
            let resampler = Resampler(channels: 1, ratio: ratio)
            var random = NoiseSequence(seed: seed)
            var (pushed, pulled) = (0, 0)
            for _ in 0..<60 {
                resampler.correction = Double(random.next(-1_000...1_000))
                let wanted = random.next(1...960)
                let needed = resampler.inputNeeded(for: wanted)
                if needed > 1 {
                    pushed += resampler.push(AudioBuffer(channels: 1, capacity: needed - 1))
                    #expect(resampler.available < wanted, "seed \(seed)")
                    #expect(resampler.inputNeeded(for: wanted) == 1)
                }
                if needed > 0 { pushed += resampler.push(AudioBuffer(channels: 1, capacity: 1)) }
                #expect(resampler.inputNeeded(for: wanted) == 0)
                #expect(resampler.available >= wanted)
                let output = AudioBuffer(channels: 1, capacity: wanted)
                #expect(resampler.pull(output) == wanted, "seed \(seed)")
                pulled += wanted
                #expect(resampler.position <= Double(pushed))
            }
            #expect(abs(resampler.position - Double(pulled) * ratio) < Double(pulled) * ratio * 0.001 + 1)
        }
    }

    @Test("without a correction minutes are counted to the frame")
    func minutes() {
        let resampler = Resampler(channels: 1, from: 44_100, to: 48_000)
        for seconds in [1, 60, 170] {
            // The last frame lies a ratio before the end; the kernel reaches beyond it.
            let last = (Double(seconds * 48_000 - 1) * 0.91875).rounded(.down)
            #expect(resampler.inputNeeded(for: seconds * 48_000) == Int(last) + 1 + resampler.latencyFrames)
        }
    }

    @Test("nothing is late: the output lies where the input was")
    func alignment() {
        let sound = TestSounds.sweep(from: 100, to: 15_000, seconds: 0.3)
        for quality in [Resampler.Quality.full, .live] {
            let output = resampled([sound], by: Resampler(channels: 1, ratio: 1, quality: quality))[0]
            let found = output.delay(after: sound, maximum: 200)
            #expect(abs(found.frames) < 0.01)
            #expect(found.correlation > 0.995)
        }
    }

    @Test(
        "a correction that swings by 1,000 ppm moves the pitch and nothing else",
        arguments: [Resampler.Quality.full, .live])
    func drift(quality: Resampler.Quality) throws {
        let resampler = Resampler(channels: 1, ratio: 1, quality: quality)
        let tone = TestSounds.sine(1_000, amplitude: 0.5, seconds: 1)
        var output: [Float] = []
        for (turn, start) in stride(from: 0, to: tone.count, by: 480).enumerated() {
            // Whole jumps, the worst that a control loop does.
            resampler.correction = [1_000, -1_000, 300, 0][turn / 4 % 4]
            output += resampled([Array(tone[start..<start + 480])], by: resampler)[0]
        }
        output.removeFirst(64)
        #expect(output.clicks().isEmpty)
        #expect(output.largestJump <= 0.5 * 2 * .pi * 1_001 / 48_000)
        #expect(output.levels(every: 480).allSatisfy { abs($0 - -9.03) < 0.02 })
        resampler.correction = 1_000
        let faster = resampled([tone], by: resampler)[0]
        let frequency = try #require(Spectrum(of: Array(faster.dropFirst(200))).dominantFrequency())
        #expect(abs(frequency - 1_001) < 0.1)
    }

    @Test("channels keep apart, blocks of any length give the same, and a reset begins anew")
    func blocks() {
        let (left, right) = (TestSounds.noise(seconds: 0.1, seed: 1), TestSounds.noise(seconds: 0.1, seed: 2))
        let stereo = Resampler(channels: 2, from: 48_000, to: 44_100)
        let whole = resampled([left, right], by: stereo)
        let pieces = Resampler(channels: 1, from: 48_000, to: 44_100)
        #expect(whole[0] == resampled([left], by: pieces, push: [1, 960, 13], pull: [7, 300])[0])
        pieces.reset()
        #expect(whole[1] == resampled([right], by: pieces, push: [333], pull: [960, 1])[0])
    }

    @Test("too little input gives silence behind the sound, too much is refused")
    func limits() {
        let resampler = Resampler(channels: 1, ratio: 1, quality: .live, pending: 1_000)
        let output = AudioBuffer([Float](repeating: 9, count: 480))
        #expect(resampler.pull(output) == 0)
        #expect(output[0].allSatisfy { $0 == 0 })
        let input = AudioBuffer([Float](repeating: 0.5, count: 1_500))
        let taken = resampler.push(input)
        #expect((1_000..<1_100).contains(taken))
        #expect(resampler.push(input, from: taken) == 0)
        #expect(resampler.available == taken - resampler.latencyFrames)
    }
}

/// Whole numbers that are the same for a seed.
struct NoiseSequence {
    private let source: NoiseSource
    init(seed: UInt64) { source = NoiseSource(seed: seed) }
    mutating func next(_ range: ClosedRange<Int>) -> Int {
        let share = Double(source.next() + 1) / 2
        return range.lowerBound + min(range.count - 1, Int(share * Double(range.count)))
    }
}
