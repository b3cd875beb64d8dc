internal import Timing

/// What may leave now: a debt that shrinks with time, and grows with each packet.
struct PacingBudget {
    /// So much may be owed before the next packet waits: a portion of `SendBandwidth.quantum`, and a packet at least.
    private static let leastPortion = 1_250.0
    /// What was sent regardless (repeats) is not held against pictures for longer.
    private static let longestDebt = Interval.milliseconds(500)

    /// Bytes.
    private var debt = 0.0
    private var settled: Instant
    /// Bytes a second.
    private var rate = BandwidthEstimator.start / 8

    init(at now: Instant) { settled = now }

    private var portion: Double { max(Self.leastPortion, rate * SendBandwidth.quantum.seconds) }

    var isFree: Bool { debt < portion }

    mutating func setRate(_ bitsPerSecond: Double, at now: Instant) {
        let passed = now - settled
        if passed > .zero {
            debt = max(0, debt - passed.seconds * rate)
            settled = now
        }
        rate = max(bitsPerSecond / 8, 1)
        debt = min(debt, max(portion, rate * Self.longestDebt.seconds))
    }

    mutating func spend(_ bytes: Int, at now: Instant) { debt += Double(bytes) }

    /// When the next packet may leave.
    var nextFree: Instant {
        isFree ? settled : settled + Interval(seconds: (debt - portion) / rate) + .microseconds(100)
    }
}

/// How much was sent over the last second.
struct RateMeter {
    private static let step = Interval.milliseconds(100)
    private static let steps = 10

    private var bytes = [Int](repeating: 0, count: steps)
    private var newest: Int64 = 0

    private mutating func advance(to number: Int64) {
        newest = max(newest, number - Int64(Self.steps))
        while newest < number {
            newest += 1
            bytes[place(newest)] = 0
        }
    }

    private func place(_ number: Int64) -> Int { Int(UInt64(bitPattern: number) % UInt64(Self.steps)) }

    mutating func add(_ count: Int, at now: Instant) {
        let number = now.nanoseconds / Self.step.nanoseconds
        advance(to: number)
        if newest - number < Int64(Self.steps) { bytes[place(number)] += count }
    }

    /// Bits a second.
    func rate(at now: Instant) -> Double {
        let number = now.nanoseconds / Self.step.nanoseconds
        var sum = 0
        // Steps that nothing was added in since stand for nothing.
        var step = number - Int64(Self.steps) + 1
        while step <= min(number, newest) {
            if newest - step < Int64(Self.steps) { sum += bytes[place(step)] }
            step += 1
        }
        return Double(sum) * 8 / (Double(Self.steps) * Self.step.seconds)
    }
}
