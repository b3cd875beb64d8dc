package import RoomEvents
package import RoomModel

/// What people hear of an event, and who hears it.
package struct Announcement: Hashable, Sendable {
    package enum Audience: Hashable, Sendable {
        case everyone
        case these(Set<UserID>)
    }

    package var news: RoomNewsEvent
    package var audience: Audience

    package init(_ news: RoomNewsEvent, to audience: Audience = .everyone) {
        self.news = news
        self.audience = audience
    }
}

/// What is told of an event beside the room's own state.
package struct NewsContext: Sendable {
    /// Who did it; `nil`: the server itself.
    package var author: UserID?
    /// Milliseconds since 1970.
    package var time: Int64
    package var people: [UserID: DecisionContext.Person]
    package var memberCount: Int
    package var isAnybodySpeaking: Bool

    package init(
        _ accepted: AcceptedCommand, people: [UserID: DecisionContext.Person] = [:], memberCount: Int = 0,
        isAnybodySpeaking: Bool = false
    ) {
        author = accepted.by
        time = accepted.time
        self.people = people
        self.memberCount = memberCount
        self.isAnybodySpeaking = isAnybodySpeaking
    }
}

extension DurableRoomState {
    /// The room as lists show it.
    package func info(memberCount: Int, speaking: Bool) -> RoomInfo {
        var info = RoomInfo(
            room: room, kind: beginning.kind, settings: details.settings, owner: owner, seats: seats.count,
            seated: seats.count { $0.occupant != nil }, memberCount: memberCount, createdAt: beginning.createdAt,
            speaking: speaking, pk: readiness)
        // Names alone: lists are read by everybody.
        if !links.pk.links.isEmpty { info.linkedHosts = links.pk.links.map(\.host.name) }
        return info
    }

    package func seatView(_ index: Int, _ people: [UserID: DecisionContext.Person]) -> Seat {
        let user = seats[index].occupant?.profile.id
        return seats[index].view(
            index, presence: user.flatMap { people[$0]?.presence } ?? .reconnecting,
            hasPictures: beginning.kind == .live)
    }

    package func member(_ person: DecisionContext.Person) -> Member {
        let id = person.profile.id
        let seat = seat(of: id)
        let micMuted = seat.flatMap { seats[$0].occupant?.micMuted } ?? true
        return Member(
            profile: person.profile, role: role(of: id), seat: seat, micMuted: micMuted, presence: person.presence)
    }

    /// Something with a number, which everybody is told.
    func change(_ what: RoomChange.What, _ context: NewsContext) -> Announcement {
        Announcement(.change(RoomChange(seq: progress.seq, time: context.time, what: what)))
    }

    /// What is said about an event that has just been applied to this state; `before` is the state before its command.
    package func announcement(
        of event: RoomEvent, before: DurableRoomState, _ context: NewsContext
    ) -> Announcement? {
        event.news(in: self, before: before, context)
    }
}
