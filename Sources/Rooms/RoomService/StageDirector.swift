import RoomModel
import RoomPorts
import RoomRules

/// Whose sound and picture a seat carries.
struct SlotRule: Hashable, Sendable {
    var user: UserID?
    /// Nothing may be heard, by the host's mute or the user's own.
    var silent: Bool
    /// Nothing may be seen, by the user's own word or the host's.
    var dark: Bool

    init(_ seat: SeatPlace) {
        user = seat.occupant?.profile.id
        silent = seat.isSilent
        dark = !seat.isSeen
    }

    /// Whether somebody who could be heard or seen by the former rule no longer can by this one.
    func cuts(what former: SlotRule) -> Bool {
        guard former.user != nil else { return false }
        let stays = user == former.user
        return (!former.silent && (silent || !stays)) || (!former.dark && (dark || !stays))
    }
}

/// A change on the media plane.
enum StageStep: Hashable, Sendable {
    /// `cuts`: somebody who could be heard or seen no longer can.
    case assign(slot: Int, rule: SlotRule, cuts: Bool)
    /// Whose screen is seen. `cuts`: somebody's could be seen until now.
    case showScreen(UserID?, cuts: Bool)
    /// Another room's host is seen and heard on that place, and this room's there. `cuts`: they could be heard until now.
    case openBridge(BridgeID, place: Int, muted: Bool, cuts: Bool)
    case closeBridge(BridgeID)
    /// Somebody's way is closed, in both directions.
    case close(PeerID)

    /// Whoever is told of it must be told the truth, so it is confirmed first.
    var isConfirmed: Bool {
        switch self {
        case .assign(_, _, let cuts), .showScreen(_, let cuts), .openBridge(_, _, _, let cuts): cuts
        case .close, .closeBridge: true
        }
    }
}

/// Turns what is decided about seats and the screen into steps of the media plane.
struct StageDirector {
    private let application: ApplicationID
    /// The rules as decided, in force or on their way.
    private var decided: [SlotRule] = []
    /// The rules that the media plane has been told.
    private(set) var posted: [Int: SlotRule] = [:]
    /// Whose screen is to be seen, as decided.
    private var decidedScreen: UserID?
    /// Whose screen the media plane was told to show.
    private(set) var postedScreen: UserID?

    init(of application: ApplicationID) { self.application = application }

    /// Links that have bridges, as decided.
    private var decidedLinks: [HostLink] = []

    /// The steps from the last decision to this one.
    mutating func steps(to seats: [SeatPlace], screen: UserID?, links: [HostLink]) -> [StageStep] {
        let wanted = seats.map(SlotRule.init)
        var steps: [StageStep] = []
        for (slot, rule) in wanted.enumerated() {
            let former = slot < decided.count ? decided[slot] : nil
            // A seat that nobody sits on is told with the next who does.
            guard former != rule, former?.user != nil || rule.user != nil else { continue }
            let cuts = former.map { rule.cuts(what: $0) } ?? false
            steps.append(.assign(slot: slot, rule: rule, cuts: cuts))
        }
        decided = wanted
        if screen != decidedScreen { steps.append(.showScreen(screen, cuts: decidedScreen != nil)) }
        decidedScreen = screen
        return steps + bridges(to: links)
    }

    private mutating func bridges(to links: [HostLink], again: Bool = false) -> [StageStep] {
        let wanted = links.filter { !$0.isEnding }
        defer { decidedLinks = wanted }
        let gone = decidedLinks.filter { former in !wanted.contains { $0.id == former.id } }
        return gone.map { .closeBridge(bridge($0.id)) }
            + wanted.compactMap { link in
                let former = decidedLinks.first { $0.id == link.id }
                guard again || former?.muted != link.muted else { return nil }
                return .openBridge(
                    bridge(link.id), place: link.place, muted: link.muted, cuts: former != nil && link.muted)
            }
    }

    /// The media plane has rooms of all applications.
    private func bridge(_ link: String) -> BridgeID { BridgeID(rawValue: "\(application.rawValue)/\(link)") }

    /// For a room that has been loaded: from what the media plane was told, if anything, to what holds.
    mutating func adopt(_ seats: [SeatPlace], screen: UserID?, links: [HostLink]) -> [StageStep] {
        decided = seats.map(SlotRule.init)
        decidedScreen = screen
        let shown: [StageStep] = postedScreen == screen ? [] : [.showScreen(screen, cuts: false)]
        return shown + bridges(to: links, again: true)
            + decided.enumerated().compactMap { slot, rule in
                guard posted[slot] != rule, posted[slot] != nil || rule.user != nil else { return nil }
                return .assign(slot: slot, rule: rule, cuts: false)
            }
    }

    mutating func notePosted(_ rule: SlotRule, on slot: Int) { posted[slot] = rule }
    mutating func notePostedScreen(_ user: UserID?) { postedScreen = user }

    /// The seat whose sound the media plane takes from that person.
    func postedSlot(of user: UserID) -> Int? { posted.first { $0.value.user == user }?.key }
}
