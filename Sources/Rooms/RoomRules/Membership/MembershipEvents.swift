import RoomEvents
import RoomModel

extension RoomFounding: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.phase = .open
        room.kind = kind
        room.settings = settings
        room.owner = owner
        room.seats = seats.map { SeatPlace($0, by: owner.id) }
        room.createdAt = time
        room.createdIn = epoch
        room.lasts = lasts
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var founding = self
        if command.isRoomEnded { founding.settings = settings.withoutTexts }
        founding.owner = owner.erasing(user)
        return founding
    }
}

extension RoomSettings: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.settings = self
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        let info = room.info(memberCount: context.memberCount, speaking: context.isAnybodySpeaking)
        return room.change(.updated(RoomUpdated(info)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { command.isRoomEnded ? withoutTexts : self }
}

extension RoomEnded: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.phase = .ended
        for index in room.seats.indices where room.seats[index].occupant != nil { room.seats[index].condition = .empty }
        room.invitations = []
        room.consents = []
        room.play = nil
        room.leader = nil
        room.screen = nil
        room.stage = StageLayout()
        room.pk = PKState()
        room.challenge = nil
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.ended(self), context)
    }
}

extension RoleChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(user != room.owner.id && role != .owner)
        room.admins.removeAll { $0 == user }
        if role == .admin { room.admins.append(user) }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.roleChanged(done(by: context.author)), context)
    }
}

extension RoomEvent.OwnerChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        let former = room.owner.id
        room.owner = owner
        room.admins.removeAll { $0 == owner.id }
        for index in room.invitations.indices where room.invitations[index].to == former {
            room.invitations[index].to = owner.id
        }
        // What the heir asked of the former owner nobody is left to answer; the heir needs no permission any more.
        room.invitations.removeAll { $0.to == owner.id && $0.from == owner.id }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.ownerChanged(RoomModel.OwnerChanged(owner, reason: reason)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var event = self
        event.owner = owner.erasing(user)
        return event
    }
}

extension RoomEvent.PersonErased: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.erase(user)
    }
}
