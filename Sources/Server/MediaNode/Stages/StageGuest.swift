internal import Forwarding
internal import RTP
internal import RoomPorts
internal import Timing
internal import Wire

/// What a worker needs to know to join its end of a bridge to the other one.
struct BridgeTerms: Sendable {
    var bridge: BridgeID
    var stage: StageID
    var otherStage: StageID
    /// The guest's place on this stage.
    var place: Int
    var isMuted: Bool
    /// The name of the other room's host on this stage: nobody's else, and never used again.
    var member: MemberID
    /// From the other stage.
    var wayIn: BridgeWay
    /// To the other stage.
    var wayOut: BridgeWay
    /// The other end's.
    var mailbox: Mailbox
}

/// What one end of a bridge tells the other one's stage about what it gets from there.
enum BridgeWord: Sendable {
    /// Somebody cannot go on without a key frame of that stream.
    case keyFrameWanted(SSRC)
    /// What anybody wants of the picture.
    case wanted(PictureWish)
    /// When what comes was captured. Without a source: the sound.
    case clock(CaptureClock, SSRC?)
}

/// The host of another room on a stage's place for guests, and this room's host on the way to that one.
final class StageGuest {
    let terms: BridgeTerms
    /// What the other room wants of this room's first camera.
    var wanted = PictureWish(layer: VideoStage.maximumLayers - 1, spare: false)
    private var cutsConfirmed: UInt64 = 0

    init(_ terms: BridgeTerms) { self.terms = terms }

    var hasWork: Bool { !terms.wayIn.isEmpty || terms.wayIn.cutsAsked > cutsConfirmed }

    func say(_ word: BridgeWord) { _ = terms.mailbox.post(.bridgeWord(terms.bridge, word, to: terms.otherStage)) }

    /// The last packets before those cuts have left.
    func confirm(_ cuts: UInt64) {
        guard cuts > cutsConfirmed else { return }
        cutsConfirmed = cuts
        terms.wayIn.confirmCuts(cuts)
    }

    /// The other side does not know yet that so many cuts are in force here.
    func awaits(_ cuts: UInt64) -> Bool { cuts > cutsConfirmed }
}

/// The guests of a room, and what goes to their rooms.
struct StageGuests {
    /// A room shows its own host and those of three others.
    static let places = 3

    private(set) var all: ContiguousArray<StageGuest> = []

    var isEmpty: Bool { all.isEmpty }

    subscript(bridge: BridgeID) -> StageGuest? { all.first { $0.terms.bridge == bridge } }
    subscript(member: MemberID) -> StageGuest? { all.first { $0.terms.member == member } }

    mutating func add(_ guest: StageGuest) { all.append(guest) }

    mutating func remove(_ bridge: BridgeID) -> StageGuest? {
        guard let index = all.firstIndex(where: { $0.terms.bridge == bridge }) else { return nil }
        return all.remove(at: index)
    }

    /// What other rooms want of this room's first camera.
    var wanted: PictureWish { all.reduce(into: .nothing) { $0.formUnion($1.wanted) } }
}
