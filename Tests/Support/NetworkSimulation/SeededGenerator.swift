/// Xorshift64*: a small generator for tests, the same on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Any seed; neighbouring seeds give unlike sequences.
    package init(seed: UInt64) {
        state = (seed &+ 1) &* 0x9e37_79b9_7f4a_7c15 | 1
        for _ in 0..<4 { _ = next() }
    }

    package mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_f491_4f6c_dd1d
    }

    /// True with this probability.
    package mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double(next() >> 11) / Double(1 << 53) < probability
    }
}
