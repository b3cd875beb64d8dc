import AudioGraph
import CAllocationCount
import Testing

/// Allocations of this thread while `work` runs.
func allocations(during work: () -> Void) -> UInt64 {
    let before = allocation_count()
    work()
    return allocation_count() - before
}

/// What runs on a device's thread takes no memory once it has run: a lock inside the allocator is a gap in the sound.
@Suite("Allocations", .enabled(if: allocation_count_is_available()))
struct AllocationTests {
    private final class Something { var number = 0 }

    @Test("the instrument sees arrays, objects and single pointers, and nothing where there is nothing")
    func instrument() {
        var kept: [AnyObject] = []
        kept.reserveCapacity(8)
        #expect(allocations { kept.append(Something()) } >= 1)
        var array: [Float] = []
        #expect(allocations { array = [Float](repeating: 1, count: 480) } >= 1)
        var sum: Float = 0
        #expect(allocations { for index in 0..<480 { sum += array[index] } } == 0)
        #expect(allocations { for _ in 0..<480 { array.append(sum) } } >= 1)
        #expect(allocations { UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64).deallocate() } == 1)
        #expect(kept.count == 1 && sum == 480)
    }

    struct Processor: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable () -> any AudioProcessor
        var testDescription: String { name }
    }

    static let processors: [Processor] = [
        Processor(name: "gain") { Gain(0.5) },
        Processor(name: "biquad") { Biquad(.peak(1_000, q: 1, gain: 6), channels: 2) },
        Processor(name: "limiter") { Limiter(channels: 2) },
        Processor(name: "limiter without look-ahead") { Limiter(channels: 2, lookAhead: 0) },
        Processor(name: "pitch up") { PitchShifter(channels: 2, semitones: 7) },
        Processor(name: "pitch down, music") { PitchShifter(channels: 2, semitones: -12, use: .music) },
        Processor(name: "pitch at rest") { PitchShifter(channels: 2) },
    ]
    static let effects = ReverbPreset.allCases.map { preset in Processor(name: "reverb \(preset)") { Reverb(preset) } }

    @Test("no processor takes memory for a block, whatever its length", arguments: processors + effects)
    func processing(processor: Processor) {
        let effect = processor.make()
        let noise = NoiseSource(seed: 1, amplitude: 2)
        let block = AudioBuffer(channels: 2, capacity: maximumBlockFrames)
        let lengths = [480, 960, 1, 117]
        func run(_ blocks: Int) {
            for turn in 0..<blocks {
                block.frameCount = lengths[turn & 3]
                noise.render(into: block)
                effect.process(block)
                if turn == blocks / 2 { effect.reset() }
            }
        }
        run(20)  // What is made once, at first use.
        #expect(allocations { run(80) } == 0)
    }

    @Test("settings change without memory")
    func settings() {
        let gain = Gain()
        let pitch = PitchShifter(channels: 2)
        let filter = Biquad(.identity, channels: 2)
        let block = AudioBuffer(channels: 2, capacity: 480)
        func run(_ turn: Int) {
            gain.target = turn & 1 == 0 ? 0.2 : 1
            pitch.semitones = Double(turn % 25 - 12)
            filter.coefficients = .lowShelf(Double(100 + turn), gain: 3)
            gain.process(block)
            pitch.process(block)
            filter.process(block)
        }
        run(0)
        run(13)
        #expect(allocations { for turn in 0..<60 { run(turn) } } == 0)
    }

    @Test("sources, meter and mixing take no memory")
    func sources() {
        let (tone, noise) = (ToneSource(frequency: 440), NoiseSource(seed: 3))
        let (stereo, mono) = (AudioBuffer(channels: 2, capacity: 480), AudioBuffer(channels: 1, capacity: 480))
        var meter = LevelMeter()
        func run(_ turn: Int) {
            tone.frequency = Double(300 + turn)
            tone.render(into: stereo)
            noise.render(into: mono)
            stereo.add(mono, gain: 0.5)
            mono.copy(from: stereo)
            meter.measure(stereo)
        }
        run(0)
        #expect(allocations { for turn in 1..<40 { run(turn) } } == 0)
        #expect(meter.loudness > 0)
    }

    @Test("resampler and time stretch take no memory, with settings that change")
    func streams() {
        let files = Resampler(channels: 2, from: 44_100, to: 48_000)
        let drift = Resampler(channels: 2, ratio: 1, quality: .live)
        let stretch = TimeStretch(channels: 2)
        let noise = NoiseSource(seed: 3)
        let (input, output) = (AudioBuffer(channels: 2, capacity: 960), AudioBuffer(channels: 2, capacity: 480))
        func convert(_ resampler: Resampler) {
            input.frameCount = resampler.inputNeeded(for: 480)
            noise.render(into: input)
            _ = resampler.push(input)
            _ = resampler.pull(output)
        }
        func run(_ turn: Int) {
            drift.correction = Double(turn % 7 - 3) * 300
            stretch.speed = 0.5 + Double(turn % 16) * 0.1
            convert(files)
            convert(drift)
            var needed = stretch.inputNeeded(for: 480)
            while needed > 0 {
                input.frameCount = min(960, needed)
                noise.render(into: input)
                needed -= stretch.push(input)
            }
            _ = stretch.pull(output)
        }
        for turn in 0..<20 { run(turn) }
        #expect(allocations { for turn in 0..<80 { run(turn) } } == 0)
    }
}
