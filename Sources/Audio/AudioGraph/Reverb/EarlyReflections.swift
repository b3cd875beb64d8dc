/// The first echoes of the walls: eight per side, at times and levels that differ between the sides, so that the room has
/// width. Also the pre-delay: the sound that feeds the late reverberation leaves here later and smeared by all-passes.
struct EarlyReflections: ~Copyable {
    private static let taps = 8
    /// Where the taps lie between 0 and the end of the early part; the two sides never coincide.
    private static let leftTimes: [Float] = [0.07, 0.16, 0.29, 0.38, 0.54, 0.66, 0.83, 1.0]
    private static let rightTimes: [Float] = [0.09, 0.20, 0.25, 0.43, 0.50, 0.72, 0.79, 0.96]
    private static let levels: [Float] = [0.55, -0.48, 0.43, 0.37, -0.33, 0.28, -0.24, 0.20]
    /// Pre-delay and early part together, in frames: 250 ms.
    private static let capacity = 12_000
    private static let smearGain: Float = 0.62

    private var left = DelayLine(frames: capacity)
    private var right = DelayLine(frames: capacity)
    private var smearLeft1 = DelayLine(frames: 640)
    private var smearLeft2 = DelayLine(frames: 640)
    private var smearLeft3 = DelayLine(frames: 640)
    private var smearRight1 = DelayLine(frames: 640)
    private var smearRight2 = DelayLine(frames: 640)
    private var smearRight3 = DelayLine(frames: 640)
    private let leftDelays: UnsafeMutablePointer<Int>
    private let rightDelays: UnsafeMutablePointer<Int>
    private let gains: UnsafeMutablePointer<Float>
    private var preDelay = 1

    init() {
        leftDelays = .allocate(capacity: Self.taps)
        rightDelays = .allocate(capacity: Self.taps)
        gains = .allocate(capacity: Self.taps)
        for tap in 0..<Self.taps { (gains + tap).initialize(to: Self.levels[tap]) }
        leftDelays.initialize(repeating: 1, count: Self.taps)
        rightDelays.initialize(repeating: 1, count: Self.taps)
    }

    deinit {
        leftDelays.deallocate()
        rightDelays.deallocate()
        gains.deallocate()
    }

    /// `preDelay` until the room answers and `span` of the early reflections after it, in milliseconds.
    mutating func configure(preDelay milliseconds: Float, span: Float) {
        preDelay = max(1, min(Self.capacity, Int(frames(milliseconds: milliseconds))))
        for tap in 0..<Self.taps {
            leftDelays[tap] = delay(Self.leftTimes[tap] * span)
            rightDelays[tap] = delay(Self.rightTimes[tap] * span)
        }
        clear()
    }

    private func delay(_ milliseconds: Float) -> Int {
        min(Self.capacity, preDelay + Int(frames(milliseconds: milliseconds)))
    }

    mutating func clear() {
        left.clear()
        right.clear()
        smearLeft1.clear()
        smearLeft2.clear()
        smearLeft3.clear()
        smearRight1.clear()
        smearRight2.clear()
        smearRight3.clear()
    }

    /// Takes the sound of both sides; returns reflections in `earlyLeft`/`earlyRight` and replaces the sound by what goes
    /// on into the late reverberation.
    mutating func process(
        _ soundLeft: UnsafeMutablePointer<Float>, _ soundRight: UnsafeMutablePointer<Float>,
        earlyLeft: UnsafeMutablePointer<Float>, earlyRight: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        left.write(soundLeft, count)
        right.write(soundRight, count)
        earlyLeft.update(repeating: 0, count: count)
        earlyRight.update(repeating: 0, count: count)
        for tap in 0..<Self.taps {
            left.add(delay: leftDelays[tap], gain: gains[tap], to: earlyLeft, count)
            right.add(delay: rightDelays[tap], gain: gains[tap], to: earlyRight, count)
        }
        soundLeft.update(repeating: 0, count: count)
        soundRight.update(repeating: 0, count: count)
        left.add(delay: preDelay, gain: 1, to: soundLeft, count)
        right.add(delay: preDelay, gain: 1, to: soundRight, count)
        let gain = Self.smearGain
        smearLeft1.smear(soundLeft, length: 229, gain: gain, count)
        smearLeft2.smear(soundLeft, length: 347, gain: gain, count)
        smearLeft3.smear(soundLeft, length: 587, gain: gain, count)
        smearRight1.smear(soundRight, length: 251, gain: gain, count)
        smearRight2.smear(soundRight, length: 331, gain: gain, count)
        smearRight3.smear(soundRight, length: 601, gain: gain, count)
    }
}
