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

    package func members(_ query: MembersQuery, for session: SessionToken, reply: @escaping Reply<MembersPage>) {
        defer { endTurn() }
        people.members(query, for: session, reply: reply)
    }

    /// The waiting invitations that concern the reader, after those of the page before.
    package func invitations(
        after cursor: String?, for session: SessionToken, reply: @escaping Reply<InvitationsPage>
    ) {
        defer { endTurn() }
        people.invitations(after: cursor, for: session, reply: reply)
    }

    /// Who may not write or be here, the newest first; for those who run the room.
    package func restrictions(for session: SessionToken, reply: @escaping Reply<RestrictionsPage>) {
        defer { endTurn() }
        moderation.restrictions(for: session, reply: reply)
    }

    /// Somebody who is not in the room declines an invitation to them.
    package func decline(
        _ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>
    ) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        do throws(RoomError) {
            let decision = try state.declineElsewhere(id, reason: reason, by: user)
            carryOut(
                decision, by: user.id, answer: { reply(.success(CommandOutcome(.done))) },
                refuse: { reply(.failure($0)) })
        } catch {
            answer(reply, .failure(error))
        }
    }

    /// Hands what somebody reports to the operator.
    package func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        defer { endTurn() }
        moderation.report(draft, by: session, reply: reply)
    }

    package var requestStillCount: Int { requestStills.count }

    /// What came with a waiting request, for who may answer it; `nil`: nothing, or it was lost with a restart.
    package func requestStill(
        _ id: String, for session: SessionToken, reply: @escaping Reply<StillPicture?>
    ) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        guard let user = people.attendance.user(of: session) else {
            return answer(reply, .failure(RoomError(.notInRoom)))
        }
        do throws(RoomError) {
            try state.checkStill(of: id, for: user)
            answer(reply, .success(requestStills[id]))
        } catch {
            answer(reply, .failure(error))
        }
    }

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
        take(command, from: session, key: key, reviewed: nil, reply: reply)
    }

    /// The verdict on a message is there: whether its sender may write it is decided anew.
    func submitReviewed(
        _ draft: MessageDraft, insteadOf first: MessageDraft, from session: SessionToken, key: IdempotencyKey?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        let fingerprint = RoomCommand.sendMessage(first).fingerprint
        take(.sendMessage(draft), from: session, key: key, reviewed: fingerprint, reply: reply)
    }

    private func take(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reviewed: UInt64?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        if let error = closedness { return answer(reply, .failure(error)) }
        guard let user = people.attendance.profile(of: session) else {
            return answer(reply, .failure(RoomError(.notInRoom)))
        }
        if let rights = people.attendance.sessions[session]?.attendee.rights, !rights.reach(to: command) {
            return answer(reply, .failure(RoomRights.refusal))
        }
        perform(command, by: .person(user), from: session, key: key, reviewed: reviewed, reply: reply)
    }

    /// An operator asks for something, who need not be in the room.
    package func submit(
        _ command: RoomCommand, by caller: Caller, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        perform(command, by: caller, from: nil, key: key, reply: reply)
    }

    /// - Parameters:
    ///   - session: by which somebody in the room asks.
    ///   - reviewed: of a message that somebody has looked at and that has been counted: the fingerprint of what its sender wrote.
    private func perform(
        _ command: RoomCommand, by caller: Caller, from session: SessionToken?, key: IdempotencyKey?,
        reviewed: UInt64? = nil, reply: @escaping Reply<CommandOutcome>
    ) {
        let user = caller.profile
        if case .sendGift(let draft) = command, !caller.isOperator {
            guard let key else {
                return answer(reply, .failure(.invalid("key", "a gift has a key, so that it is paid for once")))
            }
            return gifts.send(draft, by: user, key: key, fingerprint: command.fingerprint, reply: reply)
        }
        var kept: KeyedAnswer?
        if let key {
            let fingerprint = reviewed ?? command.fingerprint
            if let first = state.answers.answer(to: key, of: user.id, now: wallNow) {
                // A repeat of a command that is still being stored waits behind it.
                // What the first one did has a number up to the present one.
                return answer(
                    reply,
                    first.fingerprint == fingerprint
                        ? .success(CommandOutcome(first.result, seq: first.result == .done ? state.seq : nil))
                        : .failure(RoomError(.keyReused)))
            }
            kept = KeyedAnswer(user: user.id, key: key.rawValue, fingerprint: fingerprint, result: .done)
        }
        // Likes that are still being counted belong to the room that ends.
        switch command {
        case .destroyRoom, .quitPK: gathered.storeLikes()
        default: break
        }
        let decision: Decision
        var aimedAt: Message?
        do throws(RoomError) {
            var context = context
            switch command {
            case .challenge(let other, _): context.target = dependencies.find(other)
            case .sendInvitation(let draft) where people.attendance.people[draft.to] == nil:
                context.reach = dependencies.reach.reach(draft.to, in: self.key.application)
            case .deleteMessage(let chat):
                aimedAt = recent.message(chat)
                context.message = aimedAt
            case .setRestriction(let draft):
                context.hostBan = moderation.hostBan(of: draft.user)
                context.hostBanCount = moderation.hostBanCount
            case .liftRestriction(.ban, let user): context.hostBan = moderation.hostBan(of: user)
            case .sendMessage: context.standingMute = moderation.standingMute(of: user.id)
            default: break
            }
            decision = try state.decide(command, by: caller, in: context)
        } catch {
            moderation.noteRefused(command, by: caller, error)
            return answer(reply, .failure(error))
        }
        if let wait = moderation.take(command, by: caller) { return answer(reply, .failure(wait)) }
        if case .sendMessage(let draft) = command, reviewed == nil {
            if let wait = takeMessage(draft.priority, of: session, by: caller) {
                dependencies.counters.noteRefused()
                return answer(reply, .failure(wait))
            }
            if let session, dependencies.review.isOn(in: self.key.application) {
                return reviews.hold(draft, by: user, from: session, key: key, reply: reply)
            }
        }
        kept?.result = decision.result
        // Who is put out leaves no event behind if they had no seat.
        let isIdle = decision.events.isEmpty && command.name != .setRestriction
        let line = isIdle ? nil : moderation.line(command, by: caller, message: aimedAt)
        defer { line.map { moderation.note($0) } }
        switch command {
        case .setRestriction(let draft) where draft.kind == .ban:
            moderation.ban(draft, by: user.id, decision, keyed: kept, reply: reply)
        case .liftRestriction(.ban, let banned):
            moderation.liftBan(of: banned, by: user.id, decision, keyed: kept, reply: reply)
        // Operators are in no room: the rules have refused it.
        case .exitRoom: if let session { people.leave(session) { reply(.success(CommandOutcome(.done))) } }
        case .sendLikes(let count):
            // Points are what gifts cost; likes are, where there are none.
            if dependencies.catalogue().gifts.isEmpty { correspondence.gain(count, by: user.id) }
            gathered.like(UInt64(count), by: user.id) { reply($0.map { CommandOutcome($0) }) }
        default:
            if case .takeSeat = command, let session { people.setMicrophone(session, of: user.id) }
            if command == .startScreen, let session {
                people.setScreen(session, of: user.id)
                // From another session than until now: no event says so.
                if decision.events.isEmpty { media.assignAgain(user.id) }
            }
            let numbered = decision.events.count { $0.isNumbered }
            let outcome = CommandOutcome(decision.result, seq: numbered > 0 ? state.seq + UInt64(numbered) : nil)
            if case .sendInvitation(let draft) = command, let picture = draft.still,
                case .invited(let id, _) = decision.result
            {
                requestStills.keep(picture, with: id, of: user.id)
            }
            carryOut(
                decision, by: user.id, keyed: kept, answer: { reply(.success(outcome)) },
                refuse: { reply(.failure($0)) })
            for case .seatTaken(_, let seated, _, _, _) in decision.events { people.notePresence(of: seated.id) }
            switch command {
            case .setRole: people.refreshHeir()
            case .setOwner: people.noteNewOwner()
            case .liftRestriction(.chatMute, let user): moderation.tellMute(of: user, lifted: nil)
            default: break
            }
        }
    }

    /// Somebody whom this host has banned everywhere is put out.
    package func expel(_ ban: Restriction) {
        defer { endTurn() }
        moderation.expel(ban)
    }

    /// The operator has muted somebody in all rooms, or lets them write again.
    package func tellMute(of user: UserID, lifted: Restriction?) {
        defer { endTurn() }
        moderation.tellMute(of: user, lifted: lifted)
    }

    /// Why a message is not let through.
    private func takeMessage(
        _ priority: MessagePriority, of session: SessionToken?, by caller: Caller
    ) -> RoomError? {
        let limits = dependencies.policy().messages
        // Hosts and co-hosts run the room by messages too; their room is theirs to fill.
        let user = caller.profile.id
        let sharer = caller.isOperator || state.runs(user) ? nil : user
        let attendee = session.flatMap { people.attendance.sessions[$0]?.attendee }
        switch messageBudget.take(
            priority, by: sharer, of: limits, slowSeconds: state.settings.chat.slowSeconds, at: now,
            elsewhere: { attendee?.takeMessage() })
        {
        case nil: return nil
        case .elsewhere(let error): return error
        case .slow(let wait):
            return RoomError(
                .slowMode, "slow mode: one message every \(state.settings.chat.slowSeconds) s", retryAfterMs: wait)
        case .room(let wait):
            return RoomError(
                .rateLimited,
                "the room's budget of \(limits.room) messages a second is spent (rooms.messages_per_second); those of lower priority are refused first",
                retryAfterMs: wait)
        case .person(let wait):
            return RoomError(
                .rateLimited, "one person may send \(limits.person) messages a second (rooms.messages_per_person)",
                retryAfterMs: wait)
        }
    }

    /// Creates the room and lets its creator in, in one turn; or, if it is the creator's own open room, takes over the
    /// settings.
    package func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        defer { endTurn() }
        let user = attendee.profile
        let isNew = phase == .empty
        if !isNew, let error = closedness { return answer(reply, .failure(error)) }
        let kept = key.map {
            KeyedAnswer(user: user.id, key: $0.rawValue, fingerprint: creation.fingerprint, result: .done)
        }
        if !isNew, let kept, let first = state.creation, first.user == kept.user, first.key == kept.key {
            guard first.fingerprint == kept.fingerprint else {
                return answer(reply, .failure(RoomError(.keyReused)))
            }
            return people.enter(attendee, since: nil, reply: reply)
        }
        do throws(RoomError) {
            let decision =
                isNew
                ? try DurableRoomState.decideCreation(
                    creation, by: user, epoch: writer.epoch, filter: dependencies.filter())
                : try state.decideRecreation(creation, by: user, filter: dependencies.filter())
            carryOut(decision, by: user.id, keyed: kept)
        } catch {
            return answer(reply, .failure(error))
        }
        people.enter(attendee, since: nil, reply: reply)
    }

    /// Creates the room for somebody who is not there yet; it lasts until it is ended.
    package func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        defer { endTurn() }
        let kept = key.map {
            KeyedAnswer(
                user: caller.name, key: $0.rawValue, fingerprint: creation.fingerprint(for: owner.id), result: .done)
        }
        guard phase == .empty else {
            if let error = closedness { return answer(reply, .failure(error)) }
            guard let kept, let first = state.creation, first.user == kept.user, first.key == kept.key else {
                return answer(reply, .failure(RoomError(.roomIDTaken)))
            }
            guard first.fingerprint == kept.fingerprint else { return answer(reply, .failure(RoomError(.keyReused))) }
            return answer(reply, .success(overview))
        }
        do throws(RoomError) {
            let decision = try DurableRoomState.decideCreation(
                creation, by: owner, epoch: writer.epoch, lasts: true, filter: dependencies.filter())
            carryOut(decision, by: caller.name, keyed: kept)
        } catch {
            return answer(reply, .failure(error))
        }
        moderation.note(moderation.line(of: caller, creating: owner.id))
        answer(reply, .success(overview))
    }

    /// Shows the directory what the host's camera shows; without a picture, nothing any more.
    /// - Parameter reply: the number under which it can be fetched.
    package func setStill(_ picture: StillPicture?, from session: SessionToken, reply: @escaping Reply<Int64?>) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        guard let user = people.attendance.profile(of: session)?.id else {
            return answer(reply, .failure(RoomError(.notInRoom)))
        }
        do throws(RoomError) {
            guard state.kind == .live else { throw RoomError(.notLive) }
            guard user == state.owner.id else { throw RoomError(.permissionDenied) }
            guard let picture else { return show({ $0.remove() }, then: { reply(.success(nil)) }) }
            guard state.shows(host: user) else {
                throw RoomError(.permissionDenied, "a still shows what the host's camera shows, and it is off")
            }
            try still.take(picture, of: user, at: now)
        } catch {
            return answer(reply, .failure(error))
        }
        awaitEndOfStill()
        let number = still.current?.number
        show { _ in
        } then: {
            reply(.success(number))
        }
    }

    private func awaitEndOfStill() {
        if let ends = still.ends { deadlines.set(.still, at: ends) }
    }

    /// Changes the still and shows it in its place in the order.
    private func show(_ change: (inout StillHolder) -> Void, then answer: @escaping () -> Void = {}) {
        change(&still)
        let listing = listing
        inOrder { [unowned self] in
            announcer.show(listing)
            publishInfo()
            answer()
        }
    }

    /// What happens by itself.
    package func serve(_ command: ServerCommand) {
        defer { endTurn() }
        carryOut(command)
    }

    func carryOut(_ command: ServerCommand, afterwards: @escaping () -> Void = {}) {
        guard phase == .open else { return }
        if command == .dismissed || command == .ownerAbsenceOver { gathered.storeLikes() }
        if command == .ownerAbsenceOver { people.endOwnerAbsence() }
        carryOut(state.decide(command, in: context), by: nil, afterwards: afterwards)
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
            gathered.storeLikes()
            carryOut(.pkTimeOver)
            correspondence.awaitPK()
        case .host:
            gathered.storeLikes()
            carryOut(.hostLost)
        case .letters: correspondence.repeatLetters()
        case .points: correspondence.tellPoints()
        case .count: tell(.count(memberCount: people.attendance.count))
        case .sharedText: people.forgetSharedText()
        case .still:
            show { $0.expire(at: now) }
            awaitEndOfStill()
        case .confirmation: giveUpConfirmation()
        }
    }
}
