internal import Glibc

/// Finds the period of a voice every 10 ms, by the normalised square difference function (McLeod and Wyvill, 2005) at a
/// quarter of the rate: a voice's first harmonics are enough for it, and it costs a sixteenth.
struct PitchTracker: ~Copyable {
    /// Frames between two estimates.
    static let hop = 480
    /// Frames: 70 Hz, the lowest voices.
    static let longestPeriod: Float = 686
    /// Frames: 600 Hz, above what speakers reach.
    static let shortestPeriod: Float = 80

    private static let decimation = 4
    private static let taps = 32
    private static let shortestLag = 18
    private static let longestLag = 176
    /// 20 ms are compared with what comes a lag later.
    private static let window = 240
    private static let span = window + longestLag + 2
    /// How alike two periods must be for a voice to begin and to go on.
    private static let clarityToBegin: Float = 0.6
    private static let clarityToGoOn: Float = 0.45
    /// Mean square below which there is no voice: −60 dBFS.
    private static let quietest: Float = 1e-6
    /// An octave jump is believed when it is found so many times in a row.
    private static let jumpPatience = 3

    /// Frames at the full rate; nil while nothing repeats itself.
    private(set) var period: Float?

    private let filter: UnsafeMutablePointer<Float>
    private let recent: UnsafeMutablePointer<Float>
    private let history: UnsafeMutablePointer<Float>
    private let likeness: UnsafeMutablePointer<Float>
    private var position = 0
    private var jumps = 0

    init() {
        filter = .allocate(capacity: Self.taps)
        recent = .allocate(capacity: 2 * Self.taps)
        history = .allocate(capacity: Self.span)
        likeness = .allocate(capacity: Self.longestLag + 2)
        filter.initialize(repeating: 0, count: Self.taps)
        recent.initialize(repeating: 0, count: 2 * Self.taps)
        history.initialize(repeating: 0, count: Self.span)
        likeness.initialize(repeating: 0, count: Self.longestLag + 2)
        design()
    }

    deinit {
        filter.deallocate()
        recent.deallocate()
        history.deallocate()
        likeness.deallocate()
    }

    /// A low-pass at 1.6 kHz: below it lie the fundamental and enough harmonics, above it what would fold at 12 kHz.
    private func design() {
        let cutoff: Float = 1_600 / Float(AudioRate.standard)
        var sum: Float = 0
        for tap in 0..<Self.taps {
            let x = Float(tap) - Float(Self.taps - 1) / 2
            let window = 0.5 - 0.5 * cos(2 * Float.pi * (Float(tap) + 0.5) / Float(Self.taps))
            filter[tap] = sin(2 * Float.pi * cutoff * x) / (Float.pi * x) * window
            sum += filter[tap]
        }
        for tap in 0..<Self.taps { filter[tap] /= sum }
    }

    mutating func clear() {
        recent.update(repeating: 0, count: 2 * Self.taps)
        history.update(repeating: 0, count: Self.span)
        position = 0
        jumps = 0
        period = nil
    }

    /// Takes sound; every `hop` frames `period` is found anew.
    mutating func push(_ sound: UnsafePointer<Float>, _ count: Int) {
        var frame = 0
        while frame < count {
            // Written twice, so that the latest taps always lie in one piece.
            let slot = position % Self.taps
            recent[slot] = sound[frame]
            recent[slot + Self.taps] = sound[frame]
            position &+= 1
            if position % Self.decimation == 0 { decimate(from: recent + slot + 1) }
            if position % Self.hop == 0 { find() }
            frame &+= 1
        }
    }

    private mutating func decimate(from oldest: UnsafeMutablePointer<Float>) {
        var sum: Float = 0
        var tap = 0
        while tap < Self.taps {
            sum += filter[tap] * oldest[tap]
            tap &+= 1
        }
        // The history moves up once per hop; within it, samples of this hop are appended at its end.
        let perHop = Self.hop / Self.decimation
        let place = (position / Self.decimation - 1) % perHop
        if place == 0 { history.update(from: history + perHop, count: Self.span - perHop) }
        history[Self.span - perHop + place] = sum
    }

    private mutating func find() {
        compare()
        // The first peak that comes near the best one is the period, not a multiple of it.
        var best: Float = 0
        for lag in Self.shortestLag..<Self.longestLag where isPeak(lag) { best = max(best, likeness[lag]) }
        guard best >= (period == nil ? Self.clarityToBegin : Self.clarityToGoOn) else {
            period = nil
            jumps = 0
            return
        }
        var lag = Self.shortestLag
        while !isPeak(lag, above: 0.9 * best) { lag += 1 }
        let (before, here, after) = (likeness[lag - 1], likeness[lag], likeness[lag + 1])
        let curve = before - 2 * here + after
        let offset = curve < 0 ? 0.5 * (before - after) / curve : 0
        let found = (Float(lag) + offset) * Float(Self.decimation)
        accept(max(Self.shortestPeriod, min(Self.longestPeriod, found)))
    }

    private mutating func accept(_ found: Float) {
        guard let last = period, !(0.7...1.4).contains(found / last), jumps < Self.jumpPatience - 1 else {
            period = found
            jumps = 0
            return
        }
        jumps += 1
    }

    private func isPeak(_ lag: Int, above least: Float = 0) -> Bool {
        likeness[lag] > least && likeness[lag] > likeness[lag - 1] && likeness[lag] >= likeness[lag + 1]
    }

    /// 2·Σ x[j]·x[j+lag] over the energy of both stretches: 1 for a perfect repeat.
    private mutating func compare() {
        let window = Self.window
        likeness.update(repeating: 0, count: Self.longestLag + 2)
        var energy: Float = 0
        var index = 0
        while index < window {
            let sample = history[index]
            energy += sample * sample
            // Over lags inside, so that the loop has no running sum and becomes vector instructions.
            var lag = Self.shortestLag - 1
            let later = history + index
            while lag <= Self.longestLag {
                // Written out, as below: the compiler (6.3) fails on `+=` and `*=` here under ThreadSanitizer.
                likeness[lag] = likeness[lag] + sample * later[lag]
                lag &+= 1
            }
            index &+= 1
        }
        guard energy > Self.quietest * Float(window) else {
            likeness.update(repeating: 0, count: Self.longestLag + 2)
            return
        }
        var later = energy
        var lag = 0
        while lag <= Self.longestLag {
            if lag > 0 {
                let gone = history[lag - 1]
                let come = history[lag + window - 1]
                later += come * come - gone * gone
            }
            likeness[lag] = likeness[lag] * (2 / (energy + max(0, later)))
            lag &+= 1
        }
    }
}
