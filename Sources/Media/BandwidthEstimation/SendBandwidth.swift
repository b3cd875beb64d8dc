package import RTP
package import Timing
package import Wire

/// How much one viewer's line carries, and when its next packet may leave: numbers what is sent, reads what became of it, and asks for
/// probes. All rates are bits a second and count what the network adds to each datagram.
///
/// Owned by the peer's thread.
package final class SendBandwidth {
    /// IPv4 and UDP.
    static let overhead = 28
    /// Pictures leave in portions of this length.
    package static let quantum = Interval.milliseconds(5)
    /// Faster than the line carries by so much, so that what waits can leave.
    private static let pace = 1.1
    /// A line that has not been full for a while, and carries all that is wanted: frames are spread, not held.
    private static let relaxedPace = 4.0
    private static let relaxedAfter = Interval.seconds(10)
    /// After a cut, probes wait.
    private static let probeAfterCut = Interval.seconds(3)
    private static let firstProbe = Interval.milliseconds(100)
    private static let mostProbed = 2.0
    private static let overWanted = 1.2
    private static let probeLossLimit = 0.15
    private static let shortQueue = Interval.milliseconds(30)
    private static let calmAfter = Interval.seconds(2)
    /// Signs that are older say nothing.
    private static let stale = Interval.seconds(1)
    /// Of one message.
    private static let mostLost = 32
    /// The largest thing that is asked for, whatever somebody wants.
    private static let mostWanted = 20_000_000.0

    private var log: TransportLog
    private var arrivals = Arrivals()
    private var trend = DelayTrend()
    private var fastLoss = LossWindow(.milliseconds(300))
    private var slowLoss = LossWindow(.seconds(2))
    private var estimator = BandwidthEstimator()
    private var probes: ProbePlan
    private var budget: PacingBudget
    private var unnumbered = RateMeter()
    private var feedback = FeedbackClock()
    private var lastFeedback: Instant?
    /// Since the last message: something was sent that is not told of yet.
    private var unansweredSince: Instant?
    private var told: UInt64
    /// The first packet of this path: what became of earlier ones says nothing of it.
    private var first: UInt64
    private var lost: [(stream: Int, sequence: SequenceNumber16)] = []
    /// Of the way there and back, the wait for messages included.
    private var roundTrip = Interval.milliseconds(200)

    /// Everything that this viewer would be sent if the line were wide enough.
    package private(set) var wanted = 0.0
    private var least = 0.0
    /// More is wanted than the line carries.
    package private(set) var isShort = false
    private var lastShort: Instant
    /// Something was told about arrivals since this was set to false.
    package var hasNews = false

    /// - Parameter firstNumber: of the first packet.
    package init(firstNumber: UInt16, at now: Instant) {
        log = TransportLog(first: firstNumber)
        told = UInt64(firstNumber)
        first = told
        probes = ProbePlan(first: now + Self.firstProbe)
        budget = PacingBudget(at: now)
        lastShort = now
    }

    deinit { log.deallocate() }

    /// Says what is wanted, and whether all of it fits.
    /// - Parameter least: what the lowest layers of all that is wanted take.
    package func setWishes(wanted: Double, least: Double = 0, isShort: Bool, at now: Instant) {
        self.wanted = min(wanted, Self.mostWanted)
        self.least = min(least, self.wanted)
        self.isShort = isShort
        if isShort { lastShort = now }
    }

    // MARK: Sending

    /// The transport-wide number of a datagram that leaves now.
    /// - Parameter stream: whose packet `sequence` is in it, for the first time or again; nil: none's.
    @inline(__always)
    package func number(_ length: Int, stream: Int?, sequence: UInt64, at now: Instant) -> UInt16 {
        let bytes = length + Self.overhead
        let content = TransportLog.Content(
            sequence: UInt16(truncatingIfNeeded: sequence),
            stream: stream.flatMap { UInt8(exactly: $0) } ?? TransportLog.Content.none)
        let number = log.add(bytes, content, at: now)
        if unansweredSince == nil { unansweredSince = now }
        budget.spend(bytes, at: now)
        probes.sent(bytes, next: log.next, at: now)
        return number
    }

    /// The datagram that was numbered last did not leave.
    package func takeBack() { log.takeBack() }

    /// A datagram leaves that has no number: sound, or a picture (`isPaced`) for somebody who does not tell of arrivals.
    @inline(__always)
    package func noteUnnumbered(_ length: Int, isPaced: Bool, at now: Instant) {
        if isPaced {
            budget.spend(length + Self.overhead, at: now)
        } else {
            unnumbered.add(length + Self.overhead, at: now)
        }
    }

    /// Whether a picture's packet may leave now.
    package func mayLeave(at now: Instant) -> Bool {
        budget.setRate(paceRate(at: now), at: now)
        return budget.isFree
    }

    /// When one may, if none may now.
    package var nextLeave: Instant { budget.nextFree }

    private func paceRate(at now: Instant) -> Double {
        let base = max(estimator.target - unnumbered.rate(at: now), BandwidthEstimator.floor / 2)
        let isRelaxed = !isShort && now - max(estimator.lastCut, lastShort) > Self.relaxedAfter
        return max(base * (isRelaxed ? Self.relaxedPace : Self.pace), probes.rate ?? 0)
    }

    // MARK: Probes

    /// Bytes that should leave now to fill a probe, beside what is there to be sent.
    package func probeDue(at now: Instant) -> Int { probes.due(at: now) }

    /// Nothing can be sent for the probe: the next one comes when its turn is.
    package func giveUpProbe() { probes.cancel() }

    /// When that is so again; `distantFuture` while no probe is being sent.
    package var nextProbeDue: Instant { probes.nextDue }

    /// A probe is under way, and what it finds is worth waiting for.
    package var isProbing: Bool { !probes.isIdle }

    private func planProbe(at now: Instant) {
        probes.advance(to: now)
        guard probes.isIdle, probes.next <= now, wanted > 0, trend.reading != .rising, !estimator.isDraining,
            fastLoss.share <= Self.probeLossLimit
        else { return }
        probe(at: now)
    }

    private func probe(at now: Instant) {
        // However little is known, a probe says something.
        let least = 2 * BandwidthEstimator.floor + unnumbered.rate(at: now)
        begin(max(least, min(Self.mostProbed * estimator.rate, Self.overWanted * wanted)), at: now)
    }

    private func begin(_ rate: Double, at now: Instant) {
        let numbered = rate - unnumbered.rate(at: now)
        guard isShort, rate > 1.05 * estimator.rate else { return }
        probes.begin(numbered, number: log.next, at: now)
    }

    // MARK: What the other side says

    /// Reads a message about arrivals.
    package func receive(_ message: TransportFeedback, at now: Instant) {
        feedback.note(message)
        var newest: (sent: Instant, arrival: Instant)?
        // A few bytes may claim something of 65,000 packets. More than are remembered say nothing.
        for status in message.lazy.prefix(TransportLog.capacity) {
            guard let (entry, wasLost, index) = log.settle(status.number.rawValue, isReceived: status.arrival != nil)
            else { continue }
            guard index >= first else { continue }
            told = max(told, index + 1)
            fastLoss.add(sent: entry.sent, isReceived: status.arrival != nil, wasLost: wasLost)
            slowLoss.add(sent: entry.sent, isReceived: status.arrival != nil, wasLost: wasLost)
            guard let time = status.arrival else {
                if entry.content.stream != TransportLog.Content.none, lost.count < Self.mostLost {
                    lost.append((Int(entry.content.stream), SequenceNumber16(entry.content.sequence)))
                }
                continue
            }
            let arrival = Instant(nanoseconds: feedback.begun &+ time)
            let bytes = Int(entry.bytes)
            trend.add(sent: entry.sent, arrival: arrival)
            arrivals.add(sent: entry.sent, arrival: arrival, bytes: bytes)
            probes.received(index, sent: entry.sent, arrival: arrival, bytes: bytes)
            if newest.map({ entry.sent >= $0.sent }) ?? true { newest = (entry.sent, arrival) }
        }
        guard let newest else { return }
        let measured = now - newest.sent
        roundTrip = roundTrip * 7 / 8 + measured / 8
        lastFeedback = now
        if estimator.endSilence() {
            // What was sent into the void says nothing of the line as it is now.
            fastLoss = LossWindow(.milliseconds(300))
            slowLoss = LossWindow(.seconds(2))
            lost.removeAll(keepingCapacity: true)
        }
        unansweredSince = told >= log.next ? nil : now
        arrivals.endMessage(at: now)
        update(at: now)
        hasNews = true
    }

    private func update(at now: Instant) {
        let other = unnumbered.rate(at: now)
        let before = estimator.lastCut
        estimator.update(
            BandwidthEstimator.Signs(
                arrivals: arrivals, trend: trend.reading, fastLoss: fastLoss, slowLoss: slowLoss, unnumbered: other,
                wanted: wanted, least: least, roundTrip: roundTrip), at: now)
        if estimator.lastCut != before {
            probes.cancel()
            probes.postpone(until: now + Self.probeAfterCut)
        }
        if let (found, asked) = probes.takeResult(told: told, at: now) {
            estimator.learn(probed: found, unnumbered: other, wanted: wanted)
            if found > ProbePlan.goesOn * asked {
                probe(at: now)
            }
        }
    }

    /// What the last message showed to be lost, and is worth giving again before it is asked for. What a full line has thrown away is not.
    package func takeLost() -> [(stream: Int, sequence: SequenceNumber16)] {
        defer { lost.removeAll(keepingCapacity: true) }
        return estimator.isDraining || fastLoss.share > Self.probeLossLimit ? [] : lost
    }

    /// The other side says how much it takes (draft-alvestrand-rmcat-remb): counts where it does not tell of arrivals.
    package func receive(statedMaximum rate: Double, at now: Instant) {
        guard lastFeedback == nil else { return }
        estimator.take(stated: rate)
        hasNews = true
    }

    /// The path is another one: nothing that was learnt holds.
    package func reset(at now: Instant) {
        arrivals = Arrivals()
        trend = DelayTrend()
        fastLoss = LossWindow(.milliseconds(300))
        slowLoss = LossWindow(.seconds(2))
        estimator = BandwidthEstimator()
        probes = ProbePlan(first: now + Self.firstProbe)
        lastFeedback = nil
        unansweredSince = nil
        first = log.next
        told = first
        lost.removeAll(keepingCapacity: true)
    }

    // MARK: Time and result

    /// Plans probes, and takes silence for what it is.
    package func advance(to now: Instant) {
        if let unansweredSince, lastFeedback != nil { estimator.noteSilence(since: unansweredSince, at: now) }
        if let lastFeedback, now - lastFeedback > Self.stale { forgetSigns() }
        planProbe(at: now)
    }

    /// Nothing has been sent for so long that what was seen of the line then says nothing of now.
    private func forgetSigns() {
        guard unansweredSince == nil || estimator.rate <= BandwidthEstimator.floor else { return }
        trend = DelayTrend()
        fastLoss = LossWindow(.milliseconds(300))
        slowLoss = LossWindow(.seconds(2))
        estimator.forgetQueue()
        lastFeedback = nil
    }

    /// What the line carries.
    package var estimate: Double { estimator.rate }

    /// What pictures may take of it now.
    package func available(at now: Instant) -> Double { max(0, estimator.target - unnumbered.rate(at: now)) }

    /// When the line was last found too narrow.
    package var lastCut: Instant { estimator.lastCut }

    /// Packets hardly wait, and it has been so for a while: what gets lost is not lost for want of room.
    package func isCalm(at now: Instant) -> Bool {
        arrivals.queue < Self.shortQueue && now - estimator.lastCut > Self.calmAfter && fastLoss.share < 0.1
    }

    /// How long packets wait on the way.
    package var queue: Interval { arrivals.queue }
}

/// Times of messages count in 64 ms and wrap after twelve days.
private struct FeedbackClock {
    private var last: Int32?
    private var wraps: Int64 = 0
    /// To be added to a message's times, in nanoseconds.
    var begun: Int64 { wraps &* (1 << 24) &* TransportFeedback.referenceNanoseconds }

    mutating func note(_ message: TransportFeedback) {
        if let last {
            let step = message.reference - last
            if step < -(1 << 23) { wraps &+= 1 } else if step > 1 << 23 { wraps &-= 1 }
        }
        last = message.reference
    }
}
