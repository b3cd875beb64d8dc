internal import Glibc

/// A delay that sways: short and fed back it is a flanger, longer and beside the sound itself a chorus, slow and slight
/// the wow of a tape.
struct ModulatedDelay: ~Copyable {
    struct Settings {
        /// Milliseconds in the middle and how far the delay sways to either side.
        var middle: Float = 0
        var sway: Float = 0
        /// Hertz.
        var rate: Float = 0.5
        /// −0.9…0.9.
        var feedback: Float = 0
        /// Share of the delayed sound, 0…1; the sound itself keeps the rest of the power.
        var mix: Float = 0
    }

    /// 2,048 frames are 42 ms.
    private static let capacity = 2_000
    private var line = DelayLine(frames: capacity)
    private var settings = Settings()
    private let startPhase: Float
    private var phase: Float
    private var delay: Float = 1
    private var slope: Float = 0
    private var direct: Float = 1
    private var delayed: Float = 0

    /// `phase` (0…1) sets the sides of a stereo pair apart.
    init(phase: Float) {
        startPhase = phase
        self.phase = phase
    }

    var isOn: Bool { settings.mix > 0 }

    mutating func configure(_ settings: Settings) {
        self.settings = settings
        // Equal power: the delayed sound is nearly uncorrelated with the sound itself.
        delayed = settings.mix.squareRoot()
        direct = (1 - settings.mix).squareRoot()
        clear()
    }

    mutating func clear() {
        line.clear()
        phase = startPhase
        delay = target
        slope = 0
    }

    private var target: Float {
        let milliseconds = settings.middle + settings.sway * sin(2 * .pi * phase)
        return max(1, min(Float(Self.capacity), frames(milliseconds: milliseconds)))
    }

    /// Sets out how the delay sways during the next control period.
    mutating func move() {
        guard isOn else { return }
        phase += settings.rate * Float(controlPeriod) / Float(AudioRate.standard)
        if phase >= 1 { phase -= 1 }
        slope = (target - delay) / Float(controlPeriod)
    }

    /// In place; `count` is at most one control period.
    mutating func process(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
        guard isOn else { return }
        let feedback = settings.feedback
        var frame = 0
        while frame < count {
            delay += slope
            let past = line.read(delay)
            let sample = sound[frame]
            line.write(sample + feedback * past + denormalGuard)
            sound[frame] = direct * sample + delayed * past
            frame &+= 1
        }
    }
}
