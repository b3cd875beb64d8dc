internal import Timing
internal import Wire

/// Finds the holes in a received stream and says when to ask for a repeat (RFC 4585 §6.2.1).
///
/// Sound waits in a jitter buffer for a few hundred milliseconds at most: what is missing longer than that is not asked
/// for any more.
struct RepeatRequester {
    /// A hole may be mere reordering; asking at once wastes bandwidth on both ways.
    static let reorderTolerance = Interval.milliseconds(20)
    /// Between two requests for the same packet lies a round trip and a bit, but never less than this.
    static let shortestRetry = Interval.milliseconds(40)
    static let maximumRequests = 5
    /// Later than that, a repeat is too late to be heard.
    static let maximumAge = Interval.milliseconds(400)
    /// More than a second of sound: a longer hole is an outage, not loss.
    static let maximumMissing = 64

    private struct Missing {
        let sequence: UInt64
        let since: Instant
        var nextRequest: Instant
        var requests = 0
    }

    private var missing: [Missing] = []
    private var highest: UInt64?
    /// The earliest time at which something is due.
    private(set) var nextDeadline = Instant.distantFuture

    mutating func receive(_ sequence: UInt64, at now: Instant) {
        guard let highest else {
            self.highest = sequence
            return
        }
        if sequence <= highest {
            guard !missing.isEmpty, let index = missing.firstIndex(where: { $0.sequence == sequence }) else { return }
            missing.remove(at: index)
            updateDeadline()
            return
        }
        self.highest = sequence
        let gap = sequence - highest - 1
        guard gap > 0 else { return }
        guard gap <= UInt64(RepeatRequester.maximumMissing) else {
            missing.removeAll()
            updateDeadline()
            return
        }
        let excess = missing.count + Int(gap) - RepeatRequester.maximumMissing
        if excess > 0 { missing.removeFirst(excess) }
        for lost in (highest + 1)..<sequence {
            missing.append(
                Missing(sequence: lost, since: now, nextRequest: now + RepeatRequester.reorderTolerance))
        }
        updateDeadline()
    }

    /// What to ask for now, oldest first.
    mutating func requests(at now: Instant, roundTrip: Interval) -> [SequenceNumber16] {
        guard nextDeadline <= now else { return [] }
        missing.removeAll {
            $0.since + RepeatRequester.maximumAge <= now || $0.requests == RepeatRequester.maximumRequests
        }
        let retry = max(RepeatRequester.shortestRetry, roundTrip + roundTrip / 8)
        var due: [SequenceNumber16] = []
        for index in missing.indices where missing[index].nextRequest <= now {
            missing[index].requests += 1
            missing[index].nextRequest = now + retry
            due.append(SequenceNumber16(UInt16(truncatingIfNeeded: missing[index].sequence)))
        }
        updateDeadline()
        return due
    }

    private mutating func updateDeadline() {
        nextDeadline = missing.reduce(.distantFuture) {
            min($0, $1.nextRequest, $1.since + RepeatRequester.maximumAge)
        }
    }
}
