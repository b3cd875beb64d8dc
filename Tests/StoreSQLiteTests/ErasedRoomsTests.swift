import Foundation
import GRDB
import JournalContract
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing

@testable import StoreSQLite

/// What an erasure finds in rooms and news, whoever wrote it. What is in the bytes, the payloads know; here they are texts.
@Suite struct ErasedRoomsTests {
    /// Marks what it was asked about.
    private struct Marks: StoredPayloads {
        private func marked(_ payload: [UInt8], _ mark: String) -> [UInt8] { payload + Array(mark.utf8) }
        func command(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] {
            marked(payload, isEnded ? " is over" : " is open")
        }
        func snapshot(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] {
            marked(payload, isEnded ? " is over" : " is open")
        }
        func news(_ payload: [UInt8], erasing user: UserID, ended: Set<RoomID>) -> [UInt8] {
            marked(payload, " " + ended.map(\.description).sorted().joined(separator: ","))
        }
        let newsOfRooms = ["room.updated"]
    }

    private let bob = UserID(literal: "bob")
    private let app = RoomKey.numbered(1).application

    private func entry(_ key: RoomKey, _ position: UInt64, epoch: UInt64, _ text: String) -> JournalEntry {
        JournalEntry(key: key, kind: .durable, position: position, epoch: epoch, payload: Array(text.utf8))
    }

    private func texts(_ store: SQLiteStore, _ table: String) async throws -> [String] {
        try await store.commit.read { db in
            try Row.fetchAll(db, sql: "SELECT payload FROM \(table) ORDER BY rowid").map {
                String(decoding: $0[0] as Data, as: UTF8.self)
            }
        }
    }

    @Test(
        "R09-S of a room that has ended and names somebody everything is looked at, also what others wrote; of an open one what names them; of one that does not, nothing"
    )
    func rooms() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(), payloads: Marks(), now: fixedNow)
        let (over, other) = (RoomKey.numbered(1), RoomKey.named("other"))
        for (key, called, named) in [(over, "over", "bob"), (.numbered(2), "open", "bob"), (other, "other", "bobby")] {
            let epoch = try await store.journal.open(key, chatLimit: 0).epoch
            try await store.journal.append(entry(key, 1, epoch: epoch, "\(called) named by ada"))
            try await store.journal.append(entry(key, 2, epoch: epoch, #"\#(called) entered by "\#(named)""#))
        }
        store.journal.close(over)
        store.journal.close(other)
        #expect(try await store.journal.exists(over))
        _ = try await store.webhooks.add(
            Webhook(
                id: WebhookID(0), application: app, url: "https://example.org", format: .standard, use: .events([]),
                secret: "", state: .on, createdAt: 0))
        _ = try await store.commit.run { [app] db in
            for (type, text) in [
                ("room.updated", "1 is called"), ("message", "1 was told"), ("message", #""bob" said"#),
            ] {
                try db.execute(
                    sql: """
                        INSERT INTO webhook_news (webhook, lane, type, payload, happened_at)
                        SELECT id, 0, ?, ?, 0 FROM webhook WHERE application = ?
                        """, arguments: [type, Data(text.utf8), app.rawValue])
            }
        }
        _ = try await store.personalData.erase(bob, of: app)
        let entries = Set(try await texts(store, "entry"))
        #expect(
            entries == [
                "over named by ada is over", #"over entered by "bob" is over"#, "open named by ada",
                #"open entered by "bob" is open"#, "other named by ada", #"other entered by "bobby""#,
            ])
        #expect(
            try await texts(store, "webhook_news") == ["1 is called 1", "1 was told", #""bob" said 1"#])
        await store.shutDown()
    }
}
