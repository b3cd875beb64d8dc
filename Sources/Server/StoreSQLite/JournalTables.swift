import Foundation
import GRDB
import RoomModel
import RoomPorts

/// The statements of the journal. Each runs inside a transaction of the writer.
struct JournalTables {
    let db: Database

    // MARK: Rooms

    /// A life of a room.
    struct Room {
        var id: Int64
        var epoch: UInt64
    }

    func openRoom(_ key: RoomKey) throws -> Room? {
        let row = try Row.fetchOne(
            try db.cachedStatement(
                sql: "SELECT id, epoch FROM room WHERE application = ? AND name = ? AND ended_at IS NULL"),
            arguments: [key.application.rawValue, key.room.column])
        return try row.map { Room(id: $0[0], epoch: try unsigned($0[1])) }
    }

    /// Begins a life whose epoch is above that of every earlier one.
    func insertRoom(_ key: RoomKey, at time: Int64) throws -> Room {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO room (application, name, epoch, opened_at)
                VALUES (?1, ?2, 1 + max(
                    (SELECT epoch FROM epoch_floor),
                    coalesce((SELECT max(epoch) FROM room WHERE application = ?1 AND name = ?2), 0)), ?3)
                """)
        try statement.execute(arguments: [key.application.rawValue, key.room.column, time])
        let id = db.lastInsertedRowID
        let epoch = try Int64.fetchOne(
            try db.cachedStatement(sql: "SELECT epoch FROM room WHERE id = ?"), arguments: [id])
        return Room(id: id, epoch: try unsigned(epoch ?? 0))
    }

    func setEpoch(_ epoch: UInt64, of room: Int64) throws {
        try db.cachedStatement(sql: "UPDATE room SET epoch = ? WHERE id = ?")
            .execute(arguments: [try signed(epoch), room])
    }

    func endRoom(_ room: Int64, at time: Int64) throws {
        try db.cachedStatement(sql: "UPDATE room SET ended_at = ? WHERE id = ?").execute(arguments: [time, room])
    }

    func openRooms() throws -> [RoomKey] {
        try Row.fetchAll(db, sql: "SELECT application, name FROM room WHERE ended_at IS NULL ORDER BY id").map { row in
            guard let application = UInt32(exactly: row[0] as Int64), let room = RoomID(column: row[1]) else {
                throw JournalFailure.failed("a room's key cannot be read")
            }
            return RoomKey(application: ApplicationID(application), room: room)
        }
    }

    func exists(_ key: RoomKey) throws -> Bool {
        try Bool.fetchOne(
            try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM room WHERE application = ? AND name = ?)"),
            arguments: [key.application.rawValue, key.room.column]) ?? false
    }

    // MARK: Entries

    func append(_ entry: JournalEntry, to room: Int64, at time: Int64) throws {
        try db.cachedStatement(
            sql: "INSERT INTO entry (room, position, epoch, is_chat, written_at, payload) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            room, try signed(entry.position), try signed(entry.epoch), entry.kind == .chat, time, Data(entry.payload),
        ])
    }

    func entries(of room: Int64, key: RoomKey, after position: UInt64) throws -> [JournalEntry] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    SELECT position, epoch, is_chat, payload FROM entry WHERE room = ? AND position > ? ORDER BY position
                    """),
            arguments: [room, try signed(position)]
        ).map { try entry($0, key: key) }
    }

    func newestChat(of room: Int64, key: RoomKey, limit: Int) throws -> [JournalEntry] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    SELECT position, epoch, is_chat, payload FROM entry
                    WHERE room = ? AND is_chat = 1 ORDER BY position DESC LIMIT ?
                    """),
            arguments: [room, max(0, limit)]
        ).reversed().map { try entry($0, key: key) }
    }

    private func entry(_ row: Row, key: RoomKey) throws -> JournalEntry {
        JournalEntry(
            key: key, kind: row[2] ? .chat : .durable, position: try unsigned(row[0]), epoch: try unsigned(row[1]),
            payload: [UInt8](row[3] as Data))
    }

    // MARK: Snapshots

    struct Snapshot {
        var position: UInt64
        var payload: [UInt8]
    }

    func snapshot(of room: Int64) throws -> Snapshot? {
        let row = try Row.fetchOne(
            try db.cachedStatement(sql: "SELECT position, payload FROM snapshot WHERE room = ?"), arguments: [room])
        return try row.map { Snapshot(position: try unsigned($0[0]), payload: [UInt8]($0[1] as Data)) }
    }

    /// Stores the snapshot if it is newer than the one that is there, and drops what nobody needs any more: the entries that it
    /// includes, but for the newest `chatKept` messages.
    func replaceSnapshot(_ payload: [UInt8], of room: Int64, at position: UInt64, chatKept: Int, time: Int64) throws {
        let position = try signed(position)
        try db.cachedStatement(
            sql: """
                INSERT INTO snapshot (room, position, written_at, payload) VALUES (?, ?, ?, ?)
                ON CONFLICT (room) DO UPDATE SET
                    position = excluded.position, written_at = excluded.written_at, payload = excluded.payload
                WHERE excluded.position > snapshot.position
                """
        ).execute(arguments: [room, position, time, Data(payload)])
        guard db.changesCount > 0 else { return }
        try db.cachedStatement(sql: "DELETE FROM entry WHERE room = ? AND position <= ? AND is_chat = 0")
            .execute(arguments: [room, position])
        try db.cachedStatement(
            sql: """
                DELETE FROM entry WHERE room = ?1 AND is_chat = 1 AND position <= min(?2, (
                    SELECT position FROM entry WHERE room = ?1 AND is_chat = 1 ORDER BY position DESC LIMIT 1 OFFSET ?3))
                """
        ).execute(arguments: [room, position, chatKept])
    }

    // MARK: Retention

    /// Removes at most `limit` entries of a room that ended before `time`, and the room when nothing of it is left.
    /// Says whether there may be more to remove.
    func pruneEndedRoom(before time: Int64, limit: Int) throws -> Bool {
        let row = try Row.fetchOne(
            db, sql: "SELECT id, epoch FROM room WHERE ended_at < ? ORDER BY ended_at LIMIT 1", arguments: [time])
        guard let row else { return false }
        let room: Int64 = row[0]
        try db.execute(
            sql: "DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE room = ? LIMIT ?)",
            arguments: [room, limit])
        if db.changesCount < limit {
            try db.execute(sql: "DELETE FROM snapshot WHERE room = ?", arguments: [room])
            try db.execute(sql: "DELETE FROM room WHERE id = ?", arguments: [room])
            try db.execute(sql: "UPDATE epoch_floor SET epoch = max(epoch, ?)", arguments: [row[1] as Int64])
        }
        return true
    }

    // MARK: Values

    /// SQLite's integers are signed. A position that is no such number is not the next one of any room.
    private func signed(_ value: UInt64) throws(JournalFailure) -> Int64 {
        guard let value = Int64(exactly: value) else { throw .outOfOrder }
        return value
    }

    private func unsigned(_ value: Int64) throws(JournalFailure) -> UInt64 {
        guard let value = UInt64(exactly: value) else { throw .failed("a negative number where none can be") }
        return value
    }
}
