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

/// What of a room's state the media plane is told.
struct StageView {
    private let seats: Seats
    /// Whose screen is seen.
    private let screen: UserID?
    private let allLinks: [HostLink]

    init(_ state: DurableRoomState) {
        seats = state.seats
        screen = state.stage.screen
        allLinks = state.links.pk.links
    }

    /// Those that have bridges.
    private var links: [HostLink] { allLinks.isEmpty ? [] : allLinks.filter { !$0.isEnding } }

    /// The steps from a former decision to this one.
    func steps(from former: StageView, of application: ApplicationID) -> [StageStep] {
        var steps: [StageStep] = []
        for (slot, seat) in seats.enumerated() {
            let rule = SlotRule(seat)
            let former = slot < former.seats.count ? SlotRule(former.seats[slot]) : nil
            // A seat that nobody sits on is told with the next who does.
            guard former != rule, former?.user != nil || rule.user != nil else { continue }
            let cuts = former.map { rule.cuts(what: $0) } ?? false
            steps.append(.assign(slot: slot, rule: rule, cuts: cuts))
        }
        if screen != former.screen { steps.append(.showScreen(screen, cuts: former.screen != nil)) }
        if allLinks.isEmpty, former.allLinks.isEmpty { return steps }
        let (links, formerLinks) = (links, former.links)
        for link in formerLinks where !links.contains(where: { $0.id == link.id }) {
            steps.append(.closeBridge(BridgeID(link, of: application)))
        }
        for link in links {
            let before = formerLinks.first { $0.id == link.id }
            guard before?.muted != link.muted else { continue }
            steps.append(
                .openBridge(
                    BridgeID(link, of: application), place: link.place, muted: link.muted,
                    cuts: before != nil && link.muted))
        }
        return steps
    }

    /// The steps for a room that has been loaded: from what the media plane was told, if anything, to what holds.
    func steps(after posted: PostedStage, of application: ApplicationID) -> [StageStep] {
        var steps: [StageStep] = posted.screen == screen ? [] : [.showScreen(screen, cuts: false)]
        let links = links
        let wanted = links.map { BridgeID($0, of: application) }
        steps += posted.bridges.filter { !wanted.contains($0) }.map { .closeBridge($0) }
        steps += zip(wanted, links).map { bridge, link in
            .openBridge(
                bridge, place: link.place, muted: link.muted, cuts: posted.bridges.contains(bridge) && link.muted)
        }
        for (slot, seat) in seats.enumerated() {
            let rule = SlotRule(seat)
            guard posted.rules[slot] != rule, posted.rules[slot] != nil || rule.user != nil else { continue }
            steps.append(.assign(slot: slot, rule: rule, cuts: false))
        }
        return steps
    }
}

extension BridgeID {
    /// The media plane has rooms of all applications.
    fileprivate init(_ link: HostLink, of application: ApplicationID) {
        self.init(rawValue: "\(application.rawValue)/\(link.id)")
    }
}

/// What the media plane has been told of a stage.
struct PostedStage {
    /// By seat.
    private(set) var rules: [Int: SlotRule] = [:]
    /// Whose screen it was told to show.
    private(set) var screen: UserID?
    /// Those that are open, in the order in which they were opened.
    private(set) var bridges: [BridgeID] = []

    mutating func note(_ step: StageStep) {
        switch step {
        case .assign(let slot, let rule, _): rules[slot] = rule
        case .showScreen(let user, _): screen = user
        case .openBridge(let bridge, _, _, _): if !bridges.contains(bridge) { bridges.append(bridge) }
        case .closeBridge(let bridge): bridges.removeAll { $0 == bridge }
        case .close: break
        }
    }

    /// The seat whose sound the media plane takes from that person.
    func slot(of user: UserID) -> Int? { rules.first { $0.value.user == user }?.key }
}
