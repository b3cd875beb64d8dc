import RoomEvents
import RoomModel

/// Gathers what a decision does between rooms: letters in their order, and the room's own changes.
struct PKDraft {
    let links: HostLinks
    let now: Int64
    var pk: PKState
    private(set) var events: [RoomEvent] = []
    private var posted: [String: UInt64] = [:]
    private var isChallengeSettled = false

    init(_ links: HostLinks, now: Int64) {
        self.links = links
        self.now = now
        pk = links.pk
    }

    var decision: Decision { Decision(events) }

    mutating func post(_ content: RoomLetter.Content, in session: String, to room: RoomID) {
        let step = (posted[session] ?? links.mail.sent(in: session)) + 1
        posted[session] = step
        events.append(.letterPosted(RoomLetter(session: session, step: step, to: room, content: content)))
    }

    mutating func add(_ event: RoomEvent) { events.append(event) }

    /// Tells how links and PK stand now.
    mutating func tell(_ cause: PKCause) { events.append(.pkChanged(PKChanged(pk, cause))) }

    mutating func settle(_ challenge: PKChallenge, _ state: ChallengeState, until: Int64? = nil) {
        if challenge.id == links.challenge?.id { isChallengeSettled = true }
        events.append(.challengeChanged(ChallengeNews(challenge, state, until: until)))
    }

    // MARK: The course of a PK

    /// - Returns: the link that it is on.
    @discardableResult
    mutating func link(_ challenge: PKChallenge, _ host: UserProfile) -> String {
        let link: HostLink
        if let present = pk.links.first(where: { $0.room == challenge.room }) {
            link = present
        } else {
            let taken = Set(pk.links.map(\.place))
            let place = (0..<RoomLimits.links).first { !taken.contains($0) } ?? 0
            link = HostLink(
                id: challenge.id, place: place, room: challenge.room, host: host, isOurs: challenge.isOurs, since: now)
            pk.links.append(link)
        }
        if let terms = challenge.terms {
            // The room that does not set the time waits longer: it is told.
            let patience = link.isLedHere ? PKTimes.seeing : PKTimes.hearing
            pk.match = PKMatch(link: link.id, terms: terms, until: now + patience)
        }
        settle(challenge, .accepted)
        tell(.accepted)
        return link.id
    }

    /// What was asked, here or there, was about rooms that stood otherwise.
    mutating func giveUpChallenge(with room: RoomID) {
        guard !isChallengeSettled, let challenge = links.challenge, challenge.room == room else { return }
        settle(challenge, challenge.isOurs ? .cancelled : .busy)
        post(
            challenge.isOurs ? .withdrawn(.cancelled) : .answered(.busy, host: nil, until: nil, link: nil),
            in: challenge.id, to: challenge.room)
    }

    /// Both hosts see each other: the room that asked sets the time.
    mutating func beginIfReady() {
        guard var match = pk.match, match.phase == .linking, match.isReady, match.isOtherReady,
            let link = pk.links.first(where: { $0.id == match.link }), link.isLedHere
        else { return tell(.ready) }
        match.phase = .running
        match.until = nil
        let start = now + PKTimes.countdown
        match.startAt = start
        let end = start + Int64(match.terms.seconds) * 1_000
        match.endAt = end
        pk.match = match
        post(.began(startAt: start, endAt: end), in: link.id, to: link.room)
        tell(.began)
    }

    /// This room says how it ended; the other one tells the same.
    mutating func decide(_ result: PKResult, on link: HostLink) {
        guard var match = pk.match else { return }
        match.phase = .over
        match.result = result
        let forfeit = result.outcome == .draw ? 0 : Int64(match.terms.forfeitSeconds) * 1_000
        match.until = now + max(PKTimes.rematch, PKTimes.card + forfeit)
        pk.match = match
        post(.result(result.reversed, theirs: match.ours, ours: match.theirs), in: link.id, to: link.room)
    }

    func resultByPoints(_ cause: PKResult.Cause) -> PKResult {
        guard let match = pk.match, match.ours != match.theirs else { return PKResult(.draw, cause) }
        return PKResult(match.ours > match.theirs ? .won : .lost, cause)
    }

    mutating func remove(_ link: HostLink) {
        giveUpChallenge(with: link.room)
        pk.links.removeAll { $0.id == link.id }
        if let match = pk.match, match.link == link.id, match.isOn { pk.match = nil }
    }

    /// This room leaves a link, by its host's will or because the host is gone. While a PK runs, the other room says how it ended: it
    /// knows its own points to the last one, and the letter tells it ours.
    mutating func leave(_ link: HostLink, _ cause: PKCause) {
        guard !link.isEnding else { return }
        guard let match = pk.match, match.link == link.id, match.isCounted else {
            post(.left(cause, points: 0), in: link.id, to: link.room)
            remove(link)
            return tell(cause)
        }
        // Nothing is seen or heard by the link any more.
        pk.match?.phase = .counting
        pk.match?.until = now + PKTimes.hearing
        if let index = pk.links.firstIndex(where: { $0.id == link.id }) { pk.links[index].isEnding = true }
        giveUpChallenge(with: link.room)
        post(.left(cause, points: match.ours), in: link.id, to: link.room)
        tell(cause)
    }
}

extension PKMatch {
    /// The clock runs or has run, and there is no result yet.
    var isCounted: Bool { phase == .running || phase == .counting }
}

/// How long things between rooms take, in milliseconds.
enum PKTimes {
    /// An invitation rings so long, and one to go on with the same host a little longer.
    static let ring: Int64 = 15_000
    static let rematch: Int64 = 20_000
    /// Both hosts must see each other within it.
    static let seeing: Int64 = 5_000
    /// The room that was asked waits so long for word of the other one before it goes on alone.
    static let hearing: Int64 = 15_000
    /// The room that asked waits so long for the other one's last points.
    static let counting: Int64 = 5_000
    /// "3, 2, 1".
    static let countdown: Int64 = 3_000
    /// The result is shown so long before the forfeit begins.
    static let card: Int64 = 4_000
    /// "Not now".
    static let pauseForHost: Int64 = 180_000
    /// "Not today".
    static let pauseForAll: Int64 = 12 * 3_600_000
}
