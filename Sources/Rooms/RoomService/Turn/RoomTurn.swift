import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What the parts of a room take part in: the room as it is decided, who is here, what is waited for, and what is to be done about it. A
/// part changes its turn and appends effects; `RoomCore` alone acts on them.
struct RoomTurn {
    let key: RoomKey
    /// The operator's decisions, as they are now.
    let policy: @Sendable () -> RoomPolicy
    private let format = JournalFormat()

    /// When it runs.
    private(set) var now: Instant
    /// Milliseconds since 1970.
    private(set) var wallNow: Int64

    var phase = RoomPhase.loading
    /// The server stops: no more commands are taken.
    var isDraining = false
    var epoch: UInt64 = 0
    var state: DurableRoomState
    var recent = RecentNews()
    var attendance = Attendance()
    /// Whether somebody was heard speaking, as was last told.
    var isAnybodySpeaking = false
    var deadlines = Deadlines()
    var points = GainedPoints()
    private(set) var effects: [Effect] = []

    init(key: RoomKey, policy: @escaping @Sendable () -> RoomPolicy, at clock: any TimeSource) {
        self.key = key
        self.policy = policy
        state = DurableRoomState(room: key.room)
        now = clock.now
        wallNow = clock.roomTime.millisecondsSince1970
    }

    /// Another turn: what the one before has brought has been acted on.
    mutating func begin(at clock: any TimeSource) {
        now = clock.now
        wallNow = clock.roomTime.millisecondsSince1970
    }

    // MARK: What decisions are made of

    var context: DecisionContext {
        DecisionContext(now: wallNow, people: attendance.people, policy: policy(), peak: attendance.peak)
    }
    /// What must be on the disk before anything that is said now may leave. While the room is being loaded nothing is
    /// said of its state.
    var watermark: UInt64 { phase == .loading ? 0 : state.progress.position }
    /// As lists show it.
    var info: RoomInfo { state.info(memberCount: attendance.count, speaking: isAnybodySpeaking) }

    /// Whether something can be decided: the room has not been lost with its journal, and its end has not been decided.
    var isOpen: Bool { phase == .open && state.progress.phase == .open }

    /// Why nothing can be asked of the room now.
    var closedness: RoomError? {
        if isDraining { return RoomCore.unavailable }
        return switch phase {
        case .loading: RoomCore.unavailable
        case .empty: RoomError(.roomNotFound)
        case .over: RoomError(.roomClosed)
        case .open: state.progress.phase == .ended ? RoomError(.roomClosed) : nil
        }
    }

    /// Whether the session is in the room.
    func checkPresent(_ session: SessionToken) throws(RoomError) {
        if let error = closedness { throw error }
        guard attendance.profile(of: session) != nil else { throw RoomError(.notInRoom) }
    }

    /// Nothing but what is stored is true.
    mutating func install(_ rebuilt: RebuiltRoom) {
        state = rebuilt.state
        recent = rebuilt.recent
        epoch = rebuilt.epoch
        phase = state.progress.phase == .open ? .open : .empty
    }

    // MARK: Effects

    mutating func add(_ effect: Effect) { effects.append(effect) }
    mutating func add(_ effect: Outward) { effects.append(.out(effect)) }

    var hasEffects: Bool { !effects.isEmpty }

    /// Takes out what is to be done, in its order.
    /// - Parameter buffer: an empty one.
    mutating func exchangeEffects(_ buffer: inout [Effect]) { swap(&effects, &buffer) }

    /// Answers somebody, in the order of the room; it changes nothing.
    mutating func answer<Value>(_ reply: @escaping Reply<Value>, _ result: Result<Value, RoomError>) {
        add(.release(Release(needs: watermark, answer: PlannedAnswer(reply, result))))
    }

    /// What says nothing new of the durable state (presence, who came and went): in its place in the order, and also if what stands
    /// before it fails.
    /// - Parameter peer: whose way on the media plane is closed before.
    mutating func inOrder(_ effects: [Effect], closing peer: PeerID? = nil, answer: PlannedAnswer? = nil) {
        add(
            .release(
                Release(needs: watermark, closing: peer, answer: answer, afterwards: effects, otherwise: effects)))
    }

    /// Tells people something that says nothing new of the durable state, in its place in the order.
    mutating func tellInOrder(_ announcement: Announcement) { inOrder([.out(.tell(announcement))]) }
    mutating func tellInOrder(_ news: PassingNews) { tellInOrder(Announcement(.passing(news))) }

    // MARK: Deciding

    /// What is answered to a command that was decided, before it is carried out: how far its changes are numbered.
    func outcome(of decision: Decision) -> CommandOutcome {
        let numbered = decision.events.count { $0.isNumbered }
        return CommandOutcome(decision.result, seq: numbered > 0 ? state.progress.seq + UInt64(numbered) : nil)
    }

    /// Makes a decision true: applies it, and has it stored. With no events only the answer waits, for what it could have seen; under a
    /// key it is stored all the same, or a repeat would find another room and do something.
    mutating func carryOut(_ decision: Decision, _ sequel: Sequel = Sequel()) {
        guard !decision.events.isEmpty || sequel.keyed != nil else {
            if let line = sequel.line { add(.note(line)) }
            return add(.release(Release(needs: watermark, sequel)))
        }
        let accepted = AcceptedCommand(
            time: wallNow, by: sequel.by, events: decision.events, answer: sequel.keyed,
            peak: attendance.peak > state.figures.peak ? attendance.peak : nil)
        let context = NewsContext(
            accepted, people: attendance.people, memberCount: attendance.count, isAnybodySpeaking: isAnybodySpeaking)
        let former = StageView(state)
        var said: [Announcement] = []
        let payload: [UInt8]
        do {
            payload = try format.encode(accepted)
            try state.apply(accepted) { event, before, after in
                if let announcement = after.announcement(of: event, before: before, context) {
                    said.append(announcement)
                }
            }
        } catch {
            add(.log(.inapplicable(key, "\(error)")))
            return add(.release(Release(needs: watermark, sequel, isRefused: true)))
        }
        if accepted.isBeginning {
            phase = .open
            recent = RecentNews(seq: state.progress.seq, chat: state.progress.chat)
        }
        for announcement in said { recent.append(announcement.news) }
        add(
            .submit(
                Submission(
                    accepted: accepted, payload: payload, position: state.progress.position, said: said, info: info,
                    steps: StageView(state).steps(from: former, of: key.application), sequel: sequel)))
    }
}

extension RoomTurn {
    /// Sets the timers that accepted events ask for.
    mutating func wait(for accepted: AcceptedCommand) {
        for event in accepted.events {
            switch event {
            case .invitationSent(let invitation):
                guard let expiry = invitation.expiresAt else { continue }
                deadlines.set(.invitation(invitation.id), at: now + .milliseconds(expiry - accepted.time))
            case .invitationSettled(let settled):
                deadlines.cancel(.invitation(settled.id))
                for consent in state.invitations.consents where consent.since == accepted.time {
                    deadlines.set(.consent(consent.user), at: now + .seconds(Int64(policy().consentSeconds)))
                }
            case .songChanged: awaitEndOfSong()
            default: break
            }
        }
    }

    /// Its end is a time of day, the timer counts from now: should the two disagree, it is asked again.
    /// While the room is being loaded, or ends, nothing can end it: the load sets the timer anew.
    mutating func awaitEndOfSong() {
        guard isOpen, let end = state.chorus.play?.endsAt else { return deadlines.cancel(.song) }
        let left = end + Chorus.songTailMs - wallNow
        deadlines.set(.song, at: now + .milliseconds(max(left, 1)))
    }

    /// Restarts the timers of what waits for an answer, and of the song.
    mutating func startClocks() {
        for invitation in state.invitations.waiting {
            guard let expiry = invitation.expiresAt else { continue }
            let whole = expiry - invitation.createdAt
            deadlines.set(.invitation(invitation.id), at: now + .milliseconds(min(max(0, expiry - wallNow), whole)))
        }
        let whole = Int64(policy().consentSeconds) * 1_000
        for consent in state.invitations.consents {
            let left = min(max(0, consent.since + whole - wallNow), whole)
            deadlines.set(.consent(consent.user), at: now + .milliseconds(left))
        }
        // No clock begins anew here: the song went on in people's ears.
        awaitEndOfSong()
    }
}

/// Legal successors: `loading` → `open`, `empty`, `over`; `empty` → `open`; `open` → `loading` when the journal
/// fails, → `over`.
enum RoomPhase: Equatable {
    /// The journal is being read.
    case loading
    /// Nobody has created the room yet.
    case empty
    case open
    case over
}
