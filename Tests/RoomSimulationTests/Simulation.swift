import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import SeededRandom
import Timing

/// Rooms, journal and ledger of one node, and the people in them, step by step: whatever happens is drawn from the seed, at a time that is
/// drawn too. What must hold is looked at after each step.
final class Simulation {
    /// A mistake that is made on purpose, to see it found.
    enum Plant { case lostTransfer }

    struct Violation: Error, CustomStringConvertible { var description: String }

    private enum Action {
        case person(Int)
        case commit
        case aside
        case kill
    }

    private struct Due {
        var time: Instant
        var serial: Int
        var action: Action
    }

    private static let application = ApplicationID(1_400_000_001)
    private static let roomCount = 2
    private static let peopleCount = 6

    private let plant: Plant?
    private let clock = VirtualRoomClock()
    private let disk: SimulatedDisk
    private let node: SimulatedNode
    private var generator: SeededGenerator
    private var due: [Due] = []
    private var serial = 0
    private var people: [SimulatedPerson] = []
    private var home: [RoomKey] = []
    private var truths: [RoomKey: Truth] = [:]
    private var sessions: UInt64 = 0
    private var keys = 0
    private var isCommitDue = false
    private var hasPlanted = false
    private(set) var trace = Trace()
    private(set) var counts = Counts()

    /// What has happened, so that a test can see that it has.
    struct Counts: Equatable {
        var steps = 0, kills = 0, failedCommits = 0, gifts = 0, messages = 0, gaps = 0, repeats = 0, refusals = 0
    }

    init(seed: UInt64, plant: Plant? = nil) async throws {
        self.plant = plant
        generator = SeededGenerator(seed: seed)
        disk = try SimulatedDisk(clock: clock)
        node = SimulatedNode(clock: clock, disk: disk)
        for number in 0..<Self.peopleCount {
            people.append(SimulatedPerson(UserProfile(id: try Self.user(number), name: "Person \(number)")))
        }
        for number in 0..<Self.roomCount { try await found(number) }
        for (index, person) in people.enumerated() {
            home.append(try key(index % Self.roomCount))
            disk.give(100_000, to: person.profile.id, in: Self.application)
            schedule(.person(index), within: .seconds(1))
        }
        schedule(.kill, within: .seconds(10))
        schedule(.aside, within: .seconds(1))
    }

    private static func user(_ number: Int) throws -> UserID {
        guard let user = UserID("user-\(number)") else { throw Violation(description: "no user id") }
        return user
    }

    private func key(_ number: Int) throws -> RoomKey {
        guard let room = RoomID(number: UInt32(10_000 + number)) else { throw Violation(description: "no room id") }
        return RoomKey(application: Self.application, room: room)
    }

    /// Opens a room that lasts, for one of the people.
    private func found(_ number: Int) async throws {
        let key = try key(number)
        try await node.open(key)
        let program = Operator(UserID.program(try Self.user(0)), scopes: [])
        node.rooms[key]?.found(
            RoomCreation(
                room: key.room, kind: .voice, settings: RoomSettings(name: "Room \(number)"),
                seats: Array(repeating: SeatSetup(), count: 4)),
            for: people[number].profile, by: program, key: nil
        ) { _ in }
        disk.commit()
        node.settle()
        truths[key] = Truth(key)
        try followDisk()
    }

    // MARK: Time

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    private func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    private func schedule(_ action: Action, within limit: Interval) {
        serial += 1
        let wait = Interval.microseconds(Int64(number(1..<Int(limit.nanoseconds / 1_000) + 1)))
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
        counts.steps += 1
        trace.add("\(counts.steps) \(clock.now.nanoseconds) \(one.action)")
        switch one.action {
        case .person(let index):
            act(people[index], home[index])
            schedule(.person(index), within: .milliseconds(400))
        case .commit: try commit()
        case .aside:
            node.workAside()
            schedule(.aside, within: .seconds(1))
        case .kill:
            try await kill()
            schedule(.kill, within: .seconds(10))
        }
        node.settle()
        try await node.reload()
        if disk.hasWork, !isCommitDue {
            isCommitDue = true
            schedule(.commit, within: .milliseconds(20))
        }
        try check()
    }

    // MARK: The disk

    private func commit() throws {
        isCommitDue = false
        let fails = chance(3)
        if fails { counts.failedCommits += 1 }
        disk.commit(fails ? .failed : .stored)
        if plant == .lostTransfer, !hasPlanted, counts.gifts > 10 {
            hasPlanted = true
            try disk.loseLastTransfer()
        }
        node.settle()
    }

    private func followDisk() throws {
        for key in truths.keys {
            if let fault = try truths[key]?.read(disk) { throw Violation(description: fault) }
        }
    }

    /// The process ends between any two steps. What was on its way to the disk is gone, or has reached it, and nobody was told.
    private func kill() async throws {
        counts.kills += 1
        node.kill()
        if chance(50) { disk.commit() }
        disk.begin()
        isCommitDue = false
        for person in people { person.disconnect() }
        for number in 0..<Self.roomCount { try await node.open(try key(number)) }
    }

    // MARK: People

    private func act(_ person: SimulatedPerson, _ room: RoomKey) {
        guard let core = node.rooms[room] else { return }
        guard person.isConnected else {
            if !person.isInside, person.session.rawValue == 0 || chance(20) {
                sessions += 1
                person.session = SessionToken(rawValue: sessions)
                person.point = nil
            }
            let attendee = person.connect()
            core.attach(attendee, since: person.point) { [entry = person.entry] in entry.set($0) }
            return
        }
        guard person.isInside else { return }
        switch number(0..<100) {
        case 0..<4:
            core.detach(person.session, from: person.outbox, why: .lost)
            person.disconnect()
        case 4..<10: repeatWish(person, core)
        default:
            keys += 1
            guard let key = IdempotencyKey("key-\(keys)") else { return }
            ask(Wish(command(), key), person, core)
        }
    }

    private func ask(_ wish: Wish, _ person: SimulatedPerson, _ core: RoomCore) {
        person.wishes.append(wish)
        core.submit(wish.command, from: person.session, key: wish.key) { wish.answer($0) }
    }

    /// Asks for something again that was granted, or of which nobody knows what became of it.
    private func repeatWish(_ person: SimulatedPerson, _ core: RoomCore) {
        let former = chance(50) ? person.doubtful.popLast() ?? person.granted.last?.wish : person.granted.last?.wish
        guard let former else { return }
        counts.repeats += 1
        ask(Wish(former.command, former.key), person, core)
    }

    private func command() -> RoomCommand {
        switch number(0..<12) {
        case 0, 1: .takeSeat(TakeSeat(number(0..<4)))
        case 2: .leaveSeat
        case 3: .setMicrophone(SetMicrophone(muted: chance(50)))
        case 4: .muteSeat(MuteSeat(number(0..<4), muted: chance(50)))
        case 5, 6: .sendMessage(MessageDraft(.text("text \(keys)")))
        case 7: .sendLikes(SendLikes(number(1..<9)))
        case 8: .updateRoom(RoomUpdate(name: "Name \(keys)"))
        default: .sendGift(GiftDraft(gift: chance(90) ? "rose" : "crown", count: number(1..<4), to: nil))
        }
    }

    // MARK: What must hold

    private func check() throws {
        if let fault = node.faults.first { throw Violation(description: fault) }
        try followDisk()
        for (person, room) in zip(people, home) { try listen(person, room) }
        if try disk.sum(Self.application) != 0 { throw Violation(description: "the ledger does not sum to nought") }
    }

    private func listen(_ person: SimulatedPerson, _ room: RoomKey) throws {
        if let entry = person.entry.take() { try hear(entry, person, room) }
        for heard in person.outbox.drain() {
            guard case .news(let event, _) = heard, var point = person.point else { continue }
            trace.add("\(person.profile.id.rawValue) \(event.summary)")
            if let fault = truths[room]?.hear(event, after: &point) { throw Violation(description: fault) }
            person.point = point
        }
        for wish in person.wishes {
            for answer in wish.takeAnswers() { try hear(answer, to: wish, person, room) }
        }
        person.wishes.removeAll { $0.isAnswered }
    }

    private func hear(_ entry: Result<RoomEntry, RoomError>, _ person: SimulatedPerson, _ room: RoomKey) throws {
        switch entry {
        case .success(.snapshot(let snapshot)):
            person.isInside = true
            if let truth = truths[room], snapshot.seq > truth.state.seq || snapshot.chat > truth.state.chat {
                throw Violation(description: "an entry tells of what is not stored")
            }
            person.point = ResumePoint(epoch: snapshot.epoch, seq: snapshot.seq, chat: snapshot.chat)
        case .success(.resumed(let gap)):
            counts.gaps += 1
            person.isInside = true
            guard var point = person.point else { throw Violation(description: "a gap since nothing") }
            for event in gap.events {
                if let fault = truths[room]?.hear(event, after: &point) { throw Violation(description: fault) }
            }
            guard point.seq == gap.seq, point.chat == gap.chat else {
                throw Violation(description: "the gap ends at \(point), the room is at \(gap.seq), \(gap.chat)")
            }
            person.point = ResumePoint(epoch: gap.epoch, seq: gap.seq, chat: gap.chat)
        case .failure: person.disconnect()
        }
        trace.add("\(person.profile.id.rawValue) is in at \(person.point.map { "\($0)" } ?? "no point")")
    }

    private func hear(
        _ answer: Result<CommandOutcome, RoomError>, to wish: Wish, _ person: SimulatedPerson, _ room: RoomKey
    ) throws {
        let name = person.profile.id.rawValue
        switch answer {
        case .failure(let error):
            trace.add("\(name) \(wish.key.rawValue) \(error.code.name)")
            counts.refusals += 1
            if error.code == .unavailable { person.doubtful.append(wish) }
            if error.code != .unavailable, case .sendMessage(let draft) = wish.command,
                case .text(let text) = draft.body,
                truths[room]?.holds(text) == true, error.code != .notInRoom
            {
                throw Violation(description: "\(wish.key.rawValue) is refused and stored")
            }
        case .success(let outcome):
            trace.add("\(name) \(wish.key.rawValue) \(outcome.result)")
            if let first = person.granted.first(where: { $0.wish.key == wish.key }), first.result != outcome.result {
                throw Violation(description: "\(wish.key.rawValue) has two answers")
            }
            try checkGranted(outcome.result, wish, person, room)
            if !outcome.result.isLiked { person.granted = person.granted.suffix(20) + [(wish, outcome.result)] }
        }
    }

    /// Whoever is told that something is done finds it on the disk.
    private func checkGranted(
        _ result: CommandResult, _ wish: Wish, _ person: SimulatedPerson, _ room: RoomKey
    ) throws {
        switch (result, wish.command) {
        case (.sent(let chat, _), .sendMessage(let draft)):
            counts.messages += 1
            if truths[room]?.message(chat)?.body != draft.body {
                throw Violation(description: "\(wish.key.rawValue) is told as sent and is not on the disk")
            }
        case (.gifted(let number, let balance), .sendGift(let draft)):
            counts.gifts += 1
            let key = TransferKey(draft, by: person.profile.id, in: room, key: wish.key)
            guard let paid = try disk.transfer(key), paid.id == number, paid.fromBalance == balance else {
                throw Violation(description: "\(wish.key.rawValue) is told as paid and is not in the ledger")
            }
        default: break
        }
    }

    /// Everything is well again: what is begun is finished, and nothing is owed to anybody.
    func end() async throws {
        for _ in 0..<200 {
            disk.commit()
            node.advance(by: .milliseconds(100))
            try await node.reload()
            try check()
        }
        for truth in truths.values {
            if let fault = try truth.check(against: disk) { throw Violation(description: fault) }
        }
        for person in people {
            if let open = person.wishes.first {
                throw Violation(description: "\(person.profile.id.rawValue) waits for \(open.key.rawValue)")
            }
        }
    }
}

extension CommandResult {
    /// Its total goes on growing.
    fileprivate var isLiked: Bool { if case .liked = self { true } else { false } }
}

extension RoomNewsEvent {
    /// What of it is the same in each run.
    fileprivate var summary: String {
        switch self {
        case .change(let change): "change \(change.seq) \(change.time)"
        case .message(let message): "message \(message.chat) \(message.body)"
        case .passing, .invitation, .challenge, .restriction: "news"
        }
    }
}

/// What has happened, as a number; the last of it in words.
struct Trace {
    private static let wordsKept = 40

    /// FNV-1a.
    private(set) var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var last: [String] = []

    mutating func add(_ line: String) {
        for byte in line.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        last.append(line)
        if last.count > Self.wordsKept { last.removeFirst() }
    }
}
