import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Timing

@testable import RoomService

/// Rooms, journal and ledger of one node, and the people in them, step by step: whatever happens is drawn from the seed, at a time that is
/// drawn too. What must hold is looked at after each step.
final class Simulation {
    /// A mistake that is made on purpose, to see it found.
    enum Plant { case lostTransfer }

    typealias Violation = Truths.Violation

    private enum Action {
        case person(Int)
        case commit
        case aside
        case deliver
        /// Nobody does anything for a while.
        case pause
        case erase
        case kill
    }

    private struct Due {
        var time: Instant
        var serial: Int
        var action: Action
    }

    private static let application = ApplicationID(1_400_000_001)
    private static let kinds: [RoomKind] = [.live, .live, .live, .voice]
    private static let peopleCount = 8

    private let plant: Plant?
    private let clock = VirtualRoomClock()
    private let disk: SimulatedDisk
    private let node: SimulatedNode
    private var chance: Chance
    private var due: [Due] = []
    private var serial = 0
    private let people: [SimulatedPerson]
    private let keys: [RoomKey]
    private var whims: Whims
    private var truths: Truths
    private var witness: Witness
    private var sessions: UInt64 = 0
    private var isCommitDue = false
    private var isDeliveryDue = false
    private var hasPlanted = false
    private var changesSeen = 0

    var trace: Trace { witness.trace }
    var counts: Counts {
        var counts = witness.counts
        counts.lives = truths.endedCount
        return counts
    }

    init(seed: UInt64, plant: Plant? = nil) async throws {
        self.plant = plant
        chance = Chance(seed: seed)
        disk = try SimulatedDisk(clock: clock)
        node = SimulatedNode(clock: clock, disk: disk)
        people = try (0..<Self.peopleCount).map { SimulatedPerson(try Self.user($0)) }
        keys = try Self.kinds.indices.map(Self.key)
        whims = Whims(keys, people.map(\.profile.id))
        truths = Truths(keys)
        witness = Witness(disk)
        for index in keys.indices { try await begin(index) }
        for (index, person) in people.enumerated() {
            disk.give(100_000, to: person.profile.id, in: Self.application)
            schedule(.person(index), within: .seconds(1))
        }
        schedule(.kill, within: .seconds(10))
        schedule(.aside, within: .seconds(1))
        schedule(.pause, within: .seconds(20))
        schedule(.erase, within: .seconds(60))
    }

    private static func user(_ number: Int) throws -> UserID {
        guard let user = UserID("user-\(number)") else { throw Violation(description: "no user id") }
        return user
    }

    private static func key(_ number: Int) throws -> RoomKey {
        guard let room = RoomID(number: UInt32(10_000 + number)) else { throw Violation(description: "no room id") }
        return RoomKey(application: application, room: room)
    }

    private var program: Operator {
        Operator(UserID.program(people[0].profile.id), scopes: Set(OperatorScope.allCases))
    }

    // MARK: Rooms

    /// Two people are at home in each room; the first owns it. The first of all has two rooms.
    private func home(of person: Int) -> Int { person % keys.count }
    private func owner(of room: Int) -> SimulatedPerson { people[room == keys.count - 1 ? 0 : room] }

    /// Opens a room that lasts, for its owner, also where one has ended.
    private func begin(_ room: Int) async throws {
        let key = keys[room]
        try await node.open(key, toCreate: true)
        node.rooms[key]?.found(
            RoomCreation(
                room: key.room, kind: Self.kinds[room], settings: RoomSettings(name: "Hall \(whims.words())"),
                seats: Array(repeating: SeatSetup(), count: 4)),
            for: owner(of: room).profile, by: program, key: nil
        ) { _ in }
        disk.commit()
        node.settle()
        try await node.reload()
        try truths.read(disk)
    }

    // MARK: Time

    private func schedule(_ action: Action, within limit: Interval) {
        serial += 1
        let wait = Interval.microseconds(Int64(chance.number(1..<Int(limit.nanoseconds / 1_000) + 1)))
        due.append(Due(time: clock.now + wait, serial: serial, action: action))
    }

    /// Lets so many things happen.
    func run(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
    }

    private func step() async throws {
        guard let next = due.indices.min(by: { (due[$0].time, due[$0].serial) < (due[$1].time, due[$1].serial) }) else {
            return
        }
        let one = due.remove(at: next)
        node.advance(by: max(one.time - clock.now, .zero))
        witness.counts.steps += 1
        witness.note("\(witness.counts.steps) \(clock.now.nanoseconds) \(one.action)")
        try await perform(one.action)
        node.settle()
        try await node.reload()
        if disk.hasWork, !isCommitDue {
            isCommitDue = true
            schedule(.commit, within: .milliseconds(20))
        }
        if node.hasParcels, !isDeliveryDue {
            isDeliveryDue = true
            schedule(.deliver, within: .milliseconds(20))
        }
        try check()
    }

    private func perform(_ action: Action) async throws {
        switch action {
        case .person(let index):
            try await act(index)
            schedule(.person(index), within: .milliseconds(400))
        case .commit: try commit()
        case .aside:
            node.workAside()
            schedule(.aside, within: .seconds(1))
        case .deliver:
            isDeliveryDue = false
            deliver(losing: 5)
        case .pause:
            try await pause()
            schedule(.pause, within: .seconds(20))
        case .erase:
            try await erase()
            schedule(.erase, within: .seconds(60))
        case .kill:
            try await kill()
            schedule(.kill, within: .seconds(10))
        }
    }

    /// Nobody does anything for a while, and all goes well: what has a time comes to its end.
    private func pause() async throws {
        let start = clock.now
        for _ in 0..<chance.number(5..<40) { try await quiet(.seconds(1)) }
        for index in due.indices { due[index].time = due[index].time + (clock.now - start) }
    }

    private func quiet(_ interval: Interval) async throws {
        disk.commit()
        node.settle()
        while node.hasParcels { deliver(losing: 0) }
        node.advance(by: interval)
        try await node.reload()
        try check()
    }

    // MARK: The disk and the bus

    private func commit() throws {
        isCommitDue = false
        let fate: SimulatedDisk.Fate = chance.percent(3) ? .failed : chance.percent(2) ? .storedUntold : .stored
        switch fate {
        case .stored: break
        case .failed: witness.counts.failedCommits += 1
        case .storedUntold: witness.counts.untoldCommits += 1
        }
        disk.commit(fate)
        if plant == .lostTransfer, !hasPlanted, counts.gifts > 10 {
            hasPlanted = true
            try disk.loseLastTransfer()
        }
        node.settle()
    }

    private func deliver(losing share: Int) {
        let isLost = chance.percent(share)
        guard let parcel = node.deliver(isLost: isLost) else { return }
        if isLost { witness.counts.lostParcels += 1 }
        witness.note("\(parcel.from.room) to \(parcel.to.room)\(isLost ? " lost" : "")")
        guard !isLost, case .letter(let letter, _) = parcel.content else { return }
        switch letter.content {
        case .challenge: witness.counts.challenges += 1
        case .answered(.accepted, _, _, _): witness.counts.links += 1
        case .result: witness.counts.results += 1
        default: break
        }
    }

    /// The process ends between any two steps. What was on its way to the disk is gone, or has reached it, and nobody was told.
    private func kill() async throws {
        witness.counts.kills += 1
        node.kill()
        if chance.percent(50) { disk.commit() }
        try disk.begin()
        isCommitDue = false
        for person in people { person.disconnect() }
        try await node.start()
    }

    // MARK: People

    private func act(_ index: Int) async throws {
        let (person, key) = (people[index], keys[home(of: index)])
        guard let core = node.rooms[key], let truth = truths[key] else {
            // Somebody finds it after a while.
            if chance.percent(20) { try await begin(home(of: index)) }
            return
        }
        guard person.isConnected else { return enter(person, core) }
        guard person.isInside else { return }
        switch chance.number(0..<100) {
        case 0..<4:
            core.detach(person.session ?? SessionToken(rawValue: 0), from: person.outbox, why: .lost)
            person.disconnect()
        case 4..<10: repeatWish(person, core)
        case 10: complain(person, core)
        case 11 where chance.percent(10): core.inTurn { $0.decide(.dismissed, in: &$1) }
        default:
            guard let wanted = whims.key() else { return }
            ask(Wish(whims.command(of: person.profile.id, in: truth, &chance), wanted), person, core)
        }
    }

    private func enter(_ person: SimulatedPerson, _ core: RoomCore) {
        if person.session == nil || chance.percent(20) {
            sessions += 1
            person.session = SessionToken(rawValue: sessions)
            person.point = nil
        }
        guard let attendee = person.connect() else { return }
        core.attach(attendee, since: person.point) { [entry = person.entry] in entry.add($0) }
    }

    private func ask(_ wish: Wish, _ person: SimulatedPerson, _ core: RoomCore) {
        guard let session = person.session else { return }
        person.wishes.append(wish)
        core.submit(wish.command, from: session, key: wish.key) { wish.answer($0) }
    }

    /// Asks for something again that was granted, or of which nobody knows what became of it.
    private func repeatWish(_ person: SimulatedPerson, _ core: RoomCore) {
        let granted = person.granted.last?.wish
        guard let former = chance.percent(50) ? person.doubtful.popLast() ?? granted : granted else { return }
        witness.counts.repeats += 1
        ask(Wish(former.command, former.key), person, core)
    }

    private func complain(_ person: SimulatedPerson, _ core: RoomCore) {
        guard let session = person.session, let whom = chance.pick(whims.people), whom != person.profile.id else {
            return
        }
        let complaint = Complaint(words: whims.words())
        person.complaints.append(complaint)
        let draft = ReportDraft(whom, cause: .abuse, words: complaint.words)
        core.inTurn { parts, turn in
            parts.reporting.report(draft, by: session, reply: { complaint.answer.add($0) }, in: &turn)
        }
    }

    /// The operator erases somebody: their session ends, open rooms forget them, then the store does.
    private func erase() async throws {
        let index = chance.number(0..<people.count)
        let (person, caller) = (people[index], program)
        let (user, name) = (person.profile.id, person.profile.name)
        if let session = person.session { node.rooms[keys[home(of: index)]]?.detach(session, from: nil, why: .left) }
        person.beErased()
        let answers = Arrived<Result<Int, RoomError>>()
        var owed = 0
        for key in node.keys {
            owed += 1
            node.rooms[key]?.erase(user, by: caller) { answers.add($0) }
        }
        var hasFailed = false
        for _ in 0..<50 where owed > 0 {
            try await quiet(.milliseconds(100))
            for answer in answers.take() {
                owed -= 1
                if case .failure(let error) = answer, error.code != .roomClosed { hasFailed = true }
            }
        }
        // Whoever asked is told so, and asks again.
        guard owed == 0, !hasFailed else { return }
        try await disk.erase(user, of: Self.application)
        disk.moderation.restrictions.forgetWords(of: user, in: Self.application)
        witness.counts.erased += 1
        try truths.read(disk)
        try truths.erase(name, from: disk)
    }

    // MARK: What must hold

    private func check() throws {
        if let fault = node.faults.first { throw Violation(description: fault) }
        if disk.changes != changesSeen {
            changesSeen = disk.changes
            try truths.read(disk)
            if try disk.sum(Self.application) != 0 { throw Violation(description: "the ledger does not sum to nought") }
        }
        for (index, person) in people.enumerated() {
            try witness.listen(
                person, keys[home(of: index)], &truths, at: clock.wallTime.millisecondsSince1970)
        }
    }

    /// Everything is well again: what is begun is finished, and nothing is owed to anybody.
    func end() async throws {
        for _ in 0..<300 { try await quiet(.milliseconds(200)) }
        try truths.checkAtEnd(on: disk)
        for person in people {
            if let open = person.wishes.first {
                throw Violation(description: "\(person.profile.id.rawValue) waits for \(open.key.rawValue)")
            }
        }
    }
}
