import Commerce
import Dispatch
import GRDB
import RoomEvents
import RoomModel
import RoomPorts
import Synchronization
import Timing

@testable import StoreSQLite

/// The store's own journal and ledger over a database in memory. The simulation is the writer: nothing is committed before it says so, and
/// it says what becomes of it.
final class SimulatedDisk: Sendable {
    /// What the next commit comes to.
    enum Fate: Sendable {
        case stored
        /// Nothing of it is on the disk.
        case failed
        /// All of it is on the disk, and whoever waits is told that it has failed.
        case storedUntold
    }

    /// What of the store one life of the process has.
    private struct Store {
        var journal: SQLiteJournal
        var ledger: SQLiteLedger
        var moderation: ModerationStores
        var personalData: SQLitePersonalData
    }

    private struct Contents {
        var waiting: [@Sendable () -> Void] = []
        /// Somebody waits for the disk, and nothing else happens meanwhile.
        var isAwaited = false
        var changes = 0
    }

    private struct CommitFails: Error {}

    /// Takes a transaction back before it is committed.
    private final class Fault: TransactionObserver, Sendable {
        let isOn = Mutex(false)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { if isOn.withLock({ $0 }) { throw CommitFails() } }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    private let database: DatabaseQueue
    private let fault = Fault()
    private let answers = LostAnswers()
    private let contents = Mutex(Contents())
    private let thread = DispatchQueue(label: "simulated disk")
    private let clock: any TimeSource
    private let store: Mutex<Store?> = Mutex(nil)

    init(clock: any TimeSource) throws {
        self.clock = clock
        database = try DatabaseQueue()
        try database.writeWithoutTransaction { db in
            for migration in Schema.current.migrations { try db.execute(sql: migration.sql) }
        }
        database.add(transactionObserver: fault, extent: .databaseLifetime)
        try begin()
    }

    var journal: any RoomJournal { AnsweringJournal(journal: current.journal, answers: answers) }
    var ledger: any Ledger { AnsweringLedger(ledger: current.ledger, answers: answers) }
    var moderation: ModerationStores {
        var stores = current.moderation
        stores.reports = AnsweringReports(reports: stores.reports, answers: answers)
        return stores
    }
    private var current: Store {
        store.withLock { store in
            guard let store else { preconditionFailure("begun in init") }
            return store
        }
    }

    /// A process begins: what the one before had not committed is gone.
    func begin() throws {
        contents.withLock { $0.waiting = [] }
        let heads = RoomHeads()
        let commit = GroupCommit(pool: database, on: { [weak self] in self?.add($0) }) {
            heads.settle(committed: $0)
        }
        let now: @Sendable () -> WallTime = { [clock] in clock.wallTime }
        let settings = StoreSettings()
        let restrictions = try SQLiteRestrictions(pool: database, commit: commit, now: now)
        let audit = try SQLiteAudit(pool: database, commit: commit, retention: settings.retention)
        let made = Store(
            journal: SQLiteJournal(
                commit: commit, heads: heads, settings: settings, webhooks: SQLiteWebhooks(commit: commit),
                restrictions: restrictions, audit: audit, now: now),
            ledger: SQLiteLedger(commit: commit, now: now),
            moderation: ModerationStores(
                restrictions: restrictions,
                audit: audit,
                reports: try SQLiteReports(
                    pool: database, commit: commit, retention: settings.retention, ofPerson: 10_000)),
            personalData: SQLitePersonalData(commit: commit, payloads: KeptPayloads(), path: "/nowhere"))
        store.withLock { $0 = made }
    }

    private func add(_ work: @escaping @Sendable () -> Void) {
        let isAwaited = contents.withLock { contents in
            if !contents.isAwaited { contents.waiting.append(work) }
            return contents.isAwaited
        }
        if isAwaited { thread.async(execute: work) }
    }

    /// Another number when what is on the disk may have changed.
    var changes: Int { contents.withLock { $0.changes } }

    var hasWork: Bool { contents.withLock { !$0.waiting.isEmpty } }

    /// Commits what was submitted: all of it reaches the disk, or nothing.
    func commit(_ fate: Fate = .stored) {
        fault.isOn.withLock { $0 = fate == .failed }
        answers.areLost.withLock { $0 = fate == .storedUntold }
        while let work = contents.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) { work() }
        contents.withLock { $0.changes += 1 }
        fault.isOn.withLock { $0 = false }
        answers.areLost.withLock { $0 = false }
    }

    /// Erases what is stored of somebody; rooms are asked before.
    func erase(_ user: UserID, of application: ApplicationID) async throws {
        let data = current.personalData
        _ = try await whileAwaited { try await data.erase(user, of: application) }
    }

    /// Waits for what is asked of the disk in there.
    func whileAwaited<Value>(_ body: () async throws -> Value) async throws -> Value {
        commit()
        contents.withLock { $0.isAwaited = true }
        defer {
            // The writer has laid down its work before anything else happens.
            thread.sync {}
            contents.withLock { contents in
                contents.isAwaited = false
                contents.changes += 1
            }
        }
        return try await body()
    }

    /// Coins for a wallet, from the shop.
    func give(_ coins: Int64, to user: UserID, in application: ApplicationID) {
        let key = TransferKey(application: application, poster: .operator, key: user.rawValue, fingerprint: "")
        ledger.post(Transfer(from: .shop, to: .wallet(user), coins: coins, purpose: .topUp), key: key) { _ in }
        commit()
    }

    // MARK: What is on it

    /// What all accounts hold together.
    func sum(_ application: ApplicationID) throws -> Int64 {
        try database.unsafeRead { try LedgerTables(db: $0, application: application).sum() }
    }

    func transfer(_ key: TransferKey) throws -> PostedTransfer? {
        let outcome = try database.unsafeRead { try LedgerTables(db: $0, application: key.application).find(key) }
        guard case .posted(let transfer, _) = outcome else { return nil }
        return transfer
    }

    func gifts(to life: RoomLife) throws -> [PostedTransfer] {
        try database.unsafeRead {
            try LedgerTables(db: $0, application: life.key.application).gifts(to: life, after: 0)
        }
    }

    /// The room's present life, by its row; nil after its end.
    func life(of key: RoomKey) throws -> Int64? {
        try database.unsafeRead { try JournalTables(db: $0).openRoom(key)?.id }
    }

    /// What a room's life has behind a position: its snapshot, if that is further, and the entries that are kept.
    func history(
        of life: Int64, _ key: RoomKey, after position: UInt64
    ) throws -> (snapshot: (position: UInt64, payload: [UInt8])?, entries: [JournalEntry]) {
        try database.unsafeRead { db in
            let tables = JournalTables(db: db)
            let snapshot = try tables.snapshot(of: life).flatMap { $0.position > position ? $0 : nil }
            return (
                snapshot.map { ($0.position, $0.payload) }, try tables.entries(of: life, key: key, after: position)
            )
        }
    }

    /// How many reports say that.
    func reports(saying words: String) throws -> Int {
        try database.unsafeRead {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM report WHERE words = ?", arguments: [words]) ?? 0
        }
    }

    /// Where a text stands in what is kept of people and rooms; nil: nowhere.
    func place(of text: String) throws -> String? {
        try database.unsafeRead { db in
            for (table, column) in Self.texts {
                let found = try Bool.fetchOne(
                    db,
                    sql: """
                        SELECT EXISTS (
                            SELECT 1 FROM \(table) WHERE instr(CAST(\(column) AS BLOB), CAST(? AS BLOB)) > 0)
                        """, arguments: [text])
                if found == true { return "\(table).\(column)" }
            }
            return nil
        }
    }

    private static let texts = [
        ("entry", "payload"), ("snapshot", "payload"), ("transfer", "detail"), ("standing_restriction", "name"),
        ("standing_restriction", "reason"), ("report", "evidence"), ("report", "words"), ("audit", "detail"),
        ("audit", "reason"), ("webhook_news", "payload"),
    ]

    /// Loses what was committed last, as a disk does that answers before it has stored: for a fault that must be found.
    func loseLastTransfer() throws {
        try database.write { db in
            try db.execute(sql: "DELETE FROM transfer WHERE id = (SELECT max(id) FROM transfer)")
        }
    }
}
