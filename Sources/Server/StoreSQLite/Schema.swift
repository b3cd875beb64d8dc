import Foundation
import GRDB

/// One step of the schema. Steps are never edited once released: a file in the field has already taken them.
struct Migration: Sendable {
    /// Dense from 1; the file's `user_version` after the step.
    var version: Int
    var sql: String
}

/// The schema of the file and how a file gets there: found out before anything is touched, copied, then migrated whole or not at all.
struct Schema: Sendable {
    /// `PRAGMA application_id`, "OVAT": says that the file is ours before anything is written to it.
    static let applicationID: Int32 = 0x4f56_4154

    var migrations: [Migration]
    var version: Int { migrations.last?.version ?? 0 }

    static let current = Schema(migrations: [
        rooms, ledger, hostBans, moderation, roomKeys, operatorKeys, admins, webhooks, words,
        restrictions, auditIndexes, giftNames, newsOfRooms,
    ])

    private static let rooms = Migration(
        version: 1,
        sql: """
            -- A row is one life of a room: a room that has ended and is opened again gets a new row and a higher epoch.
            -- `name` is an integer or a text, as the room's id is: 123 and '123' are different rooms.
            CREATE TABLE room (
                id INTEGER PRIMARY KEY,
                application INTEGER NOT NULL,
                name ANY NOT NULL CHECK (typeof(name) IN ('integer', 'text')),
                epoch INTEGER NOT NULL,
                opened_at INTEGER NOT NULL,
                ended_at INTEGER
            ) STRICT;
            CREATE INDEX room_by_name ON room (application, name, epoch);
            CREATE UNIQUE INDEX room_open ON room (application, name) WHERE ended_at IS NULL;
            CREATE INDEX room_ended ON room (ended_at) WHERE ended_at IS NOT NULL;

            -- The log of all rooms, in the order of commits. Times are milliseconds since 1970.
            CREATE TABLE entry (
                id INTEGER PRIMARY KEY,
                room INTEGER NOT NULL REFERENCES room (id),
                position INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                is_chat INTEGER NOT NULL CHECK (is_chat IN (0, 1)),
                written_at INTEGER NOT NULL,
                payload BLOB NOT NULL
            ) STRICT;
            CREATE UNIQUE INDEX entry_by_position ON entry (room, position);
            CREATE INDEX entry_chat ON entry (room, position) WHERE is_chat = 1;

            CREATE TABLE snapshot (
                room INTEGER PRIMARY KEY REFERENCES room (id),
                position INTEGER NOT NULL,
                written_at INTEGER NOT NULL,
                payload BLOB NOT NULL
            ) STRICT;

            -- One row: the highest epoch of rooms that have been pruned. New rooms start above it, so that a client
            -- that comes back after years never takes another room's epoch for its own.
            CREATE TABLE epoch_floor (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                epoch INTEGER NOT NULL
            ) STRICT;
            INSERT INTO epoch_floor (one, epoch) VALUES (1, 0);

            -- `keys` is a JSON array of texts, the newest first.
            CREATE TABLE application (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                keys TEXT NOT NULL,
                consent TEXT NOT NULL,
                second_session TEXT NOT NULL
            ) STRICT;

            CREATE TABLE profile (
                application INTEGER NOT NULL,
                user TEXT NOT NULL,
                name TEXT NOT NULL,
                avatar TEXT NOT NULL,
                bio TEXT NOT NULL,
                PRIMARY KEY (application, user)
            ) STRICT, WITHOUT ROWID;
            """)

    /// Coins are whole numbers. Nothing of it expires: a key that was used once is used for ever.
    private static let ledger = Migration(
        version: 2,
        sql: """
            -- `user` is empty for the shop's account, the only one that may be below nought.
            CREATE TABLE ledger_account (
                id INTEGER PRIMARY KEY,
                application INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('wallet', 'earnings', 'shop')),
                user TEXT NOT NULL,
                balance INTEGER NOT NULL CHECK (kind = 'shop' OR balance >= 0)
            ) STRICT;
            CREATE UNIQUE INDEX ledger_account_by_user ON ledger_account (application, kind, user);

            -- What went from one account (debit) to another (credit), and what both held after it. `poster` and `key` make a repeat
            -- the same transfer; `fingerprint` tells another request under a used key. A gift is one to a life of a room.
            CREATE TABLE transfer (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                application INTEGER NOT NULL,
                poster TEXT NOT NULL,
                key TEXT NOT NULL,
                fingerprint TEXT NOT NULL,
                debit INTEGER NOT NULL REFERENCES ledger_account (id),
                credit INTEGER NOT NULL REFERENCES ledger_account (id),
                coins INTEGER NOT NULL CHECK (coins > 0),
                debit_after INTEGER NOT NULL,
                credit_after INTEGER NOT NULL,
                purpose TEXT NOT NULL CHECK (purpose IN ('gift', 'topUp', 'refund')),
                room ANY CHECK (typeof(room) IN ('integer', 'text', 'null')),
                created_in INTEGER,
                detail BLOB,
                posted_at INTEGER NOT NULL,
                CHECK (debit <> credit),
                CHECK ((purpose = 'gift') = (room IS NOT NULL AND created_in IS NOT NULL AND detail IS NOT NULL))
            ) STRICT;
            CREATE UNIQUE INDEX transfer_by_key ON transfer (application, poster, key);
            CREATE INDEX transfer_debit ON transfer (debit, id);
            CREATE INDEX transfer_credit ON transfer (credit, id);
            CREATE INDEX transfer_room ON transfer (application, room, created_in, id) WHERE room IS NOT NULL;

            -- What people can give. What was given keeps its own copy.
            CREATE TABLE gift (
                application INTEGER NOT NULL,
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                price INTEGER NOT NULL CHECK (price > 0),
                picture TEXT NOT NULL,
                large INTEGER NOT NULL CHECK (large IN (0, 1)),
                PRIMARY KEY (application, id)
            ) STRICT, WITHOUT ROWID;
            """)

    /// Those whom hosts keep out of all their rooms.
    private static let hostBans = Migration(
        version: 3,
        sql: """
            -- Who may enter none of a host's rooms; `until` is empty for good.
            CREATE TABLE host_ban (
                application INTEGER NOT NULL,
                host TEXT NOT NULL,
                user TEXT NOT NULL,
                name TEXT NOT NULL,
                until INTEGER,
                decided_by TEXT NOT NULL,
                reason TEXT,
                PRIMARY KEY (application, host, user)
            ) STRICT, WITHOUT ROWID;
            """)

    /// Restrictions of hosts and of the operator.
    private static let restrictions = Migration(
        version: 10,
        sql: """
            -- Who may not be in, or not write in, all rooms of a host or, where `host` is empty, the whole application; `until` is empty
            -- for good. A restriction that is set anew gets another id.
            CREATE TABLE standing_restriction (
                id INTEGER PRIMARY KEY,
                application INTEGER NOT NULL,
                host TEXT NOT NULL,
                kind TEXT NOT NULL,
                user TEXT NOT NULL,
                name TEXT NOT NULL,
                until INTEGER,
                decided_by TEXT NOT NULL,
                reason TEXT
            ) STRICT;
            CREATE UNIQUE INDEX restriction_of_user ON standing_restriction (application, host, kind, user);
            CREATE INDEX restriction_by_id ON standing_restriction (application, host, id);
            INSERT INTO standing_restriction (application, host, kind, user, name, until, decided_by, reason)
                SELECT application, host, 'ban', user, name, until, decided_by, reason FROM host_ban;
            DROP TABLE host_ban;
            """)

    /// What one person did, or what was done to them, and what happened in a room.
    private static let auditIndexes = Migration(
        version: 11,
        sql: """
            CREATE INDEX audit_by_room ON audit (application, room, id) WHERE room IS NOT NULL;
            CREATE INDEX audit_by_actor ON audit (application, actor, id);
            CREATE INDEX audit_by_target ON audit (application, target, id) WHERE target IS NOT NULL;
            """)

    private static let roomKeys = Migration(
        version: 5, sql: "ALTER TABLE application ADD COLUMN room_keys TEXT NOT NULL DEFAULT 'unused';")

    /// Names with spaces between.
    private static let admins = Migration(
        version: 7, sql: "ALTER TABLE application ADD COLUMN admins TEXT NOT NULL DEFAULT 'administrator';")

    private static let webhooks = Migration(
        version: 8,
        sql: """
            CREATE TABLE webhook (
                -- Never given twice: what a receiver has seen names it.
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                application INTEGER NOT NULL,
                url TEXT NOT NULL,
                format TEXT NOT NULL,
                purpose TEXT NOT NULL,
                -- Of events the types, with spaces between; of a review the fallback.
                types TEXT NOT NULL,
                secret TEXT NOT NULL,
                off_reason TEXT,
                created_at INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE webhook_news (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                webhook INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
                lane INTEGER NOT NULL,
                type TEXT NOT NULL,
                payload BLOB NOT NULL,
                happened_at INTEGER NOT NULL,
                attempts INTEGER NOT NULL DEFAULT 0,
                -- Why nobody tries any more.
                given_up TEXT
            ) STRICT;
            CREATE INDEX webhook_news_waiting ON webhook_news (webhook, lane, id) WHERE given_up IS NULL;
            CREATE INDEX webhook_news_dead ON webhook_news (webhook, id) WHERE given_up IS NOT NULL;
            """)

    private static let words = Migration(
        version: 9,
        sql: """
            CREATE TABLE word (
                application INTEGER NOT NULL,
                word TEXT NOT NULL,
                PRIMARY KEY (application, word)
            ) STRICT, WITHOUT ROWID;
            """)

    private static let giftNames = Migration(
        version: 12,
        sql: """
            -- What a gift is called in other languages: a JSON object of names by language.
            ALTER TABLE gift ADD COLUMN names TEXT NOT NULL DEFAULT '{}';
            """)

    private static let newsOfRooms = Migration(
        version: 13,
        sql: """
            -- The life of the room that the news are of; empty where no entry of it carried them.
            ALTER TABLE webhook_news ADD COLUMN room INTEGER REFERENCES room (id) ON DELETE SET NULL;
            CREATE INDEX webhook_news_by_room ON webhook_news (room) WHERE room IS NOT NULL;
            -- News from before say the room by its id: in the standard format as the wire does, in the compatible one as a link
            -- does. Their time tells which of its lives it is; where it does not, one that has ended, of which an erasure leaves less.
            WITH readable AS (
                SELECT news.id, news.happened_at, webhook.application,
                    CASE WHEN json_valid(CAST(payload AS TEXT)) THEN CAST(payload AS TEXT) END AS payload
                FROM webhook_news AS news JOIN webhook ON webhook.id = news.webhook
            ), said AS (
                SELECT id, happened_at, application, json_extract(payload, '$.data.room') AS name,
                    json_extract(payload, '$.GroupId') AS slug
                FROM readable
            )
            UPDATE webhook_news SET room = (
                SELECT room.id FROM said JOIN room ON room.application = said.application AND room.name = coalesce(
                    said.name, CASE
                        WHEN said.slug GLOB '~*' THEN substr(said.slug, 2)
                        WHEN said.slug GLOB '*[^0-9]*' THEN said.slug
                        ELSE CAST(said.slug AS INTEGER)
                    END)
                WHERE said.id = webhook_news.id
                ORDER BY
                    room.opened_at <= said.happened_at
                        AND (room.ended_at IS NULL OR said.happened_at <= room.ended_at) DESC,
                    room.ended_at IS NULL, room.epoch DESC
                LIMIT 1);
            """)

    private static let operatorKeys = Migration(
        version: 6,
        sql: """
            -- Keys of operators' programs. The secret itself is not here, only its digest.
            CREATE TABLE operator_key (
                id TEXT PRIMARY KEY,
                application INTEGER,
                name TEXT NOT NULL,
                scopes TEXT NOT NULL,
                digest BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                expires_at INTEGER
            ) STRICT;
            """)

    private static let moderation = Migration(
        version: 4,
        sql: """
            -- What those did who run rooms or the server, and what they tried. Rows are added, and deleted when they are old.
            CREATE TABLE audit (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                application INTEGER NOT NULL,
                room ANY CHECK (typeof(room) IN ('integer', 'text', 'null')),
                actor TEXT NOT NULL,
                role TEXT NOT NULL,
                way TEXT NOT NULL,
                action TEXT NOT NULL,
                target TEXT,
                detail TEXT NOT NULL,
                reason TEXT,
                outcome TEXT NOT NULL,
                noted_at INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX audit_by_time ON audit (noted_at);
            CREATE INDEX audit_by_application ON audit (application, id);

            -- What people report to the operator, with what they saw. `settled_at` is empty while nobody has looked at it.
            CREATE TABLE report (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                application INTEGER NOT NULL,
                room ANY NOT NULL CHECK (typeof(room) IN ('integer', 'text')),
                reporter TEXT NOT NULL,
                user TEXT NOT NULL,
                cause TEXT NOT NULL,
                words TEXT,
                evidence TEXT NOT NULL,
                posted_at INTEGER NOT NULL,
                settled_at INTEGER,
                settled_by TEXT,
                settlement TEXT
            ) STRICT;
            CREATE INDEX report_open ON report (application, id) WHERE settled_at IS NULL;
            CREATE INDEX report_by_time ON report (posted_at);
            """)

    /// The file's schema version, 0 for a new or empty one; throws for a file that is not ours or that is newer than this program.
    /// Changes nothing, but for finishing what a power loss cut off.
    func inspect(_ path: String) throws(StoreFailure) -> Int {
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let marks: Marks
        do {
            marks = try Marks(path: path, readonly: true)
        } catch let error as DatabaseError where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode) {
            // An unfinished transaction has to be rolled back before anything can be read, and that is a write.
            do {
                marks = try Marks(path: path, readonly: false)
            } catch {
                throw StoreFailure(error, path: path)
            }
        } catch {
            throw StoreFailure(error, path: path)
        }
        // Without an id and without tables: a start that was cut off before its first commit.
        guard
            marks.application == Self.applicationID
                || (marks.application == 0 && marks.version == 0 && marks.tables == 0)
        else { throw .foreignFile(path: path) }
        guard marks.version <= version else {
            throw .newerFile(path: path, schema: marks.version, supported: version)
        }
        return marks.version
    }

    /// By what a file is known.
    private struct Marks {
        var application: Int32
        var version: Int
        var tables: Int

        init(path: String, readonly: Bool) throws {
            var configuration = Configuration()
            configuration.readonly = readonly
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            (application, version, tables) = try queue.read { db in
                (
                    try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0,
                    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
                )
            }
        }
    }

    /// Takes the file from version `found` to this schema, in one transaction, after a copy of it has reached the disk.
    func migrate(_ pool: DatabasePool, from found: Int) throws(StoreFailure) {
        guard found < version else { return }
        do {
            if found > 0 {
                let folder = URL(fileURLWithPath: pool.path).deletingLastPathComponent().path
                try copyDatabase(pool, to: freeName("\(pool.path).schema-\(found).backup"), asIn: folder)
            }
            try pool.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    for migration in migrations where migration.version > found {
                        try db.execute(sql: migration.sql)
                    }
                    try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
                    try db.execute(sql: "PRAGMA user_version = \(version)")
                    return .commit
                }
            }
        } catch {
            throw StoreFailure(error, path: pool.path)
        }
    }

}

/// An earlier copy is never overwritten: it may be the only one from before.
func freeName(_ name: String) -> String {
    var candidate = name
    var number = 2
    while FileManager.default.fileExists(atPath: candidate) {
        candidate = "\(name)-\(number)"
        number += 1
    }
    return candidate
}

/// Copies a database while it is in use. The copy appears under its name only when it is whole and on the disk.
func copyDatabase(
    _ pool: any DatabaseReader, to path: String, asIn folder: String? = nil
) throws(StoreFailure) {
    let partial = path + ".partial"
    do {
        try? FileManager.default.removeItem(atPath: partial)
        try createPrivateFile(partial, asIn: folder)
        let copy = try DatabaseQueue(path: partial)
        do {
            try pool.backup(to: copy)
            // One file, readable by any tool, without a WAL beside it.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
        } catch {
            try? copy.close()
            throw error
        }
        try flush(partial)
    } catch {
        try? FileManager.default.removeItem(atPath: partial)
        throw StoreFailure(error, path: path)
    }
    guard rename(partial, path) == 0 else { throw .failed(path: path, reason: systemReason()) }
    try flushFolder(of: path)
}
