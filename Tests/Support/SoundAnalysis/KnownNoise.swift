package import Foundation

/// A noise that is known to the sample: it repeats after `period` frames, has no line below 200 Hz or above 6 kHz, and nothing in
/// common with the noise of another seed. Wherever it was mixed into, it can be found where in its period it stood.
package struct KnownNoise: Sendable {
    /// 0.34 s: errors of up to half of it are told apart, and a moment's error is seen.
    package static let period = 16_384
    private static let band = 200.0...6_000

    /// One period, at 48 kHz.
    package let samples: [Float]
    /// Of one period.
    fileprivate let spectrum: (real: [Double], imaginary: [Double])

    /// `level` is the effective value.
    package init(seed: UInt64, level: Double = 0.12) {
        let size = Self.period
        let transform = FourierTransform(size: size)
        let random = TestSounds.noise(amplitude: 1, seconds: Double(size) / 48_000, seed: seed)
        var real = [Double](repeating: 0, count: size)
        var imaginary = real
        // A line in each bin of the band, as loud as the next, with a phase of its own.
        for bin in 1..<size / 2 where Self.band.contains(Double(bin) * 48_000 / Double(size)) {
            let phase = Double.pi * Double(random[bin])
            (real[bin], imaginary[bin]) = (cos(phase), sin(phase))
            (real[size - bin], imaginary[size - bin]) = (real[bin], -imaginary[bin])
        }
        transform.transform(real: &real, imaginary: &imaginary, inverse: true)
        let power = real.reduce(0) { $0 + $1 * $1 } / Double(size)
        let scale = level / power.squareRoot()
        samples = real.map { Float($0 * scale) }
        var (lines, quadrature) = (samples.map(Double.init), [Double](repeating: 0, count: size))
        transform.transform(real: &lines, imaginary: &quadrature)
        spectrum = (lines, quadrature)
    }

    /// At a place between two frames, by a cubic through four of them.
    package func value(at place: Double) -> Float {
        let floor = place.rounded(.down)
        let index = Int(floor) & (Self.period - 1)
        let fraction = Float(place - floor)
        let mask = Self.period - 1
        let (a, b) = (samples[(index - 1) & mask], samples[index])
        let (c, d) = (samples[(index + 1) & mask], samples[(index + 2) & mask])
        let slope = (c - a) / 2
        let curve = a - 2.5 * b + 2 * c - d / 2
        let bend = (d - a) / 2 + 1.5 * (b - c)
        return ((bend * fraction + curve) * fraction + slope) * fraction + b
    }

    /// A WAV file of that length: mono, 16 bits.
    package func wave(seconds: Int) -> Data {
        let count = seconds * 48_000
        var bytes = Data(capacity: 44 + 2 * count)
        func add(_ number: Int, _ size: Int) {
            for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
        }
        bytes += Data("RIFF".utf8)
        add(36 + 2 * count, 4)
        bytes += Data("WAVEfmt ".utf8)
        for (number, size) in [(16, 4), (1, 2), (1, 2), (48_000, 4), (96_000, 4), (2, 2), (16, 2)] { add(number, size) }
        bytes += Data("data".utf8)
        add(2 * count, 4)
        var period = Data(capacity: 2 * Self.period)
        for sample in samples {
            let value = Int16((sample * 32_767).rounded())
            period.append(UInt8(truncatingIfNeeded: value))
            period.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        for begin in stride(from: 0, to: count, by: Self.period) {
            bytes += period.prefix(2 * min(Self.period, count - begin))
        }
        return bytes
    }
}

/// A look at one period of a sound in which several known noises may be.
package struct NoiseLook {
    /// What rises less above the rest of a correlation is chance; a noise that is not there gives about 4.3.
    private static let clear = 6.5
    /// The sound is looked at in stretches: players follow a clock by playing a little faster or slower, which over a longer one
    /// would smear what is looked for.
    private static let stretch = 4_096

    /// Speeds at which a voice may be played that is being led to its place, minus one: where it is not found as it is, it is looked
    /// for at these, lest only those be found that are where they belong.
    private static let speeds = [-0.003, 0.003, -0.006, 0.006, -0.012, 0.012]

    private let transform: FourierTransform
    private let sound: [Float]
    private let stretches: [Lines]

    private typealias Lines = (real: [Double], imaginary: [Double])

    /// At `KnownNoise.period` frames; nil if there are not as many, or next to nothing is to be heard in them.
    package init?(_ sound: ArraySlice<Float>, by transform: FourierTransform) {
        guard sound.count == KnownNoise.period, sound.contains(where: { abs($0) > 0.01 }) else { return nil }
        self.transform = transform
        self.sound = Array(sound)
        stretches = Self.stretches(of: self.sound, speed: 0, by: transform)
    }

    /// Each stretch played faster by that share, round its middle, which stays where it is.
    private static func stretches(of sound: [Float], speed: Double, by transform: FourierTransform) -> [Lines] {
        let size = KnownNoise.period
        return stride(from: 0, to: size, by: stretch).map { begin in
            var real = [Double](repeating: 0, count: size)
            var imaginary = real
            let middle = Double(begin + stretch / 2)
            for frame in begin..<begin + stretch {
                let place = middle + (Double(frame) - middle) * (1 + speed)
                real[frame] = speed == 0 ? Double(sound[frame]) : value(of: sound, at: place)
            }
            transform.transform(real: &real, imaginary: &imaginary)
            return (real, imaginary)
        }
    }

    private static func value(of sound: [Float], at place: Double) -> Double {
        let index = min(max(Int(place), 1), sound.count - 3)
        let fraction = place - Double(index)
        let (a, b) = (Double(sound[index - 1]), Double(sound[index]))
        let (c, d) = (Double(sound[index + 1]), Double(sound[index + 2]))
        let curve = a - 2.5 * b + 2 * c - d / 2
        return (((d - a) / 2 + 1.5 * (b - c)) * fraction + curve) * fraction * fraction + (c - a) / 2 * fraction + b
    }

    /// By how many frames the first noise is heard later than the second, against where both belong; nil unless both are clearly
    /// there. From minus half a period to half a period.
    ///
    /// Where a player leapt, each noise is found at several places: what counts is the distance that most of them have in common.
    package func delay(of noise: KnownNoise, after reference: KnownNoise) -> Double? {
        let others = stretches.map { places(of: reference, in: $0) }
        if let found = distance(stretches.map { places(of: noise, in: $0) }, others) { return found.frames }
        return Self.speeds.compactMap { speed in
            distance(
                Self.stretches(of: sound, speed: speed, by: transform).map { places(of: noise, in: $0) }, others)
        }.max { $0.weight < $1.weight }?.frames
    }

    /// What most places of the two have in common, stretch by stretch.
    private func distance(
        _ own: [[(Int, Double)]], _ others: [[(Int, Double)]]
    ) -> (frames: Double, weight: Double)? {
        let size = KnownNoise.period
        var shared: [Int: Double] = [:]
        for (own, other) in zip(own, others) {
            for (a, weight) in own {
                for (b, otherWeight) in other { shared[(a - b) & (size - 1), default: 0] += weight * otherWeight }
            }
        }
        guard let (best, peak) = shared.max(by: { $0.value < $1.value }) else { return nil }
        let (before, after) = (shared[(best - 1) & (size - 1)] ?? 0, shared[(best + 1) & (size - 1)] ?? 0)
        let curve = before - 2 * peak + after
        let exact = Double(best) + (curve < 0 ? (before - after) / (2 * curve) : 0)
        return (exact >= Double(size) / 2 ? exact - Double(size) : exact, peak)
    }

    /// At which frame of its period the noise stood when the look began; nil unless it is clearly there.
    package func position(of noise: KnownNoise) -> Double? {
        let size = KnownNoise.period
        var found: [Int: Double] = [:]
        for stretch in stretches {
            for (place, weight) in places(of: noise, in: stretch) { found[place, default: 0] += weight }
        }
        guard let best = found.max(by: { $0.value < $1.value })?.key else { return nil }
        let (before, peak, after) = (
            found[(best - 1) & (size - 1)] ?? 0, found[best] ?? 0, found[(best + 1) & (size - 1)] ?? 0
        )
        let curve = before - 2 * peak + after
        let late = Double(best) + (curve < 0 ? (before - after) / (2 * curve) : 0)
        return (Double(size) - late).truncatingRemainder(dividingBy: Double(size))
    }

    /// Where the correlation stands out, and by how much.
    private func places(of noise: KnownNoise, in heard: (real: [Double], imaginary: [Double])) -> [(Int, Double)] {
        let size = KnownNoise.period
        let known = noise.spectrum
        var real = [Double](repeating: 0, count: size)
        var imaginary = real
        var bin = 0
        while bin < size {
            real[bin] = heard.real[bin] * known.real[bin] + heard.imaginary[bin] * known.imaginary[bin]
            imaginary[bin] = heard.imaginary[bin] * known.real[bin] - heard.real[bin] * known.imaginary[bin]
            bin += 1
        }
        transform.transform(real: &real, imaginary: &imaginary, inverse: true)
        let effective = (real.reduce(0) { $0 + $1 * $1 } / Double(size)).squareRoot()
        guard effective > 0 else { return [] }
        return real.enumerated().filter { $1 > Self.clear * effective }.map { ($0, $1 / effective) }
    }
}
