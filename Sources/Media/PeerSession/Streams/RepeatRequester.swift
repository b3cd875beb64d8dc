internal import Timing
internal import Wire

/// Finds the holes in a received stream and says when to ask for a repeat (RFC 4585 §6.2.1).
struct RepeatRequester {
    private let policy: RepeatPolicy

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

    init(_ policy: RepeatPolicy) { self.policy = policy }

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
        guard gap <= UInt64(policy.maximumMissing) else {
            missing.removeAll()
            updateDeadline()
            return
        }
        let excess = missing.count + Int(gap) - policy.maximumMissing
        if excess > 0 { missing.removeFirst(excess) }
        for lost in (highest + 1)..<sequence {
            missing.append(
                Missing(sequence: lost, since: now, nextRequest: now + policy.reorderTolerance))
        }
        updateDeadline()
    }

    /// It is a hole of which a repeat may still come.
    func isMissing(_ sequence: UInt64) -> Bool { missing.contains { $0.sequence == sequence } }

    /// What to ask for now, oldest first.
    mutating func requests(at now: Instant, roundTrip: Interval) -> [SequenceNumber16] {
        guard nextDeadline <= now else { return [] }
        missing.removeAll {
            $0.since + policy.maximumAge <= now || $0.requests == policy.maximumRequests
        }
        let retry = max(policy.shortestRetry, roundTrip + roundTrip / 8)
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
            min($0, $1.nextRequest, $1.since + policy.maximumAge)
        }
    }
}
