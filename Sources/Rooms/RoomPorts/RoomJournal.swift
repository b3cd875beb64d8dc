package import RoomModel

// What the room core needs of a store. The payloads are opaque bytes to the store (versioned JSON made by the room
// core), so that the store never needs to learn an event; what it must keep apart, order and find again stands beside
// them.

/// One accepted command's effect: stored whole or not at all.
package struct JournalEntry: Sendable, Hashable {
    package enum Kind: String, Sendable { case durable, chat }

    package var key: RoomKey
    package var kind: Kind
    /// Position in the room's journal, dense per room from 1 over both kinds; the store refuses a gap or a repeat
    /// (`outOfOrder`), which fences off a room instance that has been replaced.
    package var position: UInt64
    package var epoch: UInt64
    package var payload: [UInt8]
    /// What webhooks are to be told of it; stored with it, or not at all.
    package var outgoing: [OutgoingNews]
    /// What it changes in all rooms of a host; stored with it, or not at all. It holds before `done` is called.
    package var standing: StandingChange?
    /// What the audit trail says of it; stored with it, or not at all.
    package var line: AuditLine?

    package init(
        key: RoomKey, kind: Kind, position: UInt64, epoch: UInt64, payload: [UInt8], outgoing: [OutgoingNews] = [],
        standing: StandingChange? = nil, line: AuditLine? = nil
    ) {
        self.outgoing = outgoing
        self.standing = standing
        self.line = line
        self.key = key
        self.kind = kind
        self.position = position
        self.epoch = epoch
        self.payload = payload
    }
}

/// What a room is rebuilt from.
package struct RoomHistory: Sendable, Hashable {
    /// The epoch under which the room was last opened.
    package var epoch: UInt64
    /// The newest snapshot, if one was taken, and the position it includes.
    package var snapshot: [UInt8]?
    package var snapshotPosition: UInt64
    /// Every entry after the snapshot, in order.
    package var entries: [JournalEntry]
    /// The newest chat entries, oldest first, also those before the snapshot.
    package var recentChat: [JournalEntry]

    package init(
        epoch: UInt64, snapshot: [UInt8]?, snapshotPosition: UInt64, entries: [JournalEntry], recentChat: [JournalEntry]
    ) {
        self.epoch = epoch
        self.snapshot = snapshot
        self.snapshotPosition = snapshotPosition
        self.entries = entries
        self.recentChat = recentChat
    }
}

package enum JournalFailure: Error, Hashable, Sendable {
    /// Position is not the next one of the room, or the epoch is older than the room's.
    case outOfOrder
    /// The disk is full: nothing was written.
    case full
    case failed(String)
    case closed
}

extension JournalFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfOrder: "it is not the next entry of the room"
        case .full: "the disk is full; make room, and the server goes on by itself"
        case .failed(let reason): reason
        case .closed: "the store is closed"
        }
    }
}

/// Durable, ordered storage of rooms. Group commit over all rooms: entries become durable in the order of `submit`, and
/// `done` runs, in that order and off the caller's thread, after the commit that holds the entry has reached the disk
/// (fsync). If a commit fails, every entry in it fails, and later entries of the same rooms fail as `outOfOrder`.
package protocol RoomJournal: Sendable {
    /// Never waits for the disk. A room that has not been opened in this process, or has ended, is `outOfOrder`. `done`
    /// must not block: it holds up the next commit.
    func submit(_ entry: JournalEntry, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void)

    /// Stores a snapshot that includes everything up to `position`; entries up to there that nobody needs may then be
    /// pruned. Queued behind what was submitted before. Ignored at a position that the journal does not have, or not
    /// after the last snapshot.
    func saveSnapshot(_ payload: [UInt8], of key: RoomKey, at position: UInt64)

    /// Registers a room, or opens a new epoch of a known one; returns its history with the **new** epoch. Durable when
    /// it returns. A room that has ended is opened as a new one: nothing of its former history comes back, positions
    /// start at 1 again, and the epoch is above all earlier ones of that key, so that whoever still holds the old room
    /// is fenced off. Standing restrictions whose last change has failed hold as the disk has them from now on: it may
    /// have failed after it had stored.
    func open(_ key: RoomKey, chatLimit: Int) async throws(JournalFailure) -> RoomHistory

    /// Marks a room as ended, queued behind what was submitted before; its entries may be pruned after the retention
    /// time.
    func close(_ key: RoomKey)

    /// Rooms that have not ended, for the start of the server.
    func openRooms() async throws(JournalFailure) -> [RoomKey]

    /// Whether a room of that key exists, open or ended.
    func exists(_ key: RoomKey) async throws(JournalFailure) -> Bool
}
