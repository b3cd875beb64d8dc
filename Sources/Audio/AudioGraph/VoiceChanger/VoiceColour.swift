internal import Glibc

/// What happens to a voice after its pitch and formants are changed, on one or two channels:
///
///     ring ── bands before ── drive ── bands ── tremolo ── buzz, sparks ── resonances, octave, sway, echo ── gain
///
/// Parts whose level is 0 are passed by.
struct VoiceColour: ~Copyable {
    struct Settings {
        /// Up to four second-order filters before and behind the distortion.
        var bandsBefore: [BiquadCoefficients] = []
        var bands: [BiquadCoefficients] = []
        /// Multiplication with a sine of `rate` hertz: every partial splits in two; 0…1 of the sound.
        var ring = Ring()
        /// How hard the sound is driven into saturation; 0: not at all.
        var drive: Float = 0
        var tremolo = Tremolo()
        /// The 100 Hz of a transformer and the crackle of sparks, both as loud as the voice allows.
        var buzz: Float = 0
        var sparks: Float = 0
        var resonances = Resonances.Settings()
        /// The octave above, added.
        var octave: Float = 0
        var sway = ModulatedDelay.Settings()
        var echo = SlapEcho.Settings()
        /// Decibels.
        var gain: Float = 0

        struct Ring {
            var rate: Float = 0
            var mix: Float = 0
        }

        struct Tremolo {
            var rate: Float = 0
            var depth: Float = 0
            /// Switched rather than swelling.
            var isChopped = false
        }
    }

    private static let mostBands = 4
    private enum Scratch: Int, CaseIterable { case wetLeft, wetRight }

    private let scratch: UnsafeMutablePointer<Float>
    private var settings = Settings()
    private let filtersBefore: [Biquad]
    private let filters: [Biquad]
    private var resonancesLeft = Resonances()
    private var resonancesRight = Resonances()
    private var octave = OctaveShimmer()
    private var swayLeft = ModulatedDelay(phase: 0)
    private var swayRight = ModulatedDelay(phase: 0.3)
    private var echo = SlapEcho()
    private var steadyLeft = OnePole(cutoff: 15)
    private var steadyRight = OnePole(cutoff: 15)
    /// The loudness that buzz and sparks follow.
    private var envelope = OnePole(cutoff: 25)
    private var random = Randomness()
    private var ringPhase: Float = 0
    private var tremoloPhase: Float = 0
    private var tremoloGain: Float = 1
    private var buzzPhase: Float = 0
    private var spark: Float = 0
    private var driveRelief: Float = 1
    private var gain: Float = 1

    init() {
        scratch = .allocate(capacity: Scratch.allCases.count * controlPeriod)
        scratch.initialize(repeating: 0, count: Scratch.allCases.count * controlPeriod)
        filtersBefore = (0..<Self.mostBands).map { _ in Biquad(.identity, channels: 2) }
        filters = (0..<Self.mostBands).map { _ in Biquad(.identity, channels: 2) }
    }

    deinit { scratch.deallocate() }

    private subscript(part: Scratch) -> UnsafeMutablePointer<Float> { scratch + part.rawValue * controlPeriod }

    /// Starts in silence.
    mutating func configure(_ settings: consuming Settings) {
        precondition(settings.bandsBefore.count <= Self.mostBands && settings.bands.count <= Self.mostBands)
        self.settings = settings
        // By index: in a debug build, an array's iterator allocates.
        for index in self.settings.bandsBefore.indices {
            filtersBefore[index].coefficients = self.settings.bandsBefore[index]
        }
        for index in self.settings.bands.indices { filters[index].coefficients = self.settings.bands[index] }
        resonancesLeft.configure(self.settings.resonances)
        resonancesRight.configure(self.settings.resonances)
        swayLeft.configure(self.settings.sway)
        swayRight.configure(self.settings.sway)
        echo.configure(self.settings.echo)
        let drive = self.settings.drive
        driveRelief = drive > 0 ? 0.2 / saturate(0.2 * drive) : 1
        gain = amplitude(decibels: self.settings.gain)
        clear()
    }

    mutating func clear() {
        for index in 0..<Self.mostBands {
            filtersBefore[index].reset()
            filters[index].reset()
        }
        resonancesLeft.clear()
        resonancesRight.clear()
        octave.clear()
        swayLeft.clear()
        swayRight.clear()
        echo.clear()
        steadyLeft.clear()
        steadyRight.clear()
        envelope.clear()
        random = Randomness()
        ringPhase = 0
        tremoloPhase = 0
        tremoloGain = 1
        buzzPhase = 0
        spark = 0
    }

    /// In place, on at most one control period; `right` is nil for mono.
    mutating func process(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int, startsPeriod: Bool
    ) {
        if startsPeriod {
            swayLeft.move()
            swayRight.move()
        }
        if settings.ring.mix > 0 { multiply(left, right, count) }
        filter(left, right, count, filtersBefore, settings.bandsBefore.count)
        if settings.drive > 0 {
            distort(left, count)
            if let right { distort(right, count) }
        }
        filter(left, right, count, filters, settings.bands.count)
        if settings.tremolo.depth > 0 { tremble(left, right, count) }
        if settings.buzz > 0 { electrify(left, right, count) }
        addWet(left, right, count)
        steadyLeft.high(left, count)
        scale(left, count)
        guard let right else { return }
        steadyRight.high(right, count)
        scale(right, count)
    }

    private func scale(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
        var frame = 0
        while frame < count {
            sound[frame] *= gain
            frame &+= 1
        }
    }

    private func filter(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int, _ filters: [Biquad],
        _ used: Int
    ) {
        var index = 0
        while index < used {
            filters[index].process(left, frames: count, channel: 0)
            if let right { filters[index].process(right, frames: count, channel: 1) }
            index &+= 1
        }
    }

    private func distort(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
        let drive = settings.drive
        let relief = driveRelief
        var frame = 0
        while frame < count {
            sound[frame] = saturate(sound[frame] * drive) * relief
            frame &+= 1
        }
    }

    /// The ring modulator.
    private mutating func multiply(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int
    ) {
        let step = settings.ring.rate / Float(AudioRate.standard)
        let mix = settings.ring.mix
        var frame = 0
        while frame < count {
            ringPhase += step
            if ringPhase >= 1 { ringPhase -= 1 }
            let factor = 1 - mix + 1.414 * mix * Self.roundWave(ringPhase)
            left[frame] *= factor
            if let right { right[frame] *= factor }
            frame &+= 1
        }
    }

    private mutating func tremble(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int
    ) {
        let tremolo = settings.tremolo
        let step = tremolo.rate / Float(AudioRate.standard)
        // Switching takes about 0.3 ms, so that it buzzes but does not crack.
        let slew: Float = tremolo.isChopped ? 0.07 : 1
        var frame = 0
        while frame < count {
            tremoloPhase += step
            if tremoloPhase >= 1 { tremoloPhase -= 1 }
            let swing =
                tremolo.isChopped ? (tremoloPhase < 0.5 ? Float(0) : 1) : 0.5 - 0.5 * Self.roundWave(tremoloPhase)
            tremoloGain += slew * (1 - tremolo.depth * swing - tremoloGain)
            left[frame] *= tremoloGain
            if let right { right[frame] *= tremoloGain }
            frame &+= 1
        }
    }

    private mutating func electrify(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int
    ) {
        let step = 100 / Float(AudioRate.standard)
        var frame = 0
        while frame < count {
            let loudness = envelope.low(abs(left[frame]) + denormalGuard)
            buzzPhase += step
            if buzzPhase >= 1 { buzzPhase -= 1 }
            // A rectified sine without its mean: what a transformer's hum looks like.
            let wave = abs(Self.roundWave(buzzPhase * 0.5)) - 0.667
            // About 90 sparks a second, each a burst of under a millisecond.
            if random.unit() < 0.0019 { spark = random.signed() }
            spark = -0.9 * spark + denormalGuard
            let extra = loudness * (settings.buzz * wave + settings.sparks * spark)
            left[frame] += extra
            if let right { right[frame] += extra }
            frame &+= 1
        }
    }

    /// What rings on beside the voice.
    private mutating func addWet(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int
    ) {
        let (wetLeft, wetRight) = (self[.wetLeft], self[.wetRight])
        wetLeft.update(repeating: 0, count: count)
        wetRight.update(repeating: 0, count: count)
        resonancesLeft.process(left, into: wetLeft, count)
        if let right { resonancesRight.process(right, into: wetRight, count) }
        if settings.octave > 0 {
            var frame = 0
            while frame < count {
                let risen = settings.octave * octave.next(left[frame] + denormalGuard)
                wetLeft[frame] += risen
                wetRight[frame] += risen
                frame &+= 1
            }
        }
        swayLeft.process(left, count)
        if let right { swayRight.process(right, count) }
        if let right {
            echo.process(left, right, intoLeft: wetLeft, intoRight: wetRight, count)
        } else {
            echo.process(left, left, intoLeft: wetLeft, intoRight: wetRight, count)
        }
        var frame = 0
        while frame < count {
            left[frame] += wetLeft[frame]
            if let right { right[frame] += wetRight[frame] }
            frame &+= 1
        }
    }

    /// A sine to within 0.1 %, by two parabolas; phase 0..<1.
    @inline(__always)
    private static func roundWave(_ phase: Float) -> Float {
        let x = 2 * phase - 1
        let parabola = -4 * x * (1 - abs(x))
        return parabola * (0.775 + 0.225 * abs(parabola))
    }
}
