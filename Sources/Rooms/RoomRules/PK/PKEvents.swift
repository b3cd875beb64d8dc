import RoomEvents
import RoomModel

// What the journal's events between rooms do.

extension PKChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.kind == .live && pk.links.count <= RoomLimits.links)
        room.pk = pk
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.pkChanged(done(by: context.author)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { PKChanged(pk.erasing(user), cause) }
}

extension PKPoints: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.pk.match != nil)
        room.pk.match?.ours = ours
        room.pk.match?.theirs = theirs
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        Announcement(.passing(.points(self)))
    }
}

extension ChallengeNews: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.kind == .live && (state == .waiting || challenge.id == room.challenge?.id))
        room.challenge = state == .waiting ? challenge : nil
        guard challenge.isOurs else { return }
        if state == .waiting { room.challengedAt = time }
        if let until { room.refusals.note(challenge.host.id, until: until, at: time) }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        Announcement(.challenge(self), to: .these([room.owner.id]))
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        var news = self
        news.challenge = challenge.erasing(user)
        return news
    }
}

extension RoomEvent.ChallengesPaused: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        if let until {
            room.pauses.note(user, until: until, at: time)
        } else {
            room.pauses.removeAll { $0.host == user }
        }
    }
}

extension RoomLetter: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(step == room.mail.sent(in: session) + 1)
        room.mail.post(self, keeping: room.activeSessions)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { erasing(user) }

    func erasing(_ user: UserID) -> RoomLetter {
        var letter = self
        switch content {
        case .challenge(let host, let terms, let expiresAt) where host.id == user:
            letter.content = .challenge(
                host: host.erasing(user), terms: terms?.withoutForfeit, expiresAt: expiresAt)
        case .answered(let state, let host?, let until, let link):
            letter.content = .answered(state, host: host.erasing(user), until: until, link: link)
        case .challenge, .withdrawn, .answered, .ready, .began, .final, .result, .left: break
        }
        return letter
    }
}

extension RoomEvent.LettersDelivered: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.mail.deliver(step, of: session)
    }
}

extension RoomEvent.LettersGivenUp: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.mail.giveUp(session)
    }
}

extension RoomEvent.LetterHeard: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.mail.hear(step, in: session, keeping: room.activeSessions)
    }
}

extension [ChallengePause] {
    /// Those whose time is over are forgotten, and of too many the one that ends first.
    fileprivate mutating func note(_ host: UserID?, until: Int64, at time: Int64) {
        removeAll { $0.host == host || $0.until <= time }
        append(ChallengePause(host: host, until: until))
        guard count > RoomLimits.challengePauses, let first = indices.min(by: { self[$0].until < self[$1].until })
        else { return }
        remove(at: first)
    }
}

// MARK: Erasure

extension PKTerms {
    fileprivate var withoutForfeit: PKTerms {
        PKTerms(seconds: seconds, forfeitSeconds: forfeitSeconds)
    }
}

extension PKState {
    func erasing(_ user: UserID) -> PKState {
        var pk = self
        for index in links.indices { pk.links[index].host = links[index].host.erasing(user) }
        // Either host may have written what the loser is to do.
        if let match, links.first(where: { $0.id == match.link })?.host.id ?? user == user {
            pk.match?.terms = match.terms.withoutForfeit
        }
        return pk
    }
}

extension PKChallenge {
    func erasing(_ user: UserID) -> PKChallenge {
        guard host.id == user else { return self }
        var challenge = self
        (challenge.host, challenge.terms) = (host.erasing(user), terms?.withoutForfeit)
        return challenge
    }
}
