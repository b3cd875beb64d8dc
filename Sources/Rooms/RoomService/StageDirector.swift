import RoomModel
import RoomPorts
import RoomRules

/// Whose sound a seat carries.
struct SlotRule: Hashable, Sendable {
    var user: UserID?
    /// Nothing may be heard, by the host's mute or the user's own.
    var silent: Bool

    init(_ seat: SeatPlace) {
        user = seat.occupant?.profile.id
        silent = seat.isSilent
    }
}

/// A change on the media plane.
enum StageStep: Hashable, Sendable {
    /// `cuts`: somebody who could be heard no longer can.
    case assign(slot: Int, rule: SlotRule, cuts: Bool)
    /// Somebody's way is closed, in both directions.
    case close(PeerID)

    /// Whoever is told of it must be told the truth, so it is confirmed first.
    var isConfirmed: Bool {
        switch self {
        case .assign(_, _, let cuts): cuts
        case .close: true
        }
    }
}

/// Turns what is decided about seats into steps of the media plane.
struct StageDirector {
    /// The rules as decided, in force or on their way.
    private var decided: [SlotRule] = []
    /// The rules that the media plane has been told.
    private(set) var posted: [Int: SlotRule] = [:]

    /// The steps from the last decision to this one.
    mutating func steps(to seats: [SeatPlace]) -> [StageStep] {
        let wanted = seats.map(SlotRule.init)
        var steps: [StageStep] = []
        for (slot, rule) in wanted.enumerated() {
            let former = slot < decided.count ? decided[slot] : nil
            // A seat that nobody sits on is told with the next who does.
            guard former != rule, former?.user != nil || rule.user != nil else { continue }
            let wasHeard = former.map { $0.user != nil && !$0.silent } ?? false
            let cuts = wasHeard && (rule.silent || rule.user != former?.user)
            steps.append(.assign(slot: slot, rule: rule, cuts: cuts))
        }
        decided = wanted
        return steps
    }

    /// For a room that has been loaded: from what the media plane was told, if anything, to what holds.
    mutating func adopt(_ seats: [SeatPlace]) -> [StageStep] {
        decided = seats.map(SlotRule.init)
        return decided.enumerated().compactMap { slot, rule in
            guard posted[slot] != rule, posted[slot] != nil || rule.user != nil else { return nil }
            return .assign(slot: slot, rule: rule, cuts: false)
        }
    }

    mutating func notePosted(_ rule: SlotRule, on slot: Int) { posted[slot] = rule }

    /// The seat whose sound the media plane takes from that person.
    func postedSlot(of user: UserID) -> Int? { posted.first { $0.value.user == user }?.key }
}
