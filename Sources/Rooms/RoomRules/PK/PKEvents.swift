import RoomEvents
package import RoomModel

// What the journal's events between rooms do.

extension PKChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.beginning.kind == .live && pk.links.count <= RoomLimits.links)
        room.links.pk = pk
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.pkChanged(done(by: context.author)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { PKChanged(pk.erasing(user), cause) }
}

extension PKPoints: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.links.pk.match != nil)
        room.links.pk.match?.ours = ours
        room.links.pk.match?.theirs = theirs
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        Announcement(.passing(.points(self)))
    }
}

extension ChallengeNews: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.beginning.kind == .live && (state == .waiting || challenge.id == room.links.challenge?.id))
        room.links.challenge = state == .waiting ? challenge : nil
        guard challenge.isOurs else { return }
        if state == .waiting { room.links.challengedAt = time }
        if let until { room.links.refusals.note(challenge.host.id, until: until, at: time) }
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

extension Journal.ChallengesPaused: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        if let until {
            room.links.pauses.note(user, until: until, at: time)
        } else {
            room.links.pauses.removeAll { $0.host == user }
        }
    }
}

extension RoomLetter: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(step == room.links.mail.sent(in: session) + 1)
        room.links.mail.post(self, keeping: room.links.activeSessions)
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

extension Journal.LettersDelivered: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.links.mail.deliver(step, of: session)
    }
}

extension Journal.LettersGivenUp: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.links.mail.giveUp(session)
    }
}

extension Journal.LetterHeard: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.links.mail.hear(step, in: session, keeping: room.links.activeSessions)
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

// MARK: As it is stored

extension HostLinks: Codable {
    private enum CodingKeys: String, CodingKey { case pk, challenge, challengedAt, pauses, refusals, outbox, sessions }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        pk = try fields.decodeIfPresent(PKState.self, forKey: .pk) ?? PKState()
        challenge = try fields.decodeIfPresent(PKChallenge.self, forKey: .challenge)
        challengedAt = try fields.decodeIfPresent(Int64.self, forKey: .challengedAt)
        pauses = try fields.decodeIfPresent([ChallengePause].self, forKey: .pauses) ?? []
        refusals = try fields.decodeIfPresent([ChallengePause].self, forKey: .refusals) ?? []
        mail.outbox = try fields.decodeIfPresent([RoomLetter].self, forKey: .outbox) ?? []
        mail.sessions = try fields.decodeIfPresent([RoomMail.Session].self, forKey: .sessions) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        if !pk.isEmpty { try fields.encode(pk, forKey: .pk) }
        try fields.encodeIfPresent(challenge, forKey: .challenge)
        try fields.encodeIfPresent(challengedAt, forKey: .challengedAt)
        if !pauses.isEmpty { try fields.encode(pauses, forKey: .pauses) }
        if !refusals.isEmpty { try fields.encode(refusals, forKey: .refusals) }
        if !mail.outbox.isEmpty { try fields.encode(mail.outbox, forKey: .outbox) }
        if !mail.sessions.isEmpty { try fields.encode(mail.sessions, forKey: .sessions) }
    }
}

extension ChallengePause: Codable {
    private enum CodingKeys: String, CodingKey { case host, until }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        host = try fields.decodeIfPresent(UserID.self, forKey: .host)
        until = try fields.decode(Int64.self, forKey: .until)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(host, forKey: .host)
        try fields.encode(until, forKey: .until)
    }
}

extension RoomMail.Session: Codable {
    private enum CodingKeys: String, CodingKey { case id, sent, heard }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(String.self, forKey: .id)
        sent = try fields.decodeIfPresent(UInt64.self, forKey: .sent) ?? 0
        heard = try fields.decodeIfPresent(UInt64.self, forKey: .heard) ?? 0
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(sent, forKey: .sent)
        try fields.encode(heard, forKey: .heard)
    }
}
