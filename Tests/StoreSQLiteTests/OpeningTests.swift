import Foundation
import GRDB
import JournalContract
import RoomModel
import RoomPorts
import Testing

@testable import StoreSQLite

@Suite("Opening a data directory")
struct OpeningTests {
    @Test("what a name stands in is found for every way of writing a path", arguments: ["d", "data", "./d", "/"])
    func folders(path: String) throws {
        try flushFolder(of: path)
    }

    @Test(
        "the writer commits with synchronous=FULL in WAL mode, and without files beside it, on a new file and on a known one"
    )
    func synchronousIsFull() async throws {
        let scratch = try Scratch()
        for _ in 1...2 {
            let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
            let (synchronous, mode, temporary) = try await store.pool.writeWithoutTransaction { db in
                (
                    try Int.fetchOne(db, sql: "PRAGMA synchronous"),
                    try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                    try Int.fetchOne(db, sql: "PRAGMA temp_store")
                )
            }
            #expect(synchronous == 2)
            #expect(temporary == 2, "in memory")
            #expect(mode == "wal")
            await store.shutDown()
        }
    }

    @Test("a child process that was forked while a server ran does not keep its directory from the next one")
    func lockAndChildren() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        // What a child shares between its fork and its program: another descriptor of the same open file.
        let path = scratch.path + "/" + DirectoryLock.fileName
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let descriptor = try #require(
            open.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path })
        let inherited = dup(descriptor)
        defer { close(inherited) }
        await store.shutDown()
        await #expect(throws: Never.self) {
            try await SQLiteStore(directory: scratch.path, now: fixedNow).shutDown()
        }
    }

    @Test("a second server on the directory says who holds it, and may have it once the first has let go")
    func exclusiveLock() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(directory: scratch.path, now: fixedNow) }
        #expect(failure == .inUse(directory: scratch.path, process: getpid()))
        #expect(failure?.description.contains("process \(getpid())") == true)
        // The first is none the worse for it.
        _ = try await store.journal.open(.numbered(1), chatLimit: 0)
        await store.shutDown()
        let next = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(try await next.journal.exists(.numbered(1)))
        await next.shutDown()
    }

    @Test("what a shut-down store leaves is one file: a copy of it alone has everything")
    func oneFile() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        _ = try await store.journal.open(.numbered(1), chatLimit: 0)
        // A reader, which may not write, must not be the last to go.
        #expect(try await store.accounts.applications().isEmpty)
        #expect(try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM room") } == 1)
        await store.shutDown()
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        #expect(left == [DirectoryLock.fileName, SQLiteStore.fileName])

        let other = try Scratch()
        try FileManager.default.copyItem(
            atPath: scratch.path + "/" + SQLiteStore.fileName, toPath: other.path + "/" + SQLiteStore.fileName)
        let copy = try SQLiteStore(directory: other.path, now: fixedNow)
        #expect(try await copy.journal.exists(.numbered(1)))
        await copy.shutDown()
    }

    @Test("a lock file left behind by a server that died holds nobody up")
    func staleLock() async throws {
        let scratch = try Scratch()
        try "4711\n".write(
            toFile: scratch.path + "/" + DirectoryLock.fileName, atomically: true, encoding: .utf8)
        await (try SQLiteStore(directory: scratch.path, now: fixedNow)).shutDown()
    }

    @Test("a data directory that is not there is made, and only its owner reads what is in it")
    func directoryIsPrivate() async throws {
        let scratch = try Scratch()
        let directory = scratch.path + "/deep/data"
        let store = try SQLiteStore(directory: directory, now: fixedNow)
        _ = try await store.journal.open(.numbered(1), chatLimit: 0)
        try store.copy(to: scratch.path + "/copy.sqlite")
        for path in [store.path, store.path + "-wal", directory + "/ovation.lock", scratch.path + "/copy.sqlite"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        await store.shutDown()
    }

    @Test("a directory that cannot be made or used is named")
    func unusableDirectory() throws {
        let scratch = try Scratch()
        let file = scratch.path + "/file"
        try Data([1]).write(to: URL(fileURLWithPath: file))
        let below = #expect(throws: StoreFailure.self) { try SQLiteStore(directory: file + "/data", now: fixedNow) }
        #expect(below?.description.contains(file) == true)
        let itself = #expect(throws: StoreFailure.self) { try SQLiteStore(directory: file, now: fixedNow) }
        #expect(itself?.description.contains(file) == true)
    }

    // MARK: Schema

    private static let next = Schema(
        migrations: Schema.current.migrations + [
            Migration(
                version: Schema.current.version + 1,
                sql: "ALTER TABLE room ADD COLUMN region TEXT NOT NULL DEFAULT 'here'; CREATE TABLE added (id INTEGER)")
        ])

    @Test("a file of a newer release is refused by name and left as it is")
    func newerFile() async throws {
        let scratch = try Scratch()
        let newer = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(), schema: Self.next, now: fixedNow)
        _ = try await newer.journal.open(.numbered(1), chatLimit: 0)
        await newer.shutDown()
        let before = try Data(contentsOf: URL(fileURLWithPath: newer.path))

        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(directory: scratch.path, now: fixedNow) }
        #expect(
            failure
                == .newerFile(
                    path: newer.path, schema: Schema.current.version + 1, supported: Schema.current.version))
        #expect(failure?.description.contains(newer.path) == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: newer.path)) == before)
        // The refusal lets go of the directory.
        await (try SQLiteStore(directory: scratch.path, settings: StoreSettings(), schema: Self.next, now: fixedNow))
            .shutDown()
    }

    @Test("an upgrade first copies the file, never over an earlier copy, and keeps what is in it")
    func upgradeCopiesFirst() async throws {
        let scratch = try Scratch()
        let old = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let epoch = try await old.journal.open(.numbered(1), chatLimit: 0).epoch
        try await old.journal.append(.sample(.numbered(1), 1, epoch: epoch))
        await old.shutDown()
        let copy = old.path + ".schema-\(Schema.current.version).backup"
        try Data("an earlier copy".utf8).write(to: URL(fileURLWithPath: copy))

        let new = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(), schema: Self.next, now: fixedNow)
        #expect(try await new.journal.open(.numbered(1), chatLimit: 0).entries.count == 1)
        #expect(try await new.pool.read { try String.fetchOne($0, sql: "SELECT region FROM room") } == "here")
        await new.shutDown()
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data("an earlier copy".utf8))

        // The copy is what the older release wrote: put in place, it starts with it.
        let restored = try Scratch()
        try FileManager.default.copyItem(atPath: copy + "-2", toPath: restored.path + "/" + SQLiteStore.fileName)
        let again = try SQLiteStore(directory: restored.path, now: fixedNow)
        let history = try await again.journal.open(.numbered(1), chatLimit: 0)
        #expect(history.entries == [.sample(.numbered(1), 1, epoch: epoch)])
        #expect(history.epoch == epoch + 1)
        await again.shutDown()
    }

    @Test(
        "R09-S what root makes in a service's folder belongs to the service: a new file, its lock, a restored copy",
        .enabled(if: geteuid() == 0, "only root gives files away"))
    func filesOfRoot() async throws {
        let scratch = try Scratch()
        #expect(chown(scratch.path, 12_345, 23_456) == 0)
        func owners() throws -> Set<UInt32> {
            Set(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path).map {
                    var found = stat()
                    return stat(scratch.path + "/" + $0, &found) == 0 ? found.st_uid : 0
                })
        }
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        _ = try await store.journal.open(.numbered(1), chatLimit: 0)
        #expect(try owners() == [12_345], "with what SQLite puts beside the file")
        await store.shutDown()
        let backups = try Scratch()
        try StoreBackup.make(of: scratch.path, to: backups.path + "/copy")
        try FileManager.default.removeItem(atPath: scratch.path + "/ovation.backups")
        #expect(try StoreBackup.restore(backups.path + "/copy", to: scratch.path) != nil)
        #expect(try owners() == [12_345])
    }

    @Test("an upgrade that fails half-way leaves the file at its old schema")
    func failedUpgrade() async throws {
        let scratch = try Scratch()
        let old = try SQLiteStore(directory: scratch.path, now: fixedNow)
        _ = try await old.journal.open(.numbered(1), chatLimit: 0)
        await old.shutDown()
        var schema = Self.next
        schema.migrations.append(Migration(version: Schema.current.version + 2, sql: "CREATE TABLE room (id INTEGER)"))
        let failure = #expect(throws: StoreFailure.self) {
            try SQLiteStore(directory: scratch.path, settings: StoreSettings(), schema: schema, now: fixedNow)
        }
        #expect(failure?.description.contains(old.path) == true)
        let again = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(try await again.pool.read { try $0.tableExists("added") } == false)
        #expect(try await again.journal.openRooms() == [.numbered(1)])
        await again.shutDown()
    }

    @Test("a start that was cut off inside a transaction is finished by the next one")
    func unfinishedTransaction() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        _ = try await store.journal.open(.numbered(1), chatLimit: 0)
        let middle = try Scratch()
        try store.copy(to: middle.path + "/" + SQLiteStore.fileName)
        await store.shutDown()

        // With a cache of one page a transaction spills into the file, and a rollback journal says how to undo it.
        let after = try Scratch()
        let queue = try DatabaseQueue(path: middle.path + "/" + SQLiteStore.fileName)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            try db.execute(sql: "INSERT INTO profile VALUES (1, 'a', hex(randomblob(100000)), '', '')")
            try db.execute(sql: "UPDATE room SET epoch = 99")
            try db.execute(sql: "INSERT INTO profile VALUES (1, 'b', hex(randomblob(100000)), '', '')")
            for name in [SQLiteStore.fileName, SQLiteStore.fileName + "-journal"] {
                try FileManager.default.copyItem(atPath: middle.path + "/" + name, toPath: after.path + "/" + name)
            }
            try db.execute(sql: "ROLLBACK")
        }
        try queue.close()
        let next = try SQLiteStore(directory: after.path, now: fixedNow)
        #expect(try await next.journal.open(.numbered(1), chatLimit: 0).epoch == 2)
        await next.shutDown()
    }

    @Test("a file that is no database, or another program's, is refused and left as it is")
    func foreignFiles() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/" + SQLiteStore.fileName
        let text = Data(String(repeating: "this is a diary, not a database. ", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreFailure.foreignFile(path: path)) {
            try SQLiteStore(directory: scratch.path, now: fixedNow)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)

        try FileManager.default.removeItem(atPath: path)
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE recipe (id INTEGER)") }
        try other.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StoreFailure.foreignFile(path: path)) {
            try SQLiteStore(directory: scratch.path, now: fixedNow)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("a copy taken while the server runs is whole and opens as a store")
    func copyWhileRunning() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let epoch = try await store.journal.open(.numbered(1), chatLimit: 0).epoch
        let entries = (1...50).map { JournalEntry.sample(.numbered(1), $0, epoch: epoch) }
        for entry in entries.dropLast() { store.journal.submit(entry) { _ in } }
        try await store.journal.append(entries[49])
        let place = try Scratch()
        try store.copy(to: place.path + "/" + SQLiteStore.fileName)
        await store.shutDown()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.path) == [SQLiteStore.fileName],
            "one file and nothing beside it")
        let copy = try SQLiteStore(directory: place.path, now: fixedNow)
        #expect(try await copy.journal.open(.numbered(1), chatLimit: 0).entries == entries)
        await copy.shutDown()
    }
}
