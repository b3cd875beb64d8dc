package import RoomEvents
package import RoomModel
package import RoomPorts
package import RoomRules
import Timing

// What is asked of a room: by people, by the media plane, by its own timers, by the operator.

extension RoomCore {
    // MARK: People

    package func attach(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        defer { endTurn() }
        people.enter(attendee, since: point, reply: reply)
    }

    /// - Parameter done: called once it is in force: the session is silent and deaf, unless its connection is merely lost.
    package func detach(
        _ session: SessionToken, from outbox: (any Outbox)?, why: DetachReason,
        done: @escaping @Sendable () -> Void = {}
    ) {
        defer { endTurn() }
        people.detach(session, from: outbox, why: why, done: done)
    }

    /// Somebody who is not in the room declines an invitation to them.
    package func decline(
        _ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>
    ) {
        defer { endTurn() }
        commands.decline(id, reason: reason, by: user, reply: reply)
    }

    /// Hands what somebody reports to the operator.
    package func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        defer { endTurn() }
        reporting.report(draft, by: session, reply: reply)
    }

    package var requestStillCount: Int { stills.requestCount }

    /// - Parameter reply: the number under which it can be fetched.
    package func setStill(
        _ picture: StillPicture?, from session: SessionToken, if isWanted: @Sendable () -> Bool = { true },
        reply: @escaping Reply<Int64?>
    ) {
        defer { endTurn() }
        guard isWanted() else { return answer(reply, .success(nil)) }
        stills.set(picture, from: session, reply: reply)
    }

    package func checkStill(from session: SessionToken) throws(RoomError) { _ = try stills.check(from: session) }

    package func setProfile(_ profile: UserProfile, of session: SessionToken) {
        people.setProfile(profile, of: session)
    }

    // MARK: Media

    /// Where the session's media path belongs; the room will take its owner's sound from there.
    package func openMedia(for session: SessionToken) throws(RoomError) -> MediaPlace {
        if let error = closedness { throw error }
        return try media.open(for: session)
    }

    package func setEquipment(_ stated: SingerEquipment, of session: SessionToken) {
        media.setEquipment(stated, of: session)
    }

    /// - Parameter done: called once nothing goes either way any more.
    package func closeMedia(for session: SessionToken, done: @escaping @Sendable () -> Void = {}) {
        defer { endTurn() }
        guard let peer = people.attendance.sessions[session]?.peer else { return done() }
        media.close(peer, of: session, confirmed: done)
    }

    // MARK: People who are erased

    /// R09: nothing of somebody is kept here but ids and numbers; who is not here any more. A room of their own ends.
    /// - Parameter reply: how many messages of theirs were deleted.
    package func erase(_ user: UserID, by caller: Operator, reply: @escaping Reply<Int>) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        let messages = recent.messages(of: user, limit: .max).filter { !$0.deleted }.map(\.chat)
        let decision = decided { state.erasing(user, messages, in: context) }
        carryOut(
            decision, by: caller.name, answer: { reply(.success(messages.count)) },
            refuse: { reply(.failure($0)) })
        guard phase == .open else { return }
        recent.erase(user)
        if state.phase == .open { writer.storeNow(state) }
    }

    package func hear(_ fact: MediaFact) {
        defer { endTurn() }
        media.hear(fact)
    }

    package func hear(_ parcel: RoomParcel) {
        defer { endTurn() }
        correspondence.hear(parcel)
    }

    // MARK: Commands

    package func submit(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        defer { endTurn() }
        commands.take(command, from: session, key: key, reply: reply)
    }

    /// An operator asks for something, who need not be in the room.
    package func submit(
        _ command: RoomCommand, by caller: Caller, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        defer { endTurn() }
        commands.take(command, by: caller, key: key, reply: reply)
    }

    /// Somebody whom this host has banned everywhere is put out.
    package func expel(_ ban: Restriction) {
        defer { endTurn() }
        restrictions.expel(ban)
    }

    /// The operator has muted somebody in all rooms, or lets them write again.
    package func tellMute(of user: UserID, lifted: Restriction?) {
        defer { endTurn() }
        restrictions.tellMute(of: user, lifted: lifted)
    }

    /// Creates the room and lets its creator in, in one turn; or, if it is the creator's own open room, takes over the
    /// settings.
    package func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        defer { endTurn() }
        commands.create(creation, by: attendee, key: key, reply: reply)
    }

    /// Creates the room for somebody who is not there yet; it lasts until it is ended.
    package func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        defer { endTurn() }
        commands.found(creation, for: owner, by: caller, key: key, reply: reply)
    }

    /// What happens by itself.
    package func serve(_ command: ServerCommand) {
        defer { endTurn() }
        carryOut(command)
    }

    func carryOut(_ command: ServerCommand, afterwards: @escaping () -> Void = {}) {
        guard phase == .open else { return }
        if command == .ownerAbsenceOver { owner.endAbsence() }
        carryOut(decided { state.decide(command, in: context) }, by: nil, afterwards: afterwards)
    }

    // MARK: Timers

    func fire(_ deadline: Deadline) {
        switch deadline {
        case .grace(let session): people.loseForGood(session)
        case .absence(let user): people.loseForGood(user)
        case .ownerAbsence: carryOut(.ownerAbsenceOver)
        case .invitation(let id): carryOut(.invitationTimedOut(id: id))
        case .consent(let user): carryOut(.consentTimedOut(user))
        case .song:
            carryOut(.songOver)
            awaitEndOfSong()
        // The end of the turn sends them.
        case .news: break
        case .likes: gathered.storeLikes()
        case .gifts: gifts.tell()
        case .levels: gathered.tellLevels()
        case .network: gathered.tellNetwork()
        case .pk:
            carryOut(.pkTimeOver)
            correspondence.awaitPK()
        case .host: carryOut(.hostLost)
        case .letters: correspondence.repeatLetters()
        case .points: correspondence.tellPoints()
        case .count: tell(.count(memberCount: people.attendance.count))
        case .sharedText: entries.forgetSharedText()
        case .still: stills.expire()
        case .confirmation: giveUpConfirmation()
        }
    }
}
