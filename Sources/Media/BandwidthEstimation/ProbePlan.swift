internal import Timing

/// Short bursts that find out whether a line carries more than is being sent.
struct ProbePlan {
    /// At least so many packets and so long: less says nothing.
    static let packets = 5
    static let length = Interval.milliseconds(15)
    /// What a packet of a probe is taken to have.
    static let packetBytes = 1_200
    /// Longer apart, and a rise of the line is found too late.
    static let interval = Interval.seconds(3)
    /// What comes back later than this says nothing.
    static let patience = Interval.seconds(1)
    /// A line that carried so much of a probe is asked for more at once.
    static let goesOn = 0.85
    /// Of the packets and bytes of a probe, so much must have arrived.
    fileprivate static let leastShare = 0.8
    /// Arriving so much faster than it was sent is no measurement.
    fileprivate static let mostRatio = 2.0

    struct Probe {
        /// Bits a second.
        var rate: Double
        var began: Instant
        /// The first packet's number.
        var first: UInt64
        /// The number after the last; nil while it is being sent.
        var end: UInt64?
        var ended = Instant.distantPast
        var bytes = 0
        fileprivate var arrived = Arrived()
    }

    fileprivate struct Arrived {
        var packets = 0
        var bytes = 0
        var firstSent = Instant.distantFuture
        var lastSent = Instant.distantPast
        var firstArrival = Instant.distantFuture
        var lastArrival = Instant.distantPast
        var firstBytes = 0
        var lastBytes = 0
    }

    enum State {
        /// → sending
        case idle
        /// → waiting, idle
        case sending(Probe)
        /// → idle
        case waiting(Probe)
    }

    private(set) var state = State.idle
    /// The next one begins no earlier.
    private(set) var next: Instant

    /// - Parameter first: when the first one may begin.
    init(first: Instant) { next = first }

    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// The rate at which a probe is being sent.
    var rate: Double? { if case .sending(let probe) = state { probe.rate } else { nil } }

    mutating func postpone(until time: Instant) { next = max(next, time) }

    /// What is being sent is given up.
    mutating func cancel() { state = .idle }

    mutating func begin(_ rate: Double, number: UInt64, at now: Instant) {
        state = .sending(Probe(rate: rate, began: now, first: number))
        next = now + Self.interval
    }

    /// Bytes of a probe that should have left by now, and have not.
    func due(at now: Instant) -> Int {
        guard case .sending(let probe) = state else { return 0 }
        // One packet ahead, so that the first leaves at once.
        let planned = (now - probe.began).seconds * probe.rate / 8 + Double(Self.packetBytes)
        return min(target(probe), Int(planned)) - probe.bytes
    }

    /// When the next bytes of a probe should leave; `distantFuture` if none is being sent.
    var nextDue: Instant {
        guard case .sending(let probe) = state, probe.bytes < target(probe) else { return .distantFuture }
        let ahead = max(0, probe.bytes - Self.packetBytes + Self.packetBytes / 8)
        return probe.began + Interval(seconds: Double(ahead) * 8 / probe.rate)
    }

    private func target(_ probe: Probe) -> Int {
        max(Self.packets * Self.packetBytes, Int(Self.length.seconds * probe.rate / 8))
    }

    /// A packet has left, whatever is in it.
    mutating func sent(_ bytes: Int, next number: UInt64, at now: Instant) {
        guard case .sending(var probe) = state else { return }
        probe.bytes += bytes
        guard probe.bytes >= target(probe), number - probe.first >= UInt64(Self.packets) else {
            state = .sending(probe)
            return
        }
        probe.end = number
        probe.ended = now
        state = .waiting(probe)
    }

    mutating func received(_ number: UInt64, sent: Instant, arrival: Instant, bytes: Int) {
        switch state {
        case .idle: break
        case .sending(var probe):
            probe.note(number, sent, arrival, bytes)
            state = .sending(probe)
        case .waiting(var probe):
            probe.note(number, sent, arrival, bytes)
            state = .waiting(probe)
        }
    }

    /// What a probe has found, once everything about it was told.
    /// - Parameter told: packets below this number have been told of.
    mutating func takeResult(told: UInt64, at now: Instant) -> (rate: Double, asked: Double)? {
        guard case .waiting(let probe) = state, let end = probe.end else { return nil }
        guard told >= end else {
            if now - probe.ended > Self.patience { state = .idle }
            return nil
        }
        state = .idle
        return probe.result(of: end - probe.first).map { ($0, probe.rate) }
    }

    /// A probe that hangs, since nothing can be sent.
    mutating func advance(to now: Instant) {
        switch state {
        case .idle: break
        case .sending(let probe): if now - probe.began > Self.patience { state = .idle }
        case .waiting(let probe): if now - probe.ended > Self.patience { state = .idle }
        }
    }
}

extension ProbePlan.Probe {
    fileprivate mutating func note(_ number: UInt64, _ sent: Instant, _ arrival: Instant, _ size: Int) {
        guard number >= first, number < end ?? .max else { return }
        arrived.packets += 1
        arrived.bytes += size
        if sent < arrived.firstSent { arrived.firstSent = sent }
        if sent >= arrived.lastSent {
            arrived.lastSent = sent
            arrived.lastBytes = size
        }
        if arrival < arrived.firstArrival {
            arrived.firstArrival = arrival
            arrived.firstBytes = size
        }
        arrived.lastArrival = max(arrived.lastArrival, arrival)
    }

    fileprivate func result(of count: UInt64) -> Double? {
        let least = ProbePlan.leastShare
        guard Double(arrived.packets) >= least * Double(count), Double(arrived.bytes) >= least * Double(bytes),
            arrived.packets > 1
        else { return nil }
        let sentIn = (arrived.lastSent - arrived.firstSent).seconds
        let arrivedIn = (arrived.lastArrival - arrived.firstArrival).seconds
        guard sentIn > 0, arrivedIn > 0, sentIn < 1, arrivedIn < 1 else { return nil }
        let sending = Double(arrived.bytes - arrived.lastBytes) * 8 / sentIn
        let receiving = Double(arrived.bytes - arrived.firstBytes) * 8 / arrivedIn
        guard receiving <= ProbePlan.mostRatio * sending else { return nil }
        return receiving < 0.9 * sending ? 0.95 * receiving : min(sending, receiving)
    }
}
