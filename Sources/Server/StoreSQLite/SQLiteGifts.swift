package import Commerce
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
                    sql: "SELECT id, name, price, picture, large FROM gift WHERE application = ? ORDER BY price, id",
                    arguments: [application.rawValue]
                ).map { Gift(id: $0[0], name: $0[1], price: $0[2], picture: $0[3], isLarge: $0[4]) })
        }
    }

    package func save(_ gift: Gift, of application: ApplicationID) async throws(JournalFailure) {
        try await commit.run { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO gift (application, id, name, price, picture, large) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [application.rawValue, gift.id, gift.name, gift.price, gift.picture, gift.isLarge])
        }
    }

    package func remove(_ gift: String, of application: ApplicationID) async throws(JournalFailure) -> Bool {
        try await commit.run { db in
            try db.execute(
                sql: "DELETE FROM gift WHERE application = ? AND id = ?", arguments: [application.rawValue, gift])
            return db.changesCount > 0
        }
    }
}
