import GRDB
package import RoomModel
package import RoomPorts

/// The words of applications.
package final class SQLiteWords: WordStore {
    private let commit: GroupCommit

    init(commit: GroupCommit) { self.commit = commit }

    package func words(
        of application: ApplicationID, after word: String?, limit: Int
    ) async throws(JournalFailure) -> [String] {
        try await commit.read { db in
            try String.fetchAll(
                db, sql: "SELECT word FROM word WHERE application = ? AND word > ? ORDER BY word LIMIT ?",
                arguments: [application.rawValue, word ?? "", limit])
        }
    }

    package func count(of application: ApplicationID) async throws(JournalFailure) -> Int {
        try await commit.read { db in try Self.count(of: application, db) }
    }

    private static func count(of application: ApplicationID, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM word WHERE application = ?", arguments: [application.rawValue]) ?? 0
    }

    package func change(
        _ application: ApplicationID, adding: [String], removing: [String], most: Int
    ) async throws(JournalFailure) -> Bool {
        let bytes = adding.reduce(0) { $0 + $1.utf8.count }
        let result: Result<Bool, JournalFailure> = await withCheckedContinuation { continuation in
            commit.submit(bytes: bytes) { db in
                var isKept = false
                try db.inSavepoint {
                    for word in removing {
                        try db.cachedStatement(sql: "DELETE FROM word WHERE application = ? AND word = ?")
                            .execute(arguments: [application.rawValue, word])
                    }
                    for word in adding {
                        try db.cachedStatement(sql: "INSERT OR IGNORE INTO word (application, word) VALUES (?, ?)")
                            .execute(arguments: [application.rawValue, word])
                    }
                    isKept = try Self.count(of: application, db) <= most
                    return isKept ? .commit : .rollback
                }
                return isKept
            } done: {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }
}
