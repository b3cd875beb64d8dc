public import RoomModel

/// What only live rooms have: the stage, a shared screen, and links to other rooms.
struct RoomStage: Sendable, Hashable {
    private(set) var layout: StageLayout
    private(set) var screen: UserID?
    private(set) var pk: PKState
    private(set) var challenge: PKChallenge?

    init(_ snapshot: RoomSnapshot) {
        layout = snapshot.stage ?? StageLayout()
        screen = snapshot.screen
        pk = snapshot.pk ?? PKState()
        challenge = snapshot.challenge
    }

    mutating func take(_ changed: PKChanged) -> [RoomSession.Event] {
        pk = changed.pk
        return [.pkChanged(changed)]
    }

    mutating func take(_ points: PKPoints) -> [RoomSession.Event] {
        pk.match?.ours = points.ours
        pk.match?.theirs = points.theirs
        return [.pointsChanged(points)]
    }

    mutating func take(_ news: ChallengeNews) -> [RoomSession.Event] {
        challenge = news.state == .waiting ? news.challenge : nil
        return [.challengeChanged(news)]
    }

    /// One that is gone was settled meanwhile; how is not known.
    mutating func setChallenge(_ now: PKChallenge?) -> [RoomSession.Event] {
        let former = challenge
        challenge = now
        return changedChallenge(since: former)
    }

    mutating func take(_ changed: ScreenChanged) -> [RoomSession.Event] {
        screen = changed.user
        return [.screenChanged(changed)]
    }

    mutating func take(_ arranged: StageArranged) -> [RoomSession.Event] {
        layout = arranged.stage
        return [.stageArranged(arranged)]
    }

    private func changedChallenge(since old: PKChallenge?) -> [RoomSession.Event] {
        guard challenge != old, let told = challenge ?? old else { return [] }
        return [.challengeChanged(ChallengeNews(told, challenge == nil ? .gone : .waiting))]
    }

    /// What differs from before, as if it had been heard.
    func changes(since old: RoomStage) -> [RoomSession.Event] {
        (pk != old.pk ? [.pkChanged(PKChanged(pk, .ready))] : [])
            + changedChallenge(since: old.challenge)
            + (screen != old.screen ? [.screenChanged(ScreenChanged(user: screen))] : [])
            + (layout != old.layout ? [.stageArranged(StageArranged(layout))] : [])
    }
}

/// What only live rooms know: the stage, a shared screen, and other rooms.
extension RoomSession {
    /// Switches the camera off of whoever sits there, or allows it again: it stays off then until its user switches it on. For the owner
    /// and admins of a live room.
    public func setCamera(ofSeat seat: Int, allowed: Bool) async throws(OvationError) {
        try await ask(AllowCamera(seat, allowed: allowed))
    }

    /// Ends the sharing of a screen in a live room. For whoever shares it, the owner, and admins.
    public func stopScreen() async throws(OvationError) { try await ask(StopScreen()) }

    /// Arranges the stage of a live room for everybody: all about as large, or one large and the others beside it. For the owner and
    /// admins.
    /// - Parameter large: who stands in the first place, somebody on a seat; `nil`: the host.
    public func arrangeStage(_ form: StageLayout.Form, large: UserID? = nil) async throws(OvationError) {
        try await ask(ArrangeStage(StageLayout(form: form, large: large)))
    }

    // MARK: - Other rooms

    /// Asks another live room's host for a PK, or without terms for a link alone: both rooms see and hear both hosts. The answer comes as
    /// `challengeChanged`, within 15 s. For the owner of a live room, who sits on the first seat with nobody else on stage.
    public func challenge(_ room: RoomID, terms: PKTerms? = nil) async throws(OvationError) {
        try await ask(ChallengeHost(room, terms))
    }

    /// Takes the owner's own challenge back.
    public func cancelChallenge() async throws(OvationError) { try await ask(CancelChallenge()) }

    /// Says whether the owner agrees to another host's challenge.
    public func answerChallenge(_ id: String, agreed: Bool) async throws(OvationError) {
        try await ask(AnswerChallenge(id: id, agreed: agreed, pause: nil))
    }

    /// Says that the owner sees the other host. Points count from three seconds after both have said it.
    public func readyForPK() async throws(OvationError) { try await ask(ReadyForPK()) }

    /// Ends a link to another room, and the PK with it: whoever breaks off a PK that is running has lost it. Without an id the only
    /// link. For the owner and admins.
    public func quitPK(link: String? = nil) async throws(OvationError) { try await ask(QuitPK(link: link)) }

    /// Mutes the host of a linked room for everybody in this one. For the owner and admins.
    public func setLink(_ link: String, muted: Bool) async throws(OvationError) {
        try await ask(MuteLink(link, muted: muted))
    }
}
