internal import Timing

/// When the blocks of a real device begin: what the sound server says of its delay is noisy, the blocks themselves follow
/// each other without a gap.
struct BlockClock {
    /// Takes up this share of a difference with each block: noise is spread over some hundred milliseconds.
    private static let share: Int64 = 16
    /// A greater difference is a gap in the sound, or another device, and is believed at once.
    private static let jump = Interval.milliseconds(20)

    private var expected: Instant?

    /// The beginning of a block that was measured to begin at `measured`; `duration` leads to the next one. Where nothing was
    /// measured, it follows the one before, and the first is at `guess`. Never goes back: where the measure lies far before
    /// what was said so far, time runs at half its pace until it is right again.
    mutating func begin(measured: Instant?, guess: Instant, duration: Interval) -> Instant {
        let begin = begin(measured: measured, expected: expected ?? measured ?? guess, duration: duration)
        expected = begin + duration
        return begin
    }

    private func begin(measured: Instant?, expected: Instant, duration: Interval) -> Instant {
        guard let measured else { return expected }
        let difference = measured - expected
        if abs(difference.nanoseconds) <= Self.jump.nanoseconds {
            return max(expected + difference / Self.share, expected + duration / -2)
        }
        return difference > .zero ? measured : max(measured, expected + duration / -2)
    }
}
