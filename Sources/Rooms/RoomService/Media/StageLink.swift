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
    private let application: ApplicationID
    private var posted = PostedStage()
    private var isOpen = false

    init(_ stage: StageID, of application: ApplicationID, media: any MediaControl) {
        self.stage = stage
        self.application = application
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
    func play(_ play: SongPlay?, at clock: any TimeSource) {
        media.setSong(play.map { song($0, at: clock) }, on: stage)
    }

    private func song(_ play: SongPlay, at clock: any TimeSource) -> StageSong {
        let file = play.track == .original ? play.song.original ?? play.song.accompaniment : play.song.accompaniment
        let roomTime = clock.roomTime
        let now = clock.now
        return StageSong(
            file: file, startAt: play.startAt.map { now + (WallTime(millisecondsSince1970: $0) - roomTime) },
            position: .milliseconds(play.positionMs))
    }

    // MARK: Seats

    /// The steps for a room that has been loaded: from what the media plane was told, if anything, to what holds.
    func steps(adopting state: DurableRoomState) -> [StageStep] {
        StageView(state).steps(after: posted, of: application)
    }

    /// - Parameters:
    ///   - attendance: by whose paths people speak and share screens.
    ///   - confirmed: called once for each step that is confirmed, from any thread.
    mutating func post(
        _ steps: [StageStep], of attendance: Attendance, confirmed: @escaping @Sendable () -> Void = {}
    ) {
        for step in steps {
            posted.note(step)
            switch step {
            case .assign(let slot, let rule, _):
                assign(slot, rule, to: rule.user.flatMap(attendance.speaker)) { if step.isConfirmed { confirmed() } }
            case .showScreen(let user, _):
                media.assignScreen(to: user.flatMap(attendance.sharer), on: stage) {
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
    func assignAgain(_ user: UserID, of attendance: Attendance) {
        if posted.screen == user { media.assignScreen(to: attendance.sharer(user), on: stage) {} }
        guard let slot = posted.slot(of: user), let rule = posted.rules[slot] else { return }
        assign(slot, rule, to: attendance.speaker(user)) {}
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

    /// From now on the path's offers are answered. Of a live room it sends no picture that its bearer may not see, whatever comes later.
    /// - Parameter seats: of a live room.
    func admit(_ peer: PeerID, _ rights: RoomRights, seats: Int?) {
        media.admit(peer, on: stage)
        if let seats { hide(from: peer, beyond: rights, seats: seats) }
    }

    private func hide(from peer: PeerID, beyond rights: RoomRights, seats: Int) {
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
