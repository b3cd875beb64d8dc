import RoomModel
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
    /// Entries between two snapshots: bounds the time that loading takes.
    static let snapshotInterval: UInt64 = 256
    /// A snapshot is stored this many entries after its own position: a room that is read again after a crash replays at
    /// least these, and so still has the exact gap of everybody who was there.
    static let snapshotLag: UInt64 = 256
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
    let world: RoomDependencies
    package let signal: RoomInbox
    let format = JournalFormat()

    var phase = Phase.loading
    var state: DurableRoomState
    var epoch: UInt64 = 0
    var recent = RecentNews()
    var attendance = Attendance()
    var likes = LikeCounter()
    var levels = SpeakerLevels()
    var network = NetworkWatch()
    var deadlines = Deadlines()
    var batcher = NewsBatcher()
    var queue = ReleaseQueue()
    var stage: StageLink
    var incarnation: UInt64 = 0
    private var armed = Instant.distantFuture
    private var alarm: RoomAlarm?
    var snapshot: DurableRoomState?
    var lastSnapshot: UInt64 = 0
    /// How far the people in the room have been told.
    var told: (seq: UInt64, chat: UInt64) = (0, 0)
    /// What the directory shows: what has been released.
    var info: RoomInfo? { didSet { infoChanged = infoChanged || info != oldValue } }
    private var infoChanged = false
    var draining: [@Sendable () -> Void] = []
    var ownerAbsence: OwnerAbsence?

    struct OwnerAbsence: Equatable {
        /// Milliseconds since 1970.
        var until: Int64
        var heir: UserID?
    }

    package init(key: RoomKey, stage: StageID, surroundings: RoomDependencies, signal: RoomInbox) {
        self.key = key
        self.stage = StageLink(stage, media: surroundings.media)
        self.world = surroundings
        self.signal = signal
        self.state = DurableRoomState(room: key.room)
    }

    // MARK: What decisions are made of

    var now: Instant { world.clock.now }
    var wallNow: Int64 { world.clock.roomTime.millisecondsSince1970 }
    var context: DecisionContext {
        DecisionContext(now: wallNow, people: attendance.people, policy: world.policy(), peak: attendance.peak)
    }
    /// What must be on the disk before anything that is said now may leave. While the room is being loaded nothing is
    /// said of its state.
    var watermark: UInt64 { phase == .loading ? 0 : state.position }
    var speaking: Bool { !levels.told.isEmpty }
    var stateInfo: RoomInfo { state.info(memberCount: attendance.count, speaking: speaking) }
    package var isOver: Bool { phase == .over }
    var isEmpty: Bool { phase == .empty }

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
        let peak = attendance.peak > state.peak ? attendance.peak : nil
        let accepted = AcceptedCommand(
            time: wallNow, by: user, events: decision.events, answer: answerToKeep, peak: peak)
        var said: [Announcement] = []
        let payload: [UInt8]
        do {
            payload = try format.encode(accepted)
            try state.apply(accepted) { [attendance, speaking] event, before, after in
                let announcement = after.announcement(
                    of: event, by: user, at: accepted.time, before: before,
                    info: after.info(memberCount: attendance.count, speaking: speaking), people: attendance.people)
                if let announcement { said.append(announcement) }
            }
        } catch {
            world.report(.inapplicable(key, "\(error)"))
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
        submit(accepted, payload)
        wait(for: accepted)
        let info = stateInfo
        let ends = state.phase == .ended
        let changesSong = accepted.events.contains { if case .songChanged = $0 { true } else { false } }
        let play = state.play
        queue.append(
            ReleaseQueue.Item(
                needs: state.position, steps: closing + stage.steps(to: state.seats),
                deliver: { [unowned self] in
                    // Before the answer: whoever has it and asks the directory finds there what it says.
                    self.info = info
                    if ends { world.publish(nil) } else { publishInfo() }
                    if changesSong { playOnStage(play) }
                    answer()
                    for announcement in said { tell(announcement) }
                    afterwards()
                    if ends { close() } else { stage.open(slots: info.seats, kind: info.kind) }
                }, fail: refuse))
    }

    private func submit(_ accepted: AcceptedCommand, _ payload: [UInt8]) {
        let position = state.position
        let entry = JournalEntry(key: key, kind: accepted.kind, position: position, epoch: epoch, payload: payload)
        let incarnation = incarnation
        world.journal.submit(entry) { [signal] result in
            signal.stored(position, result, incarnation: incarnation)
        }
        if position >= lastSnapshot + Self.snapshotInterval, snapshot == nil { snapshot = state }
    }

    /// Sets the timers that accepted events ask for.
    private func wait(for accepted: AcceptedCommand) {
        for event in accepted.events {
            switch event {
            case .invitationSent(let invitation):
                guard let expiry = invitation.expiresAt else { continue }
                deadlines.set(.invitation(invitation.id), at: now + .milliseconds(expiry - accepted.time))
            case .invitationSettled(let id, _, _):
                deadlines.cancel(.invitation(id))
                for consent in state.consents where consent.since == accepted.time {
                    deadlines.set(.consent(consent.user), at: now + .seconds(Int64(world.policy().consentSeconds)))
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
                    if let peer { stage.close(peer) }
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
    func tell(_ announcement: Announcement) {
        switch announcement.news {
        case .change(let change): told.seq = max(told.seq, change.seq)
        case .message(let message): told.chat = max(told.chat, message.chat)
        case .passing, .invitation: break
        }
        batcher.add(announcement)
    }

    func tell(_ news: PassingNews) { tell(Announcement(.passing(news))) }

    /// What the journal, the media plane and the clock have to say. Ends like every turn.
    package func turn() {
        for deadline in deadlines.due(at: now) { fire(deadline) }
        endTurn()
    }

    /// The end of every turn: hear reports, release what may leave, send, ask to be woken.
    func endTurn() {
        hear(signal.take())
        release()
        storeSnapshot()
        if let ready = levels.ready(now) { deadlines.set(.levels, at: ready) }
        if let ready = network.ready(now) { deadlines.set(.network, at: ready) }
        publishInfo()
        if !batcher.isEmpty {
            if batcher.departure(now) <= now { sendNews() } else { deadlines.set(.news, at: batcher.departure(now)) }
        }
        if !draining.isEmpty, queue.isEmpty {
            let done = draining
            draining = []
            phase = .over
            for done in done { done() }
        }
        arm()
    }

    /// One alarm at a time: an earlier one takes the place of a later one.
    private func arm() {
        guard deadlines.earliest < armed else { return }
        alarm?.cancel()
        armed = deadlines.earliest
        alarm = world.clock.schedule(at: armed) { [signal] in signal.ring() }
    }

    /// Nothing is waited for any more.
    func endAlarm() {
        alarm?.cancel()
        alarm = nil
        armed = .distantFuture
    }

    /// Shows the directory what has changed. An ended room has left it, and stays out.
    func publishInfo() {
        guard infoChanged, phase == .open, let info else { return }
        infoChanged = false
        world.publish(info)
    }

    private func hear(_ fresh: RoomInbox.Reports) {
        queue.noteStored(fresh.stored)
        queue.noteConfirmed(fresh.confirmed)
        if let failed = fresh.failed, phase == .open || phase == .empty {
            lose(from: failed.position, failed.failure)
        }
        // An alarm that has rung is set anew at the end of the turn if there is anything left to wait for, even if it
        // rang a little early. One that was replaced while it rang leaves the newer one alone.
        if fresh.rang, armed <= now || alarm == nil { armed = .distantFuture }
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
                post(steps) { [signal] in signal.confirmed(number) }
                // A plane that is in the same thread has confirmed already.
                hear(signal.take())
            case .leave(let leave): leave()
            }
        }
    }

    func sendNews() {
        batcher.flush(to: attendance.sessions, room: key.room, epoch: epoch, by: world.encoder, at: now)
    }

    /// The media plane owes a confirmation for too long: see `confirmationLimit`.
    func giveUpConfirmation() {
        if queue.giveUpConfirmation() { world.report(.cutUnconfirmed(key)) }
    }

    // MARK: The media plane

    func post(_ steps: [StageStep], confirmed: @escaping @Sendable () -> Void = {}) {
        stage.post(steps, speaking: { [attendance] in attendance.microphone(of: $0)?.peer }, confirmed: confirmed)
    }

    /// Says again what the media plane was told about a person's seat, after their media path has changed.
    func assignAgain(_ user: UserID) { stage.assignAgain(user, to: attendance.microphone(of: user)?.peer) }
}
