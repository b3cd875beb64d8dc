import GRDB
package import RoomModel
package import RoomPorts
import Synchronization
import Timing

/// Hosts' bans: all of them in memory, each change in the transactions of the rooms' journal.
package final class SQLiteHostBans: HostBans {
    private let list: Mutex<HostBanList>
    private let commit: GroupCommit
    private let now: @Sendable () -> WallTime

    init(pool: DatabasePool, commit: GroupCommit, now: @escaping @Sendable () -> WallTime) throws(StoreFailure) {
        self.commit = commit
        self.now = now
        let time = now().millisecondsSince1970
        do {
            let bans = try pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT application, host, user, name, until, decided_by, reason FROM host_ban
                        WHERE until IS NULL OR until > ?
                        """, arguments: [time])
            }
            var list = HostBanList()
            for row in bans {
                guard let host = UserID(row[1] as String), let user = UserID(row[2] as String),
                    let by = UserID(row[5] as String)
                else { continue }
                let key = HostBanKey(application: ApplicationID(row[0] as UInt32), host: host, user: user)
                list[key] = Restriction(
                    .ban, user: user, name: row[3], until: row[4], everywhere: true, by: by, reason: row[6])
            }
            self.list = Mutex(list)
        } catch {
            throw StoreFailure(error, path: pool.path)
        }
    }

    package func ban(of user: UserID, from host: UserID, in application: ApplicationID) -> Restriction? {
        list.withLock { $0[HostBanKey(application: application, host: host, user: user)] }
    }

    package func count(of host: UserID, in application: ApplicationID, at time: Int64) -> Int {
        list.withLock { $0.count(of: host, in: application, at: time) }
    }

    package func set(_ ban: Restriction, from host: UserID, in application: ApplicationID) {
        change(HostBanKey(application: application, host: host, user: ban.user), to: ban)
    }

    package func lift(_ user: UserID, from host: UserID, in application: ApplicationID) {
        change(HostBanKey(application: application, host: host, user: user), to: nil)
    }

    private func change(_ key: HostBanKey, to ban: Restriction?) {
        let time = now().millisecondsSince1970
        // In the lock, so that the disk gets changes in the order in which they hold.
        list.withLock { list in
            let former = list[key]
            guard ban != nil || former != nil else { return }
            list.forgetOver(of: key.host, in: key.application, at: time)
            list[key] = ban
            commit.submit { db in
                try Self.write(ban, key, at: time, in: db)
            } done: { [weak self] result in
                // What could not be written holds no more, unless something newer does.
                guard case .failure = result else { return }
                self?.list.withLock { if $0[key] == ban { $0[key] = former } }
            }
        }
    }

    private static func write(_ ban: Restriction?, _ key: HostBanKey, at time: Int64, in db: Database) throws {
        let whose: StatementArguments = [key.application.rawValue, key.host.rawValue]
        try db.cachedStatement(
            sql: "DELETE FROM host_ban WHERE application = ? AND host = ? AND (user = ? OR until <= ?)"
        ).execute(arguments: whose + [key.user.rawValue, time])
        guard let ban else { return }
        try db.cachedStatement(
            sql: """
                INSERT INTO host_ban (application, host, user, name, until, decided_by, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: whose + [key.user.rawValue, ban.name, ban.until, ban.by.rawValue, ban.reason])
    }
}
