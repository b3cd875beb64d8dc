import Foundation
import GRDB
package import RoomModel
package import RoomPorts

/// Looks into the file of a server that may be running: reads alone, and takes no lock of the directory.
package final class StoreRecords: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    package init(directory: String) throws(StoreFailure) {
        path = directory + "/" + SQLiteStore.fileName
        guard try Schema.current.inspect(path) == Schema.current.version else {
            throw .failed(
                path: path, reason: "there is no such file, or an older server wrote it and has not been started since")
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw StoreFailure(error, path: path)
        }
    }

    package func has(_ application: ApplicationID) throws(StoreFailure) -> Bool {
        try read {
            try Bool.fetchOne(
                $0, sql: "SELECT EXISTS (SELECT 1 FROM application WHERE id = ?)", arguments: [application.rawValue])
                ?? false
        }
    }

    /// The newest first.
    package func audit(of application: ApplicationID, _ query: AuditQuery) throws(StoreFailure) -> [NotedLine] {
        try read { try $0.audit(of: application, query) }
    }

    /// The oldest first, as they wait; or all.
    package func reports(
        of application: ApplicationID, all: Bool = false, after id: Int64 = 0, limit: Int
    ) throws(StoreFailure) -> [NotedReport] {
        try read { try $0.reports(of: application, all: all, after: id, limit: limit) }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(StoreFailure) -> Value {
        do { return try queue.read(body) } catch { throw StoreFailure(error, path: path) }
    }
}

extension Database {
    func audit(of application: ApplicationID, _ query: AuditQuery) throws -> [NotedLine] {
        var lines = "application = :application AND id < :before"
        var arguments: StatementArguments = [
            "application": application.rawValue, "before": query.before ?? .max, "limit": query.limit,
        ]
        if let room = query.room {
            lines += " AND room = :room"
            arguments += ["room": room.column]
        }
        var halves = [lines]
        if let user = query.user {
            // Each half by its own index; no line is in both. Earlier releases noted a program under its plain name, as commands are under
            // that of the account.
            halves =
                user.isProgram
                ? ["\(lines) AND actor = :user", "\(lines) AND actor = :name AND role = 'operator'"]
                : [
                    "\(lines) AND actor = :user AND way <> 'command'",
                    "\(lines) AND target = :user AND (actor <> :user OR way = 'command')",
                ]
            arguments += user.isProgram ? ["user": user.rawValue, "name": user.plainName] : ["user": user.rawValue]
        }
        let found = halves.map { half in
            """
            SELECT * FROM (
                SELECT id, room, actor, role, way, action, target, detail, reason, outcome, noted_at FROM audit
                WHERE \(half) ORDER BY id DESC LIMIT :limit)
            """
        }
        return try Row.fetchAll(
            self, sql: found.joined(separator: " UNION ALL ") + " ORDER BY id DESC LIMIT :limit", arguments: arguments
        ).map { row in
            NotedLine(
                id: row[0],
                line: AuditLine(
                    application: application, room: RoomID(column: row[1]), actor: UserID.author(row[2]),
                    role: AuditLine.Role(rawValue: row[3]) ?? .system,
                    way: AuditLine.Way(rawValue: row[4]) ?? .session,
                    action: row[5], target: (row[6] as String?).flatMap { UserID($0) }, detail: row[7],
                    reason: row[8],
                    outcome: row[9], time: row[10]))
        }
    }

    func reports(
        of application: ApplicationID, all: Bool, after id: Int64, limit: Int
    ) throws -> [NotedReport] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT id, room, reporter, user, cause, words, evidence, posted_at, settled_by, settled_at, settlement
                FROM report WHERE application = ? AND id > ? \(all ? "" : "AND settled_at IS NULL") ORDER BY id LIMIT ?
                """, arguments: [application.rawValue, id, limit]
        ).compactMap { row in
            guard let room = RoomID(column: row[1]), let reporter = UserID(row[2] as String),
                let user = UserID(row[3] as String)
            else { return nil }
            var noted = NotedReport(
                id: row[0],
                report: Report(
                    application: application, room: room, reporter: reporter, user: user,
                    cause: ReportCause(rawValue: row[4]) ?? .other, words: row[5], evidence: row[6], time: row[7]))
            if let time = row[9] as Int64? {
                noted.settled = NotedReport.Settlement(by: row[8] ?? "", time: time, words: row[10] ?? "")
            }
            return noted
        }
    }
}

/// The same for the server itself.
package final class SQLiteRecords: OperatorRecords {
    private let commit: GroupCommit

    init(commit: GroupCommit) { self.commit = commit }

    package func audit(
        of application: ApplicationID, _ query: AuditQuery
    ) async throws(JournalFailure) -> [NotedLine] {
        // Behind what has been noted so far: whoever asks after a deed finds it. A disk that takes nothing is read all the same.
        _ = try? await commit.run { _ in }
        return try await commit.read { try $0.audit(of: application, query) }
    }

    package func reports(
        of application: ApplicationID, all: Bool, after id: Int64, limit: Int
    ) async throws(JournalFailure) -> [NotedReport] {
        try await commit.read { try $0.reports(of: application, all: all, after: id, limit: limit) }
    }

    package func restrictions(
        of application: ApplicationID, _ kind: RestrictionKind?, at time: Int64, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [NotedRestriction] {
        try await commit.read { try $0.restrictions(of: application, kind, at: time, before: id, limit: limit) }
    }

    package func settle(
        _ id: Int64, of application: ApplicationID, _ settlement: NotedReport.Settlement
    ) async throws(JournalFailure) -> Bool {
        try await commit.run { db in
            try db.execute(
                sql: """
                    UPDATE report SET settled_at = ?, settled_by = ?, settlement = ?
                    WHERE id = ? AND application = ? AND settled_at IS NULL
                    """,
                arguments: [settlement.time, settlement.by, settlement.words, id, application.rawValue])
            return db.changesCount > 0
        }
    }
}
