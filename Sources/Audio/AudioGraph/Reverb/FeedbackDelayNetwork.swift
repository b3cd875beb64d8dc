internal import Glibc

/// The late reverberation: eight delay lines that feed one another through a Hadamard matrix, which loses no energy, so
/// that the decay is decided by the lines' own filters alone (Jot, 1991). The lines' lengths move a little, each in its
/// own time, so that no resonance stands still.
struct FeedbackDelayNetwork: ~Copyable {
    struct Settings {
        /// Seconds in which low and high sound decays by 60 dB, and the frequency in hertz between the two.
        var lowDecay: Float = 1
        var highDecay: Float = 0.6
        var crossover: Float = 4_000
        /// Milliseconds of the shortest and of the longest line: the size of the room.
        var shortest: Float = 20
        var longest: Float = 60
        /// How far lines move, in frames, and how fast, in hertz.
        var motionDepth: Float = 6
        var motionRate: Float = 0.6
    }

    private static let lines = 8
    /// 8,192 frames are 170 ms per line.
    private static let lineCapacity = 8_192
    /// Keeps the lengths from sharing factors, which would make echoes coincide.
    private static let unevenness: [Float] = [0, 7, -11, 17, -5, 13, -19, 3]
    /// Each line moves at its own multiple of the rate.
    private static let motionRatios: [Float] = [1, 0.83, 1.19, 0.71, 1.33, 0.91, 1.07, 0.77]
    private static let leftSigns: [Float] = [1, 0, -1, 0, 1, 0, -1, 0]
    private static let rightSigns: [Float] = [0, 1, 0, -1, 0, 1, 0, -1]

    private let memory: UnsafeMutablePointer<Float>
    /// One slot of eight floats each.
    private let slots: UnsafeMutablePointer<Float>
    private enum Slot: Int, CaseIterable {
        case length, delay, slope, damping, lowGain, highGain, left, right, mixed, phase
    }
    private var position = 0
    private var dampingStep: Float = 1
    private var motionDepth: Float = 0
    private var motionStep: Float = 0

    init() {
        let size = Self.lines * Self.lineCapacity
        memory = .allocate(capacity: size)
        memory.initialize(repeating: 0, count: size)
        slots = .allocate(capacity: Slot.allCases.count * Self.lines)
        slots.initialize(repeating: 0, count: Slot.allCases.count * Self.lines)
        for line in 0..<Self.lines {
            self[.left][line] = Self.leftSigns[line] * 0.5
            self[.right][line] = Self.rightSigns[line] * 0.5
        }
        configure(Settings())
    }

    deinit {
        memory.deallocate()
        slots.deallocate()
    }

    private subscript(slot: Slot) -> UnsafeMutablePointer<Float> { slots + slot.rawValue * Self.lines }

    mutating func configure(_ settings: Settings) {
        dampingStep = onePoleCoefficient(cutoff: settings.crossover)
        motionDepth = settings.motionDepth
        motionStep = settings.motionRate * Float(controlPeriod) / Float(AudioRate.standard)
        let ratio = settings.longest / settings.shortest
        for line in 0..<Self.lines {
            let milliseconds = settings.shortest * pow(ratio, Float(line) / Float(Self.lines - 1))
            let longest = Float(Self.lineCapacity - controlPeriod) - motionDepth
            let length = min(longest, (frames(milliseconds: milliseconds) + Self.unevenness[line]).rounded())
            let seconds = length / Float(AudioRate.standard)
            self[.length][line] = length
            self[.lowGain][line] = pow(10, -3 * seconds / settings.lowDecay)
            self[.highGain][line] = pow(10, -3 * seconds / settings.highDecay)
        }
        clear()
    }

    mutating func clear() {
        memory.update(repeating: 0, count: Self.lines * Self.lineCapacity)
        self[.damping].update(repeating: 0, count: Self.lines)
        position = 0
        for line in 0..<Self.lines {
            let phase = Float(line) / Float(Self.lines)
            self[.phase][line] = phase
            self[.delay][line] = self[.length][line] + motionDepth * sin(2 * .pi * phase)
            self[.slope][line] = 0
        }
    }

    /// Sets out where the lines move during the next control period.
    mutating func move() {
        for line in 0..<Self.lines {
            var phase = self[.phase][line] + motionStep * Self.motionRatios[line]
            if phase >= 1 { phase -= 1 }
            self[.phase][line] = phase
            let target = self[.length][line] + motionDepth * sin(2 * .pi * phase)
            self[.slope][line] = (target - self[.delay][line]) / Float(controlPeriod)
        }
    }

    /// Takes `count` frames of both channels and replaces them by what comes out of the lines.
    mutating func process(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, _ count: Int) {
        let memory = memory
        let mask = Self.lineCapacity - 1
        let (delay, slope, damping) = (self[.delay], self[.slope], self[.damping])
        let (lowGain, highGain) = (self[.lowGain], self[.highGain])
        let (leftShare, rightShare, mixed) = (self[.left], self[.right], self[.mixed])
        let dampingStep = dampingStep
        var position = position
        var frame = 0
        while frame < count {
            var leftOut: Float = 0
            var rightOut: Float = 0
            var line = 0
            while line < Self.lines {
                let exact = delay[line]
                delay[line] = exact + slope[line]
                let whole = Int(exact)
                let ring = memory + line &* Self.lineCapacity
                let near = ring[(position &- whole) & mask]
                let far = ring[(position &- whole &- 1) & mask]
                mixed[line] = near + (exact - Float(whole)) * (far - near)
                line &+= 1
            }
            line = 0
            while line < Self.lines {
                let sample = mixed[line]
                let low = damping[line] + dampingStep * (sample - damping[line])
                damping[line] = low
                let damped = highGain[line] * sample + (lowGain[line] - highGain[line]) * low
                mixed[line] = damped
                leftOut += damped * leftShare[line]
                rightOut += damped * rightShare[line]
                line &+= 1
            }
            Self.hadamard(mixed)
            let leftIn = left[frame] + denormalGuard
            let rightIn = right[frame] + denormalGuard
            line = 0
            while line < Self.lines {
                memory[line &* Self.lineCapacity &+ (position & mask)] =
                    mixed[line] + leftIn * leftShare[line] + rightIn * rightShare[line]
                line &+= 1
            }
            left[frame] = leftOut
            right[frame] = rightOut
            position &+= 1
            frame &+= 1
        }
        self.position = position
    }

    /// The orthogonal 8 × 8 Hadamard matrix by three rounds of sums and differences.
    @inline(__always)
    private static func hadamard(_ x: UnsafeMutablePointer<Float>) {
        let (a0, a1, a2, a3) = (x[0] + x[1], x[0] - x[1], x[2] + x[3], x[2] - x[3])
        let (a4, a5, a6, a7) = (x[4] + x[5], x[4] - x[5], x[6] + x[7], x[6] - x[7])
        let (b0, b1, b2, b3) = (a0 + a2, a1 + a3, a0 - a2, a1 - a3)
        let (b4, b5, b6, b7) = (a4 + a6, a5 + a7, a4 - a6, a5 - a7)
        // 1/√8 keeps the energy.
        let scale: Float = 0.353_553_39
        x[0] = (b0 + b4) * scale
        x[1] = (b1 + b5) * scale
        x[2] = (b2 + b6) * scale
        x[3] = (b3 + b7) * scale
        x[4] = (b0 - b4) * scale
        x[5] = (b1 - b5) * scale
        x[6] = (b2 - b6) * scale
        x[7] = (b3 - b7) * scale
    }
}
