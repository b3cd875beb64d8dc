import GRDB
package import RoomModel
package import RoomPorts
import Synchronization
import Timing

/// Restrictions that outlive rooms: all of them in memory, each change in the transactions of the rooms' journal.
package final class SQLiteRestrictions: StandingRestrictions {
    private let list: Mutex<RestrictionList>
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
            self.list = Mutex(list)
        } catch {
            throw StoreFailure(error, path: pool.path)
        }
    }

    package func restriction(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) -> Restriction? {
        list.withLock { $0[RestrictionKey(kind, of: user, from: scope, in: application)] }
    }

    package func count(from scope: RestrictionScope, in application: ApplicationID, at time: Int64) -> Int {
        list.withLock { $0.count(from: scope, in: application, at: time) }
    }

    package func set(
        _ restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        let key = RestrictionKey(restriction.kind, of: restriction.user, from: scope, in: application)
        change(key, to: restriction, done: done)
    }

    package func lift(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        change(RestrictionKey(kind, of: user, from: scope, in: application), to: nil, done: done)
    }

    package func forgetWords(of user: UserID, in application: ApplicationID) {
        list.withLock { $0.forgetWords(of: user, in: application) }
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

    private func change(
        _ key: RestrictionKey, to restriction: Restriction?,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        let time = now().millisecondsSince1970
        // In the lock, so that the disk gets changes in the order in which they hold.
        list.withLock { list in
            let former = list[key]
            let makesRoom = restriction != nil && list.makeRoom(in: key.scope, of: key.application, at: time)
            list[key] = restriction
            commit.submit { db in
                if makesRoom { try Self.makeRoom(for: key, at: time, in: db) }
                try Self.write(restriction, key, in: db)
            } done: { [weak self] result in
                // What could not be written holds no more, unless something newer does.
                if case .failure = result {
                    self?.list.withLock { if $0[key] == restriction { $0[key] = former } }
                }
                done(result)
            }
        }
    }

    private static func makeRoom(for key: RestrictionKey, at time: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: "DELETE FROM standing_restriction WHERE application = ? AND host = ? AND until <= ?"
        ).execute(arguments: [key.application.rawValue, key.scope.column, time])
    }

    private static func write(_ restriction: Restriction?, _ key: RestrictionKey, in db: Database) throws {
        let whose: StatementArguments = [
            key.application.rawValue, key.scope.column, key.kind.rawValue, key.user.rawValue,
        ]
        try db.cachedStatement(
            sql: "DELETE FROM standing_restriction WHERE application = ? AND host = ? AND kind = ? AND user = ?"
        ).execute(arguments: whose)
        guard let restriction else { return }
        try db.cachedStatement(
            sql: """
                INSERT INTO standing_restriction (application, host, kind, user, name, until, decided_by, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: whose + [restriction.name, restriction.until, restriction.by.rawValue, restriction.reason])
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
