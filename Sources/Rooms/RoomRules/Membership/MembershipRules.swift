import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// V01: decides the beginning of a room whose id is free.
    package static func decideCreation(
        _ creation: RoomCreation, by user: UserProfile, epoch: UInt64, lasts: Bool = false
    ) throws(RoomError) -> Decision {
        try creation.texts.checkSizes()
        let settings = try checked(creation.settings)
        guard RoomLimits.seats.contains(creation.seats.count) else { throw .invalid("seats", "1…16 seats") }
        let founding = RoomFounding(
            kind: creation.kind, settings: settings, owner: user, seats: creation.seats, epoch: epoch,
            lasts: lasts)
        return Decision([.created(founding)])
    }

    /// V01: an owner's own open room, created again: the settings are taken over but for the format of pictures, which paths are open
    /// in; whoever sits keeps the seat.
    package func decideRecreation(_ creation: RoomCreation, by user: UserProfile) throws(RoomError) -> Decision {
        guard phase == .open else { throw RoomError(.roomClosed) }
        guard user.id == owner.id else { throw RoomError(.roomIDTaken) }
        try creation.texts.checkSizes()
        var settings = try DurableRoomState.checked(creation.settings)
        settings.pictureFormat = self.settings.pictureFormat
        // Whoever creates a room says nothing of its chat.
        settings.chat = self.settings.chat
        return settings == self.settings ? .nothing : Decision([.updated(settings)])
    }

    func updateRoom(_ update: RoomUpdate, _ context: DecisionContext) throws(RoomError) -> Decision {
        var wanted = settings
        if let name = update.name { wanted.name = name }
        if let cover = update.cover { wanted.cover = cover }
        if let tags = update.tags { wanted.tags = tags }
        if let needsRequest = update.needsRequest { wanted.needsRequest = needsRequest }
        if let slowSeconds = update.slowSeconds { wanted.chat.slowSeconds = slowSeconds }
        if let hostsOnly = update.hostsOnly { wanted.chat.hostsOnly = hostsOnly }
        if let noLinks = update.noLinks { wanted.chat.noLinks = noLinks }
        let checked = try DurableRoomState.checked(wanted)
        return checked == settings ? .nothing : Decision([.updated(checked)])
    }

    func setRole(_ role: Role, of other: UserID, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard role != .owner else { throw .invalid("role", "a role is admin or member") }
        guard other != owner.id else { throw .invalid("user", "the owner's role cannot be changed") }
        guard self.role(of: other) != role else { return .nothing }
        if role == .admin {
            guard context.people[other] != nil else { throw RoomError(.userNotInRoom) }
            guard admins.count < RoomLimits.admins else { throw RoomError(.rateLimited, "too many admins") }
        }
        return Decision([.roleChanged(RoleChanged(other, role))])
    }

    /// V20: the owner hands the room over and stays admin.
    func setOwner(_ other: UserID, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard other != owner.id else { return .nothing }
        guard let heir = context.people[other], heir.presence == .online else { throw RoomError(.userNotInRoom) }
        try checkUntied()
        return Decision([.ownerChanged(.init(heir.profile, .handedOver)), .roleChanged(RoleChanged(owner.id, .admin))])
    }

    /// V03, V19: somebody is gone. The seat is freed first, then what waits for them or from them is settled.
    /// The room lives on, the owner's too.
    func depart(_ user: UserID, _ reason: SeatLeaveReason) -> Decision {
        var events: [RoomEvent] = []
        if let index = seat(of: user), let occupant = seats[index].occupant {
            events.append(.seatLeft(.init(index, user: occupant.profile, reason: reason)))
        }
        return Decision(events + settlingInvitations(of: user))
    }

    /// V19: the owner did not come back in time. The first appointed admin who is here inherits, the former owner stays
    /// admin; with nobody to inherit it the room ends.
    func ownerAbsenceOver(_ context: DecisionContext) -> Decision {
        if context.people[owner.id]?.presence == .online { return .nothing }
        guard let heir = heir(among: context.people) else { return end(.ownerAbsent, context) }
        return Decision([.ownerChanged(.init(heir, .ownerAbsent)), .roleChanged(RoleChanged(owner.id, .admin))])
    }

    /// V02
    func end(_ reason: RoomEndReason, _ context: DecisionContext) -> Decision {
        let seconds = max(0, context.now - createdAt) / 1_000
        let summary = RoomSummary(seconds: seconds, peak: max(peak, context.peak), likes: likes)
        return Decision([.ended(RoomEnded(reason, summary))])
    }

    /// The settings as they will be stored: name and tags without spaces around them, no tag twice.
    private static func checked(_ wanted: RoomSettings) throws(RoomError) -> RoomSettings {
        var settings = wanted
        settings.name = DirectionMarks.withoutIdle(wanted.name).trimmed
        guard settings.name.utf8.count <= RoomLimits.nameBytes,
            RoomLimits.nameCharacters.contains(settings.name.count), ReadableName.isReadable(settings.name)
        else { throw .invalid("name", "a name has 1…64 characters that people can see") }
        guard WebAddress.isAcceptable(settings.cover, bytes: RoomLimits.urlBytes) else {
            throw .invalid("cover", "a cover is an https:, http: or relative URL of up to 500 bytes")
        }
        guard RoomLimits.slowSeconds.contains(settings.chat.slowSeconds) else {
            throw .invalid("slowSeconds", "slow mode has 0…3,600 s")
        }
        settings.tags = []
        guard wanted.tags.count <= RoomLimits.tagsGiven else { throw .invalid("tags", "up to 5 tags") }
        for tag in wanted.tags.map({ DirectionMarks.withoutIdle($0).trimmed }) where !settings.tags.contains(tag) {
            guard tag.utf8.count <= RoomLimits.nameBytes, RoomLimits.tagCharacters.contains(tag.count),
                ReadableName.isReadable(tag)
            else {
                throw .invalid("tags", "a tag has 1…24 characters that people can see")
            }
            settings.tags.append(tag)
        }
        guard settings.tags.count <= RoomLimits.tags else { throw .invalid("tags", "up to 5 tags") }
        return settings
    }
}

extension String {
    /// Without spaces around it.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension RoomUpdate: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .allowed, owner: .allowed, operator: .writeRooms, audit: .change("updateRoom"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.updateRoom(self, context)
    }
}

extension SetRole: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .refused, owner: .allowed, operator: .writeRooms, audit: .moderation("setRole"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.setRole(role, of: user, context)
    }
}

extension SetOwner: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .refused, owner: .allowed, operator: .writeRooms, audit: .moderation("setOwner"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.setOwner(user, context)
    }
}

extension ExitRoom: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .allowed, admin: .allowed, owner: .allowed)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        room.depart(caller.profile.id, .exited)
    }
}

extension DestroyRoom: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            member: .refused, admin: .refused, owner: .allowed, operator: .writeRooms, audit: .change("destroyRoom"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        room.end(caller.isOperator ? .operator : .owner, context)
    }
}
