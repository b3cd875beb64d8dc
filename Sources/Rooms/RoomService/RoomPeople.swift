import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Who is in a room: who comes, who goes, who is lost and found (V03, V19).
final class RoomPeople {
    /// In rooms larger than this nobody is told of each listener, only how many there are.
    static let bigRoom = 200

    private unowned let core: RoomCore
    private(set) var attendance = Attendance()

    init(_ core: RoomCore) { self.core = core }

    // MARK: Coming

    func enter(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        guard attendee.mayEnter() else { return core.answer(reply, .failure(RoomError(.sessionReplaced))) }
        let user = attendee.profile.id
        do throws(RoomError) {
            try core.state.checkEntry(of: user, hostBan: core.restrictions.hostBan(of: user), at: core.wallNow)
        } catch {
            return core.answer(reply, .failure(error))
        }
        let wasHere = attendance.people[user] != nil
        guard wasHere || attendance.count < core.dependencies.policy().maxMembers else {
            return core.answer(reply, .failure(RoomError(.roomFull)))
        }
        let former = attendance.sessions[attendee.session]
        attendance.admit(attendee)
        // By another key other things may come and go: on a path of its own.
        if let former, let peer = former.peer, former.attendee.rights != attendee.rights {
            core.media.close(peer, of: attendee.session)
        }
        // By a former connection it hears nothing more, by this one only once it is answered.
        core.announcer.dismiss(attendee.session)
        core.deadlines.cancel(.grace(attendee.session))
        core.deadlines.cancel(.absence(user))
        var news: [PassingNews] = []
        if let change = presenceChange(of: user), wasHere { news.append(change) }
        if !wasHere, let person = attendance.people[user] {
            let entered = PassingNews.audienceEntered(core.state.member(person))
            news.append(entered)
            tellWebhooks(entered)
        }
        if user == core.state.owner.id, core.owner.absence != nil {
            core.owner.endAbsence()
            news.append(.ownerBack)
        }
        let entry = core.entries.entry(for: user, since: point)
        guard let session = attendance.sessions[attendee.session] else { return }
        core.queue.append(
            ReleaseQueue.Item(
                needs: core.watermark,
                deliver: { [unowned self] in
                    guard core.phase != .over else { return reply(.failure(RoomError(.roomClosed))) }
                    session.admission.isGranted = true
                    // Unless it has left meanwhile.
                    let isHere = attendance.sessions[attendee.session]?.stay == session.stay
                    if isHere { attendance.update(attendee.session) { $0.subscribed = true } }
                    core.announcer.show(memberCount: attendance.count)
                    core.publishInfo()
                    attendee.entered(session.stay)
                    reply(.success(entry))
                    for news in news { tellOfPeople(news) }
                    // Unless another entry by a newer connection is on its way, or the connection is gone.
                    if let session = attendance.sessions[attendee.session], isHere, session.connected,
                        session.attendee.outbox === attendee.outbox
                    {
                        core.announcer.welcome(attendee.session, by: attendee.outbox)
                    }
                    core.gathered.tellNetworkAgain()
                    // Its connection may have ended while the room was stored: nobody knew then which room to tell.
                    if !attendee.mayEnter() { detach(attendee.session, from: attendee.outbox, why: .lost) }
                },
                fail: { [unowned self] error in
                    reply(.failure(error))
                    turnAway(attendee, session, wasHere: wasHere)
                }))
        core.owner.refreshHeir()
    }

    /// Whoever could not be let in is not here, unless they were before.
    private func turnAway(_ attendee: Attendee, _ session: Attendance.Session, wasHere: Bool) {
        guard !session.admission.isGranted, attendance.sessions[attendee.session]?.stay == session.stay else { return }
        _ = remove(session: attendee.session)
        let user = attendee.profile.id
        guard attendance.sessions(of: user).isEmpty else { return }
        if wasHere || core.state.seat(of: user) != nil {
            awaitReturn(of: user)
        } else {
            attendance.remove(user: user)
            tellWebhooks(.audienceLeft(user, reason: .lost))
        }
    }

    /// After a restart those who have a seat are in the room, without a connection for the time being.
    func seatTheAbsent(tell: Bool) {
        for seat in core.state.seats {
            guard let profile = seat.occupant?.profile, attendance.people[profile.id] == nil else { continue }
            attendance.add(profile)
            guard tell, let person = attendance.people[profile.id] else { continue }
            let member = core.state.member(person)
            core.inOrder { [unowned self] in core.tell(.audienceEntered(member)) }
        }
    }

    // MARK: Changing

    /// One change is made, or refused, by itself: those before it stay.
    func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        for change in changes where !attendance.mark(change) {
            return core.answer(
                reply,
                .failure(.invalid("marks", "\(change.user.rawValue) would have more than \(MarksChange.most) marks")))
        }
        core.answer(reply, .success(()))
    }

    func setProfile(_ profile: UserProfile, of session: SessionToken) {
        guard attendance.user(of: session) == profile.id else { return }
        attendance.setProfile(profile)
    }

    /// By whose microphone a person speaks.
    func setMicrophone(_ session: SessionToken, of user: UserID) { attendance.setMicrophone(session, of: user) }
    func setScreen(_ session: SessionToken, of user: UserID) { attendance.setScreen(session, of: user) }

    func setEquipment(_ equipment: SingerEquipment, of session: SessionToken) {
        attendance.update(session) { $0.equipment = equipment }
    }

    /// - Parameter peer: `nil`: the session has no media path any more.
    func setPath(_ peer: PeerID?, of session: SessionToken) {
        attendance.update(session) {
            $0.peer = peer
            if peer == nil { $0.media = .none }
        }
    }

    func setMedia(_ media: Attendance.Session.Media, of session: SessionToken) {
        attendance.update(session) { $0.media = media }
    }

    // MARK: Going

    /// - Parameter done: called once it is in force: the session is silent and deaf, unless its connection is merely lost.
    func detach(
        _ session: SessionToken, from outbox: (any Outbox)?, why: DetachReason,
        done: @escaping @Sendable () -> Void = {}
    ) {
        guard let known = attendance.sessions[session], outbox == nil || known.attendee.outbox === outbox else {
            return done()
        }
        switch why {
        case .left: leave(session, answer: done)
        case .replaced: replace(session, done)
        case .lost:
            lose(session)
            done()
        case .expired:
            lose(session)
            guard let peer = known.peer else { return done() }
            core.media.close(peer, of: session, confirmed: done)
        }
    }

    /// The session's connection is gone. It has the grace time to come back.
    private func lose(_ token: SessionToken) {
        attendance.update(token) { $0.connected = false }
        core.announcer.dismiss(token)
        core.deadlines.set(.grace(token), at: core.now + graceTime)
        if let user = attendance.user(of: token) { notePresence(of: user) }
    }

    private func remove(session token: SessionToken) -> Attendance.Session? {
        core.announcer.dismiss(token)
        return attendance.remove(session: token)
    }

    /// The session is over, at once; its person stays, seat and all, for the grace time.
    private func replace(_ token: SessionToken, _ done: @escaping @Sendable () -> Void) {
        let shown = attendance.pictures(of: token)
        guard let session = remove(session: token) else { return done() }
        let user = session.attendee.profile.id
        core.deadlines.cancel(.grace(token))
        if let peer = session.peer {
            core.media.close(peer, confirmed: done)
        } else {
            done()
        }
        core.media.assignAgain(user)
        if attendance.sessions(of: user).isEmpty { awaitReturn(of: user) }
        if session.admission.isGranted { session.attendee.departed(session.stay, .replaced) }
        core.carryOut(.picturesGone(user, camera: shown.camera, screen: shown.screen))
        notePresence(of: user)
    }

    /// Somebody is in the room without any session.
    func awaitReturn(of user: UserID) {
        core.deadlines.set(.absence(user), at: core.now + graceTime)
    }

    /// For how long somebody lost is waited for.
    private var graceTime: Interval { .seconds(Int64(core.dependencies.policy().seatGraceSeconds)) }

    /// A session goes by its own will. A person with another session stays, seat and all.
    func leave(_ token: SessionToken, answer: @escaping () -> Void = {}) {
        remove(token, .exited, answer: answer)
    }

    /// The session's grace time is over.
    func loseForGood(_ token: SessionToken) {
        // While the room is being loaded nobody goes: when it is, the clocks begin anew.
        guard attendance.sessions[token]?.connected == false, core.phase == .open else { return }
        remove(token, .lost)
    }

    /// Nobody came back for a person who is here without a session.
    func loseForGood(_ user: UserID) {
        guard attendance.people[user] != nil, attendance.sessions(of: user).isEmpty, core.phase == .open else { return }
        part(with: user, .lost, closing: nil, answer: {})
    }

    private func remove(_ token: SessionToken, _ reason: SeatLeaveReason, answer: @escaping () -> Void = {}) {
        let shown = attendance.pictures(of: token)
        guard let session = remove(session: token) else { return }
        core.deadlines.cancel(.grace(token))
        let user = session.attendee.profile.id
        // Before the answer: whoever has it is free for another room.
        let depart = {
            if session.admission.isGranted {
                session.attendee.departed(session.stay, reason == .exited ? .exited : .lost)
            }
            answer()
        }
        guard attendance.sessions(of: user).isEmpty else {
            core.inOrder(closing: session.peer) { [unowned self] in
                depart()
                core.media.assignAgain(user)
            }
            core.carryOut(.picturesGone(user, camera: shown.camera, screen: shown.screen))
            return notePresence(of: user)
        }
        part(with: user, reason, closing: session.peer, answer: depart)
    }

    private func part(
        with user: UserID, _ reason: SeatLeaveReason, closing peer: PeerID?, answer: @escaping () -> Void
    ) {
        core.deadlines.cancel(.absence(user))
        attendance.remove(user: user)
        let left = PassingNews.audienceLeft(user, reason: reason == .lost ? .lost : .left)
        let after = { [unowned self] in tellOfPeople(left) }
        // Behind the seat that is freed.
        defer { tellWebhooks(left) }
        guard core.phase == .open else {
            return core.inOrder(closing: peer) {
                answer()
                after()
            }
        }
        core.carryOut(
            core.decided { core.state.decide(.departed(user, reason), in: core.context) },
            by: reason == .exited ? user : nil,
            closing: peer,
            answer: answer, afterwards: after,
            refuse: { [unowned self] _ in
                // Who goes is gone. A seat that could not be freed is freed once the room is loaded and the grace time
                // over.
                if let peer { core.media.close(peer) }
                answer()
                after()
            })
        if user == core.state.owner.id { core.owner.startAbsence() } else { core.owner.refreshHeir() }
    }

    /// Puts somebody out of the room, from all their sessions and ways at once, before anybody is told.
    /// - Returns: whether they were here, and their sessions, which are still to be told.
    func putOut(_ user: UserID) -> (wasHere: Bool, sessions: [Attendance.Session]) {
        let wasHere = attendance.people[user] != nil
        let sessions = attendance.sessions(of: user).compactMap { token -> Attendance.Session? in
            core.deadlines.cancel(.grace(token))
            guard let session = remove(session: token) else { return nil }
            if let peer = session.peer { core.media.close(peer) }
            return session
        }
        core.deadlines.cancel(.absence(user))
        attendance.remove(user: user)
        return (wasHere, sessions)
    }

    /// The room is over: everybody is free for another one, and is told so once. Before the news; `dismissAll` follows.
    func freeAll() {
        for session in attendance.sessions.values where session.admission.isGranted {
            session.admission.isGranted = false
            session.attendee.departed(session.stay, .ended)
        }
    }

    /// Everybody is out of the room.
    func dismissAll() {
        for token in attendance.sessions.keys {
            guard let session = remove(session: token) else { continue }
            if let peer = session.peer { core.media.close(peer) }
        }
    }

    // MARK: Presence

    /// What everybody should see: a connection, and for the seated a way for their sound, unless it never came.
    func presence(of user: UserID) -> Presence {
        guard attendance.isConnected(user) else { return .reconnecting }
        guard core.state.seat(of: user) != nil, let microphone = attendance.microphone(of: user) else { return .online }
        return attendance.sessions[microphone.session]?.media == .lost ? .reconnecting : .online
    }

    /// Notes a person's presence; news if it has changed and the person has a seat.
    private func presenceChange(of user: UserID) -> PassingNews? {
        guard let former = attendance.people[user]?.presence else { return nil }
        let presence = presence(of: user)
        guard presence != former else { return nil }
        attendance.setPresence(presence, of: user)
        if user == core.state.owner.id { core.correspondence.awaitHost() }
        let until = attendance.isConnected(user) ? nil : lossTime(of: user)
        return core.state.seat(of: user) == nil ? nil : .presence(user, presence, until: until)
    }

    /// When somebody without a connection will be gone, in milliseconds since 1970: with the last of their sessions.
    private func lossTime(of user: UserID) -> Int64 {
        let last = attendance.sessions(of: user).compactMap { core.deadlines.time(of: .grace($0)) }.max()
        let end = last ?? core.deadlines.time(of: .absence(user)) ?? core.now + graceTime
        return core.wallNow + (end - core.now).nanoseconds / 1_000_000
    }

    func notePresence(of user: UserID) {
        if let news = presenceChange(of: user) { core.inOrder { [unowned self] in core.tell(news) } }
        core.owner.refreshHeir()
    }

    /// Restarts the timers of the lost after a load, so that nobody loses a seat because the server was down.
    func restartClocks() {
        for (token, session) in attendance.sessions where !session.connected {
            core.deadlines.set(.grace(token), at: core.now + graceTime)
        }
        for user in attendance.people.keys where attendance.sessions(of: user).isEmpty { awaitReturn(of: user) }
        core.owner.restartClock()
    }

    // MARK: Telling

    /// In the order in which it is decided, as what the journal carries.
    func tellWebhooks(_ news: PassingNews) {
        core.dependencies.webhooks.post(news, of: core.key, at: core.wallNow)
    }

    /// Says who came or went; in big rooms only how many are here, at most once a second.
    func tellOfPeople(_ news: PassingNews) {
        core.announcer.show(memberCount: attendance.count)
        switch news {
        case .audienceEntered, .audienceLeft:
            guard attendance.count > Self.bigRoom else { return core.tell(news) }
            if !core.deadlines.isSet(.count) { core.deadlines.set(.count, at: core.now + .seconds(1)) }
        default: core.tell(news)
        }
    }
}
