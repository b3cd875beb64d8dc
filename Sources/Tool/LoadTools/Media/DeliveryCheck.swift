internal import Timing

/// What arrived of what was said, over a stretch of time. A packet belongs to it by its number, so that nothing at its ends is counted
/// wrong. Each copy is counted; how late it is, is known of samples.
package struct DeliveryCheck: Sendable {
    /// Sound that comes later than this is of no use to anybody.
    static let patience = Interval.milliseconds(200)

    /// Of one speaker.
    private struct Spoken {
        var first: UInt32
        /// Behind the last, once the stretch is over.
        var end = UInt32.max
    }

    /// Copies of one sample that have come so far.
    private struct Copies {
        var number = UInt32.max
        var count = 0
        var latest = Interval.zero
    }

    private static let tracked = 64

    private var spoken: [Spoken]
    private var copies: [Copies]
    private let listeners: Int
    /// Copies that came in order.
    private(set) var delivered = 0
    /// After a later one of its stream: repeated, or overtaken.
    private(set) var late = 0
    /// The server's numbering has another gap than the speaker's.
    private(set) var misnumbered = 0
    /// Of samples.
    private(set) var latencies = Latencies()
    /// Samples that came after `patience`.
    private(set) var overdue = 0
    /// Of each sample, the copy that came last, where all came.
    private(set) var lastCopies = Latencies()

    /// - Parameter next: the number of each speaker's next packet.
    init(next: [UInt32], listeners: Int) {
        spoken = next.map { Spoken(first: $0) }
        copies = [Copies](repeating: Copies(), count: next.count * Self.tracked)
        self.listeners = listeners
    }

    /// No packet from these numbers on belongs to it.
    mutating func end(next: [UInt32]) {
        for (speaker, number) in next.enumerated() where speaker < spoken.count { spoken[speaker].end = number }
    }

    /// Packets that were sent.
    var said: Int { spoken.reduce(0) { $0 + ($1.end == .max ? 0 : Int($1.end - $1.first)) } }
    /// Copies that should have come.
    var expected: Int { said * listeners }
    /// Copies that did not come, or only after later ones, such as those that were asked for again.
    var lost: Int { expected - delivered }

    private func includes(_ number: UInt32, of speaker: Int) -> Bool {
        speaker < spoken.count && number >= spoken[speaker].first && number < spoken[speaker].end
    }

    /// A copy has come in order.
    @inline(__always)
    mutating func take(_ number: UInt32, of speaker: Int) {
        if includes(number, of: speaker) { delivered += 1 }
    }

    /// A copy has come after a later one.
    mutating func takeLate(_ number: UInt32, of speaker: Int) {
        if includes(number, of: speaker) { late += 1 }
    }

    /// A copy came under a number that does not follow from those before.
    mutating func takeMisnumbered(_ number: UInt32, of speaker: Int) {
        if includes(number, of: speaker) { misnumbered += 1 }
    }

    /// The time that a copy in order took.
    mutating func sample(_ packet: SpokenPacket, arrival: Instant) {
        let speaker = Int(packet.speaker)
        guard includes(packet.number, of: speaker) else { return }
        let latency = arrival - packet.sentAt
        latencies.add(latency)
        if latency > Self.patience { overdue += 1 }
        let index = speaker * Self.tracked + Int(packet.number / HeardStream.samples) & (Self.tracked - 1)
        if copies[index].number != packet.number { copies[index] = Copies(number: packet.number) }
        copies[index].count += 1
        copies[index].latest = max(copies[index].latest, latency)
        if copies[index].count == listeners { lastCopies.add(copies[index].latest) }
    }
}
