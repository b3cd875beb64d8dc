import RoomEvents
import RoomModel

/// D07: how those who sit in a chorus room sing. Singers who are too far apart for singing at once let one of them lead; the
/// room keeps who, so that both clients do their part of it, and who comes later sees it.
extension Chorus {
    /// Whoever may choose the song may choose this. Only who sits can lead; the foremost of them unless told.
    func setDuetMode(
        _ mode: DuetMode.Name, leader wanted: UserID?, seated: [UserID]
    ) throws(RoomError) -> Decision {
        switch mode {
        case .together: return leader == nil ? .nothing : Decision([.duetChanged(DuetChanged(.together))])
        case .leadFollow:
            guard let leader = wanted ?? seated.first, seated.contains(leader) else { throw RoomError(.notSeated) }
            return leader == self.leader ? .nothing : Decision([.duetChanged(DuetChanged(.leadFollow(leader: leader)))])
        }
    }

    /// Nobody leads from outside a seat: when the leader leaves it, in whatever way, all sing at once again. Moving to another
    /// seat is no leaving.
    func settling(_ decision: Decision) -> Decision {
        guard let leader, decision.leavesUnseated(leader) else { return decision }
        return Decision(decision.events + [.duetChanged(DuetChanged(.together))], decision.result)
    }
}

extension SetDuetMode: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.setDuetMode(mode, leader: leader, seated: room.seats.seated)
    }
}

extension DuetChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.beginning.kind == .chorus && duet.leader.map { room.seat(of: $0) != nil } ?? true)
        room.chorus.leader = duet.leader
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.duetChanged(done(by: context.author)), context)
    }
}
