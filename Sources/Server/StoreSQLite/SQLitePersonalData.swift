import Foundation
import GRDB
package import RoomModel
package import RoomPorts

/// Erases what the tables say of a person, in one transaction.
package final class SQLitePersonalData: PersonalData {
    private let commit: GroupCommit

    init(commit: GroupCommit) { self.commit = commit }

    package func erase(_ user: UserID, of application: ApplicationID) async throws(JournalFailure) -> Int {
        try await commit.run { db in
            let whose: StatementArguments = [application.rawValue, user.rawValue]
            let before = db.totalChangesCount
            for sql in [
                "DELETE FROM profile WHERE application = ? AND user = ?",
                // The restriction holds on, without a name.
                "UPDATE standing_restriction SET name = '', reason = NULL WHERE application = ? AND user = ?",
                "UPDATE report SET evidence = '{}', words = NULL WHERE application = ? AND user = ?",
                "UPDATE report SET words = NULL WHERE application = ? AND reporter = ?",
                // What was done stays, without what was said.
                "UPDATE audit SET detail = '{}', reason = NULL WHERE application = ? AND target = ?",
            ] { try db.execute(sql: sql, arguments: whose) }
            try Self.eraseNames(of: user, in: application, db)
            return db.totalChangesCount - before
        }
    }

    /// A gift keeps its own copy of who gave and who got it.
    private static func eraseNames(of user: UserID, in application: ApplicationID, _ db: Database) throws {
        let gifts = try Row.fetchAll(
            db,
            sql: """
                SELECT id, detail FROM transfer WHERE purpose = 'gift' AND detail IS NOT NULL AND (
                    debit IN (SELECT id FROM ledger_account WHERE application = ? AND user = ?)
                    OR credit IN (SELECT id FROM ledger_account WHERE application = ? AND user = ?))
                """,
            arguments: [application.rawValue, user.rawValue, application.rawValue, user.rawValue])
        for row in gifts {
            guard var detail = try? JSONSerialization.jsonObject(with: row[1] as Data) as? [String: Any] else {
                continue
            }
            for side in ["from", "to"] {
                guard var person = detail[side] as? [String: Any], person["id"] as? String == user.rawValue else {
                    continue
                }
                (person["name"], person["avatar"]) = ("", "")
                detail[side] = person
            }
            let data = try JSONSerialization.data(withJSONObject: detail, options: .sortedKeys)
            try db.cachedStatement(sql: "UPDATE transfer SET detail = ? WHERE id = ?")
                .execute(arguments: [data, row[0] as Int64])
        }
    }
}
