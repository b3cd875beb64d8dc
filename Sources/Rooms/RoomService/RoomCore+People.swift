package import RoomModel
package import RoomPorts
import RoomRules
import Timing

// Who comes, who goes, who is lost and found (V03, V19).

extension RoomCore {
    /// In rooms larger than this nobody is told of each listener, only how many there are.
    static let bigRoom = 200
    static let messagesAtEntry = 50
    static let membersAtEntry = 50

    // MARK: Coming

    package func attach(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        defer { endTurn() }
        enter(attendee, since: point, reply: reply)
    }

    func enter(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        if let error = closedness { return answer(reply, .failure(error)) }
        let user = attendee.profile.id
        let wasHere = attendance.people[user] != nil
        guard wasHere || attendance.count < world.policy().maxMembers else {
            return answer(reply, .failure(RoomError(.roomFull)))
        }
        attendance.admit(attendee)
        deadlines.cancel(.grace(user))
        var news: [PassingNews] = []
        if let change = presenceChange(of: user), wasHere { news.append(change) }
        if !wasHere, let person = attendance.people[user] { news.append(.audienceEntered(state.member(person))) }
        if user == state.owner.id, ownerAbsence != nil {
            ownerAbsence = nil
            deadlines.cancel(.ownerAbsence)
            news.append(.ownerBack)
        }
        let entry = entry(for: user, since: point)
        let admission = attendance.sessions[attendee.session]?.admission
        queue.append(
            ReleaseQueue.Item(
                needs: watermark,
                deliver: { [unowned self] in
                    attendance.update(attendee.session) { $0.subscribed = true }
                    admission?.isGranted = true
                    info?.memberCount = attendance.count
                    publishInfo()
                    reply(.success(entry))
                    for news in news { tellOfPeople(news) }
                    desk.welcome(attendee.session)
                    network.tellAgain()
                },
                fail: { [unowned self] error in
                    reply(.failure(error))
                    turnAway(attendee)
                }))
        refreshHeir()
    }

    /// Whoever could not be let in is not here, unless they were before.
    private func turnAway(_ attendee: Attendee) {
        guard attendance.sessions[attendee.session]?.admission.isGranted == false else { return }
        _ = attendance.remove(session: attendee.session)
        let user = attendee.profile.id
        if attendance.sessions(of: user).isEmpty, state.seat(of: user) == nil { attendance.remove(user: user) }
    }

    private func entry(for user: UserID, since point: ResumePoint?) -> RoomEntry {
        let invitations = state.invitations.filter { state.concerns($0, user) }
        if let point, (state.createdIn...epoch).contains(point.epoch), let events = recent.gap(since: point) {
            let presence = state.seats.compactMap { seat -> RoomResumption.SeatedPresence? in
                guard let seated = seat.occupant?.profile.id else { return nil }
                let presence = attendance.people[seated]?.presence ?? .reconnecting
                return RoomResumption.SeatedPresence(user: seated, presence: presence)
            }
            return .resumed(
                RoomResumption(
                    epoch: epoch, seq: state.seq, chat: state.chat, events: events,
                    state: RoomResumption.PassingState(
                        memberCount: attendance.count, presence: presence, invitations: invitations,
                        settled: recent.settled.filter { state.concerns($0.invitation, user) }, likes: state.likes,
                        ownerAbsentUntil: ownerAbsence?.until, heir: ownerAbsence?.heir),
                    mediaEpoch: world.media.epoch))
        }
        let person =
            attendance.people[user]
            ?? Situation.Person(profile: UserProfile(id: user), presence: .online)
        return .snapshot(
            RoomSnapshot(
                room: key.room, epoch: epoch, seq: state.seq, chat: state.chat, info: stateInfo,
                seats: state.seats.indices.map { state.seatView($0, attendance.people) }, me: state.member(person),
                members: membersAtEntry(), memberCount: attendance.count, ownerAbsentUntil: ownerAbsence?.until,
                heir: ownerAbsence?.heir, invitations: invitations,
                messages: recent.messages(Self.messagesAtEntry), likes: state.likes,
                play: state.play, duet: state.leader == nil ? nil : state.duet, mediaEpoch: world.media.epoch))
    }

    /// First those whom everybody needs to know by name: owner, admins, the seated.
    private func membersAtEntry() -> [Member] {
        let leading = [state.owner.id] + state.admins + state.seats.compactMap { $0.occupant?.profile.id }
        var seen: Set<UserID> = []
        let order = leading + attendance.page(after: 0, limit: Self.membersAtEntry).users
        return order.filter { attendance.people[$0] != nil && seen.insert($0).inserted }
            .prefix(max(Self.membersAtEntry, leading.count))
            .compactMap { attendance.people[$0].map(state.member) }
    }

    package func members(_ query: MembersQuery, for session: SessionToken, reply: @escaping Reply<MembersPage>) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        guard attendance.user(of: session) != nil else { return answer(reply, .failure(RoomError(.notInRoom))) }
        let users: [UserID]
        var cursor: String?
        switch query {
        case .users(let asked): users = asked
        case .everyone(let limit, let start):
            let arrival = start.map(UInt64.init) ?? 0
            guard let arrival else {
                return answer(reply, .failure(.invalid("cursor", "this is no cursor of a former page")))
            }
            let page = attendance.page(after: arrival, limit: limit)
            users = page.users
            cursor = page.next.map(String.init)
        }
        let members = users.compactMap { attendance.people[$0].map(state.member) }
        answer(reply, .success(MembersPage(members: members, count: attendance.count, cursor: cursor)))
    }

    package func setProfile(_ profile: UserProfile, of session: SessionToken) {
        guard attendance.user(of: session) == profile.id else { return }
        attendance.setProfile(profile)
    }

    // MARK: Going

    package func detach(_ session: SessionToken, from outbox: (any Outbox)?, why: DetachReason) {
        guard let known = attendance.sessions[session], outbox == nil || known.attendee.outbox === outbox else {
            return
        }
        defer { endTurn() }
        switch why {
        case .left: leave(session)
        case .lost:
            attendance.update(session) {
                $0.connected = false
                $0.subscribed = false
            }
            notePresence(of: known.attendee.profile.id)
        }
    }

    /// A session goes by its own will. A person with another session stays, seat and all.
    func leave(_ token: SessionToken, answer: @escaping () -> Void = {}) {
        guard let session = attendance.remove(session: token) else { return }
        let user = session.attendee.profile.id
        guard attendance.sessions(of: user).isEmpty else {
            inOrder { [unowned self] in
                answer()
                dismiss(session, .exited)
                assignAgain(user)
            }
            return notePresence(of: user)
        }
        part(with: user, .exited, answer: answer) { [unowned self] in dismiss(session, .exited) }
    }

    /// The grace time of somebody without a connection is over.
    func loseForGood(_ user: UserID) {
        guard attendance.people[user] != nil, !attendance.isConnected(user) else { return }
        guard phase == .open else {
            // The room is being loaded: when it is, the clocks begin anew.
            return
        }
        let sessions = attendance.sessions(of: user).compactMap { attendance.remove(session: $0) }
        part(with: user, .lost, answer: {}) { [unowned self] in
            for session in sessions { dismiss(session, .lost) }
        }
    }

    private func part(
        with user: UserID, _ reason: SeatLeaveReason, answer: @escaping () -> Void,
        afterwards: @escaping () -> Void
    ) {
        deadlines.cancel(.grace(user))
        attendance.remove(user: user)
        let after = { [unowned self] in
            tellOfPeople(.audienceLeft(user, reason: reason == .lost ? .lost : .left))
            afterwards()
        }
        guard phase == .open else {
            return inOrder {
                answer()
                after()
            }
        }
        carryOut(
            state.decide(.departed(user, reason), in: situation), by: reason == .exited ? user : nil, answer: answer,
            afterwards: after,
            refuse: { _ in
                // Who goes is gone. A seat that could not be freed is freed once the room is loaded and the grace time
                // over.
                answer()
                after()
            })
        if user == state.owner.id { startOwnerAbsence() } else { refreshHeir() }
    }

    /// The end of a session in this room, as far as others are concerned.
    func dismiss(_ session: Attendance.Session, _ departure: Departure) {
        if let peer = session.peer { world.media.closePeer(peer, on: stage) }
        if session.admission.isGranted { session.attendee.departed(departure) }
    }

    // MARK: Presence

    /// What everybody should see: a connection, and for the seated a way for their sound, unless it never came.
    private func presence(of user: UserID) -> Presence {
        guard attendance.isConnected(user) else { return .reconnecting }
        guard state.seat(of: user) != nil, let microphone = attendance.microphone(of: user) else { return .online }
        return attendance.sessions[microphone.session]?.media == .lost ? .reconnecting : .online
    }

    /// Notes a person's presence; news if it has changed and the person has a seat.
    private func presenceChange(of user: UserID) -> PassingNews? {
        guard let former = attendance.people[user]?.presence else { return nil }
        let presence = presence(of: user)
        let connected = attendance.isConnected(user)
        var until: Int64?
        if connected {
            deadlines.cancel(.grace(user))
        } else {
            let grace = Int64(world.policy().seatGraceSeconds)
            if !deadlines.isSet(.grace(user)) { deadlines.set(.grace(user), at: now + .seconds(grace)) }
            until = wallNow + grace * 1_000
        }
        guard presence != former else { return nil }
        attendance.setPresence(presence, of: user)
        return state.seat(of: user) == nil ? nil : .presence(user, presence, until: until)
    }

    func notePresence(of user: UserID) {
        if let news = presenceChange(of: user) { inOrder { [unowned self] in tell(news) } }
        refreshHeir()
    }

    // MARK: The owner

    /// The owner is away: the room waits (V19).
    func startOwnerAbsence() {
        let seconds = Int64(world.policy().ownerAbsenceSeconds)
        deadlines.set(.ownerAbsence, at: now + .seconds(seconds))
        let absence = OwnerAbsence(
            until: wallNow + seconds * 1_000, heir: state.heir(among: attendance.people)?.id)
        ownerAbsence = absence
        inOrder { [unowned self] in tell(.ownerAbsent(until: absence.until, heir: absence.heir)) }
    }

    /// While the owner is away people see who would inherit, and that may change.
    func refreshHeir() {
        guard var absence = ownerAbsence else { return }
        let heir = state.heir(among: attendance.people)?.id
        guard absence.heir != heir else { return }
        absence.heir = heir
        ownerAbsence = absence
        inOrder { [unowned self] in tell(.ownerAbsent(until: absence.until, heir: heir)) }
    }

    // MARK: Telling

    /// Says who came or went; in big rooms only how many are here, at most once a second.
    func tellOfPeople(_ news: PassingNews) {
        info?.memberCount = attendance.count
        switch news {
        case .audienceEntered, .audienceLeft:
            guard attendance.count > Self.bigRoom else { return tell(news) }
            if !deadlines.isSet(.count) { deadlines.set(.count, at: now + .seconds(1)) }
        default: tell(news)
        }
    }
}
