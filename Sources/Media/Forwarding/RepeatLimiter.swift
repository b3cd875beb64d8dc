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
    /// For all slots of the listener together. A line that loses more is broken, and repeats would only fill it.
    static let budget = 60
    static let budgetPeriod = Interval.milliseconds(200)
    /// A quarter of 5 Mbit/s in packets of pictures.
    static let pictureBudget = 25

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

    init(_ kind: Kind = .sound) { self.kind = kind }

    mutating func admits(_ ssrc: SSRC, _ sequence: UInt64, roundTrip: Interval?, at now: Instant) -> Bool {
        if now - periodStart >= Self.budgetPeriod {
            periodStart = now
            spent = 0
        }
        guard spent < (kind == .sound ? Self.budget : Self.pictureBudget) else { return false }
        let index = Int(truncatingIfNeeded: (sequence &+ UInt64(ssrc.rawValue)) & UInt64(Self.remembered - 1))
        let known = recent[index].ssrc == ssrc && recent[index].sequence == sequence
        if known {
            let wait = min(max(roundTrip ?? Self.spacing.upperBound, Self.spacing.lowerBound), Self.spacing.upperBound)
            guard now - recent[index].at >= wait, recent[index].count < Self.maximumRepeats else {
                return false
            }
        }
        recent[index] = Recent(ssrc: ssrc, sequence: sequence, at: now, count: known ? recent[index].count + 1 : 1)
        spent += 1
        return true
    }
}
