import Commerce
import Foundation
import GRDB
import JournalContract
import RoomEvents
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing

@testable import StoreSQLite

/// The file of each release is kept under `Fixtures/`; every later release has to read it. A schema's file is written once, on its
/// release, by running this suite with `OVATION_WRITE_FIXTURE=<directory>`, and never again.
@Suite("Files of released schemas")
struct ReleasedFileTests {
    private static let versions = Array(1...Schema.current.version)

    @Test("the file of each schema opens, with everything that was in it", arguments: versions)
    func opens(version: Int) async throws {
        let fixture = try #require(
            Bundle.module.url(forResource: "store-\(version)", withExtension: "sqlite", subdirectory: "Fixtures"))
        let scratch = try Scratch()
        try FileManager.default.copyItem(atPath: fixture.path, toPath: scratch.path + "/" + SQLiteStore.fileName)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        try await verify(store, version)
        await store.shutDown()
    }

    @Test("what this release writes is what its fixture holds, table by table and row by row")
    func writes() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        try await fill(store)
        let written = scratch.path + "/written.sqlite"
        try store.copy(to: written)
        if let directory = Self.writeTo {
            try store.copy(to: directory + "/store-\(Schema.current.version).sqlite")
        } else {
            let fixture = try #require(
                Bundle.module.url(
                    forResource: "store-\(Schema.current.version)", withExtension: "sqlite",
                    subdirectory: "Fixtures"))
            let (found, expected) = (try Self.contents(of: written), try Self.contents(of: fixture.path))
            #expect(found.keys.sorted() == expected.keys.sorted() && found.count > 3)
            for (table, rows) in expected { #expect(found[table] == rows, "\(table)") }
        }
        try await verify(store, Schema.current.version)
        await store.shutDown()
    }

    /// Each table's statement and rows, in the order of the row ids.
    private static func contents(of path: String) throws -> [String: [String]] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            let tables = try Row.fetchAll(
                db, sql: "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL")
            var contents: [String: [String]] = [:]
            for table in tables {
                let (name, sql): (String, String) = (table["name"], table["sql"])
                let rows = sql.hasPrefix("CREATE TABLE") ? try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"") : []
                contents[name] = [sql] + rows.map(\.description).sorted()
            }
            return contents
        }
    }

    private static let writeTo = ProcessInfo.processInfo.environment["OVATION_WRITE_FIXTURE"]

    // MARK: Contents

    private static let salon = RoomKey.numbered(48_213)
    private static let duet = RoomKey.named("a duet")
    private static let over = RoomKey.numbered(7)
    private static let application = Application(
        id: ApplicationID(1_400_000_001), name: "Demo", keys: ["new key", "old key"],
        settings: .init(consent: .advisory, secondSession: .allowed))
    private static let profile = UserID("ada").map {
        UserProfile(id: $0, name: "Ada 아다", avatar: "/a.png", bio: "first")
    }

    private func entries(_ key: RoomKey, _ positions: ClosedRange<UInt64>, epoch: UInt64) -> [JournalEntry] {
        positions.map { .sample(key, $0, epoch: epoch, $0.isMultiple(of: 3) ? .chat : .durable) }
    }

    private func fill(_ store: SQLiteStore) async throws {
        let journal = store.journal
        for webhook in Self.webhooks { _ = try await store.webhooks.add(webhook) }
        _ = try await journal.open(Self.salon, chatLimit: 0)
        for entry in entries(Self.salon, 1...6, epoch: 1) { try await journal.append(entry) }
        journal.saveSnapshot([4, 0, 255], of: Self.salon, at: 4)
        _ = try await journal.open(Self.salon, chatLimit: 0)
        for entry in entries(Self.salon, 7...9, epoch: 2) { try await journal.append(entry) }
        _ = try await journal.open(Self.duet, chatLimit: 0)
        for key in [Self.over, Self.over] {
            let epoch = try await journal.open(key, chatLimit: 0).epoch
            var entry = JournalEntry.sample(key, 1, epoch: epoch)
            entry.outgoing = [Self.entryNews]
            try await journal.append(entry)
            journal.close(key)
        }
        var application = Self.application
        application.settings.roomKeys = .required
        application.settings.admins = Self.admins
        try await store.accounts.save(application)
        let profile = try #require(Self.profile)
        try await store.accounts.save(profile, of: Self.application.id)
        let topUp = Transfer(from: .shop, to: .wallet(profile.id), coins: 100, purpose: .topUp)
        for (transfer, poster) in [
            (topUp, TransferKey.Poster.operator), (Self.gift(from: profile.id), .user(profile.id)),
        ] {
            let key = TransferKey(
                application: Self.application.id, poster: poster, key: "a key", fingerprint: "what was asked for")
            _ = try await store.ledger.post(transfer, key: key)
        }
        for ban in Self.bans {
            try await store.restrictions.set(ban, from: .host(UserID(literal: "host")), in: Self.application.id)
        }
        try await store.restrictions.set(Self.mute, from: .application, in: Self.application.id)
        for key in Self.keys { _ = try await store.operatorKeys.add(key, limit: 2) }
        store.webhooks.post([Self.news])
        _ = try await store.words.change(
            Self.application.id, adding: ["도박", "bull*"], removing: [], most: 9)
        for gift in Self.gifts { try await store.gifts.save(gift, of: Self.application.id) }
        store.audit.note(Self.line)
        store.reports.post(Self.report) { _ in }
        // What comes after it is written after it.
        try await store.accounts.save(profile, of: Self.application.id)
    }

    private static let gifts = [
        Gift(id: "tea", name: "Tea", price: 5),
        Gift(
            id: "rose", name: "Rose", names: ["ko": "장미", "zh": "玫瑰"], price: 10, picture: "gifts/rose.svg",
            isLarge: true),
    ]
    private static let admins = [UserID(literal: "administrator"), UserID(literal: "shop")]
    private static let mute = Restriction(
        .chatMute, user: UserID(literal: "bob"), name: "Bob 밥", until: nil, everywhere: true,
        by: UserID(literal: "console"), reason: "why")
    private static let bans = [
        Restriction(
            .ban, user: UserID(literal: "bob"), name: "Bob 밥", until: nil, everywhere: true,
            by: UserID(literal: "host"), reason: "why"),
        Restriction(
            .ban, user: UserID(literal: "eve"), name: "Eve", until: 32_503_680_000_000, everywhere: true,
            by: UserID(literal: "admin")),
    ]

    private static let keys = [
        OperatorKey(
            id: "0123456789ab", application: nil, name: UserID(literal: "console"),
            scopes: [.readRooms, .writeRooms, .writeMessages, .moderate], digest: Array(0..<32),
            createdAt: 1_795_000_000_000),
        OperatorKey(
            id: "ba9876543210", application: application.id, name: UserID(literal: "shop"), scopes: [.writeMessages],
            digest: Array(repeating: 255, count: 32), createdAt: 1_795_000_000_001, expiresAt: 32_503_680_000_000),
    ]

    private static let webhooks = [
        Webhook(
            id: WebhookID(1), application: application.id, url: "https://example.org/hook", format: .standard,
            use: .events(["seat.*", "message"]), secret: "whsec_AAAA", createdAt: 1_795_000_000_000),
        Webhook(
            id: WebhookID(2), application: application.id, url: "https://example.org/review", format: .compatible,
            use: .review(.refuse), secret: "token", state: .off(reason: "gone"), createdAt: 1_795_000_000_001),
    ]
    private static let news = OutgoingNews(
        lane: WebhookLane(webhook: WebhookID(1), lane: 7), type: "seat.taken", payload: [123, 125],
        time: 1_795_000_000_002)
    /// Of each life of a room.
    private static let entryNews = OutgoingNews(
        lane: WebhookLane(webhook: WebhookID(1), lane: 8), type: "room.updated", payload: [123, 125],
        time: 1_795_000_000_003)

    private static let line = AuditLine(
        application: application.id, room: .number(48_213), actor: UserID(literal: "host"), role: .owner, way: .session,
        action: "setRestriction", target: UserID(literal: "bob"), detail: "{\"kind\":\"ban\"}", reason: "why",
        time: 1_795_000_000_000)

    private static let report = Report(
        application: application.id, room: .string("a duet"), reporter: UserID(literal: "ada"),
        user: UserID(literal: "bob"), cause: .abuse, words: "mean 나쁜", evidence: "{\"name\":\"Bob\"}",
        time: 1_795_000_000_000)

    private static func gift(from user: UserID) -> Transfer {
        Transfer(
            from: .wallet(user), to: .earnings(UserID(literal: "host")), coins: 30,
            purpose: .gift(to: RoomLife(key: salon, createdIn: 1), detail: [1, 0, 255]))
    }

    private func verify(_ store: SQLiteStore, _ version: Int) async throws {
        #expect(try await store.journal.openRooms() == [Self.salon, Self.duet])
        let salon = try await store.journal.open(Self.salon, chatLimit: 10)
        #expect(
            salon
                == RoomHistory(
                    epoch: 3, snapshot: [4, 0, 255], snapshotPosition: 4,
                    entries: entries(Self.salon, 5...6, epoch: 1) + entries(Self.salon, 7...9, epoch: 2),
                    recentChat: entries(Self.salon, 3...3, epoch: 1) + entries(Self.salon, 6...6, epoch: 1)
                        + entries(Self.salon, 9...9, epoch: 2)))
        #expect(try await store.journal.open(Self.duet, chatLimit: 10).epoch == 2)
        #expect(try await store.journal.exists(Self.over))
        #expect(try await store.journal.open(Self.over, chatLimit: 10).epoch == 3)
        var application = Self.application
        // Keys of rooms came with the fifth schema.
        if version >= 5 { application.settings.roomKeys = .required }
        if version >= 7 { application.settings.admins = Self.admins }
        #expect(try await store.accounts.applications() == [application])
        let profile = try #require(Self.profile)
        #expect(try await store.accounts.profiles([profile.id], of: Self.application.id) == [profile])
        // The ledger came with the second schema.
        guard version >= 2 else { return }
        #expect(try await store.ledger.sum(of: Self.application.id) == 0)
        #expect(try await store.ledger.balance(of: .wallet(profile.id), in: Self.application.id) == 70)
        let life = RoomLife(key: Self.salon, createdIn: 1)
        let gift = try #require(try await store.ledger.gifts(to: life, after: 0).first)
        #expect(gift.transfer == Self.gift(from: profile.id) && gift.fromBalance == 70)
        guard version >= 3 else { return }
        for ban in Self.bans {
            #expect(
                store.restrictions.restriction(
                    .ban, of: ban.user, from: .host(UserID(literal: "host")), in: Self.application.id) == ban)
        }
        guard version >= 4 else { return }
        let records = try StoreRecords(directory: (store.path as NSString).deletingLastPathComponent)
        #expect(try records.audit(of: Self.application.id, AuditQuery(limit: 10)).map(\.line) == [Self.line])
        #expect(try records.reports(of: Self.application.id, limit: 10).map(\.report) == [Self.report])
        guard version >= 6 else { return }
        #expect(try await store.operatorKeys.keys() == Self.keys)
        guard version >= 8 else { return }
        #expect(try await store.webhooks.webhooks() == Self.webhooks)
        #expect(try await store.webhooks.waiting(in: Self.news.lane, limit: 9).map(\.news) == [Self.news])
        guard version >= 9 else { return }
        #expect(
            try await store.words.words(of: Self.application.id, after: nil, limit: 9) == ["bull*", "도박"])
        guard version >= 10 else { return }
        #expect(
            store.restrictions.restriction(
                .chatMute, of: Self.mute.user, from: .application, in: Self.application.id) == Self.mute)
        guard version >= 12 else { return }
        #expect(try await store.gifts.gifts(of: Self.application.id).gifts == Self.gifts)
        guard version >= 13 else { return }
        let waiting = try await store.webhooks.waiting(in: Self.entryNews.lane, limit: 9)
        #expect(waiting.map(\.news) == [Self.entryNews, Self.entryNews])
        let lives = try await store.commit.read { db in
            try Int64?.fetchAll(db, sql: "SELECT room FROM webhook_news WHERE lane = 8 ORDER BY id")
        }
        #expect(lives.count == 2 && !lives.contains(nil) && lives.first != lives.last, "each of its own life")
    }
}
