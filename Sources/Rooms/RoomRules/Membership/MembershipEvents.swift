import RoomEvents
import RoomModel

extension RoomFounding: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.progress.phase = .open
        room.details.settings = settings
        room.hosts = RoomHosts(owner: owner)
        room.seats = Seats(seats.map { SeatPlace($0, by: owner.id) })
        room.beginning = RoomBeginning(kind: kind, createdAt: time, createdIn: epoch, lasts: lasts)
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
        room.details.settings = self
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        let info = room.info(memberCount: context.memberCount, speaking: context.isAnybodySpeaking)
        return room.change(.updated(RoomUpdated(info)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { command.isRoomEnded ? withoutTexts : self }
}

extension RoomEnded: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.progress.phase = .ended
        room.seats.end()
        room.invitations = Invitations()
        room.chorus = Chorus()
        room.stage = LiveStage()
        room.links.end()
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.ended(self), context)
    }
}

extension RoleChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(user != room.owner.id && role != .owner)
        room.hosts.give(role, to: user)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.roleChanged(done(by: context.author)), context)
    }
}

extension Journal.OwnerChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        let former = room.owner.id
        room.hosts.handOver(to: owner)
        room.invitations.pass(from: former, to: owner.id)
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

extension Journal.PersonErased: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.erase(user)
    }
}
