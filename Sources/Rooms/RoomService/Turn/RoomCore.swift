import RoomEvents
package import RoomModel
package import RoomPorts
package import RoomRules
import Timing

/// A room at work: decide → apply → submit to the journal → release. Every method is one synchronous turn; whoever owns
/// it (the actor `Room`, or a test) calls it from one place at a time. It waits for nothing: the journal and the media
/// plane leave word with the `RoomInbox`, the clock wakes it, and both lead to `takeTurn()`. The parts of the room are values that say in
/// the turn what is to be done; only here is it done.
package final class RoomCore {
    /// For how long the media plane may owe a confirmation. It cuts within 200 ms; a plane that says nothing for so
    /// long takes no commands and forwards nothing, and the room must not stand still with it.
    static let confirmationLimit = Interval.seconds(1)
    static let unavailable = RoomError(.unavailable, retryAfterMs: 500)

    package let key: RoomKey
    let dependencies: RoomDependencies
    package let inbox: RoomInbox

    /// The room as it is decided, and what is to be done about it.
    var turn: RoomTurn
    /// An empty buffer for effects that are being acted on.
    var actedOn: [Effect] = []
    var alarm: WakingAlarm
    var announcer: RoomAnnouncer
    var writer: JournalWriter
    var queue = ReleaseQueue()
    var stage: StageLink
    var draining: [@Sendable () -> Void] = []

    var people = RoomPeople()
    var entries = RoomEntries()
    var gathered = GatheredNews()
    var gifts: RoomGifts
    var limits: CommandLimits
    let restrictions: RoomRestrictions
    var audit: RoomAudit
    var reviews = RoomReviews()
    let reporting: RoomReporting
    let correspondence = Correspondence()
    let media: MediaPaths
    var stills = RoomStills()

    package init(key: RoomKey, stage: StageID, dependencies: RoomDependencies, inbox: RoomInbox) {
        self.key = key
        self.dependencies = dependencies
        self.inbox = inbox
        let now = dependencies.clock.now
        turn = RoomTurn(key: key, policy: dependencies.policy, at: dependencies.clock)
        alarm = WakingAlarm(clock: dependencies.clock, inbox: inbox)
        announcer = RoomAnnouncer(room: key.room, dependencies: dependencies) { [inbox] in inbox.audienceReady() }
        writer = JournalWriter(key: key, dependencies: dependencies, inbox: inbox)
        self.stage = StageLink(stage, of: key.application, media: dependencies.media)
        gifts = RoomGifts(catalogue: dependencies.catalogue, at: now)
        limits = CommandLimits(at: now)
        restrictions = RoomRestrictions(dependencies.moderation.restrictions)
        audit = RoomAudit(dependencies.allowances, at: now)
        reporting = RoomReporting(dependencies.allowances)
        media = MediaPaths(stage: stage, numbers: dependencies.peerNumbers)
    }

    package var state: DurableRoomState { _read { yield turn.state } }
    package var isOver: Bool { turn.phase == .over }
    var listing: RoomListing { stills.listing(turn.info, admins: turn.state.admins) }

    // MARK: A turn

    func beginTurn() { turn.begin(at: dependencies.clock) }

    /// What the journal, the media plane and the clock have to say.
    package func takeTurn() {
        beginTurn()
        for deadline in turn.deadlines.due(at: turn.now) { fire(deadline) }
        endTurn()
    }

    /// The end of every turn: act, hear reports, release what may leave, send, ask to be woken.
    func endTurn() {
        act()
        hear(inbox.take())
        release()
        if turn.phase == .open { writer.storeSnapshot(stored: queue.stored) }
        gathered.setTimers(in: &turn)
        publishInfo()
        if let departure = announcer.departure(turn.now) {
            if departure <= turn.now { sendNews() } else { turn.deadlines.set(.news, at: departure) }
        }
        if turn.isDraining, queue.isEmpty {
            let done = draining
            draining = []
            turn.isDraining = false
            turn.phase = .over
            for done in done { done() }
        }
        alarm.arm(for: turn.deadlines.earliest)
    }

    private func fire(_ deadline: Deadline) {
        switch deadline {
        case .grace(let session): people.loseForGood(session, in: &turn)
        case .absence(let user): people.loseForGood(user, in: &turn)
        case .ownerAbsence: decide(.ownerAbsenceOver)
        case .invitation(let id): decide(.invitationTimedOut(id: id))
        case .consent(let user): decide(.consentTimedOut(user))
        case .song:
            decide(.songOver)
            turn.awaitEndOfSong()
        // The end of the turn sends them.
        case .news: break
        case .likes: gathered.storeLikes(in: &turn)
        case .gifts: gifts.tell(in: &turn)
        case .levels: gathered.tellLevels(in: &turn)
        case .network: gathered.tellNetwork(in: &turn)
        case .pk:
            decide(.pkTimeOver)
            turn.awaitPK()
        case .host: decide(.hostLost)
        case .letters: correspondence.repeatLetters(in: &turn)
        case .points: correspondence.tellPoints(in: &turn)
        case .count: turn.add(.tell(Announcement(.passing(.count(MemberCount(turn.attendance.count))))))
        case .sharedText: entries.forgetSharedText()
        case .still: stills.expire(in: &turn)
        case .confirmation: giveUpConfirmation()
        }
        act()
    }

    private func hear(_ fresh: RoomInbox.Reports) {
        queue.noteStored(fresh.stored)
        queue.noteConfirmed(fresh.confirmed)
        if let failed = fresh.failed, turn.phase == .open || turn.phase == .empty {
            lose(from: failed.position, failed.failure)
        }
        if fresh.rang { alarm.noteRung() }
        if !fresh.posted.isEmpty { gifts.hear(fresh.posted, in: &turn) }
        act()
        for verdict in fresh.reviewed {
            if let (draft, first) = reviews.hear(verdict, in: &turn) { takeReviewed(draft, insteadOf: first) }
            act()
        }
    }

    // MARK: Deciding

    /// Decides what happens by itself, and carries it out.
    func decide(_ command: ServerCommand, _ sequel: Sequel = Sequel()) {
        guard turn.phase == .open else { return }
        if command == .ownerAbsenceOver { people.endAbsence(in: &turn) }
        turn.carryOut(decided { turn.state.decide(command, in: turn.context) }, sequel)
    }

    /// Likes and gifts that wait for company belong to the time before the end of a room, or of a PK: they are told first, and it is
    /// decided anew.
    func decided<Fault: Error>(_ decide: () throws(Fault) -> Decision) throws(Fault) -> Decision {
        let decision = try decide()
        guard decision.closesAccounts, gathered.hasLikes || gifts.hasUntold else { return decision }
        gathered.storeLikes(in: &turn)
        gifts.tell(in: &turn)
        return try decide()
    }

    // MARK: Releasing

    private func release() {
        while true {
            switch queue.next() {
            case .rest: return turn.deadlines.cancel(.confirmation)
            case .awaitCuts:
                if !turn.deadlines.isSet(.confirmation) {
                    turn.deadlines.set(.confirmation, at: turn.now + Self.confirmationLimit)
                }
                return
            case .post(let steps, let number):
                // For each posting its own time.
                turn.deadlines.cancel(.confirmation)
                stage.post(steps, of: turn.attendance) { [inbox] in inbox.confirmed(number) }
            case .leave(let release, let failure): leave(release, failure)
            }
        }
    }

    /// Everybody is out of a room whose journal cannot be read again.
    func refuseAll(with error: RoomError) {
        queue.fail(from: 0, with: error)
        release()
    }

    /// Shows the directory what has changed. An ended room has left it, and stays out.
    func publishInfo() {
        if turn.phase == .open { announcer.publish() }
    }

    func sendNews() {
        let attendance = turn.attendance
        announcer.send(epoch: turn.epoch, at: turn.now) { attendance.sessions(of: $0) }
    }

    /// The media plane owes a confirmation for too long: see `confirmationLimit`.
    private func giveUpConfirmation() {
        if queue.giveUpConfirmation() { dependencies.report(.cutUnconfirmed(key)) }
    }
}

extension Decision {
    /// The room ends, or something changes between this room and another.
    fileprivate var closesAccounts: Bool {
        events.contains { event in
            switch event {
            case .ended, .pkChanged: true
            default: false
            }
        }
    }
}
