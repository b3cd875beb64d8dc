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
        point = Point(epoch: gap.epoch, seq: gap.seq, mediaEpoch: gap.mediaEpoch)
        talk.number = gap.chat
        return events + take(gap.state)
    }

    private mutating func take(_ passing: RoomResumption.PassingState) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        if memberCount != passing.memberCount {
            people.count = passing.memberCount
            events.append(.memberCountChanged(memberCount))
        }
        let presences = Dictionary(passing.presence.map { ($0.user, $0.presence) }) { first, _ in first }
        people.presenceUntil = [:]
        for seat in seats {
            guard let user = seat.user else { continue }
            let presence = presences[user] ?? .online
            guard seat.presence != presence else { continue }
            events += apply(.passing(.presence(PresenceChanged(user, presence))))
        }
        events += talk.setLikes(passing.likes)
        if let points = passing.points { events += live.take(points) }
        events += talk.setMute(passing.chatMute)
        events += live.setChallenge(passing.challenge)
        events += people.absence(until: passing.ownerAbsentUntil, heir: passing.heir)
        events += requests.settle(passing)
        events += takeInvitations(passing.invitations, after: nil, isLast: passing.moreInvitations == nil)
        return events
    }

    /// Takes up one page of the waiting invitations, oldest first (`WaitingInvitations.take`).
    package mutating func takeInvitations(
        _ page: [Invitation], after former: Invitation?, isLast: Bool
    ) -> [RoomSession.Event] { requests.take(page, after: former, isLast: isLast, me: me.id) }

    /// Takes up a whole new state instead of a gap that the room no longer has; what differs is told as if it had been heard.
    package mutating func replace(with snapshot: RoomSnapshot) -> [RoomSession.Event] {
        let old = self
        self = RoomState(snapshot)
        people.name(as: old.people)
        // Told again before long.
        song.network = old.song.network
        var events = card.changedInfo(since: old.card)
        events += row.changes(since: old.row, people: people, before: old.people)
        events += song.changedPlay(since: old.play)
        events += card.changedGifts(since: old.card)
        events += live.changedLinks(since: old.live)
        events += talk.changedMute(since: old.chatMute)
        events += live.changedScreen(since: old.live)
        events += card.changedAttributes(since: old.card)
        events += live.changedLayout(since: old.live)
        events += song.changedDuet(since: old.duet)
        events += people.changedRoles(since: old.people)
        events += people.whoCameAndWent(since: old.people, isWhole: members.count >= memberCount)
        events += talk.newMessages(since: old.talk)
        events += talk.changedLikes(since: old.likes)
        events += people.changedAbsence(since: old.people)
        return events + requests.news(since: old.requests, me: me.id)
    }

    /// Takes up a fresh page of the people.
    /// - Parameter isWhole: nobody but these is here.
    package mutating func take(_ page: MembersPage, isWhole: Bool) -> [RoomSession.Event] {
        let events = people.take(page, isWhole: isWhole)
        forgetNames()
        return events
    }
}
