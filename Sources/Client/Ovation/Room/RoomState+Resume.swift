internal import Foundation
package import RoomModel
internal import SignalProtocol

// Entering and coming back: what is told when not each single event was heard. Pure.

extension RoomState {
    /// What somebody who enters is told: the room, the list of seats, then everybody seated, by index.
    package var entryEvents: [RoomSession.Event] {
        [.infoChanged(info), .seatsChanged(seats)]
            + seats.compactMap { seat in
                seat.user.map { .seatTaken(SeatTaken(seat, user: profile(of: $0))) }
            }
    }

    /// Takes up the exact gap. What has no number is told by comparing.
    package mutating func resume(_ gap: RoomResumption) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        for news in gap.events {
            guard isPresent else { return events }
            switch news {
            case .change(let change) where change.seq <= seq: continue
            case .message(let message) where message.chat <= chat: continue
            default: events += apply(news)
            }
        }
        guard isPresent else { return events }
        epoch = gap.epoch
        seq = gap.seq
        chat = gap.chat
        mediaEpoch = gap.mediaEpoch
        return events + take(gap.state)
    }

    private mutating func take(_ passing: RoomResumption.PassingState) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        if memberCount != passing.memberCount {
            memberCount = passing.memberCount
            events.append(.memberCountChanged(memberCount))
        }
        let presences = Dictionary(passing.presence.map { ($0.user, $0.presence) }) { first, _ in first }
        presenceUntil = [:]
        for seat in seats {
            guard let user = seat.user else { continue }
            let presence = presences[user] ?? .online
            guard seat.presence != presence else { continue }
            events += apply(.passing(.presence(PresenceChanged(user, presence))))
        }
        if likes != passing.likes {
            let added = passing.likes > likes ? passing.likes - likes : 0
            events += apply(.passing(.likes(LikesNews(total: passing.likes, added: added, users: []))))
        }
        if let points = passing.points { events += apply(.passing(.points(points))) }
        events += changedChatMute(to: passing.chatMute)
        if challenge != passing.challenge { events += changedChallenge(to: passing.challenge) }
        events += absence(until: passing.ownerAbsentUntil, heir: passing.heir)
        events += settledInvitations(passing)
        events += takeInvitations(passing.invitations, after: nil, isLast: passing.moreInvitations == nil)
        return events
    }

    private mutating func changedChatMute(to now: Restriction?) -> [RoomSession.Event] {
        guard now != chatMute, let restriction = now ?? chatMute else { return [] }
        chatMute = now
        return [.restriction(RestrictionNews(restriction, lifted: now == nil))]
    }

    /// One that is gone was settled meanwhile; how is not known.
    private mutating func changedChallenge(to now: PKChallenge?) -> [RoomSession.Event] {
        if let now { return apply(.challenge(ChallengeNews(now, .waiting))) }
        return challenge.map { apply(.challenge(ChallengeNews($0, .gone))) } ?? []
    }

    private mutating func absence(until: Int64?, heir: UserID?) -> [RoomSession.Event] {
        guard ownerAbsentUntil != until.map(Date.init(milliseconds:)) || self.heir != heir else { return [] }
        if let until { return apply(.passing(.ownerAbsent(OwnerAbsent(until: until, heir: heir)))) }
        return apply(.passing(.ownerBack(OwnerBack())))
    }

    /// What became of those that waited when the connection was lost. Of one that nobody remembers nothing can be told: it is off the
    /// list.
    private mutating func settledInvitations(_ passing: RoomResumption.PassingState) -> [RoomSession.Event] {
        let waiting = Set(passing.invitations.map(\.id))
        let known = Set(invitations.map(\.id)).subtracting(waiting)
        let news = (passing.settled ?? []).filter { known.contains($0.invitation.id) }
        for settled in news { note(settled.invitation) }
        return news.map { .invitation($0) }
    }

    /// Takes up one page of the waiting invitations, oldest first. Those of its range that are not on it have been settled.
    /// - Parameters:
    ///   - former: the last one of the page before; nil for the first page.
    ///   - isLast: there are no more pages. Until then what is known beyond this page stays.
    package mutating func takeInvitations(
        _ page: [Invitation], after former: Invitation?, isLast: Bool
    ) -> [RoomSession.Event] {
        let waiting = page.filter { $0.state == .waiting }
        let known = Set(invitations.map(\.id))
        let rest = invitations.filter { invitation in
            if let former, !former.isBefore(invitation) { return true }
            return !isLast && page.last.map { $0.isBefore(invitation) } ?? true
        }
        let onPage = Set(waiting.map(\.id))
        invitations = (rest.filter { !onPage.contains($0.id) } + waiting).sorted { $0.isBefore($1) }
        return waiting.filter { !known.contains($0.id) && $0.from != me.id }.map {
            .invitation(InvitationNews(invitation: $0, by: $0.from))
        }
    }

    /// Takes up a whole new state instead of a gap that the room no longer has; what differs is told as if it had been heard.
    package mutating func replace(with snapshot: RoomSnapshot) -> [RoomSession.Event] {
        let old = self
        let known = profiles
        self = RoomState(snapshot)
        profiles.merge(known) { new, _ in new }
        // Told again before long.
        network = old.network
        var events: [RoomSession.Event] = []
        if info != old.info { events.append(.infoChanged(info)) }
        if info.owner.id != old.info.owner.id {
            events.append(.ownerChanged(OwnerChanged(info.owner, reason: .ownerAbsent)))
        }
        if seats != old.seats { events.append(.seatsChanged(seats)) }
        for (index, seat) in seats.enumerated() {
            events += differences(of: seat, from: old.seats.indices.contains(index) ? old.seats[index] : nil, in: old)
        }
        if play != old.play {
            let change: SongChange =
                switch (old.play, play) {
                case (_, nil): .stopped
                case (let before?, let now?) where before.song == now.song: now.isPaused ? .paused : .sought
                default: .started
                }
            events.append(.songChanged(SongChanged(play, change)))
        }
        if giftStanding != old.giftStanding { events.append(.giftStandingChanged(giftStanding)) }
        if pk != old.pk { events.append(.pkChanged(PKChanged(pk, .ready))) }
        if challenge != old.challenge {
            events += [challenge ?? old.challenge].compactMap { $0 }.map {
                .challengeChanged(ChallengeNews($0, challenge == nil ? .gone : .waiting))
            }
        }
        if chatMute != old.chatMute, let restriction = chatMute ?? old.chatMute {
            events.append(.restriction(RestrictionNews(restriction, lifted: chatMute == nil)))
        }
        if screen != old.screen { events.append(.screenChanged(ScreenChanged(user: screen))) }
        let set = attributes.filter { old.attributes[$0] != $1 }
        let removed = old.attributes.keys.filter { attributes[$0] == nil }.sorted()
        if !set.isEmpty || !removed.isEmpty {
            events.append(.attributesChanged(AttributesChanged(set: set, removed: removed)))
        }
        if stage != old.stage { events.append(.stageArranged(StageArranged(stage))) }
        if duet != old.duet { events.append(.duetChanged(DuetChanged(duet))) }
        for member in members where member.role != .owner {
            guard let before = old.member(member.id), before.role != member.role, before.role != .owner else {
                continue
            }
            events.append(.roleChanged(RoleChanged(member.id, member.role)))
        }
        events += whoCameAndWent(since: old, isWhole: members.count >= memberCount)
        if chat > old.chat {
            // Numbers come from the network: none of them is trusted not to be the greatest.
            let lastMissed = (messages.first?.chat ?? chat &+ 1) &- 1
            if lastMissed > old.chat { events.append(.messagesMissed(old.chat + 1...lastMissed)) }
            events += messages.filter { $0.chat > old.chat }.map { .message($0) }
        }
        if likes != old.likes {
            events.append(
                .likes(LikesNews(total: likes, added: likes > old.likes ? likes - old.likes : 0, users: [])))
        }
        if ownerAbsentUntil != old.ownerAbsentUntil || heir != old.heir {
            events.append(ownerAbsentUntil.map { .ownerAbsent(until: $0, heir: heir) } ?? .ownerReturned)
        }
        let waiting = Set(old.invitations.map(\.id))
        events += invitations.filter { !waiting.contains($0.id) && $0.from != me.id }.map {
            .invitation(InvitationNews(invitation: $0, by: $0.from))
        }
        return events
    }

    private func differences(of seat: Seat, from old: Seat?, in before: RoomState) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        if old?.user != seat.user {
            if let user = old?.user {
                events.append(.seatLeft(seat, user: before.profile(of: user), reason: nil, by: nil))
            }
            if let user = seat.user { events.append(.seatTaken(SeatTaken(seat, user: profile(of: user)))) }
        } else if let user = seat.user {
            if old?.micMuted != seat.micMuted {
                events.append(
                    .microphoneMuted(
                        MicrophoneMuted(user: user, muted: seat.micMuted ?? false, seat: seat.index)))
            }
            if let camera = seat.camera, old?.camera != camera {
                events.append(.cameraChanged(CameraChanged(user: user, camera: camera, seat: seat.index)))
            }
            if old?.presence != seat.presence {
                events.append(.presenceChanged(user: user, presence: seat.presence ?? .online, until: nil))
            }
        }
        if old?.muted ?? false != seat.muted { events.append(.seatMuted(SeatMuted(seat, by: seat.by))) }
        if (old?.state == .closed) != (seat.state == .closed) {
            events.append(.seatClosed(SeatClosed(seat, by: seat.by)))
        }
        return events
    }

    /// Takes up a fresh page of the people.
    /// - Parameter isWhole: nobody but these is here.
    package mutating func take(_ page: MembersPage, isWhole: Bool) -> [RoomSession.Event] {
        let old = self
        if isWhole { members = [] }
        for member in page.members { set(member) }
        if member(me.id) == nil { set(me) }
        name(page.members.map(\.profile))
        memberCount = page.count
        return whoCameAndWent(since: old, isWhole: isWhole)
    }

    private func whoCameAndWent(since old: RoomState, isWhole: Bool) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        let before = Set(old.members.map(\.id))
        if isWhole {
            let now = Set(members.map(\.id))
            events += old.members.filter { !now.contains($0.id) }.map {
                .memberLeft(profile(of: $0.id), reason: .left)
            }
            events += members.filter { !before.contains($0.id) }.map { .memberEntered($0) }
        }
        return events
    }
}

extension Invitation {
    /// In the order of the list: by time, then by id.
    fileprivate func isBefore(_ other: Invitation) -> Bool { (createdAt, id) < (other.createdAt, other.id) }
}
