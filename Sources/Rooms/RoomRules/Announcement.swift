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

extension DurableRoomState {
    /// The room as lists show it.
    package func info(memberCount: Int, speaking: Bool) -> RoomInfo {
        var info = RoomInfo(
            room: room, kind: kind, settings: settings, owner: owner, seats: seats.count,
            seated: seats.count { $0.occupant != nil }, memberCount: memberCount, createdAt: createdAt,
            speaking: speaking, pk: readiness)
        // Names alone: lists are read by everybody.
        if !pk.links.isEmpty { info.linkedHosts = pk.links.map(\.host.name) }
        return info
    }

    package func seatView(_ index: Int, _ people: [UserID: DecisionContext.Person]) -> Seat {
        let user = seats[index].occupant?.profile.id
        return seats[index].view(
            index, presence: user.flatMap { people[$0]?.presence } ?? .reconnecting, hasPictures: kind == .live)
    }

    package func member(_ person: DecisionContext.Person) -> Member {
        let id = person.profile.id
        let seat = seat(of: id)
        let micMuted = seat.flatMap { seats[$0].occupant?.micMuted } ?? true
        return Member(
            profile: person.profile, role: role(of: id), seat: seat, micMuted: micMuted, presence: person.presence)
    }

    /// What is said about an event that has just been applied to this state; `before` is the state before its command.
    /// Likes are merged by whoever stores them, and told by them; a beginning has nobody to hear of it.
    package func announcement(
        of event: RoomEvent, by: UserID?, at time: Int64, before: DurableRoomState, info: @autoclosure () -> RoomInfo,
        people: [UserID: DecisionContext.Person]
    ) -> Announcement? {
        func change(_ what: RoomChange.What) -> Announcement {
            Announcement(.change(RoomChange(seq: seq, time: time, what: what)))
        }
        switch event {
        case .updated: return change(.updated(RoomUpdated(info())))
        case .attributesChanged(let changed): return change(.attributesChanged(AttributesChanged(changed, by: by)))
        case .seatTaken(let index, let user, _, _, _):
            return change(.seatTaken(SeatTaken(seatView(index, people), user: user, by: by)))
        case .seatLeft(let index, let user, let reason):
            return change(.seatLeft(SeatLeft(seatView(index, people), user: user, reason: reason, by: by)))
        case .seatMuted(let index, _): return change(.seatMuted(SeatMuted(seatView(index, people), by: by)))
        case .seatClosed(let index, _): return change(.seatClosed(SeatClosed(seatView(index, people), by: by)))
        case .microphoneMuted(let user, let muted):
            guard let seat = seat(of: user) else { return nil }
            return change(.microphoneMuted(MicrophoneMuted(user: user, muted: muted, seat: seat)))
        case .cameraChanged(let user, let camera):
            guard let seat = seat(of: user) else { return nil }
            return change(.cameraChanged(CameraChanged(user: user, camera: camera, seat: seat, by: by)))
        case .ownerChanged(let user, let reason): return change(.ownerChanged(OwnerChanged(user, reason: reason)))
        case .gifted(let sent): return change(.giftsSent(GiftsSent(sent, giftStanding ?? GiftStanding())))
        case .pointsChanged(let points): return Announcement(.passing(.points(points)))
        case .challengeChanged(let news): return Announcement(.challenge(news), to: .these([owner.id]))
        case .restricted(let restriction):
            return Announcement(
                .restriction(RestrictionNews(restriction, lifted: false)), to: .these(concerned(by: restriction)))
        case .restrictionLifted(let kind, let user):
            guard var restriction = before.restriction(kind, of: user) else { return nil }
            if let by { restriction.by = by }
            return Announcement(
                .restriction(RestrictionNews(restriction, lifted: true)), to: .these(concerned(by: restriction)))
        case .messageSent(let message): return Announcement(.message(message))
        case .invitationSent(let invitation):
            // The inviter has the answer already.
            let audience = concerned(by: invitation).subtracting([invitation.from])
            return Announcement(
                .invitation(InvitationNews(invitation: invitation, by: by)), to: .these(audience))
        case .invitationSettled(let id, let state, let reason):
            guard var invitation = before.invitations.first(where: { $0.id == id }) else { return nil }
            invitation.state = state
            invitation.reason = reason
            // Everybody whose list it was on, so that it vanishes there.
            return Announcement(
                .invitation(InvitationNews(invitation: invitation, by: by)),
                to: .these(before.concerned(by: invitation)))
        default: return event.told(by: by).map(change)
        }
    }

    private func concerned(by restriction: Restriction) -> Set<UserID> {
        Set([restriction.user, owner.id] + admins)
    }

    private func concerned(by invitation: Invitation) -> Set<UserID> {
        var users: Set = [invitation.from, invitation.to]
        if invitation.to == owner.id { users.formUnion(admins) }
        return users
    }
}
