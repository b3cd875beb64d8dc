internal import DatagramIO
internal import Forwarding
import RoomModel
internal import RoomPorts
internal import SDP
internal import Timing

/// What others want of a media worker. Commands of one sender are done in the order in which they were posted.
enum WorkerCommand: Sendable {
    /// With a feed to the mixer if the stage has a mix.
    case openStage(StageID, slots: Int, StageKind, feed: MixFeed?)
    /// Also ends a branch.
    case closeStage(StageID)
    /// The reply also says whether the peer has a path here now.
    case offer(ParsedOffer, reply: @Sendable (Result<NegotiatedOffer, MediaRefusal>, _ hasPath: Bool) -> Void)
    case closePeer(PeerID, StageID, confirmed: @Sendable () -> Void)
    /// What a client has measured itself.
    case stateRoundTrip(Interval, PeerID, StageID)
    case assign(slot: Int, PeerID?, muted: Bool, dark: Bool, StageID, confirmed: @Sendable () -> Void)
    case assignScreen(PeerID?, StageID, confirmed: @Sendable () -> Void)
    case view(PictureView, PictureLayer, PeerID, StageID)
    /// Somebody came by TCP to another worker, who does not know them.
    case adopt(HandedConnection)
    /// Where those go who came by TCP and are not for this worker, and how many workers there are.
    case passOn(to: Mailbox, workers: Int)
    case readCounters(reply: @Sendable (MediaCounters) -> Void)
    /// No new peers from now on.
    case drain
    case stop

    // Between stages that have a bridge.

    case joinBridge(BridgeTerms)
    /// This room's host hears the other one no more, or again.
    case muteGuest(Bool, BridgeID, StageID, confirmed: @Sendable () -> Void)
    /// `confirmed` once nothing by it is seen or heard on the stage.
    case partBridge(BridgeID, StageID, confirmed: @Sendable () -> Void)
    /// From the other end.
    case bridgeWord(BridgeID, BridgeWord, to: StageID)

    // Between the home of a stage and its branches.

    /// Listeners of a stage whose home is elsewhere come here too.
    case openBranch(BranchTerms)
    /// Another worker, whose mailbox this is, has a branch of this worker's stage.
    case addBranch(StageID, BranchLink, Mailbox)
    /// Who has a slot, or none any more: to a branch.
    case place(PeerID, Int?, StageID)
    /// The peer's path is gone or new: to the home. `confirmed` once nothing of it is heard any more.
    case resetSource(PeerID, StageID, confirmed: (@Sendable () -> Void)?)
    /// How the ways of a branch's singers do: to the home.
    case readings([PeerID: PathReading], StageID)
}

/// An offer that has been read, since reading takes longer than the media thread should be held up.
struct ParsedOffer: Sendable {
    var stage: StageID
    var peer: PeerID
    var number: UInt32
    var description: SessionDescription
    var candidates: [ICECandidate]
    var uses: [String: LineUse] = [:]
    /// What the client has told of its way before.
    var statedRoundTrip: Interval?
}

/// What the worker agreed to; writing it down is left to the caller's side as well.
struct NegotiatedOffer: Sendable {
    var number: UInt32
    var session: NegotiatedSession
    /// The slot that carries the mix.
    var mixSlot: Int?
    /// The picture that is the room's screen: its number is that of the seats. Pictures after it, and slots from that number on, are
    /// guests'.
    var screen: Int?

    func sound(_ slot: Int) -> MediaAnswer.Sound {
        if slot == mixSlot { return .mix }
        if let screen, slot >= screen { return .guest(slot - screen) }
        return .seat(slot)
    }

    func picture(_ number: Int) -> PictureView {
        guard let screen, number >= screen else { return .seat(number) }
        return number == screen ? .screen : .guest(number - screen - 1)
    }
}
