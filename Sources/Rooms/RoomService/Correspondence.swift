import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What a room says to other rooms, and hears from them. A letter is said again until the other room has stored it.
final class Correspondence {
    static let repeatInterval = Interval.seconds(1)
    /// Points are told to the other room so often at most.
    static let pointsInterval = Interval.milliseconds(500)
    /// A PK waits so long for a host whose connection is lost.
    static let hostPatience = Interval.seconds(15)
    /// So many likes of one person count as points: more is a machine.
    static let pointsAllowance = Allowance(burst: 5, perSecond: 5)

    private unowned let core: RoomCore
    /// Of those who have liked since the PK began.
    private var allowances: [UserID: TokenBucket] = [:]
    /// Made of likes that are not stored yet.
    private var gained: UInt64 = 0

    init(_ core: RoomCore) { self.core = core }

    private var state: DurableRoomState { core.state }

    private func send(_ content: RoomParcel.Content, to room: RoomID) {
        core.dependencies.bus.send(
            RoomParcel(
                from: core.key, to: RoomKey(application: core.key.application, room: room), content))
    }

    // MARK: Saying

    /// What has just been stored leaves.
    func send(_ letters: [RoomLetter]) {
        for letter in letters { send(.letter(letter), to: letter.to) }
    }

    /// After accepted events: what is due next between rooms, and when letters are said again.
    func wait(for events: [RoomEvent]) {
        for event in events {
            switch event {
            case .pkChanged(let pk, _):
                if pk.match?.phase != .running { allowances = [:] }
                awaitPK()
                awaitHost()
            case .challengeChanged, .challengesPaused: awaitPK()
            case .letterPosted: awaitDelivery()
            case .pointsChanged:
                if !core.deadlines.isSet(.points) { core.deadlines.set(.points, at: core.now + Self.pointsInterval) }
            default: break
            }
        }
    }

    /// Its end is a time of day, the timer counts from now: should the two disagree, it is asked again.
    func awaitPK() {
        guard let time = state.nextPKTime else { return core.deadlines.cancel(.pk) }
        core.deadlines.set(.pk, at: core.now + .milliseconds(max(time - core.wallNow, 1)))
    }

    /// The host's connection, or the way of their sound, is lost or back, or a PK has begun or ended.
    func awaitHost() {
        guard core.phase == .open, state.pk.match?.isOn == true,
            core.people.presence(of: state.owner.id) == .reconnecting
        else { return core.deadlines.cancel(.host) }
        if !core.deadlines.isSet(.host) { core.deadlines.set(.host, at: core.now + Self.hostPatience) }
    }

    private func awaitDelivery() {
        guard !state.mail.outbox.isEmpty, !core.deadlines.isSet(.letters) else { return }
        core.deadlines.set(.letters, at: core.now + Self.repeatInterval)
    }

    /// The other rooms may not have got them.
    func repeatLetters() {
        guard core.phase == .open else { return }
        let letters = state.mail.outbox
        core.inOrder { [unowned self] in send(letters) }
        awaitDelivery()
    }

    /// After a load: what waits is said again, and rooms that should be there are asked whether they are.
    func begin() {
        repeatLetters()
        let others =
            state.pk.links.map { ($0.id, $0.room) } + [state.challenge].compactMap { $0.map { ($0.id, $0.room) } }
        core.inOrder { [unowned self] in for (session, room) in others { send(.greeting(session: session), to: room) } }
        awaitPK()
        awaitHost()
    }

    // MARK: Hearing

    func hear(_ parcel: RoomParcel) {
        let other = parcel.from.room
        guard core.phase != .over, state.phase != .ended else { return refuse(parcel) }
        // What is being read again from the disk hears it when it comes once more.
        guard core.phase == .open, core.draining.isEmpty else { return }
        switch parcel.content {
        case .letter(let letter):
            let heard = state.mail.heard(in: letter.session)
            let confirm = { [unowned self] in send(.delivered(session: letter.session, step: letter.step), to: other) }
            if letter.step <= heard { return core.inOrder(confirm) }
            guard letter.step == heard + 1 else { return }
            core.carryOut(.letter(letter, from: other), afterwards: confirm)
        case .delivered(let session, let step): core.carryOut(.delivered(session: session, step: step))
        case .points(let points, let session): core.carryOut(.points(points, session: session))
        case .greeting(let session):
            let isKnown = state.pk.links.contains { $0.id == session } || state.challenge?.id == session
            if !isKnown { core.inOrder { [unowned self] in send(.noReader(session: session), to: other) } }
        case .noReader(let session): core.carryOut(.partnerGone(session: session))
        }
    }

    private func refuse(_ parcel: RoomParcel) {
        if let answer = parcel.refusal { core.dependencies.bus.send(answer) }
    }

    // MARK: Points

    /// Somebody likes while a PK runs.
    func gain(_ count: Int, by user: UserID) {
        guard isCounting else { return }
        var allowance = allowances[user] ?? TokenBucket(Self.pointsAllowance, now: core.now)
        var counted: UInt64 = 0
        while counted < count, allowance.take(now: core.now) { counted += 1 }
        allowances[user] = allowance
        gained += counted
    }

    /// Somebody has given something while a PK runs: what it cost counts.
    func gain(coins: Int) {
        guard isCounting else { return }
        gained += UInt64(coins)
    }

    private var isCounting: Bool {
        guard let match = state.pk.match, match.phase == .running, let start = match.startAt, let end = match.endAt
        else { return false }
        return (start..<end).contains(core.wallNow)
    }

    /// The event that goes with the likes or gifts that are stored now.
    func takeGained() -> RoomEvent? {
        defer { gained = 0 }
        return state.pointsGained(gained)
    }

    func tellPoints() {
        guard core.phase == .open, let match = state.pk.match, match.phase == .running,
            let link = state.pk.links.first(where: { $0.id == match.link })
        else { return }
        let points = match.ours
        core.inOrder { [unowned self] in send(.points(points, session: link.id), to: link.room) }
    }
}

extension RoomParcel {
    /// What comes back where there is no such room; nil: nobody waits for an answer.
    var refusal: RoomParcel? {
        switch content {
        case .letter(let letter): RoomParcel(from: to, to: from, .noReader(session: letter.session))
        case .greeting(let session): RoomParcel(from: to, to: from, .noReader(session: session))
        case .delivered, .points, .noReader: nil
        }
    }
}
