internal import RoomModel

/// What only live rooms have: the stage, a shared screen, and links to other rooms.
struct LiveStage: Sendable, Hashable {
    var layout: StageLayout
    var screen: UserID?
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

    private func changedChallenge(since old: PKChallenge?) -> [RoomSession.Event] {
        guard challenge != old, let told = challenge ?? old else { return [] }
        return [.challengeChanged(ChallengeNews(told, challenge == nil ? .gone : .waiting))]
    }

    func changedLinks(since old: LiveStage) -> [RoomSession.Event] {
        (pk != old.pk ? [.pkChanged(PKChanged(pk, .ready))] : []) + changedChallenge(since: old.challenge)
    }

    func changedScreen(since old: LiveStage) -> [RoomSession.Event] {
        screen == old.screen ? [] : [.screenChanged(ScreenChanged(user: screen))]
    }

    func changedLayout(since old: LiveStage) -> [RoomSession.Event] {
        layout == old.layout ? [] : [.stageArranged(StageArranged(layout))]
    }
}
