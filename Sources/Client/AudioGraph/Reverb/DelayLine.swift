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

    @inline(__always)
    mutating func high(_ sample: Float) -> Float { sample - low(sample) }

    mutating func clear() { state = 0 }
}
