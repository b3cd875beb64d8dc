import RoomModel
import RoomPorts
import RoomRules
import Timing

/// A room's line to the media plane: whether its stage is open, and what the stage has been told.
struct StageLink {
    /// The path of somebody who has a seat, and what may come by it.
    struct Speaker {
        var peer: PeerID
        var rights: RoomRights
    }

    let stage: StageID
    private let media: any MediaControl
    private var director: StageDirector
    private var isOpen = false

    init(_ stage: StageID, of application: ApplicationID, media: any MediaControl) {
        self.stage = stage
        director = StageDirector(of: application)
        self.media = media
    }

    /// Changes when the media plane has lost everything.
    var epoch: UInt64 { media.epoch }

    // MARK: The stage

    mutating func open(slots: Int, kind: RoomKind, pictures: PictureFormat) {
        guard !isOpen else { return }
        isOpen = true
        let stageKind: StageKind =
            switch kind {
            case .chorus: .chorus
            case .live: .live(StageFormat(pictures))
            case .voice, .unknown: .voice
            }
        media.openStage(stage, slots: slots, kind: stageKind)
    }

    mutating func close() {
        guard isOpen else { return }
        isOpen = false
        media.closeStage(stage)
    }

    /// Tells what is sung, for those who hear it from there.
    func play(_ song: StageSong?) { media.setSong(song, on: stage) }

    // MARK: Seats

    /// The steps from the last decision to this one.
    mutating func steps(to state: DurableRoomState) -> [StageStep] {
        director.steps(to: state.seats, screen: state.screen, links: state.pk.links)
    }

    /// The steps for a room that has been loaded: from what the media plane was told, if anything, to what holds.
    mutating func adopt(_ state: DurableRoomState) -> [StageStep] {
        director.adopt(state.seats, screen: state.screen, links: state.pk.links)
    }

    /// - Parameters:
    ///   - speaking: the path that a person speaks by.
    ///   - sharing: the path that a person's screen comes by.
    ///   - confirmed: called once for each step that is confirmed, from any thread.
    mutating func post(
        _ steps: [StageStep], speaking: (UserID) -> Speaker?, sharing: (UserID) -> PeerID?,
        confirmed: @escaping @Sendable () -> Void = {}
    ) {
        for step in steps {
            switch step {
            case .assign(let slot, let rule, _):
                director.notePosted(rule, on: slot)
                assign(slot, rule, to: rule.user.flatMap(speaking)) { if step.isConfirmed { confirmed() } }
            case .showScreen(let user, _):
                director.notePostedScreen(user)
                media.assignScreen(to: user.flatMap(sharing), on: stage) {
                    if step.isConfirmed { confirmed() }
                }
            case .openBridge(let bridge, let place, let muted, _):
                media.openBridge(bridge, place: place, muted: muted, on: stage) {
                    if step.isConfirmed { confirmed() }
                }
            case .closeBridge(let bridge): media.closeBridge(bridge, on: stage, confirmed: confirmed)
            case .close(let peer): media.closePeer(peer, on: stage, confirmed: confirmed)
            }
        }
    }

    /// Says again what was told about a person's seat and screen, after their path has changed.
    func assignAgain(_ user: UserID, speaking speaker: Speaker?, sharing screenPeer: PeerID?) {
        if director.postedScreen == user { media.assignScreen(to: screenPeer, on: stage) {} }
        guard let slot = director.postedSlot(of: user), let rule = director.posted[slot] else { return }
        assign(slot, rule, to: speaker) {}
    }

    /// What the seat's rule and the speaker's rights both allow.
    private func assign(
        _ slot: Int, _ rule: SlotRule, to speaker: Speaker?, confirmed: @escaping @Sendable () -> Void
    ) {
        media.assign(
            slot: slot, to: speaker?.peer, muted: rule.silent || speaker?.rights.contains(.sendAudio) == false,
            dark: rule.dark || speaker?.rights.contains(.sendVideo) == false, on: stage, confirmed: confirmed)
    }

    // MARK: Paths

    /// From now on the path's offers are answered.
    func admit(_ peer: PeerID) { media.admit(peer, on: stage) }

    /// Sends that path no picture that its bearer may not see, whatever comes later.
    func hide(from peer: PeerID, beyond rights: RoomRights, seats: Int) {
        if !rights.contains(.receiveVideo) {
            for seat in 0..<seats { media.view(.seat(seat), as: .none, by: peer, on: stage) }
            for place in 0..<RoomLimits.links { media.view(.guest(place), as: .none, by: peer, on: stage) }
        }
        if !rights.contains(.receiveScreen) { media.view(.screen, as: .none, by: peer, on: stage) }
    }

    /// - Parameter confirmed: called once nothing goes either way any more.
    func close(_ peer: PeerID, confirmed: @escaping @Sendable () -> Void = {}) {
        media.closePeer(peer, on: stage, confirmed: confirmed)
    }

    func setLatency(of equipment: SingerEquipment, of peer: PeerID) {
        media.setLatency(equipment.latency, roundTrip: equipment.roundTrip, of: peer, on: stage)
    }
}

extension StageFormat {
    /// A format that this version does not know is refused before a room has it.
    fileprivate init(_ format: PictureFormat) {
        switch format {
        case .vp8, .unknown: self = .vp8
        case .h264: self = .h264
        case .vp9: self = .vp9
        case .av1: self = .av1
        }
    }
}
