package import RoomModel
package import RoomPorts
import Timing

/// The journal of all rooms in one SQLite file; what its port promises is checked by the contract suite of the tests.
package final class SQLiteJournal: RoomJournal {
    private let commit: GroupCommit
    private let heads: RoomHeads
    private let settings: StoreSettings
    private let webhooks: SQLiteWebhooks
    private let restrictions: SQLiteRestrictions
    private let audit: SQLiteAudit
    private let now: @Sendable () -> WallTime

    init(
        commit: GroupCommit, heads: RoomHeads, settings: StoreSettings, webhooks: SQLiteWebhooks,
        restrictions: SQLiteRestrictions, audit: SQLiteAudit, now: @escaping @Sendable () -> WallTime
    ) {
        self.webhooks = webhooks
        self.restrictions = restrictions
        self.audit = audit
        self.commit = commit
        self.heads = heads
        self.settings = settings
        self.now = now
    }

    package func submit(_ entry: JournalEntry, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        let (heads, time) = (heads, now().millisecondsSince1970)
        commit.submit(bytes: entry.bytes) { [restrictions, audit] db in
            guard var head = heads.head(of: entry.key), entry.epoch == head.epoch,
                entry.position > head.position, entry.position - head.position == 1
            else { throw JournalFailure.outOfOrder }
            try JournalTables(db: db).append(entry, to: head.room, at: time)
            try SQLiteWebhooks.insert(entry.outgoing, of: head.room, db)
            if let change = entry.standing { try restrictions.write(change, in: db) }
            let gone = try entry.line.map { try audit.write($0, in: db) } ?? []
            head.position = entry.position
            heads.stage(head, for: entry.key)
            return gone
        } done: { [webhooks, restrictions, audit] result in
            let stored = result.map { _ in }
            // Whoever is answered finds what it says.
            if let change = entry.standing { restrictions.note(change, stored) }
            if let line = entry.line, case .success(let gone) = result { audit.count(line, gone: gone) }
            done(stored)
            if case .success = result { webhooks.tellArrival(of: entry.outgoing) }
        }
    }

    package func saveSnapshot(_ payload: [UInt8], of key: RoomKey, at position: UInt64) {
        let (heads, chatKept, time) = (heads, settings.chatKept, now().millisecondsSince1970)
        commit.submit(bytes: payload.count) { db in
            // Beyond the head lies what a failed commit took back: the room that made this snapshot is about to be discarded.
            guard let head = heads.head(of: key), position > 0, position <= head.position else { return }
            try JournalTables(db: db).replaceSnapshot(
                payload, of: head.room, at: position, chatKept: chatKept, time: time)
        } done: { _ in
            // Without it the room is rebuilt from the snapshot before and more entries.
        }
    }

    package func open(_ key: RoomKey, chatLimit: Int) async throws(JournalFailure) -> RoomHistory {
        let (heads, time) = (heads, now().millisecondsSince1970)
        let (history, _) = try await commit.run { [restrictions] db -> (RoomHistory, [StandingChange]) in
            let tables = JournalTables(db: db)
            var room: JournalTables.Room
            if let known = try tables.openRoom(key) {
                room = known
                room.epoch += 1
                try tables.setEpoch(room.epoch, of: room.id)
            } else {
                room = try tables.insertRoom(key, at: time)
            }
            let snapshot = try tables.snapshot(of: room.id)
            let included = snapshot?.position ?? 0
            let history = RoomHistory(
                epoch: room.epoch, snapshot: snapshot?.payload, snapshotPosition: included,
                entries: try tables.entries(of: room.id, key: key, after: included),
                recentChat: try tables.newestChat(of: room.id, key: key, limit: chatLimit))
            heads.stage(
                RoomHeads.Head(
                    room: room.id, epoch: room.epoch, position: history.entries.last?.position ?? included),
                for: key)
            return (history, try restrictions.doubted(in: db))
        } stored: { [restrictions] _, found in
            for change in found { restrictions.note(change, .success(())) }
        }
        return history
    }

    package func close(_ key: RoomKey) {
        let (heads, time) = (heads, now())
        commit.submit { db in
            // Also a room that nobody has opened since the start: ServerApp may close what cannot be rebuilt.
            let tables = JournalTables(db: db)
            guard let room = try heads.head(of: key)?.room ?? tables.openRoom(key)?.id else { return }
            try tables.endRoom(room, at: time.millisecondsSince1970)
            heads.stage(nil, for: key)
        } done: { _ in
            // A close that was lost is found again at the next start: the room's last entry says that it has ended.
        }
    }

    /// Through the writer, so that it sees every `open` and `close` before it.
    package func openRooms() async throws(JournalFailure) -> [RoomKey] {
        try await commit.run { try JournalTables(db: $0).openRooms() }
    }

    package func exists(_ key: RoomKey) async throws(JournalFailure) -> Bool {
        // Anybody may ask for any id, so it must not go through the writer.
        try await commit.read { try JournalTables(db: $0).exists(key) }
    }

    /// Removes what has outlived its retention, a step at a time between the commits of others.
    func prune() {
        let latest = WallTime(nanoseconds: now().nanoseconds - settings.retention.nanoseconds)
        commit.prune { db, limit in
            // One room at a time: after each that was found there may be another.
            let isFound = try JournalTables(db: db).pruneEndedRoom(before: latest.millisecondsSince1970, limit: limit)
            return isFound ? limit : 0
        }
    }
}

extension JournalEntry {
    /// What it takes in a transaction, roughly.
    fileprivate var bytes: Int {
        outgoing.reduce(payload.count + (line?.detail.utf8.count ?? 0)) { $0 + $1.payload.count }
    }
}
