import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// V10. Either side may ask; the command word and the content belong to the application.
    func sendInvitation(
        _ draft: InvitationDraft, by user: UserProfile, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard draft.to != user.id else { throw .invalid("user", "one cannot invite oneself") }
        guard (1...RoomLimits.commandBytes).contains(draft.command.utf8.count) else {
            throw .invalid("command", "a command word has 1…64 bytes")
        }
        guard draft.content.utf8.count <= RoomLimits.invitationContentBytes,
            WireSize.of(draft.content) <= RoomLimits.invitationContentWireBytes
        else { throw .invalid("content", "the content may have 4 KiB, and 8 KiB with its escapes") }
        if let words = draft.words {
            guard words.utf8.count <= 4 * RoomLimits.invitationWordsCharacters,
                words.count <= RoomLimits.invitationWordsCharacters,
                words.isEmpty || ReadableName.isReadable(words)
            else { throw .invalid("words", "a few words have up to 60 characters that people can see") }
        }
        if draft.still != nil {
            guard kind == .live else { throw RoomError(.notLive, field: "still") }
            guard draft.to == owner.id else { throw .invalid("still", "a still comes with a request to the host") }
        }
        guard RoomLimits.invitationTimeoutSeconds.contains(draft.timeoutSeconds) else {
            throw .invalid("timeoutSeconds", "a timeout is 0…3600 s")
        }
        // Who is not here now but owns the room is asked when back (V19: an owner's absence is temporary).
        if context.people[draft.to] == nil, draft.to != owner.id { try checkElsewhere(draft, by: user, context) }
        if kind == .live, draft.to == owner.id || user.id == owner.id { try checkUntied() }
        if let id = draft.id {
            // It is kept with the room: an id, and no message.
            guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy(SaidText.isOfToken) else {
                throw .invalid("id", "the id of an invitation has 1…64 of A-Z a-z 0-9 . _ : -")
            }
            guard !invitations.contains(where: { $0.id == id }) else { throw RoomError(.invitationExists) }
        }
        let mine = invitations.filter { $0.from == user.id }
        guard !mine.contains(where: { $0.to == draft.to && $0.command == draft.command && $0.content == draft.content })
        else { throw RoomError(.invitationExists) }
        guard mine.count < RoomLimits.invitationsPerPerson, invitations.count < RoomLimits.invitationsPerRoom else {
            throw RoomError(.rateLimited, "too many invitations are waiting")
        }
        let id = draft.id ?? freeInvitationID()
        let invitation = Invitation(
            id: id, room: room, from: user.id, to: draft.to, command: draft.command, content: draft.content,
            words: draft.words.flatMap { $0.isEmpty ? nil : $0 }, hasStill: draft.still != nil,
            createdAt: context.now,
            expiresAt: draft.timeoutSeconds == 0 ? nil : context.now + Int64(draft.timeoutSeconds) * 1_000)
        let ahead = invitations.count { $0.to == draft.to }
        return Decision([.invitationSent(invitation)], .invited(id: id, position: ahead + 1))
    }

    /// Who runs the room can ask people who are elsewhere, for a time: others have no room to call them to, and an invitation without an end
    /// would wait for nobody.
    private func checkElsewhere(
        _ draft: InvitationDraft, by user: UserProfile, _ context: DecisionContext
    ) throws(RoomError) {
        guard runs(user.id), restriction(.ban, of: draft.to, at: context.now) == nil else {
            throw RoomError(.userNotInRoom)
        }
        switch context.reach {
        case .away: throw RoomError(.userNotInRoom)
        case .busy(let wait):
            throw RoomError(.rateLimited, "this person has been asked much of late", retryAfterMs: wait)
        case .there:
            guard draft.timeoutSeconds > 0 else {
                throw .invalid("timeoutSeconds", "who is not in the room is asked for 1…3,600 s")
            }
        }
    }

    /// Decides that somebody who is not in the room declines an invitation to them.
    package func declineElsewhere(
        _ id: String, reason: String?, by user: UserProfile
    ) throws(RoomError) -> Decision {
        guard phase == .open else { throw RoomError(.roomClosed) }
        return try answerInvitation(id, .rejected, reason: reason, by: user, .asInvitee)
    }

    func answerInvitation(
        _ id: String, _ answer: InvitationState, reason: String?, by user: UserProfile, _ permission: Permission
    ) throws(RoomError) -> Decision {
        guard (reason?.utf8.count ?? 0) <= RoomLimits.rejectReasonBytes,
            WireSize.of(reason) <= RoomLimits.rejectReasonWireBytes
        else { throw .invalid("reason", "a reason may have 500 bytes, and 1,000 with its escapes") }
        let invitation = try waitingInvitation(id)
        guard mayAnswer(invitation, user.id, permission) else { throw RoomError(.invitationDenied) }
        return Decision([.invitationSettled(.init(id: id, answer, reason: reason))])
    }

    func cancelInvitation(
        _ id: String, by user: UserProfile, _ permission: Permission
    ) throws(RoomError) -> Decision {
        let invitation = try waitingInvitation(id)
        guard mayAnswer(invitation, user.id, permission) else { throw RoomError(.invitationDenied) }
        return Decision([.invitationSettled(.init(id: id, .cancelled, reason: nil))])
    }

    func invitationTimedOut(_ id: String) -> Decision {
        guard invitations.contains(where: { $0.id == id && $0.expiresAt != nil }) else { return .nothing }
        return Decision([.invitationSettled(.init(id: id, .expired, reason: nil))])
    }

    /// Invitations that nobody is left to wait for or to answer. Requests to the owner wait for the owner's return.
    func settlingInvitations(of user: UserID) -> [RoomEvent] {
        invitations.compactMap { invitation in
            if invitation.from == user { return .invitationSettled(.init(id: invitation.id, .cancelled, reason: nil)) }
            if invitation.to == user, user != owner.id {
                return .invitationSettled(.init(id: invitation.id, .expired, reason: nil))
            }
            return nil
        }
    }

    /// Whether the invitation is the business of that person: to see it, and to be told how it went.
    package func concerns(_ invitation: Invitation, _ user: UserID) -> Bool {
        invitation.from == user || invitation.to == user
            || (invitation.to == owner.id && role(of: user) == .admin)
    }

    /// The waiting invitations that are the business of that person, oldest first, as many as fit.
    /// - Parameters:
    ///   - start: where the page before ended. What stood there may have been settled since.
    ///   - budget: bytes on the wire. One invitation is always told.
    package func invitations(
        of user: UserID, after start: TimedPlace? = nil, budget: Int
    ) -> (page: [Invitation], end: TimedPlace?) {
        func place(_ invitation: Invitation) -> TimedPlace {
            TimedPlace(time: invitation.createdAt, id: invitation.id)
        }
        var left = budget
        var page: [Invitation] = []
        let mine = invitations.filter { concerns($0, user) }
        for invitation in mine.sorted(by: { place($0) < place($1) }) {
            if let start, place(invitation) <= start { continue }
            left -= invitation.wireSize
            guard left >= 0 || page.isEmpty else { return (page, page.last.map(place)) }
            page.append(invitation)
        }
        return (page, nil)
    }

    /// Checks that somebody may see what came with an invitation to whoever answers it: the invitee, and an admin in the owner's place.
    package func checkStill(of id: String, for user: UserID) throws(RoomError) {
        let invitation = try waitingInvitation(id)
        guard invitation.from != user, concerns(invitation, user) else { throw RoomError(.invitationDenied) }
    }

    private func waitingInvitation(_ id: String) throws(RoomError) -> Invitation {
        guard let invitation = invitations.first(where: { $0.id == id }) else { throw RoomError(.invitationNotFound) }
        return invitation
    }

    /// Positions are never used twice, so only a client's own choice can be in the way.
    private func freeInvitationID() -> String {
        var id = "invitation-\(position + 1)"
        while invitations.contains(where: { $0.id == id }) { id += "'" }
        return id
    }
}

extension InvitationDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .allowed, admin: .allowed, owner: .allowed)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.sendInvitation(self, by: caller.profile, context)
    }
}

extension AcceptInvitation: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .asInvitee, admin: .asInviteeOrForOwner, owner: .asInvitee)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.answerInvitation(id, .accepted, reason: nil, by: caller.profile, permission)
    }
}

extension RejectInvitation: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .asInvitee, admin: .asInviteeOrForOwner, owner: .asInvitee)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.answerInvitation(id, .rejected, reason: reason, by: caller.profile, permission)
    }
}

extension CancelInvitation: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .asInviter, admin: .asInviter, owner: .asInviter)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.cancelInvitation(id, by: caller.profile, permission)
    }
}

// MARK: What is kept of it

extension Invitation: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(!room.invitations.contains { $0.id == id })
        room.invitations.append(self)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        // The inviter has the answer already.
        let audience = room.concerned(by: self).subtracting([from])
        return Announcement(.invitation(InvitationNews(invitation: self, by: context.author)), to: .these(audience))
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { erasing(user) }

    func erasing(_ user: UserID) -> Invitation {
        var invitation = self
        if from == user { (invitation.command, invitation.content, invitation.words) = ("", "", nil) }
        if to == user { invitation.reason = nil }
        return invitation
    }
}

extension RoomEvent.InvitationSettled: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        guard let index = room.invitations.firstIndex(where: { $0.id == id }), state != .waiting else {
            return try require(false)
        }
        let invitation = room.invitations.remove(at: index)
        if state == .accepted, let user = room.consentingParty(of: invitation) {
            room.consents.removeAll { $0.user == user }
            room.consents.append(DurableRoomState.Consent(user: user, since: time))
        }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        guard var invitation = before.invitations.first(where: { $0.id == id }) else { return nil }
        invitation.state = state
        invitation.reason = reason
        // Everybody whose list it was on, so that it vanishes there.
        return Announcement(
            .invitation(InvitationNews(invitation: invitation, by: context.author)),
            to: .these(before.concerned(by: invitation)))
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var event = self
        if command.author == user { event.reason = nil }
        return event
    }
}

extension RoomEvent.ConsentLapsed: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.consents.removeAll { $0.user == user }
    }
}

extension DurableRoomState {
    fileprivate func concerned(by invitation: Invitation) -> Set<UserID> {
        var users: Set = [invitation.from, invitation.to]
        if invitation.to == owner.id { users.formUnion(admins) }
        return users
    }

    /// Whom an accepted invitation lets sit down: the one of the two who needs to be let (V21, either direction, any
    /// command word).
    fileprivate func consentingParty(of invitation: Invitation) -> UserID? {
        switch (role(of: invitation.from) > .member, role(of: invitation.to) > .member) {
        case (true, false): invitation.to
        case (false, true): invitation.from
        default: nil
        }
    }
}
