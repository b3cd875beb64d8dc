import RoomModel
import RoomPorts
import RoomRules
import Timing

/// A room's stage on the media plane, and the media paths of its sessions: which are open, what is told of them, whose voice is on
/// which seat.
final class MediaPaths {
    private unowned let core: RoomCore
    private var stage: StageLink

    init(_ core: RoomCore, stage: StageID) {
        self.core = core
        self.stage = StageLink(stage, of: core.key.application, media: core.dependencies.media)
    }

    /// Changes when the media plane has lost everything.
    var epoch: UInt64 { stage.epoch }

    // MARK: The stage

    func open(slots: Int, kind: RoomKind, pictures: PictureFormat) {
        stage.open(slots: slots, kind: kind, pictures: pictures)
    }

    func close() { stage.close() }

    /// Tells what is sung, for those who hear it from there.
    func play(_ play: SongPlay?) { stage.play(play.map(stageSong)) }

    private func stageSong(_ play: SongPlay) -> StageSong {
        let file = play.track == .original ? play.song.original ?? play.song.accompaniment : play.song.accompaniment
        let roomTime = core.dependencies.clock.roomTime
        let now = core.now
        return StageSong(
            file: file, startAt: play.startAt.map { now + (WallTime(millisecondsSince1970: $0) - roomTime) },
            position: .milliseconds(play.positionMs))
    }

    // MARK: Seats

    /// The steps from the last decision to this one.
    func steps(to state: DurableRoomState) -> [StageStep] { stage.steps(to: state) }

    /// A room that has been loaded: the media plane is told what holds now.
    func adopt(_ state: DurableRoomState) { post(stage.adopt(state)) }

    /// - Parameter confirmed: called once for each step that is confirmed, from any thread.
    func post(_ steps: [StageStep], confirmed: @escaping @Sendable () -> Void = {}) {
        let attendance = core.people.attendance
        stage.post(
            steps, speaking: { attendance.speaker($0) }, sharing: { attendance.sharer($0) },
            confirmed: confirmed)
    }

    /// Says again what the media plane was told about a person's seat and screen, after their media path has changed.
    func assignAgain(_ user: UserID) {
        let attendance = core.people.attendance
        stage.assignAgain(user, speaking: attendance.speaker(user), sharing: attendance.sharer(user))
    }

    // MARK: Paths

    /// Where the session's media path belongs; the room will take its owner's sound from there.
    func open(for session: SessionToken) throws(RoomError) -> MediaPlace {
        // Who waits to be let in hears nothing yet.
        guard let known = core.people.attendance.sessions[session], known.admission.isGranted else {
            throw RoomError(.notInRoom)
        }
        let rights = known.attendee.rights
        // Whoever sends hears: a path goes both ways.
        guard rights.contains(.receiveAudio) else { throw RoomRights.refusal }
        if let peer = known.peer { return MediaPlace(stage: stage.stage, peer: peer, rights: rights) }
        let peer = PeerID(rawValue: core.dependencies.peerNumbers.next())
        stage.admit(peer)
        if core.state.kind == .live { stage.hide(from: peer, beyond: rights, seats: core.state.seats.count) }
        core.people.setPath(peer, of: session)
        if let equipment = known.equipment { stage.setLatency(of: equipment, of: peer) }
        assignAgain(known.attendee.profile.id)
        return MediaPlace(stage: stage.stage, peer: peer, rights: rights)
    }

    func setEquipment(_ stated: SingerEquipment, of session: SessionToken) {
        guard let known = core.people.attendance.sessions[session] else { return }
        let equipment = stated.completed(by: known.equipment)
        core.people.setEquipment(equipment, of: session)
        if let peer = known.peer { stage.setLatency(of: equipment, of: peer) }
    }

    /// - Parameter confirmed: called once nothing goes either way any more.
    func close(_ peer: PeerID, confirmed: @escaping @Sendable () -> Void = {}) {
        stage.close(peer, confirmed: confirmed)
    }

    /// Closes the path of a session that stays.
    func close(_ peer: PeerID, of session: SessionToken, confirmed: @escaping @Sendable () -> Void = {}) {
        stage.close(peer, confirmed: confirmed)
        core.people.setPath(nil, of: session)
        guard let user = core.people.attendance.user(of: session) else { return }
        assignAgain(user)
        core.people.notePresence(of: user)
    }

    // MARK: What the media plane tells

    func hear(_ fact: MediaFact) {
        switch fact {
        case .connected(_, let peer), .recovered(_, let peer): note(peer, .live)
        case .lost(_, let peer): note(peer, .lost)
        case .closed(_, let peer):
            // Takes the admission back: an offer that was on its way meanwhile opens a path that the room knows nothing of.
            guard let session = core.people.attendance.session(of: peer) else { return }
            close(peer, of: session)
            core.people.attendance.sessions[session]?.attendee.pathClosed()
        case .levels(_, let heard): core.gathered.hearLevels(speakers(heard))
        case .network(_, let readings): core.gathered.hearNetwork(singers(readings))
        case .pictures(_, let peer, let readings): tell(.pictures(readings.map(PictureNews.init)), to: peer)
        case .cameraWanted(_, let peer, let wish):
            tell(.cameraWanted(PictureSize(wish.layer), spare: wish.spare), to: peer)
        }
    }

    /// Past the news of the room: what each viewer gets changes for all of them at once, and a turn of the room must not grow with them.
    private func tell(_ news: PassingNews, to peer: PeerID) {
        let attendance = core.people.attendance
        guard let session = attendance.session(of: peer).flatMap({ attendance.sessions[$0] }), session.subscribed,
            session.connected
        else { return }
        let event = RoomNewsEvent.passing(news)
        session.attendee.outbox.enqueue(
            RoomNews(room: core.state.room, epoch: core.writer.epoch, events: [event]), lane: event.lane)
    }

    private func note(_ peer: PeerID, _ media: Attendance.Session.Media) {
        guard let session = core.people.attendance.session(of: peer),
            let user = core.people.attendance.user(of: session)
        else { return }
        core.people.setMedia(media, of: session)
        if media == .live { assignAgain(user) }
        core.people.notePresence(of: user)
    }

    private func speakers(_ heard: [PeerID: UInt8]) -> [UserID: Int] {
        let attendance = core.people.attendance
        var users: [UserID: Int] = [:]
        for (peer, level) in heard {
            guard let user = attendance.session(of: peer).flatMap(attendance.user(of:)) else { continue }
            users[user] = Int(level)
        }
        return users
    }

    private func singers(_ readings: [PeerID: PathReading]) -> [UserID: NetworkWatch.Singer] {
        let attendance = core.people.attendance
        var singers: [UserID: NetworkWatch.Singer] = [:]
        for (peer, reading) in readings {
            guard let session = attendance.session(of: peer), let known = attendance.sessions[session],
                core.state.seat(of: known.attendee.profile.id) != nil
            else { continue }
            singers[known.attendee.profile.id] = NetworkWatch.Singer(reading, known.equipment)
        }
        return singers
    }
}

extension Attendance {
    /// Whose sound and picture a seat carries, as far as the key with which they entered lets them.
    fileprivate func speaker(_ user: UserID) -> StageLink.Speaker? {
        microphone(of: user).map { found in
            StageLink.Speaker(peer: found.peer, rights: sessions[found.session]?.attendee.rights ?? .all)
        }
    }

    fileprivate func sharer(_ user: UserID) -> PeerID? {
        guard let peer = screen(of: user), let session = session(of: peer) else { return nil }
        return sessions[session]?.attendee.rights.contains(.sendScreen) == true ? peer : nil
    }
}

extension PictureNews {
    fileprivate init(_ reading: PictureReading) {
        let picture: PictureView =
            switch reading.picture {
            case .seat(let seat): .seat(seat)
            case .screen: .screen
            case .guest(let place): .guest(place)
            }
        let lack: PictureLack? =
            switch reading.lack {
            case .line: .line
            case .sender: .sender
            case nil: nil
            }
        self.init(picture, PictureSize(reading.layer), lack: lack)
    }
}

extension PictureSize {
    fileprivate init(_ layer: PictureLayer) {
        switch layer {
        case .none: self = .off
        case .low: self = .low
        case .middle: self = .middle
        case .high: self = .high
        }
    }
}
