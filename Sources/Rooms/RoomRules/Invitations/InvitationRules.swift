import RoomEvents
package import RoomModel

/// What people in a room ask each other, and whom a yes lets sit down.
package struct Invitations: Equatable, Sendable {
    /// In the order in which they came.
    package private(set) var waiting: [Invitation] = []
    package private(set) var consents: [Consent] = []

    /// Somebody who may sit down although the room wants to be asked.
    package struct Consent: Hashable, Sendable {
        package var user: UserID
        /// When it was given, in milliseconds since 1970.
        package var since: Int64
    }

    package func hasConsent(_ user: UserID) -> Bool { consents.contains { $0.user == user } }

    func answer(
        _ id: String, _ answer: InvitationState, reason: String? = nil, _ mayAnswer: (Invitation) -> Bool
    ) throws(RoomError) -> Decision {
        guard (reason?.utf8.count ?? 0) <= RoomLimits.rejectReasonBytes,
            WireSize.of(reason) <= RoomLimits.rejectReasonWireBytes
        else { throw .invalid("reason", "a reason may have 500 bytes, and 1,000 with its escapes") }
        guard mayAnswer(try invitation(id)) else { throw RoomError(.invitationDenied) }
        return Decision([.invitationSettled(.init(id: id, answer, reason: reason))])
    }

    func timedOut(_ id: String) -> Decision {
        guard waiting.contains(where: { $0.id == id && $0.expiresAt != nil }) else { return .nothing }
        return Decision([.invitationSettled(.init(id: id, .expired, reason: nil))])
    }

    /// Invitations that nobody is left to wait for or to answer. Requests to the owner wait for the owner's return.
    func settling(of user: UserID, owner: UserID) -> [RoomEvent] {
        waiting.compactMap { invitation in
            if invitation.from == user { return .invitationSettled(.init(id: invitation.id, .cancelled, reason: nil)) }
            if invitation.to == user, user != owner {
                return .invitationSettled(.init(id: invitation.id, .expired, reason: nil))
            }
            return nil
        }
    }

    /// The time of a consent may be over.
    func consentTimedOut(_ user: UserID) -> Decision {
        hasConsent(user) ? Decision([.consentLapsed(.init(user))]) : .nothing
    }

    func invitation(_ id: String) throws(RoomError) -> Invitation {
        guard let invitation = waiting.first(where: { $0.id == id }) else { throw RoomError(.invitationNotFound) }
        return invitation
    }

    /// The waiting invitations that are the business of that person, oldest first, as many as fit.
    /// - Parameters:
    ///   - start: where the page before ended. What stood there may have been settled since.
    ///   - budget: bytes on the wire. One invitation is always told.
    package func page(
        of user: UserID, in room: DurableRoomState, after start: TimedPlace? = nil, budget: Int
    ) -> (page: [Invitation], end: TimedPlace?) {
        func place(_ invitation: Invitation) -> TimedPlace {
            TimedPlace(time: invitation.createdAt, id: invitation.id)
        }
        var left = budget
        var page: [Invitation] = []
        let mine = waiting.filter { room.concerns($0, user) }
        for invitation in mine.sorted(by: { place($0) < place($1) }) {
            if let start, place(invitation) <= start { continue }
            left -= invitation.wireSize
            guard left >= 0 || page.isEmpty else { return (page, page.last.map(place)) }
            page.append(invitation)
        }
        return (page, nil)
    }

    /// Checks that somebody may see what came with an invitation to whoever answers it: the invitee, and an admin in the owner's place.
    package func checkStill(of id: String, for user: UserID, in room: DurableRoomState) throws(RoomError) {
        let invitation = try self.invitation(id)
        guard invitation.from != user, room.concerns(invitation, user) else { throw RoomError(.invitationDenied) }
    }

    // MARK: What events change

    mutating func add(_ invitation: Invitation) { waiting.append(invitation) }

    /// - Returns: what it was; `nil`: it does not wait.
    mutating func settle(_ id: String) -> Invitation? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    mutating func consent(_ user: UserID, at time: Int64) {
        lapse(user)
        consents.append(Consent(user: user, since: time))
    }

    mutating func lapse(_ user: UserID) { consents.removeAll { $0.user == user } }

    /// What was asked of the former owner waits for the heir. What the heir asked nobody is left to answer; the heir needs no permission any
    /// more.
    mutating func pass(from former: UserID, to heir: UserID) {
        for index in waiting.indices where waiting[index].to == former { waiting[index].to = heir }
        waiting.removeAll { $0.to == heir && $0.from == heir }
    }

    mutating func erase(_ user: UserID) { waiting = waiting.map { $0.erasing(user) } }
}

extension DurableRoomState {
    /// Whether a still may come with an invitation to that user: who runs a live room sees who asks to come on.
    package func checkStill(withInvitationTo user: UserID) throws(RoomError) {
        guard beginning.kind == .live else { throw RoomError(.notLive, field: "still") }
        guard user == owner.id else { throw .invalid("still", "a still comes with a request to the host") }
    }

    /// Decides that somebody who is not in the room declines an invitation to them.
    package func declineElsewhere(
        _ id: String, reason: String?, by user: UserProfile
    ) throws(RoomError) -> Decision {
        guard progress.phase == .open else { throw RoomError(.roomClosed) }
        return try invitations.answer(id, .rejected, reason: reason) {
            Permission.asInvitee.reaches($0, user.id, in: self)
        }
    }

    /// Whether the invitation is the business of that person: to see it, and to be told how it went.
    package func concerns(_ invitation: Invitation, _ user: UserID) -> Bool {
        invitation.from == user || invitation.to == user
            || (invitation.to == owner.id && role(of: user) == .admin)
    }

}

extension InvitationDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.everyone)
    }

    /// V10. Either side may ask; the command word and the content belong to the application.
    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard to != caller.profile.id else { throw .invalid("user", "one cannot invite oneself") }
        guard (1...RoomLimits.commandBytes).contains(command.utf8.count) else {
            throw .invalid("command", "a command word has 1…64 bytes")
        }
        guard content.utf8.count <= RoomLimits.invitationContentBytes,
            WireSize.of(content) <= RoomLimits.invitationContentWireBytes
        else { throw .invalid("content", "the content may have 4 KiB, and 8 KiB with its escapes") }
        if let words {
            guard words.utf8.count <= 4 * RoomLimits.invitationWordsCharacters,
                words.count <= RoomLimits.invitationWordsCharacters,
                words.isEmpty || ReadableName.isReadable(words)
            else { throw .invalid("words", "a few words have up to 60 characters that people can see") }
        }
        if still != nil { try room.checkStill(withInvitationTo: to) }
        guard RoomLimits.invitationTimeoutSeconds.contains(timeoutSeconds) else {
            throw .invalid("timeoutSeconds", "a timeout is 0…3600 s")
        }
        // Who is not here now but owns the room is asked when back (V19: an owner's absence is temporary).
        if context.people[to] == nil, to != room.owner.id {
            try checkElsewhere(by: caller.profile.id, in: room, context)
        }
        if room.beginning.kind == .live, to == room.owner.id || caller.profile.id == room.owner.id {
            try room.checkUntied()
        }
        if let id {
            // It is kept with the room: an id, and no message.
            guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy(SaidText.isOfToken) else {
                throw .invalid("id", "the id of an invitation has 1…64 of A-Z a-z 0-9 . _ : -")
            }
            guard !room.invitations.waiting.contains(where: { $0.id == id }) else { throw RoomError(.invitationExists) }
        }
        let mine = room.invitations.waiting.filter { $0.from == caller.profile.id }
        guard !mine.contains(where: { $0.to == to && $0.command == command && $0.content == content })
        else { throw RoomError(.invitationExists) }
        guard mine.count < RoomLimits.invitationsPerPerson,
            room.invitations.waiting.count < RoomLimits.invitationsPerRoom
        else {
            throw RoomError(.rateLimited, "too many invitations are waiting")
        }
        let id = id ?? freeID(in: room)
        let invitation = Invitation(
            id: id, room: room.room, from: caller.profile.id, to: to, command: command, content: content,
            words: words.flatMap { $0.isEmpty ? nil : $0 }, hasStill: still != nil,
            createdAt: context.now,
            expiresAt: timeoutSeconds == 0 ? nil : context.now + Int64(timeoutSeconds) * 1_000)
        let ahead = room.invitations.waiting.count { $0.to == to }
        return Decision([.invitationSent(invitation)], .invited(id: id, position: ahead + 1))
    }

    /// Who runs the room can ask people who are elsewhere, for a time: others have no room to call them to, and an invitation without an end
    /// would wait for nobody.
    private func checkElsewhere(
        by user: UserID, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) {
        guard room.runs(user), room.restrictions.restriction(.ban, of: to, at: context.now) == nil else {
            throw RoomError(.userNotInRoom)
        }
        switch context.reach {
        case .away: throw RoomError(.userNotInRoom)
        case .busy(let wait):
            throw RoomError(.rateLimited, "this person has been asked much of late", retryAfterMs: wait)
        case .there:
            guard timeoutSeconds > 0 else {
                throw .invalid("timeoutSeconds", "who is not in the room is asked for 1…3,600 s")
            }
        }
    }

    /// Positions are never used twice, so only a client's own choice can be in the way.
    private func freeID(in room: DurableRoomState) -> String {
        var id = "invitation-\(room.progress.position + 1)"
        while room.invitations.waiting.contains(where: { $0.id == id }) { id += "'" }
        return id
    }
}

extension AcceptInvitation: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(RolePermissions(member: .asInvitee, admin: .asInviteeOrForOwner, owner: .asInvitee))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.invitations.answer(id, .accepted) { permission.reaches($0, caller.profile.id, in: room) }
    }
}

extension RejectInvitation: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(RolePermissions(member: .asInvitee, admin: .asInviteeOrForOwner, owner: .asInvitee))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.invitations.answer(id, .rejected, reason: reason) {
            permission.reaches($0, caller.profile.id, in: room)
        }
    }
}

extension CancelInvitation: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(RolePermissions(member: .asInviter, admin: .asInviter, owner: .asInviter))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.invitations.answer(id, .cancelled) { permission.reaches($0, caller.profile.id, in: room) }
    }
}

// MARK: What is kept of it

extension Invitation: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(!room.invitations.waiting.contains { $0.id == id })
        room.invitations.add(self)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        // The inviter has the answer already.
        let audience = audience(in: room).subtracting([from])
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

extension Journal.InvitationSettled: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        guard state != .waiting, let invitation = room.invitations.settle(id) else { return try require(false) }
        if state == .accepted, let user = invitation.consentingParty(in: room) {
            room.invitations.consent(user, at: time)
        }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        guard var invitation = before.invitations.waiting.first(where: { $0.id == id }) else { return nil }
        invitation.state = state
        invitation.reason = reason
        // Everybody whose list it was on, so that it vanishes there.
        return Announcement(
            .invitation(InvitationNews(invitation: invitation, by: context.author)),
            to: .these(invitation.audience(in: before)))
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var event = self
        if command.author == user { event.reason = nil }
        return event
    }
}

extension Journal.ConsentLapsed: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.invitations.lapse(user)
    }
}

extension Invitation {
    /// Who is told of it.
    fileprivate func audience(in room: DurableRoomState) -> Set<UserID> {
        var users: Set = [from, to]
        if to == room.owner.id { users.formUnion(room.hosts.admins) }
        return users
    }

    /// Whom an accepted invitation lets sit down: the one of the two who needs to be let (V21, either direction, any
    /// command word).
    fileprivate func consentingParty(in room: DurableRoomState) -> UserID? {
        switch (room.runs(from), room.runs(to)) {
        case (true, false): to
        case (false, true): from
        default: nil
        }
    }
}

// MARK: As it is stored

extension Invitations: Codable {
    private enum CodingKeys: String, CodingKey {
        case consents
        case waiting = "invitations"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        waiting = try fields.decodeIfPresent([Invitation].self, forKey: .waiting) ?? []
        consents = try fields.decodeIfPresent([Consent].self, forKey: .consents) ?? []
    }
}

extension Invitations.Consent: Codable {
    private enum CodingKeys: String, CodingKey { case user, since }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        user = try fields.decode(UserID.self, forKey: .user)
        since = try fields.decode(Int64.self, forKey: .since)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(user, forKey: .user)
        try fields.encode(since, forKey: .since)
    }
}
