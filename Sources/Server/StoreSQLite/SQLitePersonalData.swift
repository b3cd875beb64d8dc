import Foundation
import GRDB
package import RoomModel
package import RoomPorts

/// Erases what the file says of a person: in its tables, in what is kept of rooms, and in what webhooks wait for.
package final class SQLitePersonalData: PersonalData {
    /// Rows whose bytes are written anew in one go: others' commits wait for no more.
    private static let step = 100

    private let commit: GroupCommit
    private let payloads: any StoredPayloads
    private let path: String

    init(commit: GroupCommit, payloads: any StoredPayloads, path: String) {
        self.commit = commit
        self.payloads = payloads
        self.path = path
    }

    package func copies() -> [String] { Remains(of: path).found + StoreCopies(of: path).found }

    package func erase(_ user: UserID, of application: ApplicationID) async throws(JournalFailure) -> Int {
        var rows = try await eraseTables(user, application)
        // Before the entries that say of which rooms they are.
        rows += try await rewrite(
            "webhook_news",
            """
            JOIN webhook ON webhook.id = webhook_news.webhook LEFT JOIN room ON room.id = webhook_news.room
            WHERE webhook.application = ?
            """, of: user, application
        ) { [payloads] in payloads.news($0, erasing: user, isEnded: $1) }
        rows += try await rewrite(
            "entry", "JOIN room ON room.id = entry.room WHERE room.application = ?", of: user, application
        ) { [payloads] in try payloads.command($0, erasing: user, isEnded: $1) }
        rows += try await rewrite(
            "snapshot", "JOIN room ON room.id = snapshot.room WHERE room.application = ?", of: user, application
        ) { [payloads] in try payloads.snapshot($0, erasing: user, isEnded: $1) }
        // What stood there stands in the log of writes still, and in places that rows were moved from.
        try await Remains(of: path).remove(with: commit)
        return rows
    }

    /// An id is no part of JSON but as a whole text: its letters need no escape.
    private static func named(_ user: UserID) -> Data { Data("\"\(user.rawValue)\"".utf8) }

    /// In one transaction.
    private func eraseTables(_ user: UserID, _ application: ApplicationID) async throws(JournalFailure) -> Int {
        try await commit.run { db in
            let whose: StatementArguments = [application.rawValue, user.rawValue]
            let before = db.totalChangesCount
            for sql in [
                "DELETE FROM profile WHERE application = ? AND user = ?",
                // The restriction holds on, without a name.
                "UPDATE standing_restriction SET name = '', reason = NULL WHERE application = ? AND user = ?",
                "UPDATE standing_restriction SET reason = NULL WHERE application = ? AND decided_by = ?",
                // What was said of how a report about them, or by them, was settled.
                """
                UPDATE audit SET reason = NULL WHERE action = 'settleReport' AND application = ?1
                AND json_extract(detail, '$.report') IN (
                    SELECT CAST(id AS TEXT) FROM report WHERE application = ?1 AND (user = ?2 OR reporter = ?2))
                """,
                """
                UPDATE report SET evidence = '{}', words = NULL, settlement = iif(settlement IS NULL, NULL, '')
                WHERE application = ? AND user = ?
                """,
                """
                UPDATE report SET words = NULL, settlement = iif(settlement IS NULL, NULL, '')
                WHERE application = ? AND reporter = ?
                """,
                // What was done stays, without what was said.
                "UPDATE audit SET detail = '{}', reason = NULL WHERE application = ? AND target = ?",
                // Who changes a room after them is noted with what they had written.
                """
                UPDATE audit SET detail = '{}' WHERE action = 'updateRoom' AND (application, room) IN (
                    SELECT application, room FROM audit
                    WHERE application = ? AND actor = ? AND action = 'updateRoom' AND role <> 'operator')
                """,
                """
                UPDATE audit SET detail = '{}', reason = NULL
                WHERE application = ? AND actor = ? AND role <> 'operator'
                """,
                // Their client chose the key, by which nobody will ask again. No client's key has a line's end in it.
                "UPDATE transfer SET key = 'erased' || char(10) || id WHERE application = ? AND poster = 'user:' || ?",
            ] { try db.execute(sql: sql, arguments: whose) }
            try Self.eraseNames(of: user, in: application, db)
            return db.totalChangesCount - before
        }
    }

    /// Writes anew what names them, and what is kept and told of rooms that have ended and name them somewhere: what such a room was called
    /// may be theirs, whoever wrote it last.
    /// - Parameter rows: which rows of the table are the application's, each beside the life of the room that it is of.
    private func rewrite(
        _ table: String, _ rows: String, of user: UserID, _ application: ApplicationID,
        _ body: @escaping @Sendable (_ payload: [UInt8], _ isEnded: Bool) throws -> [UInt8]
    ) async throws(JournalFailure) -> Int {
        let found = try await commit.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT \(table).rowid FROM \(table) \(rows) AND (
                        instr(\(table).payload, ?2) > 0 OR room.ended_at IS NOT NULL AND room.id IN (
                            SELECT room FROM entry WHERE instr(payload, ?2) > 0
                            UNION SELECT room FROM snapshot WHERE instr(payload, ?2) > 0))
                    """,
                arguments: [application.rawValue, Self.named(user)])
        }
        var changed = 0
        for start in stride(from: 0, to: found.count, by: Self.step) {
            let some = found[start..<min(start + Self.step, found.count)]
            changed += try await commit.run { db in
                var changed = 0
                for id in some {
                    let row = try Row.fetchOne(
                        db,
                        sql: """
                            SELECT \(table).payload, room.ended_at IS NOT NULL FROM \(table) \(rows)
                            AND \(table).rowid = ?
                            """, arguments: [application.rawValue, id])
                    guard let row else { continue }
                    let payload = [UInt8](row[0] as Data)
                    guard let written = try? body(payload, row[1]) else {
                        // Nobody can read it, and nobody will ask for it.
                        if row[1] { try db.execute(sql: "DELETE FROM \(table) WHERE rowid = ?", arguments: [id]) }
                        continue
                    }
                    guard written != payload else { continue }
                    try db.execute(
                        sql: "UPDATE \(table) SET payload = ? WHERE rowid = ?", arguments: [Data(written), id])
                    changed += 1
                }
                return changed
            }
        }
        return changed
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
