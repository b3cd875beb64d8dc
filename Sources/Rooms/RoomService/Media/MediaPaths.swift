import RoomModel
import RoomPorts
import RoomRules
import Timing

/// The media paths of a room's sessions: which are open, what is told of them, whose voice is on which seat.
struct MediaPaths {
    private let stage: StageID
    private let numbers: Serial

    /// - Parameter numbers: for paths.
    init(stage: StageID, numbers: Serial) {
        self.stage = stage
        self.numbers = numbers
    }

    // MARK: Paths

    /// Where the session's media path belongs; the room will take its owner's sound from there.
    func open(for session: SessionToken, in turn: inout RoomTurn) throws(RoomError) -> MediaPlace {
        if let error = turn.closedness { throw error }
        // Who waits to be let in hears nothing yet.
        guard let known = turn.attendance.sessions[session], known.admission.isGranted else {
            throw RoomError(.notInRoom)
        }
        let rights = known.attendee.rights
        // Whoever sends hears: a path goes both ways.
        guard rights.contains(.receiveAudio) else { throw RoomRights.refusal }
        if let peer = known.peer { return MediaPlace(stage: stage, peer: peer, rights: rights) }
        let peer = PeerID(rawValue: numbers.next())
        turn.add(.admitPeer(peer, rights, seats: turn.state.beginning.kind == .live ? turn.state.seats.count : nil))
        turn.attendance.setPath(peer, of: session)
        if let equipment = known.equipment { turn.add(.setLatency(equipment, of: peer)) }
        turn.add(.assignAgain(known.attendee.profile.id))
        return MediaPlace(stage: stage, peer: peer, rights: rights)
    }

    func setEquipment(_ stated: SingerEquipment, of session: SessionToken, in turn: inout RoomTurn) {
        guard let known = turn.attendance.sessions[session] else { return }
        let equipment = stated.completed(by: known.equipment)
        turn.attendance.update(session) { $0.equipment = equipment }
        if let peer = known.peer { turn.add(.setLatency(equipment, of: peer)) }
    }

    // MARK: What the media plane tells

    /// Past the news of the room: what each viewer gets changes for all of them at once, and a turn of the room must not grow with them.
    func tell(_ news: PassingNews, to peer: PeerID, in turn: inout RoomTurn) {
        guard let session = turn.attendance.session(of: peer).flatMap({ turn.attendance.sessions[$0] }),
            session.subscribed, session.connected
        else { return }
        turn.add(.whisper(news, to: session.attendee.outbox))
    }

    func speakers(_ heard: [PeerID: UInt8], in turn: inout RoomTurn) -> [UserID: Int] {
        var users: [UserID: Int] = [:]
        for (peer, level) in heard {
            guard let session = turn.attendance.session(of: peer), let user = turn.attendance.user(of: session) else {
                continue
            }
            users[user] = Int(level)
        }
        return users
    }

    func singers(_ readings: [PeerID: PathReading], in turn: inout RoomTurn) -> [UserID: NetworkWatch.Singer] {
        var singers: [UserID: NetworkWatch.Singer] = [:]
        for (peer, reading) in readings {
            guard let session = turn.attendance.session(of: peer), let known = turn.attendance.sessions[session],
                turn.state.seat(of: known.attendee.profile.id) != nil
            else { continue }
            singers[known.attendee.profile.id] = NetworkWatch.Singer(reading, known.equipment)
        }
        return singers
    }
}

extension Attendance {
    /// Whose sound and picture a seat carries, as far as the key with which they entered lets them.
    func speaker(_ user: UserID) -> StageLink.Speaker? {
        microphone(of: user).map { found in
            StageLink.Speaker(peer: found.peer, rights: sessions[found.session]?.attendee.rights ?? .all)
        }
    }

    func sharer(_ user: UserID) -> PeerID? {
        guard let peer = screen(of: user), let session = session(of: peer) else { return nil }
        return sessions[session]?.attendee.rights.contains(.sendScreen) == true ? peer : nil
    }
}

extension PictureNews {
    init(_ reading: PictureReading) {
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
    init(_ layer: PictureLayer) {
        switch layer {
        case .none: self = .off
        case .low: self = .low
        case .middle: self = .middle
        case .high: self = .high
        }
    }
}
