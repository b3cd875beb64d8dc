import RoomEvents
import RoomModel

// What the journal's events of seats do, and what people are told of them: the seat as it is afterwards.

extension Journal.SeatTaken: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.seats.indices.contains(seat) && room.seats[seat].condition == .empty)
        try require(room.seat(of: user.id) == nil)
        room.seats[seat].condition = .used(
            SeatPlace.Occupant(profile: user, micMuted: micMuted, camera: camera, movedAt: moved ? time : nil))
        room.invitations.lapse(user.id)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        let seat = room.seatView(seat, context.people)
        return room.change(.seatTaken(RoomModel.SeatTaken(seat, user: user, by: context.author)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var event = self
        event.user = self.user.erasing(user)
        return event
    }
}

extension Journal.SeatLeft: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.seats.indices.contains(seat) && room.seats[seat].occupant?.profile.id == user.id)
        room.seats[seat].condition = .empty
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        let seat = room.seatView(seat, context.people)
        return room.change(
            .seatLeft(RoomModel.SeatLeft(seat, user: user, reason: reason, by: context.author)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var event = self
        event.user = self.user.erasing(user)
        return event
    }
}

extension Journal.SeatMuted: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.seats.indices.contains(seat))
        room.seats[seat].muted = muted
        room.seats[seat].mutedBy = muted ? author : nil
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        let seat = room.seatView(seat, context.people)
        return room.change(.seatMuted(RoomModel.SeatMuted(seat, by: context.author)), context)
    }
}

extension Journal.SeatClosed: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.seats.indices.contains(seat) && room.seats[seat].occupant == nil)
        room.seats[seat].condition = closed ? .closed(by: author) : .empty
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        let seat = room.seatView(seat, context.people)
        return room.change(.seatClosed(RoomModel.SeatClosed(seat, by: context.author)), context)
    }
}

extension Journal.MicrophoneMuted: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        guard let index = room.seat(of: user), var occupant = room.seats[index].occupant else {
            return try require(false)
        }
        occupant.micMuted = muted
        room.seats[index].condition = .used(occupant)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        guard let seat = room.seat(of: user) else { return nil }
        return room.change(
            .microphoneMuted(RoomModel.MicrophoneMuted(user: user, muted: muted, seat: seat)), context)
    }
}
