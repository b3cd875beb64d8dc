package import Commerce
import Foundation
import GRDB
package import RoomModel
package import RoomPorts

/// The applications' catalogues of gifts.
package final class SQLiteGifts: GiftStore {
    private let commit: GroupCommit

    init(commit: GroupCommit) { self.commit = commit }

    package func gifts(of application: ApplicationID) async throws(JournalFailure) -> GiftCatalogue {
        try await commit.read { db in
            GiftCatalogue(
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT id, name, names, price, picture, large FROM gift WHERE application = ? ORDER BY price, id
                        """,
                    arguments: [application.rawValue]
                ).map { row in
                    Gift(
                        id: row[0], name: row[1], names: try Self.names(row[2]), price: row[3], picture: row[4],
                        isLarge: row[5])
                })
        }
    }

    package func save(_ gift: Gift, of application: ApplicationID) async throws(JournalFailure) {
        try await commit.run { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO gift (application, id, name, names, price, picture, large)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    application.rawValue, gift.id, gift.name, try Self.text(gift.names), gift.price, gift.picture,
                    gift.isLarge,
                ])
        }
    }

    package func remove(_ gift: String, of application: ApplicationID) async throws(JournalFailure) -> Bool {
        try await commit.run { db in
            try db.execute(
                sql: "DELETE FROM gift WHERE application = ? AND id = ?", arguments: [application.rawValue, gift])
            return db.changesCount > 0
        }
    }

    private static func names(_ text: String) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
    }

    private static func text(_ names: [String: String]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(names), as: UTF8.self)
    }
}
