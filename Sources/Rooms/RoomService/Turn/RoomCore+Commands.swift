package import RoomEvents
package import RoomModel
package import RoomPorts
package import RoomRules

// What is asked of a room: by people, by the media plane, by the operator. Each is a turn.

extension RoomCore {
    // MARK: People

    package func attach(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        beginTurn()
        enter(attendee, since: point, reply: reply)
        endTurn()
    }

    /// - Parameter done: called once it is in force: the session is silent and deaf, unless its connection is merely lost.
    package func detach(
        _ session: SessionToken, from outbox: (any Outbox)?, why: DetachReason,
        done: @escaping @Sendable () -> Void = {}
    ) {
        beginTurn()
        people.detach(session, from: outbox, why: why, done: done, in: &turn)
        endTurn()
    }

    /// Somebody who is not in the room declines an invitation to them.
    package func decline(
        _ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>
    ) {
        beginTurn()
        defer { endTurn() }
        do throws(RoomError) {
            if let error = turn.closedness { throw error }
            let texts = RejectInvitation(id: id, reason: reason).texts
            try texts.checkSizes()
            if texts.areStopped(byOperatorsMute: true), let mute = restrictions.chatMute(of: user.id, in: &turn) {
                throw RoomError(muted: mute, at: turn.wallNow)
            }
            let decision = try turn.state.declineElsewhere(id, reason: reason, by: user)
            try texts.check(against: dependencies.filter())
            turn.carryOut(decision, Sequel(by: user.id, answer: PlannedAnswer(reply, .success(CommandOutcome(.done)))))
        } catch {
            turn.answer(reply, .failure(error))
        }
    }

    /// Hands what somebody reports to the operator.
    package func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        beginTurn()
        reporting.report(draft, by: session, reply: reply, in: &turn)
        endTurn()
    }

    package var requestStillCount: Int { stills.requestCount }

    /// - Parameter reply: the number under which it can be fetched.
    package func setStill(
        _ picture: StillPicture?, from session: SessionToken, if isWanted: @Sendable () -> Bool = { true },
        reply: @escaping Reply<Int64?>
    ) {
        beginTurn()
        defer { endTurn() }
        guard isWanted() else { return turn.answer(reply, .success(nil)) }
        stills.set(picture, from: session, reply: reply, in: &turn)
    }

    package func checkPresent(_ session: SessionToken) throws(RoomError) {
        if let error = turn.closedness { throw error }
        guard turn.attendance.profile(of: session) != nil else { throw RoomError(.notInRoom) }
    }

    package func checkStill(from session: SessionToken) throws(RoomError) {
        beginTurn()
        try stills.check(from: session, in: &turn)
    }

    package func setProfile(_ profile: UserProfile, of session: SessionToken) {
        people.setProfile(profile, of: session, in: &turn)
    }

    /// R09: nothing of somebody is kept here but ids and numbers; who is not here any more. A room of their own ends.
    /// - Parameter reply: how many messages of theirs were deleted.
    package func erase(_ user: UserID, by caller: Operator, reply: @escaping Reply<Int>) {
        beginTurn()
        defer { endTurn() }
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        let messages = turn.recent.messages(of: user, limit: .max).filter { !$0.deleted }.map(\.chat)
        let decision = decided { turn.state.erasing(user, messages, in: turn.context) }
        turn.carryOut(decision, Sequel(by: caller.name, answer: PlannedAnswer(reply, .success(messages.count))))
        act()
        guard turn.phase == .open else { return }
        turn.recent.erase(user)
        if turn.state.phase == .open { writer.storeNow(turn.state) }
    }

    // MARK: Media

    /// Where the session's media path belongs; the room will take its owner's sound from there.
    package func openMedia(for session: SessionToken) throws(RoomError) -> MediaPlace {
        beginTurn()
        defer { act() }
        return try media.open(for: session, in: &turn)
    }

    package func setEquipment(_ stated: SingerEquipment, of session: SessionToken) {
        beginTurn()
        media.setEquipment(stated, of: session, in: &turn)
        act()
    }

    /// - Parameter done: called once nothing goes either way any more.
    package func closeMedia(for session: SessionToken, done: @escaping @Sendable () -> Void = {}) {
        beginTurn()
        defer { endTurn() }
        guard let peer = turn.attendance.sessions[session]?.peer else { return done() }
        people.closePath(peer, of: session, confirmed: done, in: &turn)
    }

    package func hear(_ fact: MediaFact) {
        beginTurn()
        defer { endTurn() }
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

    // MARK: Commands

    package func submit(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        beginTurn()
        take(command, from: session, key: key, reply: reply)
        endTurn()
    }

    /// An operator asks for something, who need not be in the room.
    package func submit(
        _ command: RoomCommand, by caller: Caller, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        beginTurn()
        defer { endTurn() }
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        perform(Asked(command: command, caller: caller, key: key, reply: reply))
    }

    /// Somebody whom this host has banned everywhere, from another room of the same host, is put out.
    package func expel(_ ban: Restriction) {
        beginTurn()
        defer { endTurn() }
        guard turn.phase == .open, ban.user != turn.state.owner.id, turn.attendance.people[ban.user] != nil
        else { return }
        let decision = decided { turn.state.decide(.departed(ban.user, .kicked), in: turn.context) }
        people.putOut(ban, decision, Sequel(by: ban.by), in: &turn)
    }

    /// The operator has muted somebody in all rooms, or lets them write again.
    package func tellMute(of user: UserID, lifted: Restriction?) {
        beginTurn()
        restrictions.tellMute(of: user, lifted: lifted, in: &turn)
        endTurn()
    }

    /// Another room says something, or answers.
    package func hear(_ parcel: RoomParcel) {
        beginTurn()
        correspondence.hear(parcel, in: &turn)
        endTurn()
    }

    /// What happens by itself.
    package func serve(_ command: ServerCommand) {
        beginTurn()
        decide(command)
        endTurn()
    }
}
