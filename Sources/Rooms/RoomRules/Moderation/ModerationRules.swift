import RoomEvents
package import RoomModel

// G06: who may write, who may be in the room, and what is taken back.

/// Who may not write here, or not be here. Those whose time is over may still be among them.
package struct Restrictions: Equatable, Sendable {
    /// The newest last.
    package private(set) var all: [Restriction] = []

    /// The restriction of that person, whether its time is over or not.
    package func restriction(_ kind: RestrictionKind, of user: UserID) -> Restriction? {
        all.last { $0.kind == kind && $0.user == user }
    }

    /// The one that holds at that time, in milliseconds since 1970.
    package func restriction(_ kind: RestrictionKind, of user: UserID, at time: Int64) -> Restriction? {
        restriction(kind, of: user).flatMap { $0.holds(at: time) ? $0 : nil }
    }

    /// Takes a restriction up in the place of an earlier one; those whose time is over are forgotten.
    mutating func note(_ restriction: Restriction, at time: Int64) {
        lift(restriction.kind, of: restriction.user, at: time)
        all.append(restriction)
    }

    mutating func lift(_ kind: RestrictionKind, of user: UserID, at time: Int64) {
        all.removeAll { $0.kind == kind && $0.user == user || !$0.holds(at: time) }
    }

    mutating func erase(_ user: UserID) { all = all.map { $0.erasing(user) } }

    /// Whether somebody may be in the room; owners always may.
    package func checkEntry(of user: UserID, into owner: UserProfile, hostBan: Restriction?, at time: Int64)
        throws(RoomError)
    {
        guard user != owner.id else { return }
        let bans = [restriction(.ban, of: user, at: time), hostBan.flatMap { $0.holds(at: time) ? $0 : nil }]
        guard let ban = longest(bans) else { return }
        guard let until = ban.until else {
            throw RoomError(.bannedForGood, reason: owner.name)
        }
        throw RoomError(.banned, retryAfterMs: Int(clamping: until - time), reason: owner.name)
    }

    /// What keeps a person from writing at that time: the room's mute, which owners need not heed, or the operator's. Of two the one that
    /// holds longer.
    package func chatMute(
        of user: UserID, owner: UserID, standing: Restriction?, at time: Int64
    ) -> Restriction? {
        let own = user == owner ? nil : restriction(.chatMute, of: user, at: time)
        return longest([own, standing.flatMap { $0.holds(at: time) ? $0 : nil }])
    }

    private func longest(_ restrictions: [Restriction?]) -> Restriction? {
        restrictions.compactMap { $0 }.max { ($0.until ?? .max) < ($1.until ?? .max) }
    }

    /// Whether somebody may say all that now, as far as it shows without reading it: whether it is short enough, and whether a mute stops
    /// it. How often they may, the room's budgets say; the word filter reads what has passed them.
    func checkWriting(
        _ texts: [SaidText], by caller: Caller, owner: UserID, _ context: DecisionContext
    ) throws(RoomError) {
        try texts.checkSizes()
        guard !caller.isOperator else { return }
        let user = caller.profile.id
        let own =
            texts.areStopped(byOperatorsMute: false) && user != owner
            ? restriction(.chatMute, of: user, at: context.now) : nil
        let standing =
            texts.areStopped(byOperatorsMute: true)
            ? context.standingMute.flatMap { $0.holds(at: context.now) ? $0 : nil } : nil
        if let mute = longest([own, standing]) { throw RoomError(muted: mute, at: context.now) }
    }
}

extension DurableRoomState {
    /// Whether somebody may be in the room; owners always may.
    package func checkEntry(of user: UserID, hostBan: Restriction?, at time: Int64) throws(RoomError) {
        try restrictions.checkEntry(of: user, into: owner, hostBan: hostBan, at: time)
    }

    /// What keeps a person from writing at that time, in the room or everywhere.
    package func chatMute(of user: UserID, standing: Restriction?, at time: Int64) -> Restriction? {
        restrictions.chatMute(of: user, owner: owner.id, standing: standing, at: time)
    }

    /// Whether a message may be sent here now.
    func checkChat(_ texts: [String], by caller: Caller) throws(RoomError) {
        guard !caller.isOperator, !runs(caller.profile.id) else { return }
        if details.settings.chat.hostsOnly { throw RoomError(.hostsOnly) }
        if details.settings.chat.noLinks, texts.contains(where: ChatLinks.hasLink) { throw RoomError(.linksRefused) }
    }
}

extension DeleteMessage: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hostsByRank, operator: .moderate, audit: .moderation("deleteMessage"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard let message = context.message else { throw RoomError(.messageNotFound) }
        if permission == .notAgainstHigherRole, room.role(of: message.from.id) > room.role(of: caller.profile.id) {
            throw RoomError(.permissionDenied)
        }
        return message.deleted ? .nothing : Decision([.messageDeleted(MessageDeleted(chat))])
    }
}

extension RestrictionDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            RolePermissions(member: .refused, admin: .againstLowerRole, owner: .againstLowerRole), operator: .moderate,
            audit: .moderation("setRestriction"))

    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        // A ban puts its person out of the room: the seat is freed first, then what waits for them or from them is settled.
        // The owner is not kept out of their own room, or from writing there, by anybody: such a room is ended.
        guard room.role(of: user) < (permission == .allowed ? .owner : room.role(of: caller.profile.id)) else {
            throw RoomError(.permissionDenied)
        }
        guard kind == .ban || !everywhere else {
            throw .invalid("everywhere", "only a ban holds in all rooms of a host")
        }
        if let seconds = seconds, !RoomLimits.restrictionSeconds.contains(seconds) {
            throw .invalid("seconds", "a restriction holds up to 31,536,000 s, or without an end")
        }
        guard seconds != 0 || isRemoval else {
            throw .invalid("seconds", "only a ban from one room may have 0 s")
        }
        if let reason = reason, !Restriction.isReason(reason) {
            throw .invalid("reason", "a reason has up to 200 characters that people can see")
        }
        if isRemoval {
            guard context.people[user] != nil else { throw RoomError(.userNotInRoom) }
            return room.depart(user, .kicked)
        }
        let former = room.restrictions.restriction(kind, of: user)
        // Who is gone already can still be kept from coming back, if anybody knows of them.
        let name = context.people[user]?.profile.name ?? former?.name ?? context.message?.from.name
        guard
            former != nil || room.restrictions.all.count(where: { $0.holds(at: context.now) }) < RoomLimits.restrictions
        else {
            throw RoomError(.restrictionsFull)
        }
        guard
            !everywhere || context.hostBan != nil || context.hostBanCount < RestrictionScope.host(room.owner.id).limit
        else {
            throw RoomError(.restrictionsFull)
        }
        let restriction = Restriction(
            kind, user: user, name: name ?? user.rawValue,
            until: seconds.map { context.now + Int64($0) * 1_000 }, everywhere: everywhere, by: caller.profile.id,
            reason: reason.flatMap { $0.isEmpty ? nil : $0 })
        var events: [RoomEvent] = []
        if kind == .ban {
            if room.role(of: user) == .admin { events.append(.roleChanged(RoleChanged(user, .member))) }
            events += room.depart(user, .kicked).events
        }
        return Decision(events + [.restricted(restriction)])
    }
}

extension LiftRestriction: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hosts, operator: .moderate, audit: .moderation("liftRestriction"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        let holds = room.restrictions.restriction(kind, of: user, at: context.now) != nil
        guard holds || kind == .ban && context.hostBan != nil else { throw RoomError(.notRestricted) }
        return Decision([.restrictionLifted(.init(kind, of: user))])
    }
}

// MARK: What is kept of it

extension Restriction: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.restrictions.note(self, at: time)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        Announcement(
            .restriction(RestrictionNews(self, lifted: false)), to: .these(audience(in: room)))
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { erasing(user) }

    func erasing(_ user: UserID) -> Restriction {
        var restriction = self
        if self.user == user { (restriction.name, restriction.reason) = ("", nil) }
        if by == user { restriction.reason = nil }
        return restriction
    }
}

extension Journal.RestrictionLifted: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.restrictions.lift(kind, of: user, at: time)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        guard var restriction = before.restrictions.restriction(kind, of: user) else { return nil }
        if let author = context.author { restriction.by = author }
        return Announcement(
            .restriction(RestrictionNews(restriction, lifted: true)), to: .these(restriction.audience(in: room)))
    }
}

extension Restriction {
    /// Who is told of it.
    fileprivate func audience(in room: DurableRoomState) -> Set<UserID> {
        Set([user, room.owner.id] + room.hosts.admins)
    }
}

extension Restrictions: Codable {
    private enum CodingKeys: String, CodingKey { case all = "restrictions" }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        all = try fields.decodeIfPresent([Restriction].self, forKey: .all) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        if !all.isEmpty { try fields.encode(all, forKey: .all) }
    }
}
