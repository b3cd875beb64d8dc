import Foundation
import GRDB
package import RoomModel
package import RoomPorts

/// Applications and profiles. Writes share the journal's transactions; reads go past it and see what is durable.
package final class SQLiteAccounts: AccountStore {
    /// Users per statement: SQLite takes 32,766 parameters, but a statement is cached per number of them.
    private static let usersPerStatement = 64

    private let pool: DatabasePool
    private let commit: GroupCommit

    init(pool: DatabasePool, commit: GroupCommit) {
        self.pool = pool
        self.commit = commit
    }

    package func applications() async throws(JournalFailure) -> [Application] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT id, name, keys, consent, second_session, room_keys, admins FROM application ORDER BY id"
            )
            .map { try Application(row: $0) }
        }
    }

    package func application(_ id: ApplicationID) async throws(JournalFailure) -> Application? {
        try await read { db in
            try Row.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT id, name, keys, consent, second_session, room_keys, admins FROM application WHERE id = ?
                        """),
                arguments: [id.rawValue]
            ).map { try Application(row: $0) }
        }
    }

    package func save(_ application: Application) async throws(JournalFailure) {
        try await commit.run { db in
            let keys = String(decoding: try JSONEncoder().encode(application.keys), as: UTF8.self)
            try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO application (id, name, keys, consent, second_session, room_keys, admins)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                application.id.rawValue, application.name, keys, application.settings.consent.rawValue,
                application.settings.secondSession.rawValue, application.settings.roomKeys.rawValue,
                application.settings.admins.map(\.rawValue).joined(separator: " "),
            ])
        }
    }

    /// Those that are known, in the order asked for.
    package func profiles(
        _ users: [UserID], of application: ApplicationID
    ) async throws(JournalFailure) -> [UserProfile] {
        let found = try await read { db in
            var found: [UserID: UserProfile] = [:]
            var rest = users[...]
            while !rest.isEmpty {
                let some = rest.prefix(Self.usersPerStatement)
                rest = rest.dropFirst(some.count)
                let marks = repeatElement("?", count: some.count).joined(separator: ", ")
                let statement = try db.cachedStatement(
                    sql: "SELECT user, name, avatar, bio FROM profile WHERE application = ? AND user IN (\(marks))")
                let arguments = [application.rawValue.databaseValue] + some.map(\.rawValue.databaseValue)
                for row in try Row.fetchAll(statement, arguments: StatementArguments(arguments)) {
                    guard let user = UserID(row[0] as String) else { continue }
                    found[user] = UserProfile(id: user, name: row[1], avatar: row[2], bio: row[3])
                }
            }
            return found
        }
        return users.compactMap { found[$0] }
    }

    package func save(_ profile: UserProfile, of application: ApplicationID) async throws(JournalFailure) {
        try await commit.run { db in
            try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO profile (application, user, name, avatar, bio) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [
                application.rawValue, profile.id.rawValue, profile.name, profile.avatar, profile.bio,
            ])
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalFailure) -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw JournalFailure(error)
        }
    }
}

extension Application {
    fileprivate init(row: Row) throws {
        let id: Int64 = row[0]
        guard let id = UInt32(exactly: id), let consent = Settings.Consent(rawValue: row[3]),
            let secondSession = Settings.SecondSession(rawValue: row[4]),
            let roomKeys = Settings.RoomKeys(rawValue: row[5])
        else { throw JournalFailure.failed("application \(id) cannot be read") }
        self.init(
            id: ApplicationID(id), name: row[1],
            keys: try JSONDecoder().decode([String].self, from: Data((row[2] as String).utf8)),
            settings: Settings(
                consent: consent, secondSession: secondSession, roomKeys: roomKeys,
                admins: (row[6] as String).split(separator: " ").compactMap { UserID(String($0)) }))
    }
}
