internal import Codecs
internal import Forwarding
import RoomModel
internal import RoomPorts
internal import Timing

/// One room on one worker: those of its people whose paths this worker has.
///
/// A room has one home, which decides what is heard; where the home has no time left for more listeners, other workers get a branch.
final class Stage {
    enum Part {
        case home(StageHome)
        case branch(StageBranch)
    }

    let id: StageID
    let kind: StageKind
    let part: Part
    let fanout: AudioFanout
    let slotCount: Int
    /// The slot that carries the mix, if there is one.
    let mixSlot: Int?
    /// Whose paths are here.
    var peers: Set<PeerID> = []

    init(home: StageHome, id: StageID, kind: StageKind) {
        self.id = id
        self.kind = kind
        part = .home(home)
        fanout = home.audio.fanout
        slotCount = home.audio.slotCount
        mixSlot = home.audio.mixSlot
    }

    init(branch: StageBranch, _ terms: BranchTerms, crowd: Int) {
        id = terms.stage
        kind = terms.kind
        part = .branch(branch)
        slotCount = terms.slots + (terms.hasMix ? 1 : 0)
        mixSlot = terms.hasMix ? terms.slots : nil
        fanout = AudioFanout(slots: slotCount, mixSlot: mixSlot, crowd: crowd)
    }

    var pictures: StagePictures? { home?.pictures }
    var home: StageHome? { if case .home(let home) = part { home } else { nil } }
    var branch: StageBranch? { if case .branch(let branch) = part { branch } else { nil } }

    /// Whoever sings with others, who wait for every millisecond.
    func isSinger(_ member: MemberID) -> Bool { mixSlot != nil && fanout.hasSlot(member) }

    /// Who has a slot, wherever their path is.
    var producers: [PeerID] {
        switch part {
        case .home(let home): home.audio.producers.map { PeerID(rawValue: $0.rawValue) }
        case .branch(let branch): branch.producers.map { PeerID(rawValue: $0.rawValue) }
        }
    }
}

/// Where what a room's people say is decided on, numbered and given to everybody.
final class StageHome {
    let audio: AudioStage
    /// Pictures of those who sit, and one person's screen; nil in rooms without.
    let pictures: StagePictures?
    /// Hosts of other rooms on places of their own, after the seats'.
    private(set) var guests = StageGuests()
    /// How many seats the room has.
    let seats: Int
    /// To and from the mixer, if there is a mix.
    let feed: MixFeed?
    /// The same room on other workers.
    private(set) var branches: [(link: BranchLink, mailbox: Mailbox)] = []
    /// Its levels are read at every tick.
    var isMetered = false
    /// Somebody's way was told last time.
    var hasToldPaths = false
    /// What other workers have read of their people's ways since the last look.
    var remoteReadings: [PeerID: PathReading] = [:]
    /// Told when those cuts are in force everywhere, in their order.
    private var awaitedCuts: [(cuts: AwaitedCuts, confirmed: @Sendable () -> Void)] = []

    init(id: StageID, slots: Int, pictures format: VideoFormat? = nil, feed: MixFeed?, crowd: Int) {
        self.feed = feed
        seats = slots
        let slots = slots + (format == nil ? 0 : StageGuests.places)
        pictures = format.map { [seats] in StagePictures(seats: seats, format: $0) }
        audio = AudioStage(slots: slots, hasMix: feed != nil, crowd: crowd)
        if let feed { audio.add(feed) }
        audio.onPlace = { [unowned self] member, slot in
            for branch in branches { _ = branch.mailbox.post(.place(PeerID(rawValue: member.rawValue), slot, id)) }
        }
    }

    /// Another worker takes listeners of this room from now on.
    func add(_ link: BranchLink, _ mailbox: Mailbox, of id: StageID) {
        branches.append((link, mailbox))
        audio.add(link)
        for member in audio.producers {
            _ = mailbox.post(.place(PeerID(rawValue: member.rawValue), audio.slot(of: member), id))
        }
    }

    // MARK: Guests

    /// The other end of a bridge is there: its room's host is heard and seen here from now on, and this room's there.
    func join(_ guest: StageGuest, at now: Instant, send: AudioFanout.Send) {
        let terms = guest.terms
        guests.add(guest)
        audio.add(terms.wayOut)
        place(terms.member, on: terms.place, isMuted: terms.isMuted, at: now, send)
        pictures?.cameras.setWantedElsewhere(guests.wanted, on: BridgeWay.slot)
    }

    func setMuted(_ isMuted: Bool, _ bridge: BridgeID, at now: Instant, send: AudioFanout.Send) {
        guard let guest = guests[bridge] else { return }
        place(guest.terms.member, on: guest.terms.place, isMuted: isMuted, at: now, send)
    }

    /// Nothing comes from there any more when this returns, and nothing that is heard here from now on goes there.
    /// - Returns: who is to be told once what came from there before has left.
    func part(from bridge: BridgeID, at now: Instant, send: AudioFanout.Send) -> StageGuest? {
        guard let guest = guests.remove(bridge) else { return nil }
        audio.remove(guest.terms.wayOut)
        place(nil, on: guest.terms.place, isMuted: false, at: now, send)
        pictures?.cameras.setWantedElsewhere(guests.wanted, on: BridgeWay.slot)
        return guest
    }

    private func place(_ member: MemberID?, on place: Int, isMuted: Bool, at now: Instant, _ send: AudioFanout.Send) {
        audio.assign(slot: seats + place, to: member, muted: isMuted, at: now, send: send)
        // A muted host is still seen: it is what is said that one does not want to hear.
        pictures?.guests.assign(slot: place, to: member, isCut: false)
    }

    /// The camera on the slot that others see may be cut, or another one.
    func cutPictureOfHost() {
        for guest in guests.all {
            audio.note(guest.terms.wayOut.cut(slot: BridgeWay.slot, before: 0), of: guest.terms.wayOut)
        }
    }

    func setWanted(_ wish: PictureWish, by bridge: BridgeID) {
        guests[bridge]?.wanted = wish
        pictures?.cameras.setWantedElsewhere(guests.wanted, on: BridgeWay.slot)
    }

    // MARK: Cuts

    /// What is to be told once everything that has been cut so far is silent wherever taps hold it; at once if it is.
    func afterCuts(_ confirmed: @escaping @Sendable () -> Void, now: (@escaping @Sendable () -> Void) -> Void) {
        let cuts = audio.lastCuts
        guard !cuts.areInForce else { return now(confirmed) }
        awaitedCuts.append((cuts, confirmed))
    }

    var awaitsCuts: Bool { !awaitedCuts.isEmpty }

    /// Somebody waits for cuts that are in force.
    var hasCutsInForce: Bool { awaitedCuts.first?.cuts.areInForce ?? false }

    /// Whoever waits for what taps have in force by now: to be told once what they have made before is taken.
    func takeCuts() -> [@Sendable () -> Void] {
        let count = awaitedCuts.prefix { $0.cuts.areInForce }.count
        defer { awaitedCuts.removeFirst(count) }
        return awaitedCuts.prefix(count).map(\.confirmed)
    }

    /// Nothing is heard here any more.
    func giveUpCuts() -> [@Sendable () -> Void] {
        defer { awaitedCuts = [] }
        return awaitedCuts.map(\.confirmed)
    }
}

extension StageKind {
    /// What pictures come in; nil: there are none.
    var pictures: VideoFormat? {
        switch self {
        case .voice, .chorus: nil
        case .live(.vp8): .vp8
        case .live(.h264): .h264
        case .live(.vp9): .vp9
        case .live(.av1): .av1
        }
    }
}

/// The pictures of a room: a camera for each seat, one screen, and the hosts of other rooms.
final class StagePictures {
    let cameras: VideoStage
    /// What is shown there comes before faces.
    let screens = VideoStage(slots: 1, importance: 1)

    let guests = VideoStage(slots: StageGuests.places)

    /// What all of them come in.
    let format: VideoFormat
    /// And cameras for those who cannot show that.
    static let spareFormat = VideoFormat.vp8

    init(seats: Int, format: VideoFormat) {
        cameras = VideoStage(slots: seats)
        self.format = format
    }

    func format(ofLayer layer: Int) -> VideoFormat { layer == VideoStage.spareLayer ? Self.spareFormat : format }

    var all: [VideoStage] { [cameras, screens, guests] }
    /// As offers count them: the screen is the one after the last seat, and guests follow.
    var count: Int { cameras.slotCount + 1 + StageGuests.places }
    var stats: VideoStats { cameras.stats + screens.stats + guests.stats }

    /// Where a picture of that number is.
    func place(_ picture: Int) -> (stage: VideoStage, slot: Int) {
        let seats = cameras.slotCount
        if picture < seats { return (cameras, picture) }
        return picture == seats ? (screens, 0) : (guests, picture - seats - 1)
    }

    func place(_ view: PictureView) -> (stage: VideoStage, slot: Int) {
        switch view {
        case .seat(let seat): (cameras, seat)
        case .screen: (screens, 0)
        case .guest(let place): (guests, place)
        }
    }

    func view(_ slot: Int, of stage: VideoStage) -> PictureView {
        stage === screens ? .screen : stage === guests ? .guest(slot) : .seat(slot)
    }
}

/// What a worker needs to know of a room whose home is elsewhere.
struct BranchTerms: Sendable {
    var stage: StageID
    var kind: StageKind
    /// Without the mix.
    var slots: Int
    var hasMix: Bool
    var link: BranchLink
    /// The home's.
    var mailbox: Mailbox
}

/// A room's listeners, and the microphones of those among them who have a slot, on a worker that is not the room's home.
final class StageBranch {
    let link: BranchLink
    /// The home's.
    let mailbox: Mailbox
    /// As the home has told.
    private(set) var producers: Set<MemberID> = []
    /// Cuts whose last packets have left.
    private var cutsConfirmed: UInt64 = 0

    init(_ terms: BranchTerms) {
        link = terms.link
        mailbox = terms.mailbox
    }

    func setProducer(_ member: MemberID, slot: Int?) {
        if slot == nil { producers.remove(member) } else { producers.insert(member) }
    }

    /// Something of the home's is to be done.
    var hasWork: Bool { link.hasHeard || link.cutsAsked > cutsConfirmed }

    /// The home does not know yet that so many cuts are in force here.
    func awaits(_ cuts: UInt64) -> Bool { cuts > cutsConfirmed }

    /// What the last packets before those cuts have left for: the home is told.
    func confirm(_ cuts: UInt64) {
        guard cuts > cutsConfirmed else { return }
        cutsConfirmed = cuts
        link.confirmCuts(cuts)
    }
}
