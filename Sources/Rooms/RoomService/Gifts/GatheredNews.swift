import RoomEvents
import RoomModel
import RoomRules
import Timing

/// What a room gathers for a moment before it tells of it: likes, how loud the speakers are, how the singers' networks do.
struct GatheredNews {
    private var likes = LikeCounter()
    private var levels = SpeakerLevels()
    private var network = NetworkWatch()

    /// At the end of each turn. A timer that is left from before rings for nothing, or is set anew.
    func setTimers(in turn: inout RoomTurn) {
        if let ready = levelsReady(&turn) { turn.deadlines.set(.levels, at: ready) }
        if let ready = network.ready(turn.now) { turn.deadlines.set(.network, at: ready) }
    }

    // MARK: Likes

    mutating func like(
        _ count: UInt64, by user: UserID, _ reply: @escaping Reply<CommandOutcome>, in turn: inout RoomTurn
    ) {
        // The total when this one is counted, whoever else is counted with it.
        let total = turn.state.figures.likes &+ likes.count &+ count
        likes.add(count, by: user, answer: PlannedAnswer(reply, .success(CommandOutcome(.liked(total: total)))))
        let ready = likes.ready(turn.now)
        if ready <= turn.now { storeLikes(in: &turn) } else { turn.deadlines.set(.likes, at: ready) }
    }

    /// Some are still being counted.
    var hasLikes: Bool { !likes.isEmpty }

    /// Stores the likes that are still being counted, if there are any.
    mutating func storeLikes(in turn: inout RoomTurn) {
        guard turn.phase == .open, !likes.isEmpty else { return }
        let taken = likes.take(at: turn.now)
        let total = turn.state.figures.likes &+ taken.count
        let news = PassingNews.likes(LikesNews(total: total, added: taken.count, users: taken.users))
        turn.carryOut(
            Decision([.liked(.init(count: taken.count, users: taken.users))] + [turn.takeGained()].compactMap { $0 }),
            Sequel(
                answer: PlannedAnswer { failure in for answer in taken.answers { answer(failure) } },
                afterwards: [.out(.tell(Announcement(.passing(news))))]))
    }

    /// The journal has failed: what is still being counted is refused.
    mutating func refuseLikes(_ error: RoomError, in turn: inout RoomTurn) {
        let pending = likes.take(at: turn.now)
        _ = turn.takeGained()
        for answer in pending.answers { turn.inOrder([], answer: PlannedAnswer { _ in answer(error) }) }
    }

    // MARK: Loudness

    private func levelsReady(_ turn: inout RoomTurn) -> Instant? {
        levels.ready(turn.now, listeners: turn.attendance.count)
    }

    mutating func hearLevels(_ heard: [UserID: Int], in turn: inout RoomTurn) {
        levels.hear(heard)
        if let ready = levelsReady(&turn), ready <= turn.now { tellLevels(in: &turn) }
    }

    mutating func tellLevels(in turn: inout RoomTurn) {
        guard levelsReady(&turn) != nil else { return }
        let told = levels.take(at: turn.now)
        turn.isAnybodySpeaking = !told.isEmpty
        turn.add(.showSpeaking)
        turn.add(.tell(Announcement(.passing(.levels(SpeakingLevels(told))))))
    }

    // MARK: Networks

    mutating func hearNetwork(_ singers: [UserID: NetworkWatch.Singer], in turn: inout RoomTurn) {
        if turn.state.beginning.kind == .live { network.hearOnStage(singers) } else { network.hear(singers) }
        if let ready = network.ready(turn.now), ready <= turn.now { tellNetwork(in: &turn) }
    }

    mutating func tellNetwork(in turn: inout RoomTurn) {
        guard network.ready(turn.now) != nil else { return }
        turn.add(.tell(Announcement(.passing(.network(network.take(at: turn.now))))))
    }

    /// Somebody has come who has heard nothing yet.
    mutating func tellNetworkAgain() { network.tellAgain() }
}
