import RoomEvents
package import RoomModel
package import RoomPorts
import RoomRules
import Timing

/// A room at work: decide → apply → submit to the journal → release. Every method is one synchronous turn; whoever owns
/// it (the actor `Room`, or a test) calls it from one place at a time. It waits for nothing: the journal and the media
/// plane leave word with the `RoomInbox`, the clock wakes it, and both lead to `turn()`.
package final class RoomCore {
    /// For how long the media plane may owe a confirmation. It cuts within 200 ms; a plane that says nothing for so
    /// long takes no commands and forwards nothing, and the room must not stand still with it.
    static let confirmationLimit = Interval.seconds(1)
    static let unavailable = RoomError(.unavailable, retryAfterMs: 500)

    /// Legal successors: `loading` → `open`, `empty`, `over`; `empty` → `open`; `open` → `loading` when the journal
    /// fails, → `over`.
    enum Phase: Equatable {
        /// The journal is being read.
        case loading
        /// Nobody has created the room yet.
        case empty
        case open
        case over
    }

    package let key: RoomKey
    let dependencies: RoomDependencies
    package let inbox: RoomInbox

    var phase = Phase.loading
    var state: DurableRoomState
    var recent = RecentNews()
    var deadlines: Deadlines
    var announcer: RoomAnnouncer
    var writer: JournalWriter
    var queue = ReleaseQueue()
    var draining: [@Sendable () -> Void] = []
    private(set) lazy var commands = RoomCommands(self)
    private(set) lazy var people = RoomPeople(self)
    private(set) lazy var owner = OwnerWatch(self)
    private(set) lazy var entries = RoomEntries(self)
    private(set) lazy var gathered = GatheredNews(self)
    private(set) lazy var correspondence = Correspondence(self)
    private(set) lazy var gifts = RoomGifts(self)
    private(set) lazy var reviews = RoomReviews(self)
    private(set) lazy var stills = RoomStills(self)
    private(set) lazy var restrictions = RoomRestrictions(self)
    private(set) lazy var audit = RoomAudit(self)
    private(set) lazy var reporting = RoomReporting(self)
    private(set) lazy var media = MediaPaths(self, stage: stageID)
    private let stageID: StageID

    package init(key: RoomKey, stage: StageID, dependencies: RoomDependencies, inbox: RoomInbox) {
        self.key = key
        stageID = stage
        self.dependencies = dependencies
        self.inbox = inbox
        self.state = DurableRoomState(room: key.room)
        deadlines = Deadlines(clock: dependencies.clock, inbox: inbox)
        announcer = RoomAnnouncer(room: key.room, dependencies: dependencies) { [inbox] in inbox.audienceReady() }
        writer = JournalWriter(key: key, dependencies: dependencies, inbox: inbox)
    }

    // MARK: What decisions are made of

    var now: Instant { dependencies.clock.now }
    var wallNow: Int64 { dependencies.clock.roomTime.millisecondsSince1970 }
    var context: DecisionContext {
        let attendance = people.attendance
        var context = DecisionContext(
            now: wallNow, people: attendance.people, policy: dependencies.policy(), peak: attendance.peak)
        return context
    }
    /// What must be on the disk before anything that is said now may leave. While the room is being loaded nothing is
    /// said of its state.
    var watermark: UInt64 { phase == .loading ? 0 : state.position }
    var listing: RoomListing {
        RoomListing(
            state.info(memberCount: people.attendance.count, speaking: gathered.isAnybodySpeaking),
            still: stills.current,
            earlierStill: stills.earlier)
    }
    package var isOver: Bool { phase == .over }

    /// Why nothing can be asked of the room now.
    var closedness: RoomError? {
        if !draining.isEmpty { return Self.unavailable }
        return switch phase {
        case .loading: Self.unavailable
        case .empty: RoomError(.roomNotFound)
        case .over: RoomError(.roomClosed)
        case .open: state.phase == .ended ? RoomError(.roomClosed) : nil
        }
    }

    // MARK: Deciding

    /// Likes and gifts that wait for company belong to the time before the end of a room, or of a PK: they are told first, and it is
    /// decided anew.
    func decided<Fault: Error>(_ decide: () throws(Fault) -> Decision) throws(Fault) -> Decision {
        let decision = try decide()
        guard decision.closesAccounts, gathered.hasLikes || gifts.hasUntold else { return decision }
        gathered.storeLikes()
        gifts.tell()
        return try decide()
    }

    /// Makes a decision true: applies it, submits it, and queues what follows for when it is stored. `answer` comes
    /// first, then the news, then `afterwards`. With no events only the answer waits, for what it could have seen; under a key
    /// it is stored all the same, or a repeat would find another room and do something.
    /// `closing`: whose way on the media plane is closed before anything of it is said.
    func carryOut(
        _ decision: Decision, by user: UserID?, keyed answerToKeep: KeyedAnswer? = nil, closing peer: PeerID? = nil,
        answer: @escaping () -> Void = {}, afterwards: @escaping () -> Void = {},
        refuse: @escaping (RoomError) -> Void = { _ in }
    ) {
        guard !decision.events.isEmpty || answerToKeep != nil else {
            queue.append(
                ReleaseQueue.Item(
                    needs: watermark, steps: peer.map { [.close($0)] } ?? [],
                    deliver: {
                        answer()
                        afterwards()
                    }, fail: refuse))
            return
        }
        let closing: [StageStep] = peer.map { [.close($0)] } ?? []
        let attendance = people.attendance
        let speaking = gathered.isAnybodySpeaking
        let peak = attendance.peak > state.peak ? attendance.peak : nil
        let accepted = AcceptedCommand(
            time: wallNow, by: user, events: decision.events, answer: answerToKeep, peak: peak)
        var said: [Announcement] = []
        let payload: [UInt8]
        do {
            payload = try writer.encode(accepted)
            try state.apply(accepted) { event, before, after in
                let announcement = after.announcement(
                    of: event, by: user, at: accepted.time, before: before,
                    info: after.info(memberCount: attendance.count, speaking: speaking), people: attendance.people)
                if let announcement { said.append(announcement) }
            }
        } catch {
            dependencies.report(.inapplicable(key, "\(error)"))
            let error = RoomError(.internalError)
            queue.append(
                ReleaseQueue.Item(needs: watermark, deliver: { refuse(error) }, fail: { refuse($0) }))
            return
        }
        if accepted.isBeginning {
            phase = .open
            recent = RecentNews(seq: state.seq, chat: state.chat)
        }
        for announcement in said { recent.append(announcement.news) }
        let outgoing = dependencies.webhooks.outgoing(
            said.map(\.news), created: accepted.isBeginning ? listing.info : nil, of: key, at: accepted.time)
        writer.submit(accepted, payload, in: state, outgoing: outgoing)
        switch accepted.kind {
        case .chat: dependencies.counters.noteMessage()
        case .durable: dependencies.counters.noteChange()
        }
        wait(for: accepted)
        stills.review()
        let listing = listing
        let ends = state.phase == .ended
        let changesSong = accepted.events.contains { if case .songChanged = $0 { true } else { false } }
        let play = state.play
        let letters = accepted.events.compactMap { if case .letterPosted(let letter) = $0 { letter } else { nil } }
        queue.append(
            ReleaseQueue.Item(
                needs: state.position, steps: closing + media.steps(to: state),
                deliver: { [unowned self] in
                    // Before the answer: whoever has it and asks the directory finds there what it says.
                    announcer.show(listing)
                    if ends {
                        announcer.withdraw()
                        people.freeAll()
                    } else {
                        publishInfo()
                    }
                    if changesSong { media.play(play) }
                    answer()
                    for announcement in said {
                        tell(announcement)
                        if case .invitation(let news) = announcement.news { tellElsewhere(news) }
                    }
                    correspondence.send(letters)
                    afterwards()
                    if ends {
                        close()
                    } else {
                        media.open(
                            slots: listing.info.seats, kind: listing.info.kind,
                            pictures: listing.info.pictureFormat ?? .vp8)
                    }
                }, fail: refuse))
    }

    /// Sets the timers that accepted events ask for.
    private func wait(for accepted: AcceptedCommand) {
        correspondence.wait(for: accepted.events)
        for event in accepted.events {
            switch event {
            case .invitationSent(let invitation):
                guard let expiry = invitation.expiresAt else { continue }
                deadlines.set(.invitation(invitation.id), at: now + .milliseconds(expiry - accepted.time))
            case .invitationSettled(let id, _, _):
                stills.drop(id)
                deadlines.cancel(.invitation(id))
                for consent in state.consents where consent.since == accepted.time {
                    deadlines.set(
                        .consent(consent.user), at: now + .seconds(Int64(dependencies.policy().consentSeconds)))
                }
            case .songChanged: awaitEndOfSong()
            default: break
            }
        }
    }

    /// Its end is a time of day, the timer counts from now: should the two disagree, it is asked again.
    func awaitEndOfSong() {
        guard let end = state.play?.endsAt else { return deadlines.cancel(.song) }
        let left = end + DurableRoomState.songTailMs - wallNow
        deadlines.set(.song, at: now + .milliseconds(max(left, 1)))
    }

    /// Queues something that says nothing new of the durable state (presence, who came and went): in its place in the
    /// order, and also if what stands before it fails.
    /// - Parameter peer: whose way on the media plane is closed before.
    func inOrder(closing peer: PeerID? = nil, _ deliver: @escaping () -> Void) {
        queue.append(
            ReleaseQueue.Item(
                needs: watermark, steps: peer.map { [.close($0)] } ?? [], deliver: deliver,
                fail: { [unowned self] _ in
                    if let peer { media.close(peer) }
                    deliver()
                }))
    }

    /// Queues an answer that changes nothing.
    func answer<Value>(_ reply: @escaping Reply<Value>, _ result: Result<Value, RoomError>) {
        queue.append(
            ReleaseQueue.Item(needs: watermark, deliver: { reply(result) }, fail: { reply(.failure($0)) }))
    }

    // MARK: Releasing

    /// Says something to people, now: called while releasing.
    func tell(_ announcement: Announcement) { announcer.tell(announcement) }

    /// The invitee hears of it wherever they are.
    private func tellElsewhere(_ news: InvitationNews) {
        let invitee = news.invitation.to
        guard people.attendance.people[invitee] == nil, invitee != state.owner.id else { return }
        dependencies.reach.tell(news, of: listing.info, to: invitee, in: key.application)
    }

    func tell(_ news: PassingNews) { tell(Announcement(.passing(news))) }

    /// What the journal, the media plane and the clock have to say. Ends like every turn.
    package func turn() {
        for deadline in deadlines.due(at: now) { fire(deadline) }
        endTurn()
    }

    /// The end of every turn: hear reports, release what may leave, send, ask to be woken.
    func endTurn() {
        hear(inbox.take())
        release()
        if phase == .open { writer.storeSnapshot(stored: queue.stored) }
        gathered.setTimers()
        publishInfo()
        if let departure = announcer.departure(now) {
            if departure <= now { sendNews() } else { deadlines.set(.news, at: departure) }
        }
        if !draining.isEmpty, queue.isEmpty {
            let done = draining
            draining = []
            phase = .over
            for done in done { done() }
        }
        deadlines.arm()
    }

    /// Shows the directory what has changed. An ended room has left it, and stays out.
    func publishInfo() {
        if phase == .open { announcer.publish() }
    }

    private func hear(_ fresh: RoomInbox.Reports) {
        queue.noteStored(fresh.stored)
        queue.noteConfirmed(fresh.confirmed)
        if let failed = fresh.failed, phase == .open || phase == .empty {
            lose(from: failed.position, failed.failure)
        }
        if fresh.rang { deadlines.noteRung() }
        if !fresh.posted.isEmpty { gifts.hear(fresh.posted) }
        if !fresh.reviewed.isEmpty { reviews.hear(fresh.reviewed) }
    }

    func release() {
        while true {
            switch queue.next() {
            case .rest: return deadlines.cancel(.confirmation)
            case .awaitCuts:
                if !deadlines.isSet(.confirmation) {
                    deadlines.set(.confirmation, at: now + Self.confirmationLimit)
                }
                return
            case .post(let steps, let number):
                // For each posting its own time.
                deadlines.cancel(.confirmation)
                media.post(steps) { [inbox] in inbox.confirmed(number) }
            case .leave(let leave): leave()
            }
        }
    }

    func sendNews() {
        let attendance = people.attendance
        announcer.send(epoch: writer.epoch, at: now) { attendance.sessions(of: $0) }
    }

    /// The media plane owes a confirmation for too long: see `confirmationLimit`.
    func giveUpConfirmation() {
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
