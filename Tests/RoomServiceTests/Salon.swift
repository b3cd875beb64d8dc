import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Synchronization
import Testing
import Timing

/// A value that a test and the room's callbacks share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    var current: Value { value.withLock { $0 } }
    func set(_ new: Value) { value.withLock { $0 = new } }
    func update(_ change: (inout sending Value) -> Void) { value.withLock { change(&$0) } }
}

/// One connection of one person, writing down what it hears.
final class Client: Sendable {
    let user: UserID
    let session: SessionToken
    let box: Shared<RecordingOutbox>
    let departures = Shared<[Departure]>([])
    /// The stays that the room has told as begun, and as over.
    let stays = Shared<[StayNumber]>([])
    let ended = Shared<[StayNumber]>([])
    let isOver = Shared(false)
    /// Whether the end of a stay is written down with what is heard.
    let notesDepartures = Shared(false)
    let entries = Shared<[Result<RoomEntry, RoomError>]>([])

    init(_ user: UserID, _ session: UInt64) {
        self.user = user
        self.session = SessionToken(rawValue: session)
        box = Shared(RecordingOutbox())
    }

    var outbox: RecordingOutbox { box.current }
    var snapshot: RoomSnapshot? {
        if case .success(.snapshot(let snapshot)) = entries.current.last { snapshot } else { nil }
    }
    var resumption: RoomResumption? {
        if case .success(.resumed(let gap)) = entries.current.last { gap } else { nil }
    }

    /// How far this client has seen the room, as a client counts.
    var point: ResumePoint {
        var point = ResumePoint(epoch: 0, seq: 0, chat: 0)
        switch entries.current.last {
        case .success(.snapshot(let snapshot)):
            point = ResumePoint(epoch: snapshot.epoch, seq: snapshot.seq, chat: snapshot.chat)
        case .success(.resumed(let gap)): point = ResumePoint(epoch: gap.epoch, seq: gap.seq, chat: gap.chat)
        case .failure, nil: break
        }
        point.seq = max(point.seq, outbox.changes.last?.seq ?? 0)
        point.chat = max(point.chat, outbox.messages.last?.chat ?? 0)
        return point
    }

    var attendee: Attendee {
        Attendee(
            session: session, profile: .named(user), outbox: outbox,
            mayEnter: { [isOver] in !isOver.current },
            entered: { [stays] stay in stays.update { $0.append(stay) } },
            departed: { [departures, ended, notesDepartures, box] stay, departure in
                if notesDepartures.current { box.current.answer("departed") }
                departures.update { $0.append(departure) }
                ended.update { $0.append(stay) }
            })
    }
}

/// What a room has others do for it: at once, or when the test says so.
final class Aside: Sendable {
    private let waiting = Shared<[@Sendable () -> Void]>([])
    private let isHeld = Shared(false)

    func add(_ work: @escaping @Sendable () -> Void) {
        if isHeld.current { waiting.update { $0.append(work) } } else { work() }
    }

    /// From now on nothing is done.
    func hold() { isHeld.set(true) }

    /// How much waits.
    var count: Int { waiting.current.count }

    func run() {
        let work = waiting.current
        waiting.set([])
        for work in work { work() }
    }
}

/// Stops texts that have one of some words.
struct StoppedWords: TextFilter {
    var words: Set<String>
    /// What it has read.
    var read = Shared<[String]>([])

    func stopped(in text: String) -> String? {
        read.update { $0.append(text) }
        return words.first { text.contains($0) }
    }
}

/// A room at work in one thread and in virtual time.
final class Salon {
    let key: RoomKey
    let stage = StageID(rawValue: 1)
    let clock: VirtualRoomClock
    let journal: MemoryJournal
    let ledger: MemoryLedger
    var restrictions: MemoryRestrictions { journal.restrictions }
    var audit: MemoryAudit { journal.audit }
    let reach = RecordingReach()
    let reports = MemoryReports()
    /// Whom the room wants put out of its host's other rooms.
    let expelled = Shared<[Restriction]>([])
    /// Words that stop a text.
    let stopped = Shared<Set<String>>([])
    /// What the word filter has read.
    let read = Shared<[String]>([])
    let media = RecordingMedia()
    let bus: RecordingBus
    /// Those who listen to the room as it runs now.
    let audiences = Shared<[PlainAudience]>([])
    var audience: PlainAudience { audiences.current[audiences.current.count - 1] }
    /// Other rooms, as the directory shows them.
    let others = Shared<[RoomID: RoomInfo]>([:])
    let policy = Shared(RoomPolicy())
    let catalogue = Shared(Salon.catalogue)
    let infos = Shared<[RoomInfo]>([])
    let logged = Shared<[RoomReport]>([])
    let turnWanted = Shared(false)
    let reloadWanted = Shared(false)
    let hasEnded = Shared(false)
    let aside = Aside()
    /// Looks at messages, and is told what happens.
    let reviewer = ScriptedReviewer()
    private(set) var core: RoomCore
    private var sessions: UInt64 = 0

    init(
        _ mode: MemoryJournal.Mode = .automatic, journal: MemoryJournal = MemoryJournal(),
        ledger: MemoryLedger = MemoryLedger(), room: RoomID = .number(48_213), bus: RecordingBus = RecordingBus(),
        clock: VirtualRoomClock = VirtualRoomClock()
    )
        async throws
    {
        key = RoomKey(application: ApplicationID(1_400_000_001), room: room)
        self.journal = journal
        self.ledger = ledger
        self.clock = clock
        self.bus = bus
        core = Salon.core(
            key, stage, journal, ledger, reports, reach, expelled, stopped, read, media, bus,
            others,
            clock,
            audiences, policy,
            catalogue, infos, logged,
            turnWanted,
            reloadWanted,
            hasEnded,
            aside, reviewer)
        try await load()
        journal.setMode(mode)
    }

    private static func core(
        _ key: RoomKey, _ stage: StageID, _ journal: MemoryJournal, _ ledger: MemoryLedger,
        _ reports: MemoryReports, _ reach: RecordingReach,
        _ expelled: Shared<[Restriction]>, _ stopped: Shared<Set<String>>, _ read: Shared<[String]>,
        _ media: RecordingMedia,
        _ bus: RecordingBus,
        _ others: Shared<[RoomID: RoomInfo]>, _ clock: VirtualRoomClock,
        _ audiences: Shared<[PlainAudience]>, _ policy: Shared<RoomPolicy>,
        _ catalogue: Shared<GiftCatalogue>, _ infos: Shared<[RoomInfo]>,
        _ logged: Shared<[RoomReport]>,
        _ turn: Shared<Bool>, _ reload: Shared<Bool>, _ ended: Shared<Bool>, _ aside: Aside,
        _ reviewer: ScriptedReviewer
    ) -> RoomCore {
        let inbox = RoomInbox()
        inbox.connect { turn.set(true) }
        return RoomCore(
            key: key, stage: stage,
            dependencies: RoomDependencies(
                journal: journal, ledger: ledger,
                moderation: ModerationStores(
                    restrictions: journal.restrictions, audit: journal.audit, reports: reports),
                catalogue: { catalogue.current },
                reach: reach,
                expelElsewhere: { ban, _ in expelled.update { $0.append(ban) } },
                filter: { StoppedWords(words: stopped.current, read: read) }, webhooks: reviewer, review: reviewer,
                media: media,
                bus: bus,
                clock: clock,
                audience: { ready in
                    let audience = PlainAudience(ready: ready)
                    audiences.update { $0.append(audience) }
                    return audience
                },
                policy: { policy.current }, peerNumbers: Serial(), find: { others.current[$0] },
                publish: { listing in infos.update { $0 += [listing?.info].compactMap(\.self) } },
                reload: { reload.set(true) }, ended: { ended.set(true) },
                report: { report in logged.update { $0.append(report) } }, aside: { aside.add($0) }),
            inbox: inbox)
    }

    static let catalogue = GiftCatalogue([
        Gift(id: "rose", name: "Rose", price: 10), Gift(id: "crown", name: "Crown", price: 1_000, isLarge: true),
    ])

    /// Reads the journal, as the directory does at the start and after a failure.
    func load() async throws {
        reloadWanted.set(false)
        core.install(try await RebuiltRoom.read(key, from: journal, ledger, chatLimit: 200))
        settle()
    }

    /// The process is gone, with everything that was not committed; the next one begins with nobody attached.
    func crash() async throws {
        journal.crash()
        core = Salon.core(
            key, stage, journal, ledger, reports, reach, expelled, stopped, read, media, bus,
            others,
            clock,
            audiences, policy,
            catalogue, infos, logged,
            turnWanted,
            reloadWanted,
            hasEnded,
            aside, reviewer)
        try await load()
    }

    /// Gives the room the turns that it asked for.
    func settle() {
        while turnWanted.current {
            turnWanted.set(false)
            core.takeTurn()
        }
    }

    func commit(_ count: Int = .max) {
        journal.commit(count)
        settle()
    }

    func advance(_ interval: Interval) {
        clock.advance(by: interval) { self.settle() }
        settle()
    }

    // MARK: People

    func client(_ user: UserID) -> Client {
        sessions += 1
        return Client(user, sessions)
    }

    /// Somebody creates the room and is in it.
    func create(
        _ owner: UserID = .owner, kind: RoomKind = .voice, seats: Int = 8, needsRequest: Bool = false,
        key: IdempotencyKey? = nil
    ) -> Client {
        let client = client(owner)
        let creation = RoomCreation(
            room: self.key.room, kind: kind, settings: RoomSettings(name: "Salon", needsRequest: needsRequest),
            seats: Array(repeating: SeatSetup(), count: seats))
        core.create(creation, by: client.attendee, key: key) { [entries = client.entries] result in
            entries.update { $0.append(result) }
        }
        settle()
        return client
    }

    func enter(_ user: UserID) -> Client {
        let client = client(user)
        attach(client)
        return client
    }

    func attach(_ client: Client, since point: ResumePoint? = nil) {
        core.attach(client.attendee, since: point) { [entries = client.entries, box = client.box] result in
            box.current.answer("entered")
            entries.update { $0.append(result) }
        }
        settle()
    }

    /// The same session over a new connection.
    func reconnect(_ client: Client, since point: ResumePoint? = nil) {
        client.box.set(RecordingOutbox())
        attach(client, since: point)
    }

    func lose(_ client: Client) {
        core.detach(client.session, from: client.outbox, why: .lost)
        settle()
    }

    /// Submits, and notes the answer in the caller's outbox, where the gateway would put it.
    @discardableResult
    func submit(_ command: RoomCommand, by client: Client, key: String? = nil) -> Shared<
        Result<CommandResult, RoomError>?
    > {
        let answer = Shared<Result<CommandResult, RoomError>?>(nil)
        core.submit(command, from: client.session, key: key.flatMap { IdempotencyKey($0) }) {
            [box = client.box] result in
            #expect(answer.current == nil, "answered twice")
            answer.set(result.map(\.result))
            switch result {
            case .success: box.current.answer("\(command.name)")
            case .failure(let error): box.current.answer("\(command.name): \(error.code)")
            }
        }
        settle()
        return answer
    }

    /// An operator asks for something.
    func submit(
        _ command: RoomCommand, by caller: Caller, key: String? = nil
    ) -> Result<CommandOutcome, RoomError>? {
        let answer = Shared<Result<CommandOutcome, RoomError>?>(nil)
        core.submit(command, by: caller, key: key.flatMap { IdempotencyKey($0) }) { result in
            #expect(answer.current == nil, "answered twice")
            answer.set(result)
        }
        settle()
        return answer.current
    }

    func refusal(_ command: RoomCommand, by client: Client, key: String? = nil) -> RoomError.Code? {
        if case .failure(let error) = submit(command, by: client, key: key).current { error.code } else { nil }
    }

    func members(_ query: MembersQuery, for client: Client) -> MembersPage? {
        let page = Shared<MembersPage?>(nil)
        core.members(query, for: client.session) { page.set(try? $0.get()) }
        settle()
        return page.current
    }
}

extension UserID {
    static let owner = UserID(literal: "olga")
    static let admin = UserID(literal: "adam")
    static let member = UserID(literal: "mia")
    static let other = UserID(literal: "max")
}

extension UserProfile {
    static func named(_ user: UserID) -> UserProfile { UserProfile(id: user, name: user.rawValue.uppercased()) }
}

extension MessageLimits {
    /// Where a test fills a room and is not about the budget.
    static let unlimited = MessageLimits(room: 10_000, person: 10_000)
}
