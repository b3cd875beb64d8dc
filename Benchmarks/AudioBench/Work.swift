import AudioGraph

/// One thing whose time is taken: `run` makes 10 ms of stereo sound.
struct Work {
    /// 10 ms.
    static let frames = 480

    let name: String
    let run: () -> Void

    /// A processor in a loop over some seconds of sound.
    static func processing(_ name: String, gain: Float = 1, _ processor: any AudioProcessor) -> Work {
        let sound = Material(gain: gain)
        let block = AudioBuffer(channels: 2, capacity: frames)
        return Work(name: name) {
            sound.next(into: block)
            processor.process(block)
        }
    }

    static func all() -> [Work] { basics() + streams() + effects() }

    private static func basics() -> [Work] {
        let tone = ToneSource(frequency: 440)
        let tonal = AudioBuffer(channels: 2, capacity: frames)
        let source = Material(gain: 1)
        let metered = AudioBuffer(channels: 2, capacity: frames)
        var meter = LevelMeter()
        let voices = (0..<8).map { _ in AudioBuffer(channels: 1, capacity: frames) }
        let mix = AudioBuffer(channels: 2, capacity: frames)
        let moving = Gain()
        let moved = AudioBuffer(channels: 2, capacity: frames)
        return [
            Work(name: "nothing (copying the input)") { source.next(into: metered) },
            Work(name: "tone") { tone.render(into: tonal) },
            Work(name: "mix of 8 mono voices") {
                mix.clear()
                for voice in voices { mix.add(voice, gain: 0.5) }
            },
            Work(name: "level meter") {
                source.next(into: metered)
                meter.measure(metered)
            },
            Work(name: "gain, moving") {
                source.next(into: moved)
                moving.target = moving.target == 1 ? 0.5 : 1
                moving.process(moved)
            },
            processing("biquad", Biquad(.peak(2_000, q: 1, gain: 6), channels: 2)),
            processing("limiter, below the threshold", Limiter(channels: 2)),
            processing("limiter, at work", gain: 4, Limiter(channels: 2)),
        ]
    }

    private static func streams() -> [Work] {
        [
            resampling("resampler 44.1 → 48 kHz, full", Resampler(channels: 2, from: 44_100, to: 48_000)),
            resampling("resampler 96 → 48 kHz, full", Resampler(channels: 2, from: 96_000, to: 48_000)),
            resampling(
                "drift control, live", Resampler(channels: 2, ratio: 1, quality: .live), correction: 137),
            stretching("time stretch, speed 0.5", 0.5),
            stretching("time stretch, speed 1.25", 1.25),
            stretching("time stretch, speed 2", 2),
        ]
    }

    private static func effects() -> [Work] {
        let shifts: [(Double, PitchShifter.Use)] = [(-12, .voice), (4, .voice), (12, .voice), (12, .music)]
        let pitches = shifts.map { semitones, use in
            processing(
                "pitch \(semitones > 0 ? "+" : "−")\(Int(semitones.magnitude)), \(use)",
                PitchShifter(channels: 2, semitones: semitones, use: use))
        }
        return pitches + ReverbPreset.allCases.map { processing("reverb, \($0)", Reverb($0)) }
            + VoicePreset.allCases.map { processing("voice, \($0)", VoiceChanger($0)) }
    }

    private static func resampling(_ name: String, _ resampler: Resampler, correction: Double = 0) -> Work {
        resampler.correction = correction
        let sound = Material(gain: 1)
        let input = AudioBuffer(channels: 2, capacity: 4 * frames)
        let output = AudioBuffer(channels: 2, capacity: frames)
        return Work(name: name) {
            input.frameCount = resampler.inputNeeded(for: frames)
            sound.next(into: input)
            precondition(resampler.push(input) == input.frameCount && resampler.pull(output) == frames)
        }
    }

    private static func stretching(_ name: String, _ speed: Double) -> Work {
        let stretch = TimeStretch(channels: 2, speed: speed)
        let sound = Material(gain: 1)
        let input = AudioBuffer(channels: 2, capacity: 24 * frames)
        let output = AudioBuffer(channels: 2, capacity: frames)
        return Work(name: name) {
            input.frameCount = stretch.inputNeeded(for: frames)
            sound.next(into: input)
            precondition(stretch.push(input) == input.frameCount && stretch.pull(output) == frames)
        }
    }
}

/// Four seconds of something like voice and music, again and again.
final class Material {
    private let sound = AudioBuffer(channels: 2, capacity: 4 * AudioRate.standard)
    private var position = 0

    init(gain: Float) {
        let noise = NoiseSource(seed: 1, amplitude: 0.05 * gain)
        noise.render(into: sound)
        let tone = AudioBuffer(channels: 2, capacity: 4 * AudioRate.standard)
        for (harmonic, amplitude) in [0.3, 0.15, 0.1, 0.05].enumerated() {
            ToneSource(frequency: 180 * Double(harmonic + 1), amplitude: Float(amplitude) * gain).render(into: tone)
            sound.add(tone)
        }
    }

    func next(into block: AudioBuffer) {
        if position + block.frameCount > sound.capacity { position = 0 }
        guard block.frameCount > 0 else { return }
        for channel in 0..<block.channels {
            block[channel].baseAddress.unsafelyUnwrapped.update(
                from: sound[channel].baseAddress.unsafelyUnwrapped + position, count: block.frameCount)
        }
        position += block.frameCount
    }
}
