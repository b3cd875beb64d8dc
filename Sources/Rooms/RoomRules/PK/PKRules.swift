package import RoomEvents
package import RoomModel

/// L04, L05: what a live room's host does about other rooms. The rooms tell each other by letters; the room that asked owns the clock
/// and the result, the other one says the same.
package struct HostLinks: Equatable, Sendable {
    /// Links to other rooms, and the PK with them.
    package var pk = PKState()
    /// Of this room's host to another one, or the other way round.
    package var challenge: PKChallenge?
    /// When this room's host last challenged another one, in milliseconds since 1970.
    var challengedAt: Int64?
    /// Who is not to challenge this room's host for the time being.
    package var pauses: [ChallengePause] = []
    /// Who has told this room's host so.
    var refusals: [ChallengePause] = []
    package var mail = RoomMail()

    /// Sessions with other rooms that are not over.
    var activeSessions: Set<String> {
        Set(pk.links.map(\.id)).union(mail.outbox.map(\.session)).union([challenge?.id].compactMap { $0 })
    }

    /// The room has ended: what was on its way goes on.
    mutating func end() {
        pk = PKState()
        challenge = nil
    }

    mutating func erase(_ user: UserID) {
        pk = pk.erasing(user)
        challenge = challenge?.erasing(user)
        mail.outbox = mail.outbox.map { $0.erasing(user) }
    }
}

extension HostLinks {
    /// Nobody can come on stage: the host is with another room, or about to be.
    var isTied: Bool { !pk.links.isEmpty || challenge?.isOurs == true }

    /// Whether the host can be challenged now, and why not.
    func readiness(of host: LinkingHost) -> PKReadiness {
        if pk.match?.isOn == true { return .inPK }
        if !pk.links.isEmpty { return .linked }
        if challenge != nil { return .challenged }
        if !host.isOnStage { return .away }
        if host.hasGuests { return .peopleOnStage }
        return pauses.contains { $0.host == nil } ? .paused : .free
    }

    /// What stands in the way of a link with that room, or a PK.
    func obstacle(to terms: PKTerms?, with other: RoomID, of host: LinkingHost) -> RoomError.Code? {
        if !host.isOnStage { return .hostOffStage }
        if host.hasGuests { return .peopleOnStage }
        if pk.match?.isOn == true { return .inPK }
        let present = pk.links.first { $0.room == other }
        if present?.isEnding == true { return .inPK }
        if terms != nil {
            // Points are between two.
            return pk.links.isEmpty || (pk.links.count == 1 && present != nil) ? nil : .linksFull
        }
        return present == nil && pk.links.count < RoomLimits.links ? nil : .linksFull
    }

    /// L04: the other room's own state decides whether it can be asked; what is known of it here only saves the way.
    func sendChallenge(
        _ other: RoomID, _ terms: PKTerms?, by host: LinkingHost, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try terms?.check()
        guard other != host.room else { throw .invalid("room", "a room does not challenge itself") }
        guard let target = context.target else { throw RoomError(.roomNotFound) }
        guard target.kind == .live else { throw RoomError(.notLive) }
        guard target.pictureFormat == host.pictureFormat else { throw RoomError(.otherFormat) }
        if challenge != nil { throw RoomError(.challengePending) }
        guard mail.outbox.count < RoomMail.waiting else { throw RoomError(.rateLimited, retryAfterMs: 1_000) }
        if let obstacle = obstacle(to: terms, with: other, of: host) { throw RoomError(obstacle) }
        if let refusal = refusals.first(where: { $0.host == target.owner.id && $0.until > context.now }) {
            throw RoomError(.challengeRefused, retryAfterMs: Int(refusal.until - context.now))
        }
        if let challengedAt {
            // Whoever asks and takes it back again and again would ring in another room all the time. As with seats, only times within
            // the second count.
            let elapsed = context.now - challengedAt
            if (0..<RoomLimits.challengeIntervalMs).contains(elapsed) {
                throw RoomError(.tooFrequent, retryAfterMs: Int(RoomLimits.challengeIntervalMs - elapsed))
            }
        }
        var draft = PKDraft(self, now: context.now)
        // Who asks others is to be asked.
        if pauses.contains(where: { $0.host == nil }) { draft.add(.challengesPaused(.init(by: nil, until: nil))) }
        let ring = pk.links.contains { $0.room == other } ? PKTimes.rematch : PKTimes.ring
        let asked = PKChallenge(
            id: host.nextSession, isOurs: true, room: other, host: target.owner, terms: terms,
            expiresAt: context.now + ring)
        draft.settle(asked, .waiting)
        draft.post(
            .challenge(host: host.profile, terms: terms, expiresAt: asked.expiresAt), in: asked.id, to: other)
        return draft.decision
    }

    func cancelChallenge(_ context: DecisionContext) throws(RoomError) -> Decision {
        guard let challenge, challenge.isOurs else { throw RoomError(.challengeGone) }
        return withdraw(challenge, .cancelled, at: context.now)
    }

    private func withdraw(_ challenge: PKChallenge, _ state: ChallengeState, at now: Int64) -> Decision {
        var draft = PKDraft(self, now: now)
        draft.settle(challenge, state)
        draft.post(.withdrawn(state), in: challenge.id, to: challenge.room)
        return draft.decision
    }

    func answerChallenge(
        _ id: String, agreed: Bool, _ pause: PKPause?, by host: LinkingHost, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard let challenge, challenge.id == id, !challenge.isOurs else { throw RoomError(.challengeGone) }
        var draft = PKDraft(self, now: context.now)
        if agreed {
            if let obstacle = obstacle(to: challenge.terms, with: challenge.room, of: host) {
                throw RoomError(obstacle)
            }
            let link = draft.link(challenge, challenge.host)
            draft.post(.answered(.accepted, host: host.profile, until: nil, link: link), in: id, to: challenge.room)
            return draft.decision
        }
        let until: Int64? =
            switch pause {
            case .host: context.now + PKTimes.pauseForHost
            case .all: context.now + PKTimes.pauseForAll
            case nil: nil
            }
        if let pause, let until {
            draft.add(.challengesPaused(.init(by: pause == .host ? challenge.host.id : nil, until: until)))
        }
        draft.settle(challenge, .declined)
        draft.post(.answered(.declined, host: nil, until: until, link: nil), in: id, to: challenge.room)
        return draft.decision
    }

    func readyForPK(_ context: DecisionContext) throws(RoomError) -> Decision {
        guard let match = pk.match, let link = pk.links.first(where: { $0.id == match.link }) else {
            throw RoomError(.notLinked)
        }
        guard match.phase == .linking, !match.isReady else { return .nothing }
        var draft = PKDraft(self, now: context.now)
        draft.pk.match?.isReady = true
        draft.post(.ready, in: link.id, to: link.room)
        draft.beginIfReady()
        return draft.decision
    }

    func quitPK(_ id: String?, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard let link = pk.links.first(where: { id == nil || $0.id == id }), !link.isEnding,
            id != nil || pk.links.count == 1
        else { throw RoomError(.notLinked) }
        var draft = PKDraft(self, now: context.now)
        draft.leave(link, .quit)
        return draft.decision
    }

    func muteLink(_ id: String, _ muted: Bool, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard let index = pk.links.firstIndex(where: { $0.id == id }) else { throw RoomError(.notLinked) }
        guard pk.links[index].muted != muted else { return .nothing }
        var draft = PKDraft(self, now: context.now)
        draft.pk.links[index].muted = muted
        draft.tell(.muted)
        return draft.decision
    }

    // MARK: What happens by itself

    /// The host is with other rooms only from the first seat: links end when they leave it, and with the room. What was asked is
    /// taken back.
    func settling(_ decision: Decision, of owner: UserID, _ context: DecisionContext) -> Decision {
        guard !pk.links.isEmpty || challenge != nil, let cause = endOfLinks(of: owner, in: decision) else {
            return decision
        }
        var draft = PKDraft(self, now: context.now)
        if let challenge { draft.giveUpChallenge(with: challenge.room) }
        for link in pk.links { draft.leave(link, cause) }
        // Before what ends them: a room that has ended says nothing more.
        return Decision(draft.events + decision.events, decision.result)
    }

    private func endOfLinks(of owner: UserID, in decision: Decision) -> PKCause? {
        var cause: PKCause?
        for event in decision.events {
            switch event {
            case .seatLeft(let left) where left.seat == 0 && left.user.id == owner:
                cause = left.reason == .lost ? .gone : .quit
            case .seatTaken(let taken) where taken.seat == 0 && taken.user.id == owner: cause = nil
            case .ended(let end): return end.reason == .owner ? .quit : .gone
            case .ownerChanged: return .gone
            default: break
            }
        }
        return cause
    }

    /// When something between rooms is due next, in milliseconds since 1970.
    package var nextPKTime: Int64? {
        var times = pauses.map(\.until)
        if let challenge { times.append(challenge.expiresAt) }
        if let match = pk.match {
            if let until = match.until { times.append(until) }
            if match.phase == .running, let end = match.endAt { times.append(end) }
        }
        return times.min()
    }

    /// What is due. A timer that comes too late finds nothing to do.
    func pkTimeOver(_ context: DecisionContext) -> Decision {
        let now = context.now
        var draft = PKDraft(self, now: now)
        for pause in pauses where pause.until <= now { draft.add(.challengesPaused(.init(by: pause.host, until: nil))) }
        if let challenge, challenge.expiresAt <= now {
            draft.settle(challenge, .unanswered)
            draft.post(
                challenge.isOurs
                    ? .withdrawn(.unanswered) : .answered(.unanswered, host: nil, until: nil, link: nil),
                in: challenge.id, to: challenge.room)
        }
        if let match = pk.match { draft.advance(match) }
        return draft.decision
    }

    /// L05: the points stand.
    func hostLost(_ context: DecisionContext) -> Decision {
        guard let match = pk.match, match.isOn, let link = pk.links.first(where: { $0.id == match.link }) else {
            return .nothing
        }
        var draft = PKDraft(self, now: context.now)
        draft.leave(link, .gone)
        return draft.decision
    }

    /// How many people have liked counts while a PK runs.
    package func pointsGained(_ count: UInt64) -> RoomEvent? {
        guard count > 0, let match = pk.match, match.phase == .running else { return nil }
        return .pointsChanged(PKPoints(ours: match.ours &+ count, theirs: match.theirs))
    }

    /// The other room tells what its people have made so far.
    func hearPoints(_ points: UInt64, in session: String) -> Decision {
        guard let match = pk.match, match.link == session, match.phase == .running, points > match.theirs else {
            return .nothing
        }
        return Decision([.pointsChanged(PKPoints(ours: match.ours, theirs: points))])
    }
}

extension PKTerms {
    fileprivate func check() throws(RoomError) {
        guard RoomLimits.pkSeconds.contains(seconds) else {
            throw .invalid("seconds", "a PK takes 60…600 s")
        }
        guard RoomLimits.forfeitSeconds.contains(forfeitSeconds) else {
            throw .invalid("forfeitSeconds", "a forfeit takes 0…180 s")
        }
        guard forfeit.utf8.count <= 4 * RoomLimits.forfeitCharacters,
            forfeit.count <= RoomLimits.forfeitCharacters,
            forfeit.isEmpty || ReadableName.isReadable(forfeit)
        else { throw .invalid("forfeit", "a forfeit has up to 60 characters that people can see") }
    }
}

extension HostLink {
    /// Whether this room decides on what happens by it.
    var isLedHere: Bool { isOurs }
}

/// What the rules between rooms look at of the room itself.
struct LinkingHost {
    var room: RoomID
    var profile: UserProfile
    var pictureFormat: PictureFormat
    var createdIn: UInt64
    var position: UInt64
    /// Whether the host sits on the first seat.
    var isOnStage: Bool
    var hasGuests: Bool

    /// No other challenge of this room has it.
    var nextSession: String { "\(room)/\(createdIn)/\(position + 1)" }
}

extension DurableRoomState {
    var host: LinkingHost {
        LinkingHost(
            room: room, profile: owner, pictureFormat: details.settings.pictureFormat,
            createdIn: beginning.createdIn, position: progress.position,
            isOnStage: seats.first?.occupant?.profile.id == owner.id,
            hasGuests: seats.dropFirst().contains { $0.occupant != nil })
    }

    /// Whether the host can be challenged now, and why not.
    package var readiness: PKReadiness? { beginning.kind == .live ? links.readiness(of: host) : nil }
}

extension PKDraft {
    /// The phase's time may be over.
    fileprivate mutating func advance(_ match: PKMatch) {
        let link = pk.links.first { $0.id == match.link }
        switch match.phase {
        case .linking:
            guard let until = match.until, until <= now, let link else { return }
            leave(link, .unseen)
        case .running:
            guard let end = match.endAt, end <= now, let link else { return }
            pk.match?.phase = .counting
            if link.isLedHere {
                pk.match?.until = now + PKTimes.counting
                if match.hasFinal { return finish(link) }
            } else {
                pk.match?.until = now + PKTimes.hearing
                post(.final(points: match.ours), in: link.id, to: link.room)
            }
            tell(.counting)
        case .counting:
            guard let until = match.until, until <= now, let link else { return }
            if link.isLedHere, !link.isEnding { return finish(link) }
            // Nobody is left to say how it ended.
            post(.left(.gone, points: match.ours), in: link.id, to: link.room)
            remove(link)
            tell(.gone)
        case .over:
            guard let until = match.until, until <= now else { return }
            pk.match = nil
            tell(.cleared)
        }
    }

    mutating func finish(_ link: HostLink) {
        decide(resultByPoints(.time), on: link)
        tell(.over)
    }
}

extension ChallengeHost: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.links.sendChallenge(other, terms, by: room.host, context)
    }
}

extension CancelChallenge: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.links.cancelChallenge(context)
    }
}

extension AnswerChallenge: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.links.answerChallenge(id, agreed: agreed, pause, by: room.host, context)
    }
}

extension ReadyForPK: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.owner)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.links.readyForPK(context)
    }
}

extension QuitPK: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hosts, operator: .writeRooms)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.links.quitPK(link, context)
    }
}

extension MuteLink: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.links.muteLink(link, muted, context)
    }
}
