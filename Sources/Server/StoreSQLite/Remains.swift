import Foundation
import GRDB
import RoomPorts

/// What SQLite leaves of erased rows: `secure_delete` clears what is deleted, but not the old places of rows that were moved within a page
/// before. Writing the whole file anew leaves nothing, and nobody else can write meanwhile.
struct Remains {
    /// Written anew while a server runs: others' commits wait for less than a second.
    static let largestAtOnce = 64 << 20

    private let file: String
    /// There while a larger file waits for the next start.
    private var note: String { file + ".compact" }

    init(of file: String) { self.file = file }

    /// The file itself, while it may hold some.
    var found: [String] { FileManager.default.fileExists(atPath: note) ? [file] : [] }

    func remove(with commit: GroupCommit) async throws(JournalFailure) {
        let bytes = try await commit.read { db in
            try Int.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()") ?? 0
        }
        guard bytes > Self.largestAtOnce else { return try await commit.compact() }
        do throws(StoreFailure) { try createPrivateFile(note, asIn: folder) } catch {
            throw JournalFailure.failed("\(error)")
        }
        try await commit.emptyLog()
    }

    /// At a start, before anybody writes.
    func remove(with pool: DatabasePool) throws(StoreFailure) {
        guard !found.isEmpty else { return }
        do {
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                _ = try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch { throw StoreFailure(error, path: file) }
        forget()
    }

    /// Once the file has been written anew.
    func forget() { try? FileManager.default.removeItem(atPath: note) }

    private var folder: String { URL(fileURLWithPath: file).deletingLastPathComponent().path }
}
