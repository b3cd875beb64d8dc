import Foundation
import GRDB
package import RoomPorts
package import Timing

/// How long the store keeps what nobody needs for running.
package struct StoreSettings: Sendable, Hashable {
    /// How long an ended room's journal stays.
    package var retention: Interval
    /// Chat messages per room that outlive a snapshot. At least the history that is shown to those who enter.
    package var chatKept: Int

    /// 30 days: long enough to look into a complaint.
    package init(retention: Interval = .seconds(30 * 86_400), chatKept: Int = 500) {
        self.retention = retention
        self.chatKept = chatKept
    }
}

/// The server's one file, `ovation.sqlite` in the data directory, under an exclusive lock: opened, checked, migrated, and handed out as
/// the ports of the room core.
package final class SQLiteStore: Sendable {
    package static let fileName = "ovation.sqlite"

    package let journal: SQLiteJournal
    package let accounts: SQLiteAccounts
    package let ledger: SQLiteLedger
    package let gifts: SQLiteGifts
    package let restrictions: SQLiteRestrictions
    package let audit: SQLiteAudit
    package let reports: SQLiteReports
    package let operatorKeys: SQLiteOperatorKeys
    package let records: SQLiteRecords
    package let webhooks: SQLiteWebhooks
    package let words: SQLiteWords
    package let personalData: SQLitePersonalData
    /// Where the file is.
    package let path: String

    let pool: DatabasePool
    let commit: GroupCommit
    private let lock: DirectoryLock
    private let retention: Interval
    private let now: @Sendable () -> WallTime

    /// Opens or creates the store; `directory` is created if it is not there.
    /// - Parameters:
    ///   - payloads: reads what is kept as bytes, where a person is to be erased.
    ///   - now: for the times that are written beside entries, and for retention.
    package convenience init(
        directory: String, settings: StoreSettings = StoreSettings(),
        payloads: any StoredPayloads = UnknownPayloads(), now: @escaping @Sendable () -> WallTime
    ) throws(StoreFailure) {
        try self.init(directory: directory, settings: settings, schema: .current, payloads: payloads, now: now)
    }

    init(
        directory: String, settings: StoreSettings, schema: Schema, payloads: any StoredPayloads = UnknownPayloads(),
        now: @escaping @Sendable () -> WallTime
    ) throws(StoreFailure) {
        try Self.create(directory)
        lock = try DirectoryLock(directory: directory)
        path = directory + "/" + Self.fileName
        let found = try schema.inspect(path)
        if !FileManager.default.fileExists(atPath: path) {
            try createPrivateFile(path, asIn: directory)
            try flush(directory)
        }
        pool = try Self.openPool(path)
        try schema.migrate(pool, from: found)
        try Remains(of: path).remove(with: pool)
        try Self.keepSavepointsInMemory(pool, path)

        let heads = RoomHeads()
        commit = GroupCommit(pool: pool) { heads.settle(committed: $0) }
        webhooks = SQLiteWebhooks(commit: commit)
        words = SQLiteWords(commit: commit)
        personalData = SQLitePersonalData(commit: commit, payloads: payloads, path: path)
        accounts = SQLiteAccounts(pool: pool, commit: commit)
        ledger = SQLiteLedger(commit: commit, now: now)
        gifts = SQLiteGifts(commit: commit)
        restrictions = try SQLiteRestrictions(pool: pool, commit: commit, now: now)
        audit = try SQLiteAudit(pool: pool, commit: commit, retention: settings.retention)
        journal = SQLiteJournal(
            commit: commit, heads: heads, settings: settings, webhooks: webhooks, restrictions: restrictions,
            audit: audit, now: now)
        operatorKeys = SQLiteOperatorKeys(commit: commit)
        records = SQLiteRecords(commit: commit)
        reports = try SQLiteReports(pool: pool, commit: commit, retention: settings.retention)
        retention = settings.retention
        self.now = now
        forgetOld()
    }

    /// Deletes what has outlived its retention: ended rooms, lines of the audit trail, reports, what webhooks wait for; and restrictions whose time is over. Returns
    /// at once.
    package func forgetOld() {
        journal.prune()
        let time = now().millisecondsSince1970
        audit.prune(before: time - retention.milliseconds)
        reports.prune(before: time - retention.milliseconds)
        restrictions.prune(at: time)
        webhooks.prune(before: time - SQLiteWebhooks.keptFor.milliseconds)
    }

    /// What moderation keeps.
    package var moderation: ModerationStores {
        ModerationStores(restrictions: restrictions, audit: audit, reports: reports)
    }

    /// What operators' programs work with.
    package var operatorStores: OperatorStores {
        OperatorStores(
            accounts: accounts, personalData: personalData, keys: operatorKeys, gifts: gifts, records: records,
            audit: audit, restrictions: restrictions)
    }

    /// How the writer has fared since the start, for the metrics.
    package var commitCounts: CommitCounts { commit.counts }

    /// Writes the file anew, without what was deleted. Nobody else writes meanwhile, however long it takes.
    package func compact() async throws(JournalFailure) {
        try await commit.compact()
        Remains(of: path).forget()
    }

    /// A consistent copy of the file while the server runs. It holds secret keys, as the file does.
    package func copy(to path: String) throws(StoreFailure) {
        try copyDatabase(pool, to: path)
    }

    /// Writes what has been submitted, refuses what comes later, and lets go of the directory.
    package func shutDown() async {
        await commit.close()
        // The last connection that is closed copies the WAL back and removes it, but only if it may write: the readers go first.
        pool.releaseMemory()
        // Fails only while a statement is running, and none is.
        try? pool.close()
        lock.release()
    }

    private static func create(_ directory: String) throws(StoreFailure) {
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed(path: directory, reason: error.localizedDescription)
        }
        try flushFolder(of: directory)
    }

    /// What a savepoint may have to take back would be written to a file with each operation, on a disk that may be full. Migrations sort
    /// whole tables, and come before.
    private static func keepSavepointsInMemory(_ pool: DatabasePool, _ path: String) throws(StoreFailure) {
        do {
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
        } catch { throw StoreFailure(error, path: path) }
    }

    private static func openPool(_ path: String) throws(StoreFailure) -> DatabasePool {
        var configuration = Configuration()
        // Readers serve sign-ins only; each costs up to 2 MB of cache.
        configuration.maximumReaderCount = 2
        // Nobody else writes; a backup or a shell that looks in may hold the file for a moment.
        configuration.busyMode = .timeout(5)
        configuration.label = "ovation.store"
        do {
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { db in
                // Only now: GRDB sets NORMAL while it opens a pool, under which a commit is acknowledged before it is on the disk.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                // What is deleted is overwritten. Some builds of SQLite do that anyway.
                try db.execute(sql: "PRAGMA secure_delete = ON")
                // Checkpoints are the group commit's; this is the net under it, should the writer fall behind.
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(4 * GroupCommit.checkpointInterval)")
                // After a burst the WAL shrinks to this again.
                try db.execute(sql: "PRAGMA journal_size_limit = \(16 << 20)")
            }
            return pool
        } catch {
            throw StoreFailure(error, path: path)
        }
    }
}
