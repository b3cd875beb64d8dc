internal import Timing

/// What has arrived lately at the other side, by its clock: how fast, and how long packets wait on the way.
struct Arrivals {
    /// A packet that arrived.
    private struct Packet {
        var sent = Instant.distantPast
        var arrival = Instant.distantPast
        var bytes = 0
    }

    /// What a line carries while packets wait in front of it.
    struct Saturation {
        /// Bits a second.
        var rate: Double
        /// Packets left this much slower than they came, as a share: 0 = as fast.
        var spread: Double
    }

    /// A power of two: a second of 1.2 Mbit/s.
    private static let kept = 128
    /// The least time and number of packets that tell how much a line carries, and the longest that is still one moment.
    private static let sampleLength = Interval.milliseconds(60)
    /// A packet that took so much longer than the fastest has waited.
    private static let waiting = Interval.milliseconds(8)
    private static let samplePackets = 8
    private static let moment = Interval.milliseconds(200)
    /// Behind a queue like this no line rests.
    private static let deep = Interval.milliseconds(60)
    private static let longestSample = Interval.milliseconds(600)
    /// The shortest way is what was seen in this time; clocks that are 100 ppm apart move it by 2 ms.
    private static let baseLength = Interval.seconds(10)
    static let rateBucket = Interval.milliseconds(50)
    private static let rateBuckets = 32

    private var packets = [Packet](repeating: Packet(), count: kept)
    private var count = 0
    // Bytes by arrival, in steps of `rateBucket`.
    private var bytes = [Int](repeating: 0, count: rateBuckets)
    private var newestBucket: Int64?
    private var firstBucket: Int64 = 0
    /// The shortest ways, from sending by our clock to arrival by theirs: of this period, and of the one before.
    private var shortest = Interval(nanoseconds: .max)
    private var shortestBefore = Interval(nanoseconds: .max)
    private var baseBegan: Instant?
    /// The least that a packet of the last message waited on its way.
    private(set) var queue = Interval.zero
    private var leastWay = Interval(nanoseconds: .max)

    /// How fast packets arrived that all waited on their way: the fastest of the last moments, while they wait.
    private(set) var saturation: Saturation?
    private var saturatedAt = Instant.distantPast

    // MARK: Input

    mutating func add(sent: Instant, arrival: Instant, bytes size: Int) {
        packets[count & (Self.kept - 1)] = Packet(sent: sent, arrival: arrival, bytes: size)
        count += 1
        let bucket = arrival.nanoseconds / Self.rateBucket.nanoseconds
        if let newest = newestBucket {
            if bucket > newest {
                for step in max(newest + 1, bucket - Int64(Self.rateBuckets) + 1)...bucket { bytes[slot(step)] = 0 }
                newestBucket = bucket
            }
        } else {
            newestBucket = bucket
            firstBucket = bucket
        }
        if let newestBucket, newestBucket - bucket < Int64(Self.rateBuckets) { bytes[slot(bucket)] += size }
        leastWay = min(leastWay, arrival - sent)
    }

    private func slot(_ bucket: Int64) -> Int { Int(UInt64(bitPattern: bucket) % UInt64(Self.rateBuckets)) }

    /// A message about arrivals has been read to its end.
    mutating func endMessage(at now: Instant) {
        guard leastWay.nanoseconds < .max else { return }
        if baseBegan == nil || now - (baseBegan ?? now) > Self.baseLength {
            shortestBefore = shortest
            shortest = leastWay
            baseBegan = now
        }
        shortest = min(shortest, leastWay)
        queue = max(.zero, leastWay - min(shortest, shortestBefore))
        leastWay = Interval(nanoseconds: .max)
        let measured = measureSaturation()
        // Between two frames a line rests for a moment, and seems to carry less.
        if let saturation, let measured, saturation.rate > measured.rate, now - saturatedAt < Self.moment,
            queue < Self.deep
        {
            self.saturation?.spread = measured.spread
        } else {
            saturation = measured
            saturatedAt = now
        }
    }

    // MARK: Output

    /// Bits a second that arrived over the last `length`; nil before anything did.
    func rate(over length: Interval) -> Double? {
        guard let newest = newestBucket else { return nil }
        let wanted = min(Int64(Self.rateBuckets) - 1, max(1, length.nanoseconds / Self.rateBucket.nanoseconds))
        // The newest step is not over yet.
        let last = newest - 1
        let first = max(firstBucket, last - wanted + 1)
        guard last >= first else { return nil }
        var sum = 0
        for step in first...last { sum += bytes[slot(step)] }
        return Double(sum) * 8 / (Double(last - first + 1) * Self.rateBucket.seconds)
    }

    /// How fast the newest packets arrived that all waited on their way: while they did, the line was hardly idle. Of all stretches that
    /// end with the newest packet, the fastest counts.
    private func measureSaturation() -> Saturation? {
        guard count >= Self.samplePackets else { return nil }
        let base = min(shortest, shortestBefore)
        let newest = packets[(count - 1) & (Self.kept - 1)]
        var sum = newest.bytes
        var found: Saturation?
        for back in 1..<min(count, Self.kept) {
            let packet = packets[(count - 1 - back) & (Self.kept - 1)]
            guard newest.arrival - packet.arrival <= Self.longestSample else { break }
            // What the first packet of a stretch waited for is not known: its bytes do not count.
            if let sample = sample(newest, packet, sum, of: back), sample.rate > found?.rate ?? 0 { found = sample }
            guard packet.arrival - packet.sent - base > Self.waiting else { break }
            sum += packet.bytes
        }
        return found
    }

    private func sample(_ newest: Packet, _ oldest: Packet, _ sum: Int, of packets: Int) -> Saturation? {
        let arrivedApart = newest.arrival - oldest.arrival
        let sentApart = newest.sent - oldest.sent
        guard packets >= Self.samplePackets, arrivedApart >= Self.sampleLength, sentApart > .zero else { return nil }
        return Saturation(
            rate: Double(sum) * 8 / arrivedApart.seconds, spread: arrivedApart.seconds / sentApart.seconds - 1)
    }
}

/// Which share of the last packets got lost.
struct LossWindow {
    /// In steps of a tenth of this.
    private static let steps = 10
    private let step: Interval
    private var received = [Int](repeating: 0, count: steps)
    private var lost = [Int](repeating: 0, count: steps)
    private var newest: Int64 = 0

    /// - Parameter length: how far back it looks, by the time of sending.
    init(_ length: Interval) { step = length / Int64(Self.steps) }

    mutating func add(sent: Instant, isReceived: Bool, wasLost: Bool) {
        let number = sent.nanoseconds / max(step.nanoseconds, 1)
        if number > newest {
            for cleared in max(newest + 1, number - Int64(Self.steps) + 1)...number {
                received[place(cleared)] = 0
                lost[place(cleared)] = 0
            }
            newest = number
        }
        guard newest - number < Int64(Self.steps), number >= 0 else { return }
        if isReceived { received[place(number)] += 1 } else { lost[place(number)] += 1 }
        if wasLost { lost[place(number)] = max(0, lost[place(number)] - 1) }
    }

    private func place(_ number: Int64) -> Int { Int(number % Int64(Self.steps)) }

    var packets: Int { received.reduce(0, +) + lost.reduce(0, +) }
    var share: Double {
        let all = packets
        return all == 0 ? 0 : Double(lost.reduce(0, +)) / Double(all)
    }
}
