import Timing

/// A download: slow start, then one segment more for each round trip, half as many after a loss (RFC 5681, much simplified).
final class CompetingFlow {
    static let segmentBytes = 1_500
    private static let timeout = Interval.seconds(1)
    /// As much as the receiver takes.
    private static let widest = 170.0

    private let wayBack: Interval
    private var window = 10.0
    private var threshold = Double.infinity
    private var next: UInt64 = 0
    private var acknowledged: UInt64 = 0
    private var duplicates = 0
    private var recoverUntil: UInt64 = 0
    private var acknowledgements: [(at: Instant, segment: UInt64)] = []
    private var lastProgress: Instant

    init(oneWay: Interval, at now: Instant) {
        wayBack = oneWay
        lastProgress = now
    }

    func arrived(_ segment: UInt64, at now: Instant) { acknowledgements.append((now + wayBack, segment)) }

    var nextDeadline: Instant {
        min(acknowledgements.first?.at ?? .distantFuture, lastProgress + Self.timeout)
    }

    /// - Returns: how many segments leave now, and the first one's number.
    func advance(to now: Instant) -> Range<UInt64> {
        while let next = acknowledgements.first, next.at <= now {
            acknowledgements.removeFirst()
            lastProgress = now
            // Each segment is acknowledged by its number, and the line keeps the order: what is passed over is lost.
            if next.segment > acknowledged + 1, next.segment >= recoverUntil {
                threshold = max(2, window / 2)
                window = threshold
                recoverUntil = self.next
            } else if next.segment >= recoverUntil {
                window = min(Self.widest, window + (window < threshold ? 1 : 1 / window))
            }
            acknowledged = max(acknowledged, next.segment)
        }
        if now - lastProgress >= Self.timeout {
            threshold = max(2, window / 2)
            window = 2
            acknowledged = next
            lastProgress = now
        }
        let first = next
        let most = acknowledged + UInt64(window)
        if most > next { next = most }
        return first..<next
    }
}
