internal import Timing

/// The same numbers for the same seed on every machine, so that a failure that prints its seed can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { numbers.next() }

    /// True with this probability.
    package mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double(next() >> 11) / Double(1 << 53) < probability
    }
}
