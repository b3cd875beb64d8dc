import RoomEvents
import RoomModel
import RoomRules
import Timing

/// What a room gathers for a moment before it tells of it: likes, how loud the speakers are, how the singers' networks do.
final class GatheredNews {
    private unowned let core: RoomCore
    private var likes = LikeCounter()
    private var levels = SpeakerLevels()
    private var network = NetworkWatch()

    init(_ core: RoomCore) { self.core = core }

    /// At the end of each turn. A timer that is left from before rings for nothing, or is set anew.
    func setTimers() {
        let now = core.now
        if let ready = levelsReady { core.deadlines.set(.levels, at: ready) }
        if let ready = network.ready(now) { core.deadlines.set(.network, at: ready) }
    }

    // MARK: Likes

    func like(_ count: UInt64, by user: UserID, _ reply: @escaping Reply<CommandResult>) {
        // The total when this one is counted, whoever else is counted with it.
        let total = core.state.likes &+ likes.count &+ count
        likes.add(
            count, by: user, answer: { reply(.success(.liked(total: total))) }, refuse: { reply(.failure($0)) })
        let ready = likes.ready(core.now)
        if ready <= core.now { storeLikes() } else { core.deadlines.set(.likes, at: ready) }
    }

    /// Some are still being counted.
    var hasLikes: Bool { !likes.isEmpty }

    /// Stores the likes that are still being counted, if there are any.
    func storeLikes() {
        guard core.phase == .open, !likes.isEmpty else { return }
        let taken = likes.take(at: core.now)
        let total = core.state.likes &+ taken.count
        core.carryOut(
            Decision(
                [.liked(count: taken.count, users: taken.users)]
                    + [core.correspondence.takeGained()].compactMap { $0 }), by: nil,
            answer: { for answer in taken.answers { answer() } },
            afterwards: { [unowned core] in
                core.tell(.likes(LikesNews(total: total, added: taken.count, users: taken.users)))
            },
            refuse: { error in for refuse in taken.refusals { refuse(error) } })
    }

    /// The journal has failed: what is still being counted is refused.
    func refuseLikes(_ error: RoomError) {
        let pending = likes.take(at: core.now)
        _ = core.correspondence.takeGained()
        for refuse in pending.refusals { core.inOrder { refuse(error) } }
    }

    // MARK: Loudness

    /// Whether somebody was heard speaking, as was last told.
    var isAnybodySpeaking: Bool { !levels.told.isEmpty }

    private var levelsReady: Instant? {
        levels.ready(core.now, listeners: core.people.attendance.count)
    }

    func hearLevels(_ heard: [UserID: Int]) {
        levels.hear(heard)
        if let ready = levelsReady, ready <= core.now { tellLevels() }
    }

    func tellLevels() {
        guard levelsReady != nil else { return }
        let told = levels.take(at: core.now)
        core.announcer.show(speaking: !told.isEmpty)
        core.tell(.levels(told))
    }

    // MARK: Networks

    func hearNetwork(_ singers: [UserID: NetworkWatch.Singer]) {
        if core.state.kind == .live { network.hearOnStage(singers) } else { network.hear(singers) }
        if let ready = network.ready(core.now), ready <= core.now { tellNetwork() }
    }

    func tellNetwork() {
        guard network.ready(core.now) != nil else { return }
        core.tell(.network(network.take(at: core.now)))
    }

    /// Somebody has come who has heard nothing yet.
    func tellNetworkAgain() { network.tellAgain() }
}
