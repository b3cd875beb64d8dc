import RoomModel
import RoomPorts

@testable import StoreSQLite

/// Compares a store that has been opened again with what had been acknowledged when the power failed.
struct Audit {
    /// What was acknowledged and is not there, or is there and was never written.
    private(set) var findings: [String] = []

    /// - Parameters:
    ///   - acknowledged: before the power failed.
    ///   - all: everything that the stream ever acknowledged: what is found must be in it.
    mutating func examine(
        _ store: SQLiteStore, acknowledged: [Workload.Acknowledgement], all: [Workload.Acknowledgement]
    ) async throws {
        var epochs: [RoomKey: UInt64] = [:]
        var entries: [RoomKey: [JournalEntry]] = [:]
        var names: [UserID: Int] = [:]
        for acknowledgement in acknowledged {
            switch acknowledgement {
            case .opened(let key, let epoch): epochs[key] = max(epochs[key] ?? 0, epoch)
            case .written(let entry): entries[entry.key, default: []].append(entry)
            case .ended(let key):
                if try await !store.journal.exists(key) { findings.append("ended room \(key) is forgotten") }
                if try await store.journal.openRooms().contains(key) { findings.append("\(key) is open again") }
            case .saved(let profile): names[profile.id] = Int(profile.name)
            }
        }
        var written: [Place: JournalEntry] = [:]
        for case .written(let entry) in all { written[Place(entry)] = entry }

        for (key, epoch) in epochs.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let history = try await store.journal.open(key, chatLimit: 100_000)
            if history.epoch <= epoch { findings.append("\(key): epoch \(history.epoch) is given out again") }
            examine(history, of: key, acknowledged: entries[key] ?? [], written: written)
        }
        for (user, name) in names {
            let found = try await store.accounts.profiles([user], of: Workload.application).first
            // A later save may have reached the disk without anybody having been told.
            if (found.flatMap { Int($0.name) } ?? -1) < name { findings.append("\(user): profile \(name) is lost") }
        }
    }

    private struct Place: Hashable {
        var key: RoomKey
        var position: UInt64
        init(_ entry: JournalEntry) { (key, position) = (entry.key, entry.position) }
    }

    private mutating func examine(
        _ history: RoomHistory, of key: RoomKey, acknowledged: [JournalEntry], written: [Place: JournalEntry]
    ) {
        if let snapshot = history.snapshot, snapshot != Workload.snapshot(of: key, at: history.snapshotPosition) {
            findings.append("\(key): the snapshot is not that of \(history.snapshotPosition)")
        }
        for (index, entry) in history.entries.enumerated() {
            if entry.position != history.snapshotPosition + UInt64(index) + 1 {
                findings.append("\(key): a gap before \(entry.position)")
            }
            if let original = written[Place(entry)], original != entry {
                findings.append("\(key): entry \(entry.position) has changed")
            }
        }
        let last = history.snapshotPosition + UInt64(history.entries.count)
        let chat = Set(history.recentChat)
        for entry in acknowledged {
            if entry.position > last { findings.append("\(key): entry \(entry.position) is lost") }
            if entry.kind == .chat, !chat.contains(entry) { findings.append("\(key): chat \(entry.position) is lost") }
        }
    }
}
