import GRDB
import RoomModel
package import RoomPorts
import Synchronization
import Timing

/// What those did who run rooms or the server, in the store's file.
package final class SQLiteAudit: AuditTrail {
    /// Lines that are kept, whatever their age: some hundred megabytes. Who fills the trail shortens it, and stands in it.
    static let most = 500_000
    /// Lines of one person that are kept in an application. Programs and commands are the operator's own.
    static let mostOfPerson = 10_000
    /// Looked after each so many lines of somebody.
    private static let personStep = 100

    private struct Person: Hashable {
        var application: Int64
        var actor: String
    }

    private let commit: GroupCommit
    private let retention: Interval
    private let shares: RecordShares
    private let most: (ofPerson: Int, step: Int)
    /// Lines of each since they were looked after.
    private let noted = Mutex<[Person: Int]>([:])

    init(
        pool: any DatabaseReader, commit: GroupCommit, retention: Interval, most: Int = SQLiteAudit.most,
        ofPerson: Int = SQLiteAudit.mostOfPerson
    ) throws(StoreFailure) {
        self.commit = commit
        self.retention = retention
        shares = try RecordShares(pool, table: "audit", most: most)
        self.most = (ofPerson, min(Self.personStep, ofPerson))
    }

    /// Deletes lines that are older than that, in milliseconds since 1970.
    func prune(before oldest: Int64) {
        commit.prune { db, limit in
            try Int64.fetchAll(
                db,
                sql: """
                    DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE noted_at < ? ORDER BY noted_at LIMIT ?)
                    RETURNING application
                    """, arguments: [oldest, limit])
        } deleted: { [shares] gone in
            for application in gone { shares.change(application, by: -1) }
        }
    }

    package func note(_ line: AuditLine) {
        commit.submit(bytes: line.detail.utf8.count) { [self] db in
            try write(line, in: db)
        } done: { [self] result in
            if case .success(let gone) = result { count(line, gone: gone) }
        }
    }

    // MARK: In somebody's transaction

    /// - Returns: the applications of the lines that went for it, to be counted when the transaction is on the disk.
    func write(_ line: AuditLine, in db: Database) throws -> [Int64] {
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
        var gone = try Int64.fetchAll(
            try db.cachedStatement(
                sql: """
                    DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE noted_at < ? ORDER BY noted_at LIMIT 2)
                    RETURNING application
                    """), arguments: [line.time - retention.milliseconds])
        if let giver = shares.giver(to: Int64(line.application.rawValue)) {
            gone += try Int64.fetchAll(
                try db.cachedStatement(
                    sql: """
                        DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE application = ? ORDER BY id LIMIT 2)
                        RETURNING application
                        """), arguments: [giver])
        }
        return try gone + shorten(line, db)
    }

    func count(_ line: AuditLine, gone: [Int64]) {
        shares.change(Int64(line.application.rawValue), by: 1)
        for application in gone { shares.change(application, by: -1) }
    }

    /// Nobody has more than a share of it.
    private func shorten(_ line: AuditLine, _ db: Database) throws -> [Int64] {
        guard let actor = line.actor, line.role != .operator, line.role != .system else { return [] }
        let person = Person(application: Int64(line.application.rawValue), actor: actor.rawValue)
        let isDue = noted.withLock { noted in
            let count = (noted[person] ?? 0) + 1
            noted[person] = count < most.step ? count : nil
            return count >= most.step
        }
        guard isDue else { return [] }
        return try Int64.fetchAll(
            try db.cachedStatement(
                sql: """
                    DELETE FROM audit WHERE id IN (
                        SELECT id FROM audit WHERE application = ? AND actor = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
                    RETURNING application
                    """), arguments: [person.application, person.actor, most.ofPerson])
    }
}

/// What people report, in the store's file.
package final class SQLiteReports: ReportBox {
    /// More is nobody's to read, and a few hundred megabytes. Then those of the application that has most go, settled ones first.
    static let most = 20_000
    /// Reports of one person that are kept in an application; whoever reports more is told that it cannot be taken.
    static let mostOfPerson = 100

    private struct Reporter: Hashable, Sendable {
        var application: Int64
        var user: String
    }

    private let commit: GroupCommit
    private let retention: Interval
    private let shares: RecordShares
    private let mostOfPerson: Int
    private let reporters: Mutex<[Reporter: Int]>

    init(
        pool: any DatabaseReader, commit: GroupCommit, retention: Interval, most: Int = SQLiteReports.most,
        ofPerson: Int = SQLiteReports.mostOfPerson
    ) throws(StoreFailure) {
        self.commit = commit
        self.retention = retention
        mostOfPerson = ofPerson
        shares = try RecordShares(pool, table: "report", most: most)
        do {
            reporters = Mutex(
                try pool.read { db in
                    let rows = try Row.fetchAll(
                        db, sql: "SELECT application, reporter, count(*) FROM report GROUP BY application, reporter")
                    return Dictionary(
                        uniqueKeysWithValues: rows.map { (Reporter(application: $0[0], user: $0[1]), $0[2] as Int) })
                })
        } catch {
            throw StoreFailure(error, path: pool.path)
        }
    }

    /// Deletes those that are older than that, in milliseconds since 1970.
    func prune(before oldest: Int64) {
        commit.prune { db, limit in
            try Self.deleted(
                "SELECT id FROM report WHERE posted_at < ? ORDER BY posted_at LIMIT ?", [oldest, limit], db)
        } deleted: { [self] gone in
            for reporter in gone { change(reporter, by: -1) }
        }
    }

    package func post(_ report: Report, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        let oldest = report.time - retention.milliseconds
        let reporter = Reporter(application: Int64(report.application.rawValue), user: report.reporter.rawValue)
        commit.submit(bytes: report.evidence.utf8.count) { [self] db in
            var gone = try Self.deleted(
                "SELECT id FROM report WHERE posted_at < ? ORDER BY posted_at LIMIT 2", [oldest], db)
            let own = reporters.withLock { $0[reporter] ?? 0 } - gone.count { $0 == reporter }
            guard own < mostOfPerson else { throw JournalFailure.full }
            if gone.isEmpty, let giver = shares.giver(to: reporter.application) {
                gone = try Self.deleted(
                    "SELECT id FROM report WHERE application = ? ORDER BY settled_at IS NULL, id LIMIT 1", [giver], db)
            }
            try db.cachedStatement(
                sql: """
                    INSERT INTO report (application, room, reporter, user, cause, words, evidence, posted_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                report.application.rawValue, report.room.column, report.reporter.rawValue, report.user.rawValue,
                report.cause.rawValue, report.words, report.evidence, report.time,
            ])
            return gone
        } done: { [self] result in
            if case .success(let gone) = result {
                change(reporter, by: 1)
                for reporter in gone { change(reporter, by: -1) }
            }
            done(result.map { _ in })
        }
    }

    private func change(_ reporter: Reporter, by count: Int) {
        shares.change(reporter.application, by: count)
        reporters.withLock { reporters in
            let now = (reporters[reporter] ?? 0) + count
            reporters[reporter] = now <= 0 ? nil : now
        }
    }

    private static func deleted(_ ids: String, _ arguments: StatementArguments, _ db: Database) throws -> [Reporter] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: "DELETE FROM report WHERE id IN (\(ids)) RETURNING application, reporter"), arguments: arguments
        ).map { Reporter(application: $0[0], user: $0[1]) }
    }
}
