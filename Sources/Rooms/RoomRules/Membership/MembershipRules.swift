import RoomEvents
package import RoomModel

extension RoomCreation {
    /// V01: decides the beginning of a room whose id is free.
    package func decide(
        by user: UserProfile, epoch: UInt64, lasts: Bool = false
    ) throws(RoomError) -> Decision {
        try texts.checkSizes()
        let settings = try self.settings.checked()
        guard RoomLimits.seats.contains(seats.count) else { throw .invalid("seats", "1…16 seats") }
        let founding = RoomFounding(
            kind: kind, settings: settings, owner: user, seats: seats, epoch: epoch,
            lasts: lasts)
        return Decision([.created(founding)])
    }

    /// V01: an owner's own open room, created again: the settings are taken over but for the format of pictures, which paths are open
    /// in; whoever sits keeps the seat.
    package func decideAgain(by user: UserProfile, in room: DurableRoomState) throws(RoomError) -> Decision {
        guard room.progress.phase == .open else { throw RoomError(.roomClosed) }
        guard user.id == room.owner.id else { throw RoomError(.roomIDTaken) }
        try texts.checkSizes()
        var wanted = try settings.checked()
        wanted.pictureFormat = room.details.settings.pictureFormat
        // Whoever creates a room says nothing of its chat.
        wanted.chat = room.details.settings.chat
        return wanted == room.details.settings ? .nothing : Decision([.updated(wanted)])
    }
}

extension DurableRoomState {
    /// V03, V19: somebody is gone. The seat is freed first, then what waits for them or from them is settled.
    /// The room lives on, the owner's too.
    func depart(_ user: UserID, _ reason: SeatLeaveReason) -> Decision {
        var events: [RoomEvent] = []
        if let index = seat(of: user), let occupant = seats[index].occupant {
            events.append(.seatLeft(.init(index, user: occupant.profile, reason: reason)))
        }
        return Decision(events + invitations.settling(of: user, owner: owner.id))
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
        let seconds = max(0, context.now - beginning.createdAt) / 1_000
        let summary = RoomSummary(seconds: seconds, peak: max(figures.peak, context.peak), likes: figures.likes)
        return Decision([.ended(RoomEnded(reason, summary))])
    }
}

extension RoomSettings {
    /// As they will be stored: name and tags without spaces around them, no tag twice.
    fileprivate func checked() throws(RoomError) -> RoomSettings {
        var settings = self
        settings.name = DirectionMarks.withoutIdle(name).trimmed
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
        guard tags.count <= RoomLimits.tagsGiven else { throw .invalid("tags", "up to 5 tags") }
        for tag in tags.map({ DirectionMarks.withoutIdle($0).trimmed }) where !settings.tags.contains(tag) {
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
        CommandAccess(.hosts, operator: .writeRooms, audit: .change("updateRoom"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        var wanted = room.details.settings
        if let name { wanted.name = name }
        if let cover { wanted.cover = cover }
        if let tags { wanted.tags = tags }
        if let needsRequest { wanted.needsRequest = needsRequest }
        if let slowSeconds { wanted.chat.slowSeconds = slowSeconds }
        if let hostsOnly { wanted.chat.hostsOnly = hostsOnly }
        if let noLinks { wanted.chat.noLinks = noLinks }
        let checked = try wanted.checked()
        return checked == room.details.settings ? .nothing : Decision([.updated(checked)])
    }
}

extension SetRole: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner, operator: .writeRooms, audit: .moderation("setRole"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard role != .owner else { throw .invalid("role", "a role is admin or member") }
        guard user != room.owner.id else { throw .invalid("user", "the owner's role cannot be changed") }
        guard room.role(of: user) != role else { return .nothing }
        if role == .admin {
            guard context.people[user] != nil else { throw RoomError(.userNotInRoom) }
            guard room.hosts.admins.count < RoomLimits.admins else { throw RoomError(.rateLimited, "too many admins") }
        }
        return Decision([.roleChanged(RoleChanged(user, role))])
    }
}

/// V20: the owner hands the room over and stays admin.
extension SetOwner: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner, operator: .writeRooms, audit: .moderation("setOwner"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard user != room.owner.id else { return .nothing }
        guard let heir = context.people[user], heir.presence == .online else { throw RoomError(.userNotInRoom) }
        try room.checkUntied()
        return Decision([
            .ownerChanged(.init(heir.profile, .handedOver)), .roleChanged(RoleChanged(room.owner.id, .admin)),
        ])
    }
}

extension ExitRoom: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.everyone)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        room.depart(caller.profile.id, .exited)
    }
}

extension DestroyRoom: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner, operator: .writeRooms, audit: .change("destroyRoom"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        room.end(caller.isOperator ? .operator : .owner, context)
    }
}
