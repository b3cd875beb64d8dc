import Foundation
import GRDB
import JournalContract
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

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
        func news(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] {
            marked(payload, isEnded ? " is over" : " is open")
        }
    }

    private let bob = UserID(literal: "bob")
    private let app = RoomKey.numbered(1).application

    private func entry(
        _ key: RoomKey, _ position: UInt64, epoch: UInt64, _ text: String, telling news: [OutgoingNews] = []
    ) -> JournalEntry {
        JournalEntry(
            key: key, kind: .durable, position: position, epoch: epoch, payload: Array(text.utf8), outgoing: news)
    }

    private func hook(_ store: SQLiteStore) async throws -> WebhookID {
        try await store.webhooks.add(
            Webhook(
                id: WebhookID(0), application: app, url: "https://example.org", format: .standard, use: .events([]),
                secret: "", state: .on, createdAt: 0))
    }

    private func news(_ hook: WebhookID, _ text: String) -> OutgoingNews {
        OutgoingNews(lane: WebhookLane(webhook: hook, lane: 0), type: "any", payload: Array(text.utf8), time: 0)
    }

    private func texts(_ store: SQLiteStore, _ table: String) async throws -> [String] {
        try await store.commit.read { db in
            try Row.fetchAll(db, sql: "SELECT payload FROM \(table) ORDER BY rowid").map {
                String(decoding: $0[0] as Data, as: UTF8.self)
            }
        }
    }

    @Test(
        "R09-S of a room that has ended and names somebody everything is looked at, also what others wrote and what webhooks wait for; of an open one what names them, whatever had its id before; of one that does not, nothing"
    )
    func rooms() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(), payloads: Marks(), now: fixedNow)
        let (over, other) = (RoomKey.numbered(1), RoomKey.named("other"))
        let hook = try await hook(store)
        for (key, called, named) in [(over, "over", "bob"), (.numbered(2), "open", "bob"), (other, "other", "bobby")] {
            let epoch = try await store.journal.open(key, chatLimit: 0).epoch
            try await store.journal.append(
                entry(key, 1, epoch: epoch, "\(called) named by ada", telling: [news(hook, "\(called) is called")]))
            try await store.journal.append(entry(key, 2, epoch: epoch, #"\#(called) entered by "\#(named)""#))
        }
        store.journal.close(over)
        store.journal.close(other)
        #expect(try await store.journal.exists(over))
        // The same id, another room.
        let epoch = try await store.journal.open(over, chatLimit: 0).epoch
        try await store.journal.append(
            entry(over, 1, epoch: epoch, "begun anew by ada", telling: [news(hook, "over is called something else")]))
        store.webhooks.post([news(hook, "ada left"), news(hook, #""bob" left"#)])
        _ = try await store.personalData.erase(bob, of: app)
        let entries = Set(try await texts(store, "entry"))
        #expect(
            entries == [
                "over named by ada is over", #"over entered by "bob" is over"#, "open named by ada",
                #"open entered by "bob" is open"#, "other named by ada", #"other entered by "bobby""#,
                "begun anew by ada",
            ])
        #expect(
            try await texts(store, "webhook_news") == [
                "over is called is over", "open is called", "other is called", "over is called something else",
                "ada left", #""bob" left is open"#,
            ])
        await store.shutDown()
    }

    /// News of a file of schema 12, which does not say of which life they are, and what an erasure takes them for.
    private let newsFromBefore: [(payload: String, secondsAgo: Int64, left: String)] = [
        (#"{"data":{"room":9}}"#, 85, " is over"), (#"{"GroupId":"9"}"#, 85, " is over"),
        // Between its lives.
        (#"{"data":{"room":9}}"#, 75, " is over"), (#"{"data":{"room":9}}"#, 55, " is over"),
        (#"{"data":{"room":9}}"#, 10, ""), (#"{"GroupId":"9"}"#, 10, ""),
        // Others by nearly the same id.
        (#"{"data":{"room":"9"}}"#, 85, ""), (#"{"GroupId":"~9"}"#, 85, ""),
        (#"{"GroupId":"say \"9\""}"#, 85, " is over"),
        // Of no room, of none that is known, and nothing that can be read.
        ("{}", 85, ""), (#"{"GroupId":"10"}"#, 85, ""), ("[", 85, ""),
    ]

    @Test(
        "R09-S news that waited since before they were stored with the life of their room are of the one that room and time tell"
    )
    func fromBefore() async throws {
        let fixture = try #require(
            Bundle.module.url(forResource: "store-12", withExtension: "sqlite", subdirectory: "Fixtures"))
        let scratch = try Scratch()
        let path = scratch.path + "/" + SQLiteStore.fileName
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        let now = fixedNow().millisecondsSince1970
        let file = try DatabaseQueue(path: path)
        try await file.write { [app, newsFromBefore] db in
            func live(
                _ name: any DatabaseValueConvertible, _ epoch: Int, _ opened: Int64, _ ended: Int64?, _ entry: String
            ) throws {
                try db.execute(
                    sql: "INSERT INTO room (application, name, epoch, opened_at, ended_at) VALUES (?, ?, ?, ?, ?)",
                    arguments: [
                        app.rawValue, name, epoch, now - opened * 1_000, ended.map { now - $0 * 1_000 },
                    ])
                try db.execute(
                    sql: """
                        INSERT INTO entry (room, position, epoch, is_chat, written_at, payload)
                        VALUES (?, 1, ?, 0, ?, ?)
                        """, arguments: [db.lastInsertedRowID, epoch, now, Data(entry.utf8)])
            }
            try live(9, 1, 90, 80, #""bob" came"#)
            try live(9, 2, 70, 60, #""bob" came again"#)
            try live(9, 3, 50, nil, #""bob" came once more"#)
            try live("9", 1, 90, 80, "ada came")
            try live(#"say "9""#, 1, 90, 80, #""bob" came"#)
            for news in newsFromBefore {
                try db.execute(
                    sql: """
                        INSERT INTO webhook_news (webhook, lane, type, payload, happened_at)
                        VALUES (1, 0, 'room.updated', ?, ?)
                        """, arguments: [Data(news.payload.utf8), now - news.secondsAgo * 1_000])
            }
        }
        try file.close()
        let store = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(), payloads: Marks(), now: fixedNow)
        _ = try await store.personalData.erase(bob, of: app)
        // The fixture has one of its own.
        #expect(try await texts(store, "webhook_news").dropFirst() == newsFromBefore.map { $0.payload + $0.left }[...])
        await store.shutDown()
    }
}
