import GRDB
import RoomModel
package import RoomPorts
import Synchronization
import Timing

/// What those did who run rooms or the server, in the store's file.
package final class SQLiteAudit: AuditTrail {
    /// Lines that are kept, whatever their age: some hundred megabytes. Who fills the trail shortens it, and stands in it.
    static let most: Int64 = 500_000

    private let commit: GroupCommit
    private let retention: Interval

    init(commit: GroupCommit, retention: Interval) {
        self.commit = commit
        self.retention = retention
    }

    /// Deletes lines that are older than that, in milliseconds since 1970.
    func prune(before oldest: Int64) {
        commit.prune { db, limit in
            try db.execute(
                sql:
                    "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE noted_at < ? ORDER BY noted_at LIMIT ?)",
                arguments: [oldest, limit])
            return db.changesCount
        }
    }

    package func note(_ line: AuditLine) {
        let oldest = line.time - retention.milliseconds
        commit.submit(bytes: line.detail.utf8.count) { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO audit (application, room, actor, role, way, action, target, detail, reason, outcome, noted_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                line.application.rawValue, line.room?.column, line.actor?.rawValue ?? "", line.role.rawValue,
                line.way.rawValue, line.action, line.target?.rawValue, line.detail, line.reason, line.outcome,
                line.time,
            ])
            // Two for one: what is old goes sooner than new lines come, and no transaction is long.
            try db.cachedStatement(
                sql: "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE noted_at < ? ORDER BY noted_at LIMIT 2)"
            ).execute(arguments: [oldest])
            try db.cachedStatement(
                sql: "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id <= ? ORDER BY id LIMIT 2)"
            ).execute(arguments: [db.lastInsertedRowID - Self.most])
        } done: { _ in
        }
    }
}

/// What people report, in the store's file.
package final class SQLiteReports: ReportBox {
    /// More is nobody's to read, and a few hundred megabytes; whoever reports is told that it cannot be taken.
    static let most = 20_000

    private let commit: GroupCommit
    private let retention: Interval
    /// Rows in the table.
    private let count: Mutex<Int>

    init(pool: DatabasePool, commit: GroupCommit, retention: Interval) throws(StoreFailure) {
        self.commit = commit
        self.retention = retention
        do {
            count = Mutex(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM report") ?? 0 })
        } catch {
            throw StoreFailure(error, path: pool.path)
        }
    }

    /// Deletes those that are older than that, in milliseconds since 1970.
    func prune(before oldest: Int64) {
        commit.prune { db, limit in
            try db.execute(
                sql:
                    "DELETE FROM report WHERE id IN (SELECT id FROM report WHERE posted_at < ? ORDER BY posted_at LIMIT ?)",
                arguments: [oldest, limit])
            return db.changesCount
        } deleted: { [self] deleted in
            count.withLock { $0 -= deleted }
        }
    }

    package func post(_ report: Report, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        let oldest = report.time - retention.milliseconds
        commit.submit(bytes: report.evidence.utf8.count) { [self] db in
            try db.cachedStatement(
                sql:
                    "DELETE FROM report WHERE id IN (SELECT id FROM report WHERE posted_at < ? ORDER BY posted_at LIMIT 2)"
            ).execute(arguments: [oldest])
            let change = 1 - db.changesCount
            guard count.withLock({ $0 + change <= Self.most }) else { throw JournalFailure.full }
            try db.cachedStatement(
                sql: """
                    INSERT INTO report (application, room, reporter, user, cause, words, evidence, posted_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                report.application.rawValue, report.room.column, report.reporter.rawValue, report.user.rawValue,
                report.cause.rawValue, report.words, report.evidence, report.time,
            ])
            return change
        } done: { [self] result in
            if case .success(let change) = result { count.withLock { $0 += change } }
            done(result.map { _ in })
        }
    }
}
