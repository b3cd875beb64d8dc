import RoomModel
import RoomPorts
package import Timing

/// What a session says of its equipment and its way. It knows what the server cannot measure.
package struct SingerEquipment: Hashable, Sendable {
    /// From playing to capturing: what the output and the input take together.
    package var latency: Interval
    /// To the server and back, on the way of the sound.
    package var roundTrip: Interval?
    /// How long the other singers' sound waits there before it is played.
    package var buffer: Interval?

    package init(latency: Interval, roundTrip: Interval? = nil, buffer: Interval? = nil) {
        self.latency = latency
        self.roundTrip = roundTrip
        self.buffer = buffer
    }

    /// What is not stated now holds as it was stated before.
    func completed(by former: SingerEquipment?) -> SingerEquipment {
        SingerEquipment(
            latency: latency, roundTrip: roundTrip ?? former?.roundTrip, buffer: buffer ?? former?.buffer)
    }
}

/// Makes news of how the singers' ways do: at most every two seconds, and only when something has changed that a person
/// would want to know.
struct NetworkWatch {
    static let interval = Interval.seconds(2)
    /// What a packet takes to be filled, in a browser.
    static let packet = Interval.milliseconds(10)
    /// How long a client keeps sound that says nothing of it.
    static let usualBuffer = Interval.milliseconds(20)
    /// Once too far, singers are close enough again only that far below the limit.
    static let tightAgainMs = SingersApart.tightLimitMs - 6
    /// What changes by less is the same: people see numbers, not their flicker.
    static let distinctMs = 5
    static let distinctPercent = 2

    /// What is known of one singer: measured by the media plane, and stated by the client.
    struct Singer {
        var reading: PathReading
        var roundTrip: Interval?
        var buffer: Interval

        init(_ reading: PathReading, _ equipment: SingerEquipment?) {
            self.reading = reading
            roundTrip = reading.roundTrip ?? equipment?.roundTrip
            buffer = equipment?.buffer ?? NetworkWatch.usualBuffer
        }

        var network: SingerNetwork {
            let loss = max(reading.lossFromPeer, reading.lossToPeer)
            // The wait that such jitter asks of whoever hears this singer.
            let wait = reading.jitter.map { 2 * $0.exactMs }
            let quality: NetworkQuality =
                if reading.isLost {
                    .down
                } else if let roundTrip {
                    NetworkQuality(roundTripMs: roundTrip.exactMs, loss: loss, waitMs: wait)
                } else {
                    // Little jitter says nothing about how far somebody is.
                    .unknown
                }
            return SingerNetwork(
                quality: quality, roundTripMs: roundTrip?.roundedMs, jitterMs: reading.jitter?.roundedMs,
                lossPercent: Int((loss * 100).rounded()))
        }
    }

    private var report = NetworkReport()
    private var told = NetworkReport()
    private var mustTell = false
    private var poor = PoorWays()
    private var isTight = true
    private var lastTold = Instant.distantPast

    mutating func hear(_ singers: [UserID: Singer]) {
        report.singers = singers.mapValues(\.network)
        report.apart = apart(Array(singers.values.filter { !$0.reading.isLost }))
    }

    /// In a live room: who is far from whom does not matter there.
    mutating func hearOnStage(_ people: [UserID: Singer]) { report.singers = poor.hear(people.mapValues(\.network)) }

    /// Somebody has come who has heard nothing yet.
    mutating func tellAgain() { mustTell = !told.singers.isEmpty }

    /// When the next news may leave; `nil` if there are none.
    func ready(_ now: Instant) -> Instant? {
        guard mustTell || report.isDistinct(from: told) else { return nil }
        let next = lastTold + Self.interval
        return next > now ? next : now
    }

    mutating func take(at now: Instant) -> NetworkReport {
        lastTold = now
        mustTell = false
        told = report
        return report
    }

    /// Both halves of the way by the server, the packet, and the wait at the ear; of the two who are furthest apart.
    private mutating func apart(_ singers: [Singer]) -> SingersApart? {
        var furthest: Interval?
        for (index, one) in singers.enumerated() {
            for other in singers[(index + 1)...] {
                guard let there = one.roundTrip, let back = other.roundTrip else { continue }
                let way = there / 2 + back / 2 + Self.packet + max(one.buffer, other.buffer)
                furthest = max(furthest ?? way, way)
            }
        }
        guard let ms = furthest?.roundedMs else {
            isTight = true
            return nil
        }
        isTight = ms <= (isTight ? SingersApart.tightLimitMs : Self.tightAgainMs)
        return SingersApart(ms: ms, isTight: isTight)
    }
}

extension NetworkReport {
    fileprivate func isDistinct(from other: NetworkReport) -> Bool {
        guard singers.count == other.singers.count, apart?.isTight == other.apart?.isTight,
            !isFar(apart?.ms, other.apart?.ms, NetworkWatch.distinctMs)
        else { return true }
        return singers.contains { user, singer in
            other.singers[user].map { singer.isDistinct(from: $0) } ?? true
        }
    }
}

extension SingerNetwork {
    fileprivate func isDistinct(from other: SingerNetwork) -> Bool {
        quality != other.quality || isFar(roundTripMs, other.roundTripMs, NetworkWatch.distinctMs)
            || isFar(jitterMs, other.jitterMs, NetworkWatch.distinctMs)
            || isFar(lossPercent, other.lossPercent, NetworkWatch.distinctPercent)
    }
}

/// Whether a number has come, gone, or changed by that much; large ones by a tenth.
private func isFar(_ new: Int?, _ old: Int?, _ distinct: Int) -> Bool {
    guard let new, let old else { return (new == nil) != (old == nil) }
    return abs(new - old) >= max(distinct, old / 10)
}

extension Interval {
    fileprivate var exactMs: Double { Double(nanoseconds) / 1e6 }
    fileprivate var roundedMs: Int { Int(exactMs.rounded()) }
}
