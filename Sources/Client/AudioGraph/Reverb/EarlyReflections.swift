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
    /// Lengths of the all-passes, in frames.
    private static let smearing = [(229, 251), (347, 331), (587, 601)]
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
        var frame = 0
        while frame < count {
            left.write(soundLeft[frame])
            right.write(soundRight[frame])
            var sumLeft: Float = 0
            var sumRight: Float = 0
            var tap = 0
            while tap < Self.taps {
                sumLeft += gains[tap] * left.read(leftDelays[tap])
                sumRight += gains[tap] * right.read(rightDelays[tap])
                tap &+= 1
            }
            earlyLeft[frame] = sumLeft
            earlyRight[frame] = sumRight
            let lateLeft = Self.smear(left.read(preDelay), &smearLeft1, Self.smearing[0].0)
            let lateRight = Self.smear(right.read(preDelay), &smearRight1, Self.smearing[0].1)
            let laterLeft = Self.smear(lateLeft, &smearLeft2, Self.smearing[1].0)
            let laterRight = Self.smear(lateRight, &smearRight2, Self.smearing[1].1)
            soundLeft[frame] = Self.smear(laterLeft, &smearLeft3, Self.smearing[2].0)
            soundRight[frame] = Self.smear(laterRight, &smearRight3, Self.smearing[2].1)
            frame &+= 1
        }
    }

    /// A Schroeder all-pass: every frequency at the same level, spread over time.
    @inline(__always)
    private static func smear(_ sample: Float, _ line: inout DelayLine, _ length: Int) -> Float {
        let past = line.read(length)
        let inner = sample - smearGain * past + denormalGuard
        line.write(inner)
        return past + smearGain * inner
    }
}
