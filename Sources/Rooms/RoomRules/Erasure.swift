import Commerce
package import RoomEvents
package import RoomModel

// What is left of a person who is erased: ids and numbers. What a room shows of itself (name, cover, tags, attributes) is the room's as
// long as it is open, whoever wrote it.

extension DurableRoomState {
    /// R09: what a room does when the operator erases somebody, who is not there any more: their messages are deleted for everybody, and a
    /// room of their own ends.
    /// - Parameter messages: the numbers of what they wrote and is still kept.
    package func erasing(_ user: UserID, _ messages: [UInt64], in context: DecisionContext) -> Decision {
        guard phase == .open else { return .nothing }
        var events = messages.map { RoomEvent.messageDeleted(MessageDeleted($0)) }
        // What is sung has a title that they gave it.
        if play?.by == user { events.append(.songChanged(SongChanged(nil, .stopped))) }
        events.append(.personErased(user))
        return Decision(owner.id == user ? events + decide(.dismissed, in: context).events : events)
    }

    mutating func erase(_ user: UserID) {
        owner = owner.erasing(user)
        for index in seats.indices {
            guard var occupant = seats[index].occupant else { continue }
            occupant.profile = occupant.profile.erasing(user)
            seats[index].condition = .used(occupant)
        }
        invitations = invitations.map { $0.erasing(user) }
        restrictions = restrictions.map { $0.erasing(user) }
        gifts.erase(user)
        play = play?.erasing(user)
        pk = pk.erasing(user)
        challenge = challenge?.erasing(user)
        mail.outbox = mail.outbox.map { $0.erasing(user) }
        answers.forget(user)
        if creation?.user == user { creation = nil }
    }

    /// As it is kept: of a room that has ended nobody sees name, cover, tags and attributes any more.
    package func erasing(_ user: UserID, isEnded: Bool) -> DurableRoomState {
        var state = self
        state.erase(user)
        if isEnded {
            state.settings = settings.withoutTexts
            state.attributes = [:]
        }
        return state
    }
}

extension AcceptedCommand {
    /// As it is kept.
    /// - Parameter isEnded: of a room that has ended, whose name, cover, tags and attributes nobody sees any more, whoever wrote them.
    package func erasing(_ user: UserID, isEnded: Bool) -> AcceptedCommand {
        var command = self
        let isTheirs = by == user
        command.events = events.map { $0.erasing(user, isTheirs: isTheirs, isEnded: isEnded) }
        if answer?.user == user { command.answer = nil }
        return command
    }
}

extension RoomEvent {
    fileprivate func erasing(_ user: UserID, isTheirs: Bool, isEnded: Bool) -> RoomEvent {
        switch self {
        case .created(var founding):
            if isEnded { founding.settings = founding.settings.withoutTexts }
            founding.owner = founding.owner.erasing(user)
            return .created(founding)
        case .updated(let settings): return isEnded ? .updated(settings.withoutTexts) : self
        case .attributesChanged(var change):
            if isEnded { change = AttributesChange() }
            return .attributesChanged(change)
        case .seatTaken(let seat, let profile, let micMuted, let camera, let moved):
            return .seatTaken(seat, user: profile.erasing(user), micMuted: micMuted, camera: camera, moved: moved)
        case .seatLeft(let seat, let profile, let reason):
            return .seatLeft(seat, user: profile.erasing(user), reason: reason)
        case .ownerChanged(let owner, let reason): return .ownerChanged(owner.erasing(user), reason)
        case .invitationSent(let invitation): return .invitationSent(invitation.erasing(user))
        case .invitationSettled(let id, let state, let reason):
            return .invitationSettled(id: id, state, reason: isTheirs ? nil : reason)
        case .messageSent(let message): return .messageSent(message.erasing(user))
        case .restricted(let restriction): return .restricted(restriction.erasing(user))
        case .gifted(let sent): return .gifted(sent.map { $0.erasing(user) })
        case .songChanged(let change): return .songChanged(SongChanged(change.play?.erasing(user), change.reason))
        case .pkChanged(let change): return .pkChanged(PKChanged(change.pk.erasing(user), change.cause))
        case .challengeChanged(var news):
            news.challenge = news.challenge.erasing(user)
            return .challengeChanged(news)
        case .letterPosted(let letter): return .letterPosted(letter.erasing(user))
        // What knows people by their ids alone stays. A test erases somebody from an event of each word.
        default: return self
        }
    }
}

extension UserProfile {
    fileprivate func erasing(_ user: UserID) -> UserProfile { id == user ? UserProfile(id: id) : self }
}

extension RoomSettings {
    fileprivate var withoutTexts: RoomSettings {
        var settings = self
        (settings.name, settings.cover, settings.tags) = ("", "", [])
        return settings
    }
}

extension Message {
    package func erasing(_ user: UserID) -> Message {
        guard from.id == user else { return self }
        var message = withoutText
        (message.id, message.from) = (nil, from.erasing(user))
        return message
    }
}

extension Invitation {
    fileprivate func erasing(_ user: UserID) -> Invitation {
        var invitation = self
        if from == user { (invitation.command, invitation.content, invitation.words) = ("", "", nil) }
        if to == user { invitation.reason = nil }
        return invitation
    }
}

extension Restriction {
    fileprivate func erasing(_ user: UserID) -> Restriction {
        var restriction = self
        if self.user == user { (restriction.name, restriction.reason) = ("", nil) }
        if by == user { restriction.reason = nil }
        return restriction
    }
}

extension SentGift {
    fileprivate func erasing(_ user: UserID) -> SentGift {
        var sent = self
        (sent.from, sent.to) = (from.erasing(user), to.erasing(user))
        return sent
    }
}

extension SongPlay {
    fileprivate func erasing(_ user: UserID) -> SongPlay {
        guard by == user else { return self }
        var play = self
        play.song = Song(id: "", title: "", durationMs: song.durationMs, accompaniment: "")
        return play
    }
}

extension PKTerms {
    fileprivate var withoutForfeit: PKTerms {
        PKTerms(seconds: seconds, forfeitSeconds: forfeitSeconds)
    }
}

extension PKState {
    fileprivate func erasing(_ user: UserID) -> PKState {
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
    fileprivate func erasing(_ user: UserID) -> PKChallenge {
        guard host.id == user else { return self }
        var challenge = self
        (challenge.host, challenge.terms) = (host.erasing(user), terms?.withoutForfeit)
        return challenge
    }
}

extension RoomLetter {
    fileprivate func erasing(_ user: UserID) -> RoomLetter {
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
