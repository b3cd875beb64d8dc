internal import Glibc

/// Four tuned combs that ring at pitches of their own, as a pipe or a sheet of iron does.
struct Resonances: ~Copyable {
    struct Settings {
        /// Hertz of the lowest one.
        var pitch: Float = 0
        /// Seconds in which the ringing decays by 60 dB.
        var decay: Float = 1
        /// 0: off.
        var level: Float = 0
    }

    /// Not multiples of one another: inharmonic, therefore metallic.
    private static let ratios: (Float, Float, Float, Float) = (1, 1.51, 2.13, 2.83)
    private var line1 = DelayLine(frames: 1_024)
    private var line2 = DelayLine(frames: 1_024)
    private var line3 = DelayLine(frames: 1_024)
    private var line4 = DelayLine(frames: 1_024)
    private var delays: (Float, Float, Float, Float) = (1, 1, 1, 1)
    private var gains: (Float, Float, Float, Float) = (0, 0, 0, 0)
    private var level: Float = 0

    var isOn: Bool { level > 0 }

    mutating func configure(_ settings: Settings) {
        level = settings.level
        let rate = Float(AudioRate.standard)
        func delay(_ ratio: Float) -> Float {
            settings.pitch > 0 ? max(2, min(1_000, rate / (settings.pitch * ratio))) : 2
        }
        func gain(_ delay: Float) -> Float { pow(10, -3 * delay / rate / settings.decay) }
        let ratios = Self.ratios
        delays = (delay(ratios.0), delay(ratios.1), delay(ratios.2), delay(ratios.3))
        gains = (gain(delays.0), gain(delays.1), gain(delays.2), gain(delays.3))
        clear()
    }

    mutating func clear() {
        line1.clear()
        line2.clear()
        line3.clear()
        line4.clear()
    }

    /// Adds the ringing of `sound` to `sum`.
    mutating func process(_ sound: UnsafeMutablePointer<Float>, into sum: UnsafeMutablePointer<Float>, _ count: Int) {
        guard isOn else { return }
        var frame = 0
        while frame < count {
            // Fed at the share that the feedback leaves, so that a tone on a resonance comes out as loud as it went in.
            let sample = sound[frame] + denormalGuard
            let ring1 = line1.read(delays.0)
            let ring2 = line2.read(delays.1)
            let ring3 = line3.read(delays.2)
            let ring4 = line4.read(delays.3)
            line1.write(sample * 0.2 + gains.0 * ring1)
            line2.write(sample * 0.2 + gains.1 * ring2)
            line3.write(sample * 0.2 + gains.2 * ring3)
            line4.write(sample * 0.2 + gains.3 * ring4)
            sum[frame] += level * (ring1 - ring2 + ring3 - ring4)
            frame &+= 1
        }
    }
}
