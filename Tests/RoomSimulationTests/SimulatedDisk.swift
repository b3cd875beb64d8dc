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
    }

    private struct Contents {
        var waiting: [@Sendable () -> Void] = []
        /// Somebody waits for the disk, and nothing else happens meanwhile.
        var isAwaited = false
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
    private let contents = Mutex(Contents())
    private let thread = DispatchQueue(label: "simulated disk")
    private let clock: any TimeSource
    /// Of this life of the process.
    private let writer: Mutex<(journal: SQLiteJournal, ledger: SQLiteLedger)?> = Mutex(nil)

    init(clock: any TimeSource) throws {
        self.clock = clock
        database = try DatabaseQueue()
        try database.writeWithoutTransaction { db in
            for migration in Schema.current.migrations { try db.execute(sql: migration.sql) }
        }
        database.add(transactionObserver: fault, extent: .databaseLifetime)
        begin()
    }

    var journal: SQLiteJournal { current.journal }
    var ledger: SQLiteLedger { current.ledger }
    private var current: (journal: SQLiteJournal, ledger: SQLiteLedger) {
        writer.withLock { writer in
            guard let writer else { preconditionFailure("begun in init") }
            return writer
        }
    }

    /// A process begins: what the one before had not committed is gone.
    func begin() {
        contents.withLock { $0.waiting = [] }
        let heads = RoomHeads()
        let commit = GroupCommit(pool: database, on: { [weak self] in self?.add($0) }) {
            heads.settle(committed: $0)
        }
        let now: @Sendable () -> WallTime = { [clock] in clock.wallTime }
        let journal = SQLiteJournal(
            commit: commit, heads: heads, settings: StoreSettings(), webhooks: SQLiteWebhooks(commit: commit), now: now)
        writer.withLock { $0 = (journal, SQLiteLedger(commit: commit, now: now)) }
    }

    private func add(_ work: @escaping @Sendable () -> Void) {
        let isAwaited = contents.withLock { contents in
            if !contents.isAwaited { contents.waiting.append(work) }
            return contents.isAwaited
        }
        if isAwaited { thread.async(execute: work) }
    }

    var hasWork: Bool { contents.withLock { !$0.waiting.isEmpty } }

    /// Commits what was submitted: all of it reaches the disk, or nothing.
    func commit(_ fate: Fate = .stored) {
        fault.isOn.withLock { $0 = fate == .failed }
        while let work = contents.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) { work() }
        fault.isOn.withLock { $0 = false }
    }

    /// Waits for what is asked of the disk in there.
    func whileAwaited<Value>(_ body: () async throws -> Value) async throws -> Value {
        commit()
        contents.withLock { $0.isAwaited = true }
        defer {
            // The writer has laid down its work before anything else happens.
            thread.sync {}
            contents.withLock { $0.isAwaited = false }
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
        try database.read { try LedgerTables(db: $0, application: application).sum() }
    }

    func transfer(_ key: TransferKey) throws -> PostedTransfer? {
        let outcome = try database.read { try LedgerTables(db: $0, application: key.application).find(key) }
        guard case .posted(let transfer, _) = outcome else { return nil }
        return transfer
    }

    func gifts(to life: RoomLife) throws -> [PostedTransfer] {
        try database.read { try LedgerTables(db: $0, application: life.key.application).gifts(to: life, after: 0) }
    }

    /// Entries of a room's present life after a position.
    func entries(of key: RoomKey, after position: UInt64) throws -> [JournalEntry] {
        try database.read { db in
            let tables = JournalTables(db: db)
            guard let room = try tables.openRoom(key) else { return [] }
            return try tables.entries(of: room.id, key: key, after: position)
        }
    }

    /// Loses what was committed last, as a disk does that answers before it has stored: for a fault that must be found.
    func loseLastTransfer() throws {
        try database.write { db in
            try db.execute(sql: "DELETE FROM transfer WHERE id = (SELECT max(id) FROM transfer)")
        }
    }
}
