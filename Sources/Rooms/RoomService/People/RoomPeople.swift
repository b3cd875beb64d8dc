import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Who is in a room: who comes, who goes, who is lost and found (V03, V19).
struct RoomPeople {
    /// In rooms larger than this nobody is told of each listener, only how many there are.
    static let bigRoom = 200

    /// Somebody who has come, and is let in when what they are told is stored.
    struct Entrance {
        let attendee: Attendee
        let session: Attendance.Session
        let wasHere: Bool
        /// What the others hear of it.
        var news: [PassingNews]
        let reply: Reply<RoomEntry>
    }

    private(set) var owner = OwnerWatch()

    // MARK: Coming

    /// - Parameter hostBan: the ban of that person from all rooms of the host.
    /// - Returns: `nil` if they may not enter, which they have been told.
    mutating func enter(
        _ attendee: Attendee, hostBan: Restriction?, reply: @escaping Reply<RoomEntry>, in turn: inout RoomTurn
    ) -> Entrance? {
        let user = attendee.profile.id
        do throws(RoomError) {
            try check(attendee, hostBan: hostBan, in: &turn)
        } catch {
            turn.answer(reply, .failure(error))
            return nil
        }
        let wasHere = turn.attendance.people[user] != nil
        let former = turn.attendance.sessions[attendee.session]
        turn.attendance.admit(attendee)
        // By another key other things may come and go: on a path of its own.
        if let former, let peer = former.peer, former.attendee.rights != attendee.rights {
            closePath(peer, of: attendee.session, in: &turn)
        }
        // By a former connection it hears nothing more, by this one only once it is answered.
        turn.add(.dismiss(attendee.session))
        turn.deadlines.cancel(.grace(attendee.session))
        turn.deadlines.cancel(.absence(user))
        var news: [PassingNews] = []
        if let change = presenceChange(of: user, in: &turn), wasHere { news.append(change) }
        if !wasHere, let person = turn.attendance.people[user] {
            let entered = PassingNews.audienceEntered(AudienceEntered(turn.state.member(person)))
            news.append(entered)
            turn.add(.webhook(entered))
        }
        if user == turn.state.owner.id, owner.absence != nil {
            owner.endAbsence(in: &turn)
            news.append(.ownerBack(OwnerBack()))
        }
        guard let session = turn.attendance.sessions[attendee.session] else { return nil }
        return Entrance(attendee: attendee, session: session, wasHere: wasHere, news: news, reply: reply)
    }

    private func check(_ attendee: Attendee, hostBan: Restriction?, in turn: inout RoomTurn) throws(RoomError) {
        if let error = turn.closedness { throw error }
        guard attendee.mayEnter() else { throw RoomError(.sessionReplaced) }
        let user = attendee.profile.id
        try turn.state.checkEntry(of: user, hostBan: hostBan, at: turn.wallNow)
        guard turn.attendance.people[user] != nil || turn.attendance.count < turn.policy().maxMembers else {
            throw RoomError(.roomFull)
        }
    }

    /// Answers somebody who has come, in their place in the order.
    mutating func answer(_ entrance: Entrance, with entry: RoomEntry, in turn: inout RoomTurn) {
        let reply = entrance.reply
        turn.add(
            .release(
                Release(
                    needs: turn.watermark, answer: PlannedAnswer { failure in failure.map { reply(.failure($0)) } },
                    afterwards: [.admit(entrance, entry)], otherwise: [.turnAway(entrance)])))
        owner.refreshHeir(in: &turn)
    }

    /// Lets somebody in: from now on they are told what happens.
    mutating func admit(_ entrance: Entrance, _ entry: RoomEntry, in turn: inout RoomTurn) {
        let (attendee, session, reply) = (entrance.attendee, entrance.session, entrance.reply)
        guard turn.phase != .over else { return reply(.failure(RoomError(.roomClosed))) }
        session.admission.isGranted = true
        // Unless it has left meanwhile.
        let isHere = turn.attendance.sessions[attendee.session]?.stay == session.stay
        if isHere { turn.attendance.update(attendee.session) { $0.subscribed = true } }
        turn.add(.showCount)
        turn.add(
            .answer(
                PlannedAnswer { _ in
                    attendee.entered(session.stay)
                    reply(.success(entry))
                }))
        for news in entrance.news { turn.add(.tellOfPeople(news)) }
        // Unless another entry by a newer connection is on its way, or the connection is gone.
        if let session = turn.attendance.sessions[attendee.session], isHere, session.connected,
            session.attendee.outbox === attendee.outbox
        {
            turn.add(.welcome(attendee))
        }
        turn.add(.askAgain(attendee))
    }

    /// Its connection may have ended while the room was stored: nobody knew then which room to tell.
    mutating func askAgain(_ attendee: Attendee, in turn: inout RoomTurn) {
        if !attendee.mayEnter() { detach(attendee.session, from: attendee.outbox, why: .lost, in: &turn) }
    }

    /// Whoever could not be let in is not here, unless they were before.
    mutating func turnAway(_ entrance: Entrance, in turn: inout RoomTurn) {
        let (attendee, session) = (entrance.attendee, entrance.session)
        guard !session.admission.isGranted, turn.attendance.sessions[attendee.session]?.stay == session.stay else {
            return
        }
        _ = remove(session: attendee.session, in: &turn)
        let user = attendee.profile.id
        guard turn.attendance.sessions(of: user).isEmpty else { return }
        if entrance.wasHere || turn.state.seat(of: user) != nil {
            awaitReturn(of: user, in: &turn)
        } else {
            turn.attendance.remove(user: user)
            turn.add(.webhook(.audienceLeft(AudienceLeft(user, reason: .lost))))
        }
    }

    /// After a restart those who have a seat are in the room, without a connection for the time being.
    func seatTheAbsent(tell: Bool, in turn: inout RoomTurn) {
        for seat in turn.state.seats {
            guard let profile = seat.occupant?.profile, turn.attendance.people[profile.id] == nil else { continue }
            turn.attendance.add(profile)
            guard tell, let person = turn.attendance.people[profile.id] else { continue }
            turn.tellInOrder(.audienceEntered(AudienceEntered(turn.state.member(person))))
        }
    }

    // MARK: Changing

    func setProfile(_ profile: UserProfile, of session: SessionToken, in turn: inout RoomTurn) {
        if turn.attendance.user(of: session) == profile.id { turn.attendance.setProfile(profile) }
    }

    // MARK: Going

    /// - Parameter done: called once it is in force: the session is silent and deaf, unless its connection is merely lost.
    mutating func detach(
        _ session: SessionToken, from outbox: (any Outbox)?, why: DetachReason,
        done: @escaping @Sendable () -> Void = {}, in turn: inout RoomTurn
    ) {
        let isDone = Effect.answer(PlannedAnswer { _ in done() })
        guard let known = turn.attendance.sessions[session], outbox == nil || known.attendee.outbox === outbox else {
            return turn.add(isDone)
        }
        switch why {
        case .left: leave(session, answer: PlannedAnswer { _ in done() }, in: &turn)
        case .replaced: replace(session, done, in: &turn)
        case .lost:
            lose(session, in: &turn)
            turn.add(isDone)
        case .expired:
            lose(session, in: &turn)
            guard let peer = known.peer else { return turn.add(isDone) }
            closePath(peer, of: session, confirmed: done, in: &turn)
        }
    }

    /// The session's connection is gone. It has the grace time to come back.
    private mutating func lose(_ token: SessionToken, in turn: inout RoomTurn) {
        turn.attendance.update(token) { $0.connected = false }
        turn.add(.dismiss(token))
        turn.deadlines.set(.grace(token), at: turn.now + turn.graceTime)
        if let user = turn.attendance.user(of: token) { notePresence(of: user, in: &turn) }
    }

    private func remove(session token: SessionToken, in turn: inout RoomTurn) -> Attendance.Session? {
        turn.add(.dismiss(token))
        return turn.attendance.remove(session: token)
    }

    /// The session is over, at once; its person stays, seat and all, for the grace time.
    private mutating func replace(
        _ token: SessionToken, _ done: @escaping @Sendable () -> Void, in turn: inout RoomTurn
    ) {
        let shown = turn.attendance.pictures(of: token)
        guard let session = remove(session: token, in: &turn) else {
            return turn.add(.answer(PlannedAnswer { _ in done() }))
        }
        let user = session.attendee.profile.id
        turn.deadlines.cancel(.grace(token))
        turn.add(session.peer.map { .out(.closePeer($0, confirmed: done)) } ?? .answer(PlannedAnswer { _ in done() }))
        turn.add(.assignAgain(user))
        if turn.attendance.sessions(of: user).isEmpty { awaitReturn(of: user, in: &turn) }
        if session.admission.isGranted { turn.add(.departed(session, .replaced)) }
        turn.add(.decide(.picturesGone(user, camera: shown.camera, screen: shown.screen), Sequel()))
        notePresence(of: user, in: &turn)
    }

    /// Somebody is in the room without any session.
    private func awaitReturn(of user: UserID, in turn: inout RoomTurn) {
        turn.deadlines.set(.absence(user), at: turn.now + turn.graceTime)
    }

    /// A session goes by its own will. A person with another session stays, seat and all.
    mutating func leave(_ token: SessionToken, answer: PlannedAnswer, in turn: inout RoomTurn) {
        remove(token, .exited, answer: answer, in: &turn)
    }

    /// The session's grace time is over.
    mutating func loseForGood(_ token: SessionToken, in turn: inout RoomTurn) {
        // While the room is being loaded nobody goes: when it is, the clocks begin anew.
        guard turn.attendance.sessions[token]?.connected == false, turn.phase == .open else { return }
        remove(token, .lost, answer: nil, in: &turn)
    }

    /// Nobody came back for a person who is here without a session.
    mutating func loseForGood(_ user: UserID, in turn: inout RoomTurn) {
        guard turn.attendance.people[user] != nil, turn.attendance.sessions(of: user).isEmpty, turn.phase == .open
        else { return }
        part(with: user, .lost, closing: nil, answer: nil, in: &turn)
    }

    private mutating func remove(
        _ token: SessionToken, _ reason: SeatLeaveReason, answer: PlannedAnswer?, in turn: inout RoomTurn
    ) {
        let shown = turn.attendance.pictures(of: token)
        guard let session = remove(session: token, in: &turn) else { return }
        turn.deadlines.cancel(.grace(token))
        let user = session.attendee.profile.id
        // Before the answer: whoever has it is free for another room. Who goes is gone, stored or not.
        let depart = PlannedAnswer { _ in
            session.tellDeparture(reason == .exited ? .exited : .lost)
            answer?()
        }
        guard turn.attendance.sessions(of: user).isEmpty else {
            turn.inOrder([.out(.assignAgain(user))], closing: session.peer, answer: depart)
            turn.add(.decide(.picturesGone(user, camera: shown.camera, screen: shown.screen), Sequel()))
            return notePresence(of: user, in: &turn)
        }
        part(with: user, reason, closing: session.peer, answer: depart, in: &turn)
    }

    private mutating func part(
        with user: UserID, _ reason: SeatLeaveReason, closing peer: PeerID?, answer: PlannedAnswer?,
        in turn: inout RoomTurn
    ) {
        turn.deadlines.cancel(.absence(user))
        turn.attendance.remove(user: user)
        let left = PassingNews.audienceLeft(AudienceLeft(user, reason: reason == .lost ? .lost : .left))
        let others = [Effect.out(.tellOfPeople(left))]
        if turn.phase == .open {
            // A seat that could not be freed is freed once the room is loaded and the grace time over.
            turn.add(
                .decide(
                    .departed(user, reason),
                    Sequel(
                        by: reason == .exited ? user : nil, closing: peer, answer: answer, afterwards: others,
                        otherwise: others)))
            if user == turn.state.owner.id {
                owner.startAbsence(in: &turn)
            } else {
                owner.refreshHeir(in: &turn)
            }
        } else {
            turn.inOrder(others, closing: peer, answer: answer)
        }
        // Behind the seat that is freed.
        turn.add(.webhook(left))
    }

    /// Puts somebody out of the room, from all their sessions and ways at once, before anybody is told.
    mutating func putOut(_ ban: Restriction, _ decision: Decision, _ sequel: Sequel, in turn: inout RoomTurn) {
        let user = ban.user
        let wasHere = turn.attendance.people[user] != nil
        let sessions = turn.attendance.sessions(of: user).compactMap { token -> Attendance.Session? in
            turn.deadlines.cancel(.grace(token))
            guard let session = remove(session: token, in: &turn) else { return nil }
            if let peer = session.peer { turn.add(.closePeer(peer)) }
            return session
        }
        turn.deadlines.cancel(.absence(user))
        turn.attendance.remove(user: user)
        var sequel = sequel
        // Who was put out is out, even if the ban could not be stored: it is for the moderator to say it again.
        sequel.answer = PlannedAnswer { [answer = sequel.answer] failure in
            for session in sessions { session.tellDeparture(.removed(ban)) }
            answer?(failure)
        }
        let left = PassingNews.audienceLeft(AudienceLeft(user, reason: .left))
        if wasHere {
            sequel.afterwards.append(.out(.tellOfPeople(left)))
            sequel.otherwise.append(.out(.tellOfPeople(left)))
        }
        turn.carryOut(decision, sequel)
        owner.refreshHeir(in: &turn)
        if wasHere { turn.add(.webhook(left)) }
    }

    /// The room is over: everybody is free for another one, and is told so once. Before the news; `dismissAll` follows.
    func freeAll(in turn: inout RoomTurn) {
        for session in turn.attendance.sessions.values where session.admission.isGranted {
            session.admission.isGranted = false
            turn.add(.departed(session, .ended))
        }
    }

    /// Everybody is out of the room.
    func dismissAll(in turn: inout RoomTurn) {
        for token in turn.attendance.sessions.keys {
            guard let session = remove(session: token, in: &turn) else { continue }
            if let peer = session.peer { turn.add(.closePeer(peer)) }
        }
    }

    // MARK: Media paths

    /// Closes the path of a session that stays.
    /// - Parameter confirmed: called once nothing goes either way any more.
    mutating func closePath(
        _ peer: PeerID, of session: SessionToken, confirmed: @escaping @Sendable () -> Void = {},
        in turn: inout RoomTurn
    ) {
        turn.add(.closePeer(peer, confirmed: confirmed))
        turn.attendance.setPath(nil, of: session)
        guard let user = turn.attendance.user(of: session) else { return }
        turn.add(.assignAgain(user))
        notePresence(of: user, in: &turn)
    }

    /// A path has come about, is lost, or is there again.
    mutating func note(_ media: Attendance.Session.Media, on peer: PeerID, in turn: inout RoomTurn) {
        guard let session = turn.attendance.session(of: peer), let user = turn.attendance.user(of: session) else {
            return
        }
        turn.attendance.update(session) { $0.media = media }
        if media == .live { turn.add(.assignAgain(user)) }
        notePresence(of: user, in: &turn)
    }

    /// A path has ended by itself.
    mutating func noteClosed(_ peer: PeerID, in turn: inout RoomTurn) {
        guard let session = turn.attendance.session(of: peer) else { return }
        // Takes the admission back: an offer that was on its way meanwhile opens a path that the room knows nothing of.
        closePath(peer, of: session, in: &turn)
        guard let attendee = turn.attendance.sessions[session]?.attendee else { return }
        turn.add(.answer(PlannedAnswer { _ in attendee.pathClosed() }))
    }

    // MARK: Presence

    /// Notes a person's presence; news if it has changed and the person has a seat.
    private func presenceChange(of user: UserID, in turn: inout RoomTurn) -> PassingNews? {
        guard let former = turn.attendance.people[user]?.presence else { return nil }
        let presence = turn.presence(of: user)
        guard presence != former else { return nil }
        turn.attendance.setPresence(presence, of: user)
        if user == turn.state.owner.id { turn.awaitHost() }
        let until = turn.attendance.isConnected(user) ? nil : turn.lossTime(of: user)
        guard turn.state.seat(of: user) != nil else { return nil }
        return .presence(PresenceChanged(user, presence, until: until))
    }

    mutating func notePresence(of user: UserID, in turn: inout RoomTurn) {
        if let news = presenceChange(of: user, in: &turn) { turn.tellInOrder(news) }
        owner.refreshHeir(in: &turn)
    }

    /// Restarts the timers of the lost after a load, so that nobody loses a seat because the server was down.
    mutating func restartClocks(in turn: inout RoomTurn) {
        // In the same order each time: what is over at the same moment ends in the order in which it was begun.
        let lost = turn.attendance.sessions.filter { !$0.value.connected }.keys
        for token in lost.sorted(by: { $0.rawValue < $1.rawValue }) {
            turn.deadlines.set(.grace(token), at: turn.now + turn.graceTime)
        }
        for user in turn.attendance.people.keys.sorted(by: { $0.rawValue < $1.rawValue })
        where turn.attendance.sessions(of: user).isEmpty {
            awaitReturn(of: user, in: &turn)
        }
        owner.restartClock(in: &turn)
    }

    // MARK: The owner

    /// What has been decided about the room's roles may change who is waited for, and who would inherit it.
    mutating func noteRoles(after command: RoomCommand, in turn: inout RoomTurn) {
        switch command {
        case .setRole: owner.refreshHeir(in: &turn)
        case .setOwner: owner.noteNewOwner(in: &turn)
        default: break
        }
    }

    /// Nobody waits for the owner any more.
    mutating func endAbsence(in turn: inout RoomTurn) { owner.endAbsence(in: &turn) }
}
