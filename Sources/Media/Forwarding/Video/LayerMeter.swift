internal import Timing

/// How much a layer takes: the larger of two averages. One is over five seconds; the other over two, without key frames, so that a layer
/// that grows is seen at once and a key frame does not look like growth.
struct LayerMeter {
    private static let step = Interval.milliseconds(500)
    private static let steps = 10
    /// The least that tells something.
    private static let shortest = Interval.milliseconds(300)

    private let began: Instant
    private var bytes: SIMD16<Int32> = .zero
    private var keyFrameBytes: SIMD16<Int32> = .zero
    private var newest: Int64

    init(at now: Instant) {
        began = now
        newest = now.nanoseconds / Self.step.nanoseconds
    }

    private func place(_ number: Int64) -> Int { Int(UInt64(bitPattern: number) % UInt64(Self.steps)) }

    mutating func add(_ count: Int, isKeyFrame: Bool, at now: Instant) {
        let number = now.nanoseconds / Self.step.nanoseconds
        if number > newest {
            newest = max(newest, number - Int64(Self.steps))
            while newest < number {
                newest += 1
                bytes[place(newest)] = 0
                keyFrameBytes[place(newest)] = 0
            }
        }
        guard newest - number < Int64(Self.steps) else { return }
        bytes[place(number)] &+= Int32(clamping: count)
        if isKeyFrame { keyFrameBytes[place(number)] &+= Int32(clamping: count) }
    }

    /// Bits a second; nil while nothing can be said.
    func rate(at now: Instant) -> Double? {
        guard now - began >= Self.shortest else { return nil }
        return max(
            rate(of: bytes &- keyFrameBytes, over: 4, at: now), rate(of: bytes, over: Int64(Self.steps) - 1, at: now))
    }

    /// Without key frames, over two seconds: what tells layers apart, whose key frames come one after the other. nil before a second has
    /// been measured, and where nothing but key frames comes.
    func steadyRate(at now: Instant) -> Double? {
        guard now - began >= .seconds(1) else { return nil }
        let rate = rate(of: bytes &- keyFrameBytes, over: 4, at: now)
        return rate > 0 ? rate : nil
    }

    /// Over the last whole steps and the present one.
    private func rate(of bytes: SIMD16<Int32>, over steps: Int64, at now: Instant) -> Double {
        let number = now.nanoseconds / Self.step.nanoseconds
        let start = max(Instant(nanoseconds: (number - steps) * Self.step.nanoseconds), began)
        var sum = 0
        for step in (number - steps)...number where step <= newest && newest - step < Int64(Self.steps) {
            sum += Int(bytes[place(step)])
        }
        return Double(sum) * 8 / max((now - start).seconds, Self.shortest.seconds)
    }
}
