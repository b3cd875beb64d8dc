import RoomEvents
import RoomModel

/// What another room's letters do here. They are heard in their order and each one once; what they are about may have changed on the
/// way, so a letter that fits nothing any more does nothing.
extension HostLinks {
    /// - Parameter from: the room that says it.
    func hear(_ letter: RoomLetter, from other: RoomID, by own: LinkingHost, _ context: DecisionContext) -> Decision {
        var draft = PKDraft(self, now: context.now)
        let session = letter.session
        switch letter.content {
        case .challenge(let host, let terms, let expiresAt):
            hearChallenge(
                PKChallenge(
                    id: session, isOurs: false, room: other, host: host, terms: terms, expiresAt: expiresAt), by: own,
                &draft)
        case .withdrawn(let state):
            if let challenge, challenge.id == session, !challenge.isOurs { draft.settle(challenge, state) }
        case .answered(let state, let host, let until, let link):
            hearAnswer(state, host, until, on: link, in: session, from: other, by: own, &draft)
        case .ready:
            guard let match = pk.match, match.link == session, match.phase == .linking else { break }
            draft.pk.match?.isOtherReady = true
            draft.beginIfReady()
        case .began(let startAt, let endAt):
            guard let (_, link) = match(of: session), !link.isLedHere, draft.pk.match?.phase == .linking else { break }
            draft.pk.match?.phase = .running
            draft.pk.match?.isOtherReady = true
            draft.pk.match?.until = nil
            draft.pk.match?.startAt = startAt
            draft.pk.match?.endAt = endAt
            draft.tell(.began)
        case .final(let points):
            guard let (match, link) = match(of: session), link.isLedHere, match.isOn else { break }
            draft.pk.match?.theirs = max(match.theirs, points)
            draft.pk.match?.hasFinal = true
            // Who has left does not decide.
            if link.isEnding { break }
            if match.phase == .counting { draft.finish(link) } else { draft.tell(.counting) }
        case .result(let result, let theirs, let ours):
            guard let match = pk.match, match.link == session, match.isOn else { break }
            hearResult(result, ours: ours, theirs: theirs, &draft)
        case .left(let cause, let points):
            if let challenge, challenge.id == session { draft.settle(challenge, .gone) }
            guard let link = pk.links.first(where: { $0.id == session }) else { break }
            hearLeaving(link, cause, points, &draft)
        }
        draft.add(.letterHeard(.init(session: session, step: letter.step)))
        return draft.decision
    }

    /// The other room is not there any more: what waits for it is over.
    func partnerIsGone(_ session: String, _ context: DecisionContext) -> Decision {
        var draft = PKDraft(self, now: context.now)
        if let challenge, challenge.id == session { draft.settle(challenge, .gone) }
        if let link = pk.links.first(where: { $0.id == session }) {
            hearLeaving(link, .gone, 0, isAlone: true, &draft)
        }
        draft.add(.lettersGivenUp(.init(session: session)))
        return draft.decision
    }

    private func match(of session: String) -> (PKMatch, HostLink)? {
        guard let match = pk.match, match.link == session, let link = pk.links.first(where: { $0.id == session })
        else { return nil }
        return (match, link)
    }

    private func hearChallenge(_ asked: PKChallenge, by host: LinkingHost, _ draft: inout PKDraft) {
        func answer(_ state: ChallengeState, until: Int64? = nil) {
            draft.post(.answered(state, host: nil, until: until, link: nil), in: asked.id, to: asked.room)
        }
        if let pause = pauses.first(where: { ($0.host ?? asked.host.id) == asked.host.id && $0.until > draft.now }) {
            return answer(.declined, until: pause.until)
        }
        if let own = challenge {
            // Each asks the other one: both rooms find the same one to stand.
            guard own.isOurs, own.room == asked.room else { return answer(.busy) }
            if own.id < asked.id { return answer(.crossed) }
            draft.settle(own, .crossed)
            // The other host may have taken back what ours gives way to.
            draft.post(.withdrawn(.crossed), in: own.id, to: own.room)
        }
        guard obstacle(to: asked.terms, with: asked.room, of: host) == nil else { return answer(.busy) }
        draft.settle(asked, .waiting)
    }

    private func hearAnswer(
        _ answer: ChallengeState, _ host: UserProfile?, _ until: Int64?, on link: String?, in session: String,
        from other: RoomID, by own: LinkingHost, _ draft: inout PKDraft
    ) {
        guard let challenge, challenge.id == session, challenge.isOurs else {
            // It was taken back while the answer was on its way. A link that goes on does not depend on it.
            if answer == .accepted { draft.post(.left(.quit, points: 0), in: session, to: other) }
            return
        }
        guard answer == .accepted else { return draft.settle(challenge, answer, until: until) }
        // The link that the rooms have had may have ended in one of them meanwhile.
        let present = pk.links.first { $0.room == other }
        guard link == present?.id ?? session, obstacle(to: challenge.terms, with: other, of: own) == nil else {
            draft.settle(challenge, .cancelled)
            return draft.post(.left(.quit, points: 0), in: session, to: other)
        }
        draft.link(challenge, host ?? challenge.host)
    }

    private func hearResult(_ result: PKResult, ours: UInt64, theirs: UInt64, _ draft: inout PKDraft) {
        guard var match = draft.pk.match else { return }
        match.phase = .over
        match.ours = ours
        match.theirs = theirs
        match.result = result
        let forfeit = result.outcome == .draw ? 0 : Int64(match.terms.forfeitSeconds) * 1_000
        match.until = draft.now + max(PKTimes.rematch, PKTimes.card + forfeit)
        draft.pk.match = match
        draft.tell(.over)
    }

    /// - Parameter isAlone: the other room is not there to decide anything.
    private func hearLeaving(
        _ link: HostLink, _ cause: PKCause, _ points: UInt64, isAlone: Bool = false, _ draft: inout PKDraft
    ) {
        if let match = draft.pk.match, match.link == link.id, match.isCounted {
            draft.pk.match?.theirs = max(match.theirs, points)
            // Where both have left, the room that asked decides.
            if link.isEnding, !link.isLedHere, !isAlone { return }
            let hasWon = cause == .quit && !link.isEnding
            draft.decide(hasWon ? PKResult(.won, .quit) : draft.resultByPoints(.gone), on: link)
        }
        if link.isLedHere || !link.isEnding { draft.post(.left(cause, points: 0), in: link.id, to: link.room) }
        draft.remove(link)
        draft.tell(cause)
    }
}
