import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// The parts of a room, each a value that has its own state, and what is decided without anybody asking.
struct TurnParts {
    var people = RoomPeople()
    var entries = RoomEntries()
    var gathered = GatheredNews()
    var gifts: RoomGifts
    var stills = RoomStills()
    let restrictions: RoomRestrictions
    let reporting: RoomReporting
    let correspondence = Correspondence()
    let media: MediaPaths

    init(stage: StageID, _ dependencies: RoomDependencies) {
        gifts = RoomGifts(catalogue: dependencies.catalogue, at: dependencies.clock.now)
        restrictions = RoomRestrictions(dependencies.moderation.restrictions)
        reporting = RoomReporting(dependencies.allowances)
        media = MediaPaths(stage: stage, numbers: dependencies.peerNumbers)
    }

    // MARK: Deciding

    /// Decides what happens by itself, and carries it out.
    mutating func decide(_ command: ServerCommand, _ sequel: Sequel = Sequel(), in turn: inout RoomTurn) {
        guard turn.phase == .open else { return }
        if command == .ownerAbsenceOver { people.endAbsence(in: &turn) }
        turn.carryOut(decided(in: &turn) { $0.state.decide(command, in: $0.context) }, sequel)
    }

    /// Likes and gifts that wait for company belong to the time before the end of a room, or of a PK: they are told first, and it is
    /// decided anew. Gifts that wait for a doubt are not: one that is told too early hides what stands before it in the ledger, and the end
    /// may fail.
    mutating func decided<Fault: Error>(
        in turn: inout RoomTurn, _ decide: (inout RoomTurn) throws(Fault) -> Decision
    ) throws(Fault) -> Decision {
        let decision = try decide(&turn)
        guard decision.closesAccounts, gathered.hasLikes || gifts.hasUntold else { return decision }
        gathered.storeLikes(in: &turn)
        gifts.tell(in: &turn)
        return try decide(&turn)
    }

    /// What was waited for is due.
    mutating func meet(_ deadline: Deadline, in turn: inout RoomTurn) {
        switch deadline {
        case .grace(let session): people.loseForGood(session, in: &turn)
        case .absence(let user): people.loseForGood(user, in: &turn)
        case .ownerAbsence: decide(.ownerAbsenceOver, in: &turn)
        case .invitation(let id): decide(.invitationTimedOut(id: id), in: &turn)
        case .consent(let user): decide(.consentTimedOut(user), in: &turn)
        case .song:
            decide(.songOver, in: &turn)
            turn.awaitEndOfSong()
        case .likes: gathered.storeLikes(in: &turn)
        case .gifts: gifts.tell(in: &turn)
        case .doubts: gifts.settleDoubts(in: &turn)
        case .levels: gathered.tellLevels(in: &turn)
        case .network: gathered.tellNetwork(in: &turn)
        case .pk:
            decide(.pkTimeOver, in: &turn)
            turn.awaitPK()
        case .host: decide(.hostLost, in: &turn)
        case .letters: correspondence.repeatLetters(in: &turn)
        case .greeting: correspondence.greet(in: &turn)
        case .points: correspondence.tellPoints(in: &turn)
        case .count: turn.add(.tell(Announcement(.passing(.count(MemberCount(turn.attendance.count))))))
        case .sharedText: entries.forgetSharedText()
        case .still: stills.expire(in: &turn)
        // The room's own: its end of each turn sends news, and it knows what the media plane owes.
        case .news, .confirmation: break
        }
    }

    mutating func hear(_ fact: MediaFact, in turn: inout RoomTurn) {
        switch fact {
        case .connected(_, let peer), .recovered(_, let peer): people.note(.live, on: peer, in: &turn)
        case .lost(_, let peer): people.note(.lost, on: peer, in: &turn)
        case .closed(_, let peer): people.noteClosed(peer, in: &turn)
        case .levels(_, let heard): gathered.hearLevels(media.speakers(heard, in: &turn), in: &turn)
        case .network(_, let readings): gathered.hearNetwork(media.singers(readings, in: &turn), in: &turn)
        case .pictures(_, let peer, let readings):
            media.tell(.pictures(PicturesChanged(readings.map(PictureNews.init))), to: peer, in: &turn)
        case .cameraWanted(_, let peer, let wish):
            media.tell(.cameraWanted(CameraWanted(PictureSize(wish.layer), spare: wish.spare)), to: peer, in: &turn)
        }
    }

    // MARK: People

    /// Somebody comes, or asks again for all there is to see.
    /// - Parameter mediaEpoch: changes when the media plane has lost everything.
    mutating func enter(
        _ attendee: Attendee, since point: ResumePoint?, mediaEpoch: UInt64, reply: @escaping Reply<RoomEntry>,
        in turn: inout RoomTurn
    ) {
        let user = attendee.profile.id
        let ban = restrictions.hostBan(of: user, in: &turn)
        guard let entrance = people.enter(attendee, hostBan: ban, reply: reply, in: &turn) else { return }
        let facts = RoomEntries.Facts(
            info: stills.info(turn.info), mediaEpoch: mediaEpoch, ownerAbsence: people.owner.absence,
            chatMute: restrictions.chatMute(of: user, in: &turn))
        people.answer(entrance, with: entries.entry(for: user, since: point, facts, in: &turn), in: &turn)
    }

    /// Somebody whom this host has banned everywhere, from another room of the same host, is put out.
    mutating func expel(_ ban: Restriction, in turn: inout RoomTurn) {
        guard turn.phase == .open, ban.holds(at: turn.wallNow), ban.user != turn.state.owner.id,
            turn.attendance.people[ban.user] != nil
        else { return }
        let decision = decided(in: &turn) { $0.state.decide(.departed(ban.user, .kicked), in: $0.context) }
        people.putOut(ban, decision, Sequel(by: ban.by), in: &turn)
    }

    /// Whom the host has banned everywhere while the room was being loaded, when nobody could be put out.
    mutating func expelBanned(in turn: inout RoomTurn) {
        for user in turn.attendance.people.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let ban = restrictions.hostBan(of: user, in: &turn) { expel(ban, in: &turn) }
        }
    }

    /// R09: nothing of somebody is kept here but ids and numbers; who is not here any more. A room of their own ends.
    /// - Parameter reply: how many messages of theirs were deleted.
    /// - Returns: whether that is decided. What becomes of gifts must be known before: whatever is told later has names in it, and a doubt
    ///   is settled by a key that is erased.
    mutating func erase(
        _ user: UserID, by caller: Operator, reply: @escaping Reply<Int>, in turn: inout RoomTurn
    ) -> Bool {
        gifts.tell(in: &turn)
        guard !gifts.concern(user) else {
            gifts.letGo(of: user, at: turn.now)
            turn.answer(reply, .failure(RoomCore.unavailable))
            return false
        }
        gifts.noteErased(user)
        let messages = turn.recent.messages(of: user, limit: .max).filter { !$0.deleted }.map(\.chat)
        let decision = decided(in: &turn) { $0.state.erasing(user, messages, in: $0.context) }
        turn.carryOut(decision, Sequel(by: caller.name, answer: PlannedAnswer(reply, .success(messages.count))))
        return true
    }

    /// - Parameter done: called once nothing goes either way any more.
    mutating func closeMedia(
        for session: SessionToken, done: @escaping @Sendable () -> Void, in turn: inout RoomTurn
    ) {
        guard let peer = turn.attendance.sessions[session]?.peer else { return done() }
        people.closePath(peer, of: session, confirmed: done, in: &turn)
    }

    // MARK: What was asked for

    /// Carries out what the rules have granted.
    /// - Parameters:
    ///   - line: what the audit trail says of it.
    ///   - areGiftsOffered: points of a PK are what gifts cost; where there are none, they are likes.
    mutating func carryOut(
        _ decision: Decision, _ asked: Asked, _ line: AuditLine?, areGiftsOffered: Bool, in turn: inout RoomTurn
    ) {
        var sequel = asked.sequel(decision, turn.outcome(of: decision))
        sequel.line = line
        switch asked.command {
        case .setRestriction(let draft) where draft.kind == .ban:
            guard let ban = restrictions.ban(draft, by: asked.user.id, decision, in: &turn) else {
                return turn.answer(asked.reply, .failure(RoomError(.internalError)))
            }
            if ban.everywhere { restrictions.keep(ban, in: &turn, &sequel) }
            people.putOut(ban, decision, sequel, in: &turn)
        case .liftRestriction(let lifted) where lifted.kind == .ban:
            restrictions.liftBan(of: lifted.user, decision, sequel, in: &turn)
        // Operators are in no room: the rules have refused it.
        case .exitRoom:
            let reply = asked.reply
            if let session = asked.session {
                people.leave(session, answer: PlannedAnswer { _ in reply(.success(CommandOutcome(.done))) }, in: &turn)
            }
        case .sendLikes(let likes):
            if !areGiftsOffered { turn.gain(likes: likes.count, by: asked.user.id) }
            gathered.like(UInt64(likes.count), by: asked.user.id, asked.reply, in: &turn)
        default: store(decision, asked, sequel, in: &turn)
        }
    }

    /// Stores what was decided, with what goes along outside the durable state.
    private mutating func store(_ decision: Decision, _ asked: Asked, _ sequel: Sequel, in turn: inout RoomTurn) {
        let user = asked.user.id
        switch asked.command {
        case .takeSeat:
            if let session = asked.session { turn.attendance.setMicrophone(session, of: user) }
        case .startScreen:
            guard let session = asked.session else { break }
            turn.attendance.setScreen(session, of: user)
            // From another session than until now: no event says so.
            if decision.events.isEmpty { turn.add(.assignAgain(user)) }
        case .sendInvitation(let draft):
            if let picture = draft.still, case .invited(let id, _) = decision.result {
                stills.keep(picture, with: id, of: user)
            }
        default: break
        }
        turn.carryOut(decision, sequel)
        for case .seatTaken(let taken) in decision.events {
            people.notePresence(of: taken.user.id, in: &turn)
        }
        people.noteRoles(after: asked.command, in: &turn)
        if case .liftRestriction(let lifted) = asked.command, lifted.kind == .chatMute {
            restrictions.tellMute(of: lifted.user, lifted: nil, in: &turn)
        }
    }

    // MARK: Reading

    /// What came with a waiting request, for who may answer it; `nil`: nothing, or it was lost with a restart.
    func requestStill(
        _ id: String, for user: UserID, in turn: inout RoomTurn
    ) throws(RoomError) -> StillPicture? {
        try turn.state.invitations.checkStill(of: id, for: user, in: turn.state)
        return stills.picture(of: id)
    }

    func overview(in turn: inout RoomTurn) -> RoomOverview {
        let (state, absence) = (turn.state, people.owner.absence)
        return RoomOverview(
            info: stills.info(turn.info), epoch: turn.epoch, seq: state.progress.seq, chat: state.progress.chat,
            seats: state.seats.indices.map { state.seatView($0, turn.attendance.people) }, admins: state.hosts.admins,
            likes: state.figures.likes, ownerAbsentUntil: absence?.until, heir: absence?.heir, play: state.chorus.play,
            duet: state.beginning.kind == .chorus ? state.chorus.duet : nil, screen: state.stage.screen,
            stage: state.stage.layout.isUsual ? nil : state.stage.layout,
            pk: state.links.pk.isEmpty ? nil : state.links.pk, gifts: state.figures.gifts.standing,
            attributes: state.details.attributes.isEmpty ? nil : state.details.attributes)
    }
}

extension Decision {
    /// The room ends, or something changes between this room and another.
    fileprivate var closesAccounts: Bool {
        events.contains { event in
            switch event {
            case .ended, .pkChanged: true
            default: false
            }
        }
    }
}
