internal import Glibc

/// What a preset does to the voice itself before any room answers: bass and treble, compression, saturation.
struct DirectSound {
    struct Settings {
        /// Below 220 Hz and above 3 kHz, in decibels; both shelves are gentle (first order).
        var bass: Float = 0
        var treble: Float = 0
        /// How hard the sound is driven into saturation; 0: not at all.
        var drive: Float = 0
        /// Compress what is louder than this many dBFS (peak); 0: nothing.
        var threshold: Float = 0
        /// Decibels in over decibels out above the threshold.
        var ratio: Float = 1
        /// Decibels, before the saturation.
        var gain: Float = 0
    }

    private static let bassStep = onePoleCoefficient(cutoff: 220)
    private static let trebleStep = onePoleCoefficient(cutoff: 3_000)
    /// The compressor follows a rise within about 3 ms and a fall within about 100 ms.
    private static let attack = onePoleCoefficient(cutoff: 50)
    private static let release = onePoleCoefficient(cutoff: 1.6)

    private var settings = Settings()
    /// What is below the bass corner and below the treble corner.
    private var low: Float = 0
    private var smooth: Float = 0
    private var bassGain: Float = 0
    private var trebleGain: Float = 0
    private var drive: Float = 0
    private var driveRelief: Float = 1
    private var gain: Float = 1
    private var envelope: Float = 0
    private var pressed: Float = 1
    private var slope: Float = 0

    mutating func configure(_ settings: Settings) {
        self.settings = settings
        bassGain = amplitude(decibels: settings.bass) - 1
        trebleGain = amplitude(decibels: settings.treble) - 1
        drive = settings.drive
        // Loud passages lose to the curve what quiet ones gain; a voice's usual level stays.
        driveRelief = drive > 0 ? 0.2 / saturate(0.2 * drive) : 1
        gain = amplitude(decibels: settings.gain)
        clear()
    }

    mutating func clear() {
        low = 0
        smooth = 0
        envelope = 0
        pressed = 1
        slope = 0
    }

    /// Sets out how the compressor moves during the next control period.
    mutating func move() {
        var target: Float = 1
        if settings.threshold < 0 {
            let over = 20 * log10(max(envelope, 1e-6)) - settings.threshold
            if over > 0 { target = amplitude(decibels: -over * (1 - 1 / settings.ratio)) }
        }
        slope = (target - pressed) / Float(controlPeriod)
    }

    /// In place; `count` is at most one control period.
    mutating func process(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
        let (bassGain, trebleGain, gain) = (bassGain, trebleGain, gain)
        let (bassStep, trebleStep) = (Self.bassStep, Self.trebleStep)
        let (attack, release) = (Self.attack, Self.release)
        let slope = slope
        var (low, smooth) = (low, smooth)
        var (envelope, pressed) = (envelope, pressed)
        var frame = 0
        while frame < count {
            var sample = sound[frame] + denormalGuard
            low += bassStep * (sample - low)
            sample += bassGain * low
            smooth += trebleStep * (sample - smooth)
            sample += trebleGain * (sample - smooth)
            let rise = abs(sample) - envelope
            envelope += (rise > 0 ? attack : release) * rise
            pressed += slope
            sound[frame] = sample * pressed * gain
            frame &+= 1
        }
        (self.low, self.smooth, self.envelope, self.pressed) = (low, smooth, envelope, pressed)
        guard drive > 0 else { return }
        frame = 0
        while frame < count {
            sound[frame] = saturate(sound[frame] * drive) * driveRelief
            frame &+= 1
        }
    }
}
