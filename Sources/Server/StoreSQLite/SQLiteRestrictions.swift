import GRDB
package import RoomModel
package import RoomPorts
import Synchronization
import Timing

/// Restrictions that outlive rooms: all of them in memory, as they are on the disk. A room's change is stored with its entry.
package final class SQLiteRestrictions: StandingRestrictions {
    private struct Held {
        var list: RestrictionList
        /// Their last change has failed, and may be on the disk all the same.
        var doubtful: Set<RestrictionKey> = []
    }

    private let held: Mutex<Held>
    private let commit: GroupCommit
    private let now: @Sendable () -> WallTime

    init(pool: any DatabaseReader, commit: GroupCommit, now: @escaping @Sendable () -> WallTime) throws(StoreFailure) {
        self.commit = commit
        self.now = now
        let time = now().millisecondsSince1970
        do {
            let rows = try pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT application, host, kind, user, name, until, decided_by, reason FROM standing_restriction
                        WHERE until IS NULL OR until > ?
                        """, arguments: [time])
            }
            var list = RestrictionList()
            for row in rows {
                guard let scope = RestrictionScope(column: row[1]), let restriction = Restriction(row, from: 2) else {
                    continue
                }
                let key = RestrictionKey(
                    restriction.kind, of: restriction.user, from: scope, in: ApplicationID(row[0] as UInt32))
                list[key] = restriction
            }
            held = Mutex(Held(list: list))
        } catch {
            throw StoreFailure(error, path: pool.path)
        }
    }

    package func restriction(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) -> Restriction? {
        held.withLock { $0.list[RestrictionKey(kind, of: user, from: scope, in: application)] }
    }

    package func count(from scope: RestrictionScope, in application: ApplicationID, at time: Int64) -> Int {
        held.withLock { $0.list.count(from: scope, in: application, at: time) }
    }

    package func change(
        _ change: StandingChange, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        commit.submit { [self] db in
            try write(change, in: db)
        } done: { [self] result in
            note(change, result.map { _ in })
            done(result)
        }
    }

    package func forgetWords(of user: UserID, in application: ApplicationID) {
        held.withLock { $0.list.forgetWords(of: user, in: application) }
    }

    /// Deletes those whose time is over, in milliseconds since 1970. In memory they are forgotten when room is needed, and at the next start.
    func prune(at time: Int64) {
        commit.prune { db, limit in
            try db.execute(
                sql:
                    "DELETE FROM standing_restriction WHERE id IN (SELECT id FROM standing_restriction WHERE until <= ? LIMIT ?)",
                arguments: [time, limit])
            return db.changesCount
        }
    }

    // MARK: In somebody's transaction

    /// What has become of it is noted when the transaction is over.
    func write(_ change: StandingChange, in db: Database) throws {
        let key = change.key
        if change.restriction != nil, held.withLock({ $0.list.isFull(key.scope, of: key.application) }) {
            try db.cachedStatement(
                sql: "DELETE FROM standing_restriction WHERE application = ? AND host = ? AND until <= ?"
            ).execute(arguments: [key.application.rawValue, key.scope.column, now().millisecondsSince1970])
        }
        try db.cachedStatement(sql: "DELETE FROM standing_restriction WHERE \(Self.isThis)").execute(
            arguments: key.columns)
        guard let restriction = change.restriction else { return }
        try db.cachedStatement(
            sql: """
                INSERT INTO standing_restriction (application, host, kind, user, name, until, decided_by, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: key.columns + [restriction.name, restriction.until, restriction.by.rawValue, restriction.reason]
        )
    }

    /// On the writer, in the order of the transactions.
    func note(_ change: StandingChange, _ result: Result<Void, JournalFailure>) {
        let time = now().millisecondsSince1970
        held.withLock { held in
            switch result {
            case .success:
                held.doubtful.remove(change.key)
                held.list.apply(change, at: time)
            case .failure: held.doubtful.insert(change.key)
            }
        }
    }

    /// What the disk has of those that are in doubt: to be noted when the transaction is over.
    func doubted(in db: Database) throws -> [StandingChange] {
        try held.withLock { $0.doubtful }.map { key in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT kind, user, name, until, decided_by, reason FROM standing_restriction WHERE \(Self.isThis)
                    """, arguments: key.columns)
            return StandingChange(key, to: row.flatMap { Restriction($0, from: 0) })
        }
    }

    private static let isThis = "application = ? AND host = ? AND kind = ? AND user = ?"
}

extension RestrictionKey {
    fileprivate var columns: StatementArguments {
        [application.rawValue, scope.column, kind.rawValue, user.rawValue]
    }
}

extension RestrictionScope {
    /// The column `host`: empty stands for the application.
    fileprivate var column: String {
        switch self {
        case .host(let host): host.rawValue
        case .application: ""
        }
    }

    fileprivate init?(column: String) {
        if column.isEmpty {
            self = .application
        } else if let host = UserID(column) {
            self = .host(host)
        } else {
            return nil
        }
    }
}

extension Restriction {
    /// The columns kind, user, name, until, decided_by and reason, from that one on.
    fileprivate init?(_ row: Row, from column: Int) {
        guard let kind = RestrictionKind(rawValue: row[column] as String),
            let user = UserID(row[column + 1] as String), let by = UserID.author(row[column + 4])
        else { return nil }
        self.init(
            kind, user: user, name: row[column + 2], until: row[column + 3], everywhere: true, by: by,
            reason: row[column + 5])
    }
}

extension Database {
    /// Those of an application that hold at that time, in milliseconds since 1970, the newest first.
    func restrictions(
        of application: ApplicationID, _ kind: RestrictionKind?, at time: Int64, before id: Int64?, limit: Int
    ) throws -> [NotedRestriction] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT id, kind, user, name, until, decided_by, reason FROM standing_restriction
                WHERE application = ? AND host = '' AND id < ? AND (until IS NULL OR until > ?)
                    AND (? IS NULL OR kind = ?)
                ORDER BY id DESC LIMIT ?
                """, arguments: [application.rawValue, id ?? .max, time, kind?.rawValue, kind?.rawValue, limit]
        ).compactMap { row in
            Restriction(row, from: 1).map { NotedRestriction(id: row[0], restriction: $0) }
        }
    }
}
