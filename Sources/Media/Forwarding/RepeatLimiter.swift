internal import RTP
internal import Timing
internal import Wire

/// Keeps one listener's requests for repeats from costing more than they help: the same packet again only after a while
/// and not for ever, and only so many packets at all.
struct RepeatLimiter {
    /// A repeat that is under way is not sent again for a round trip. A measured round trip is taken to lie within these bounds; an
    /// unknown one counts as the longest.
    static let spacing = Interval.milliseconds(20)...Interval.milliseconds(80)
    static let maximumRepeats: UInt8 = 3
    /// A picture stands still until the packet is there, and a lost repeat is noticed in two ways.
    static let maximumPictureRepeats: UInt8 = 8
    /// For all slots of the listener together. A line that loses more is broken, and repeats would only fill it.
    static let budget = 60
    static let budgetPeriod = Interval.milliseconds(200)
    /// A quarter of 5 Mbit/s in packets of pictures.
    static let pictureBudget = 25
    /// Of a line of which it is known what it carries, pictures' repeats take so much, and a few packets whatever it is.
    private static let share = 0.25
    private static let leastBytes = 5_000.0

    /// What is repeated.
    enum Kind {
        case sound
        case picture
    }

    private let kind: Kind
    /// A power of two.
    private static let remembered = 64

    private struct Recent {
        var ssrc = SSRC(0)
        var sequence: UInt64 = .max
        var at = Instant.distantPast
        var count: UInt8 = 0
    }

    private var recent = [Recent](repeating: Recent(), count: remembered)
    private var periodStart = Instant.distantPast
    private var spent = 0
    private var spentBytes = 0
    private var byteBudget = Int.max
    /// What got lost twice is sent twice: a third loss would be seen. Only where packets are not lost for want of room.
    var repeatsTwice = false

    init(_ kind: Kind = .sound) { self.kind = kind }

    /// - Parameter rate: what the line carries, in bits a second; nil: not known.
    mutating func setRate(_ rate: Double?) {
        byteBudget = rate.map { Int(max(Self.leastBytes, $0 / 8 * Self.share * Self.budgetPeriod.seconds)) } ?? .max
    }

    /// How often a packet is to be sent now.
    mutating func copies(
        _ ssrc: SSRC, _ sequence: UInt64, bytes: Int = 0, roundTrip: Interval?, at now: Instant
    ) -> Int {
        if now - periodStart >= Self.budgetPeriod {
            periodStart = now
            spent = 0
            spentBytes = 0
        }
        guard spentBytes < byteBudget, spent < (kind == .sound ? Self.budget : Self.pictureBudget) else { return 0 }
        let index = Int(truncatingIfNeeded: (sequence &+ UInt64(ssrc.rawValue)) & UInt64(Self.remembered - 1))
        let known = recent[index].ssrc == ssrc && recent[index].sequence == sequence
        if known {
            let wait = min(max(roundTrip ?? Self.spacing.upperBound, Self.spacing.lowerBound), Self.spacing.upperBound)
            let maximum = kind == .sound ? Self.maximumRepeats : Self.maximumPictureRepeats
            guard now - recent[index].at >= wait, recent[index].count < maximum else {
                return 0
            }
        }
        recent[index] = Recent(ssrc: ssrc, sequence: sequence, at: now, count: known ? recent[index].count + 1 : 1)
        let copies = known && repeatsTwice ? 2 : 1
        spent += copies
        spentBytes += bytes * copies
        return copies
    }
}

/// What repeats to a crowd may cost together. Where a link or the receivers of a whole crowd are full, everybody misses packets at once:
/// as many repeats again would fill them further, and take the time of which new packets are in need.
struct CrowdRepeatCredit {
    /// One repeat for so many packets that go out.
    static let packetsPerRepeat = 4
    /// What may be saved up: a listener who was away for a second misses 500 packets of ten speakers.
    static let maximum = 500 * packetsPerRepeat

    private var packets = Self.maximum

    /// So many listeners have been given a packet.
    mutating func earn(_ listeners: Int) { packets = min(packets + listeners, max(Self.maximum, listeners * 20)) }

    /// - Returns: whether one more may be given.
    mutating func spend() -> Bool {
        guard packets >= Self.packetsPerRepeat else { return false }
        packets -= Self.packetsPerRepeat
        return true
    }
}
