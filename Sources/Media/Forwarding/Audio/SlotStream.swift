package import RTP
package import Timing
internal import Wire

/// A packet in the numbering of its slot.
struct SlotPacket: Hashable, Sendable {
    var sequence: UInt64
    /// RTP timestamp, in ticks of 48 kHz, modulo 2³².
    var timestamp: UInt32
    /// The first packet of a talk spurt (RFC 3551 §4.1), or of another source.
    var marker: Bool
    /// From here on somebody else is heard, or the same one after a cut.
    var startsSource = false
    /// Newer packets have been sent already. A listener's stream does not begin with this one.
    var isLate = false
    var redundancy = Redundancy.none
    /// So many bytes follow the payload where it goes to the audience, and without a copy.
    var padding: UInt8 = 0
}

/// What a packet has to do with copies (RFC 2198).
package enum Redundancy: Hashable, Sendable {
    case none
    /// The packet came with a copy of the one before, and goes on so to listeners who take that.
    case carriesCopy
    /// The packet got lost, and was found as a copy in the one right after it.
    case copyFromNext
    /// The same, found in a later one.
    case copyFromLater

    var isCopy: Bool { self == .copyFromNext || self == .copyFromLater }
}

/// A packet of one producer as it came: what a slot's stream and the taps need of it.
package struct SourcePacket: Hashable, Sendable {
    package var ssrc: SSRC
    /// With its wraps counted.
    package var sequence: UInt64
    /// In ticks of 48 kHz, modulo 2³².
    package var timestamp: UInt32
    package var marker: Bool
    /// How loud it is, if it says so.
    package var level: AudioLevel?
    package var arrival: Instant
    /// To the producer and back, as far as known.
    package var roundTrip: Interval?
    /// See `TappedPacket.songPosition`.
    package var songPosition: UInt32?
    package var redundancy = Redundancy.none

    package init(
        ssrc: SSRC, sequence: UInt64, timestamp: UInt32, marker: Bool, level: AudioLevel? = nil, arrival: Instant,
        roundTrip: Interval? = nil, songPosition: UInt32? = nil
    ) {
        self.ssrc = ssrc
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.level = level
        self.arrival = arrival
        self.roundTrip = roundTrip
        self.songPosition = songPosition
    }
}

/// One continuous stream of sound, spliced together from whoever speaks on a slot: sequence numbers have no seams and
/// timestamps go on with the time that passed, so that a listener's jitter buffer never notices that the source changed.
struct SlotStream {
    /// The RTP clock of Opus is always 48 kHz (RFC 7587 §4.1).
    static let ticksPerMillisecond: Int64 = 48
    /// A source's timestamps go on by 20 ms at least over a seam; browsers send frames of that length.
    static let frameTicks: UInt32 = 960
    /// A jump further than this is a source that started anew: two seconds of the longest frames. Listeners see no gap then.
    static let maximumJump: UInt64 = 100
    /// So many numbers may be skipped in all: as many as a source with the shortest frames (400 a second) loses when nothing comes
    /// through. Without a limit, a source whose numbers leap with each packet takes the listeners' numbers along, and one that misses
    /// packets for a moment can no longer tell how often they have wrapped (RFC 3711 §3.3.1): it is deaf for good.
    static let skipAllowance = Allowance(burst: 400, perSecond: 400)
    /// A source that jumps further starts anew, but not with every packet: each start costs a report to every listener.
    static let jumpInterval = Interval.milliseconds(200)
    /// How late a packet may come: nobody plays it later, and the history does not reach further back.
    static let maximumLateness: UInt64 = 200
    /// How long a source must be silent before another SSRC of the same producer takes over from it.
    static let sourceHold = Interval.milliseconds(500)
    /// 20 ms of silence, code 0, mono, CELT (RFC 6716 §3.1). Three end what a decoder would otherwise stretch.
    static let silence: [UInt8] = [0xf8, 0xff, 0xfe]
    static let silenceFrames = 3
    /// While the slot's timestamps run ahead of time by more than this, a cut adds no silence, so that somebody who
    /// mutes and unmutes quickly does not pile up delay at the listeners.
    static let maximumAhead: Int64 = 60 * ticksPerMillisecond

    /// The source that is forwarded at the moment.
    private struct Source {
        var ssrc: SSRC
        /// The extended sequence number where this splice begins; what is older belongs before the seam.
        var firstInput: UInt64
        var firstSequence: UInt64
        var highestInput: UInt64
        /// Slot timestamp = input timestamp + offset.
        var timestampOffset: UInt32
        var lastArrival: Instant
    }

    /// When the last packet of a source came.
    private struct Reference {
        var timestamp: UInt32
        var at: Instant
    }

    private var source: Source?
    private var reference: Reference?
    /// By how many ticks the slot's timestamps are ahead of the time that has passed.
    private var ahead: Int64 = 0
    private var lastTimestamp: UInt32 = 0
    private(set) var nextSequence: UInt64 = 0
    /// What has been given out. A number goes out once: a lost packet may come as a copy and by a repeat, and their bytes may differ.
    private var given = RecentNumbers()
    private var skips = TokenBucket(SlotStream.skipAllowance, now: .distantPast)
    private var lastJump = Instant.distantPast

    var isActive: Bool { source != nil }

    /// What is added to the timestamps of the present source; nil if that is another one.
    func timestampOffset(of ssrc: SSRC) -> UInt32? { source?.ssrc == ssrc ? source?.timestampOffset : nil }

    enum Accepted: Hashable {
        case packet(SlotPacket)
        /// Not forwarded: sent before the splice, too late to be played, or from a second stream of the same producer.
        case stale
    }

    /// Places a packet of the slot's producer in the stream.
    mutating func accept(_ header: SourcePacket) -> Accepted {
        let (input, now) = (header.sequence, header.arrival)
        guard var current = source, current.ssrc == header.ssrc else {
            // What got lost belongs to what was heard before.
            if header.redundancy.isCopy { return .stale }
            if let source, now - source.lastArrival < Self.sourceHold { return .stale }
            return splice(header)
        }
        if input > current.highestInput {
            let skipped = input - current.highestInput - 1
            guard skipped < Self.maximumJump, skipped == 0 || skips.take(Double(skipped), now: now) else {
                guard now - lastJump >= Self.jumpInterval else { return .stale }
                lastJump = now
                return splice(header)
            }
            current.highestInput = input
            current.lastArrival = now
            source = current
            let packet = SlotPacket(
                sequence: current.firstSequence + (input - current.firstInput),
                timestamp: header.timestamp &+ current.timestampOffset, marker: header.marker,
                redundancy: header.redundancy)
            advance(over: packet, at: now)
            return .packet(packet)
        }
        guard input >= current.firstInput, current.highestInput - input <= Self.maximumLateness else { return .stale }
        let sequence = current.firstSequence + (input - current.firstInput)
        guard given.add(sequence) else { return .stale }
        return .packet(
            SlotPacket(
                sequence: sequence, timestamp: header.timestamp &+ current.timestampOffset, marker: header.marker,
                isLate: true, redundancy: header.redundancy))
    }

    /// Ends the present source and gives the packets of silence that go out in its place.
    mutating func cut(at now: Instant, _ body: (SlotPacket) -> Void) {
        guard source != nil else { return }
        source = nil
        guard ahead <= Self.maximumAhead else { return }
        for _ in 0..<Self.silenceFrames {
            let packet = SlotPacket(sequence: nextSequence, timestamp: lastTimestamp &+ Self.frameTicks, marker: false)
            _ = given.add(packet.sequence)
            nextSequence += 1
            lastTimestamp = packet.timestamp
            body(packet)
        }
    }

    private mutating func splice(_ header: SourcePacket) -> Accepted {
        let (input, now) = (header.sequence, header.arrival)
        let timestamp = spliceTimestamp(at: now)
        let packet = SlotPacket(sequence: nextSequence, timestamp: timestamp, marker: true, startsSource: true)
        source = Source(
            ssrc: header.ssrc, firstInput: input, firstSequence: nextSequence, highestInput: input,
            timestampOffset: timestamp &- header.timestamp, lastArrival: now)
        advance(over: packet, at: now)
        return .packet(packet)
    }

    /// As far on as time has passed since the last real packet, but at least a frame after the last one sent.
    private mutating func spliceTimestamp(at now: Instant) -> UInt32 {
        guard let reference else { return 0 }
        let passed = max(0, (now - reference.at).nanoseconds / 1_000 * Self.ticksPerMillisecond / 1_000)
        let byTime = Int64(passed) - ahead
        let bySequence = Int64(Int32(bitPattern: lastTimestamp &- reference.timestamp)) + Int64(Self.frameTicks)
        ahead = max(0, bySequence - byTime)
        return reference.timestamp &+ UInt32(truncatingIfNeeded: max(byTime, bySequence))
    }

    private mutating func advance(over packet: SlotPacket, at now: Instant) {
        _ = given.add(packet.sequence)
        nextSequence = packet.sequence + 1
        lastTimestamp = packet.timestamp
        reference = Reference(timestamp: packet.timestamp, at: now)
    }
}
