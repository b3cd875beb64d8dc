internal import AudioGraph
package import Timing

/// When the blocks of a device without hardware are due. Pure: it is told the time.
///
/// Block n begins at a point that is computed from the start, never from the block before: it does not drift, whatever the
/// thread does. After a standstill the last few blocks are made up for, those before are skipped and counted, since sound that
/// comes late in heaps is worse than a gap.
package struct BlockPacer {
    /// Whether a block is due when it begins (it is to be played) or when it is over (it was captured).
    package enum Edge: Sendable {
        case start, end
    }

    /// How many blocks are handed out in one go at most.
    package static let maximumBurst = 4
    /// What the rate may deviate, in parts per million; far beyond any crystal.
    package static let rates = -100_000.0...100_000

    package let framesPerBlock: Int
    package let edge: Edge
    package private(set) var skippedBlocks = 0

    /// The time from which blocks are counted, and how many there were since.
    private var anchor: Instant
    private var count: Int64 = 0
    private var ppm: Double

    package init(framesPerBlock: Int, edge: Edge, start: Instant, ratePPM: Double = 0) {
        self.framesPerBlock = framesPerBlock
        self.edge = edge
        anchor = start
        ppm = ratePPM.clamped(to: Self.rates)
    }

    /// By how many parts per million the device is faster than the clock. A change counts from the next block on.
    package var ratePPM: Double {
        get { ppm }
        set {
            let rate = newValue.clamped(to: Self.rates)
            guard rate != ppm else { return }
            anchor = begin(of: 0)
            count = 0
            ppm = rate
        }
    }

    /// When the next block is due.
    package var deadline: Instant { begin(of: edge == .start ? 0 : 1) }

    /// When the next block begins, if it is due by now.
    package mutating func take(at now: Instant) -> Instant? {
        guard now >= deadline else { return nil }
        let begin = begin(of: 0)
        count += 1
        return begin
    }

    /// Leaves out what is overdue by more than `maximumBurst` blocks. To be called once before a row of `take(at:)`.
    package mutating func skip(at now: Instant) {
        let late = (now - deadline).nanoseconds
        guard late > 0 else { return }
        let overdue = Int64(Double(late) / nanosecondsPerBlock) + 1
        let excess = overdue - Int64(Self.maximumBurst)
        if excess > 0 {
            count += excess
            skippedBlocks += Int(excess)
        }
    }

    private var nanosecondsPerBlock: Double {
        Double(framesPerBlock) * 1e9 / (Double(AudioRate.standard) * (1 + ppm / 1e6))
    }

    /// Of the n-th block from the next on. A Double counts nanoseconds exactly for 104 days after the anchor, and to far
    /// below a sample after that.
    private func begin(of n: Int64) -> Instant {
        let passed = (Double(count + n) * nanosecondsPerBlock).rounded()
        return anchor + Interval(nanoseconds: passed < 9e18 ? Int64(passed) : .max)
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? 0 : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
