import Foundation
import GRDB
import RoomEvents
import RoomModel
package import RoomPorts

/// The keys of operators' programs.
package final class SQLiteOperatorKeys: OperatorKeyStore {
    private let commit: GroupCommit

    init(commit: GroupCommit) { self.commit = commit }

    package func keys() async throws(JournalFailure) -> [OperatorKey] {
        try await commit.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, application, name, scopes, digest, created_at, expires_at FROM operator_key
                    ORDER BY created_at, id
                    """
            ).map { try OperatorKey(row: $0) }
        }
    }

    package func add(_ key: OperatorKey, limit: Int) async throws(JournalFailure) -> Bool {
        try await commit.run { db in
            guard try Int.fetchOne(db, sql: "SELECT count(*) FROM operator_key") ?? 0 < limit else { return false }
            try db.execute(
                sql: """
                    INSERT INTO operator_key (id, application, name, scopes, digest, created_at, expires_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    key.id, key.application?.rawValue, key.name.rawValue,
                    key.scopes.map(\.rawValue).sorted().joined(separator: " "), Data(key.digest), key.createdAt,
                    key.expiresAt,
                ])
            return true
        }
    }

    package func revoke(_ id: String) async throws(JournalFailure) -> Bool {
        try await commit.run { db in
            try db.execute(sql: "DELETE FROM operator_key WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }
}

extension OperatorKey {
    fileprivate init(row: Row) throws {
        let id: String = row[0]
        guard let name = UserID(row[2] as String) else {
            throw JournalFailure.failed("the operator's key \(id) cannot be read")
        }
        // A scope that this version does not know opens nothing here.
        let scopes = (row[3] as String).split(separator: " ").compactMap { OperatorScope(rawValue: String($0)) }
        self.init(
            id: id, application: (row[1] as UInt32?).map { ApplicationID($0) }, name: name, scopes: Set(scopes),
            digest: Array(row[4] as Data), createdAt: row[5], expiresAt: row[6])
    }
}
