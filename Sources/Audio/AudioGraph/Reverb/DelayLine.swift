/// The latest sound of one channel, readable at any delay up to the capacity. Memory is taken once.
struct DelayLine: ~Copyable {
    private let samples: UnsafeMutablePointer<Float>
    private let mask: Int
    /// Where the next sample goes.
    private var position = 0

    /// Room for at least `frames` frames; the capacity is a power of two, so that positions wrap by masking.
    init(frames: Int) {
        var capacity = 1
        while capacity < frames + 2 { capacity *= 2 }
        mask = capacity - 1
        samples = .allocate(capacity: capacity)
        samples.initialize(repeating: 0, count: capacity)
    }

    deinit { samples.deallocate() }

    mutating func clear() {
        samples.update(repeating: 0, count: mask + 1)
        position = 0
    }

    @inline(__always)
    mutating func write(_ sample: Float) {
        samples[position & mask] = sample
        position &+= 1
    }

    /// The sample written `delay` writes ago; 1 is the latest.
    @inline(__always)
    func read(_ delay: Int) -> Float { samples[(position &- delay) & mask] }

    /// Between two samples, by a straight line. `delay` ≥ 1.
    @inline(__always)
    func read(_ delay: Float) -> Float {
        let whole = Int(delay)
        let near = samples[(position &- whole) & mask]
        let far = samples[(position &- whole &- 1) & mask]
        return near + (delay - Float(whole)) * (far - near)
    }

    // Whole blocks at once: one call instead of one per sample, and loops that become vector instructions.

    mutating func write(_ sound: UnsafePointer<Float>, _ count: Int) {
        var frame = 0
        while frame < count {
            samples[(position &+ frame) & mask] = sound[frame]
            frame &+= 1
        }
        position &+= count
    }

    /// Adds what lies `delay` frames before the block written last; `delay` ≥ 0.
    func add(delay: Int, gain: Float, to sum: UnsafeMutablePointer<Float>, _ count: Int) {
        let start = position &- count &- delay
        var frame = 0
        while frame < count {
            sum[frame] += gain * samples[(start &+ frame) & mask]
            frame &+= 1
        }
    }

    /// A Schroeder all-pass in place: every frequency at the same level, spread over time. `length` ≥ `count`.
    mutating func smear(_ sound: UnsafeMutablePointer<Float>, length: Int, gain: Float, _ count: Int) {
        let start = position &- length
        var frame = 0
        while frame < count {
            let past = samples[(start &+ frame) & mask]
            let inner = sound[frame] - gain * past + denormalGuard
            samples[(position &+ frame) & mask] = inner
            sound[frame] = past + gain * inner
            frame &+= 1
        }
        position &+= count
    }
}

/// A first-order low-pass; what it takes away is the high-pass.
struct OnePole {
    var coefficient: Float = 1
    private(set) var state: Float = 0

    init() {}

    /// `cutoff` in hertz.
    init(cutoff: Float) { coefficient = onePoleCoefficient(cutoff: cutoff) }

    @inline(__always)
    mutating func low(_ sample: Float) -> Float {
        state += coefficient * (sample - state)
        return state
    }

    mutating func low(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
        var state = state
        let coefficient = coefficient
        var frame = 0
        while frame < count {
            state += coefficient * (sound[frame] - state)
            sound[frame] = state
            frame &+= 1
        }
        self.state = state
    }

    mutating func high(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
        var state = state
        let coefficient = coefficient
        var frame = 0
        while frame < count {
            let sample = sound[frame] + denormalGuard
            state += coefficient * (sample - state)
            sound[frame] = sample - state
            frame &+= 1
        }
        self.state = state
    }

    mutating func clear() { state = 0 }
}
