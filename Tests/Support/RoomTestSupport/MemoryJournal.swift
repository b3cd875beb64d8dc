package import RoomModel
package import RoomPorts
import Synchronization

/// A journal whose disk is a value: it commits by itself or when told, fails when told, and can lose everything that
/// was not committed, like a machine that loses power.
package final class MemoryJournal: RoomJournal {
    package enum Mode: Sendable {
        /// Each submission is committed before `submit` returns.
        case automatic
        /// Submissions wait for `commit()`.
        case manual
    }

    fileprivate enum Work: Sendable {
        case entry(JournalEntry, done: @Sendable (Result<Void, JournalFailure>) -> Void)
        case snapshot([UInt8], RoomKey, UInt64)
        case close(RoomKey)
    }

    fileprivate struct StoredRoom: Sendable {
        var epoch: UInt64 = 1
        var entries: [JournalEntry] = []
        var chat: [JournalEntry] = []
        var snapshot: [UInt8]?
        var snapshotPosition: UInt64 = 0
        var ended = false
        var head: UInt64 { entries.last?.position ?? snapshotPosition }
    }

    fileprivate struct Disk: Sendable {
        var rooms: [RoomKey: StoredRoom] = [:]
        /// In the order of their registration.
        var order: [RoomKey] = []
        var commits = 0
        /// The last change of each restriction that stands beside the rooms.
        var standing: [RestrictionKey: StandingChange] = [:]
    }

    /// What becomes of commits that fail.
    fileprivate struct Fault: Sendable {
        var failure: JournalFailure
        /// They are on the disk all the same.
        var isStored: Bool
        var left: Int
    }

    fileprivate struct Contents: Sendable {
        var disk = Disk()
        var mode: Mode
        var waiting: [Work] = []
        /// Opened in this life of the process, and not failed since.
        var opened: Set<RoomKey> = []
        var fault: Fault?
        var life = 0
    }
    private let contents: Mutex<Contents>
    /// What entries change and say beside the rooms.
    package let restrictions: MemoryRestrictions
    package let audit: MemoryAudit

    package init(
        _ mode: Mode = .automatic, restrictions: MemoryRestrictions = MemoryRestrictions(),
        audit: MemoryAudit = MemoryAudit()
    ) {
        contents = Mutex(Contents(mode: mode))
        self.restrictions = restrictions
        self.audit = audit
    }

    /// For a server on this disk.
    package var moderation: ModerationStores {
        ModerationStores(restrictions: restrictions, audit: audit, reports: MemoryReports())
    }

    // MARK: What tests do to it

    package func setMode(_ mode: Mode) { contents.withLock { $0.mode = mode } }

    /// From now on so many commits fail (`nil`: all of them), until `heal()`.
    /// - Parameter storing: they are on the disk all the same.
    package func fail(_ failure: JournalFailure = .failed("planned"), storing: Bool = false, times: Int? = nil) {
        contents.withLock { $0.fault = Fault(failure: failure, isStored: storing, left: times ?? .max) }
    }

    package func heal() { contents.withLock { $0.fault = nil } }

    /// What webhooks are to be told, entry by entry.
    package var outgoing: [[OutgoingNews]] {
        contents.withLock { $0.disk.rooms.values.flatMap(\.entries).map(\.outgoing) }
    }

    /// How much waits for a commit.
    package var pending: Int { contents.withLock { $0.waiting.count } }
    /// How often something was written.
    package var commits: Int { contents.withLock { $0.disk.commits } }

    /// Commits the oldest submissions, all of them or so many, as one transaction: they reach the disk together or not
    /// at all.
    @discardableResult
    package func commit(_ count: Int = .max) -> Bool {
        let (told, success) = contents.withLock { contents -> ([@Sendable () -> Void], Bool) in
            let batch = Array(contents.waiting.prefix(count))
            guard !batch.isEmpty else { return ([], true) }
            contents.waiting.removeFirst(batch.count)
            return contents.write(batch, restrictions, audit)
        }
        for tell in told { tell() }
        return success
    }

    /// Power is lost: what was not committed is gone, and nobody is told. What submitted it is of a former life.
    package func crash() {
        contents.withLock {
            $0.waiting = []
            $0.opened = []
            $0.fault = nil
            $0.life += 1
        }
    }

    /// Another machine with the same disk.
    package func copy() -> MemoryJournal {
        let disk = contents.withLock { $0.disk }
        let copy = MemoryJournal()
        copy.contents.withLock { $0.disk = disk }
        return copy
    }

    // MARK: RoomJournal

    package func submit(_ entry: JournalEntry, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        enqueue(.entry(entry, done: done))
    }

    package func saveSnapshot(_ payload: [UInt8], of key: RoomKey, at position: UInt64) {
        enqueue(.snapshot(payload, key, position))
    }

    package func close(_ key: RoomKey) { enqueue(.close(key)) }

    package func open(_ key: RoomKey, chatLimit: Int) async throws(JournalFailure) -> RoomHistory {
        commit()
        let result = contents.withLock { contents -> Result<RoomHistory, JournalFailure> in
            if let fault = contents.nextFault() { return .failure(fault.failure) }
            var room = contents.disk.rooms[key] ?? StoredRoom(epoch: 0)
            if contents.disk.rooms[key] == nil { contents.disk.order.append(key) }
            if room.ended {
                room = StoredRoom(epoch: room.epoch)
                contents.disk.order.removeAll { $0 == key }
                contents.disk.order.append(key)
            }
            room.epoch += 1
            contents.disk.rooms[key] = room
            contents.opened.insert(key)
            contents.disk.commits += 1
            for change in contents.disk.standing.values { restrictions.note(change) }
            return .success(
                RoomHistory(
                    epoch: room.epoch, snapshot: room.snapshot, snapshotPosition: room.snapshotPosition,
                    entries: room.entries.filter { $0.position > room.snapshotPosition },
                    recentChat: Array(room.chat.suffix(chatLimit))))
        }
        return try result.get()
    }

    package func openRooms() async throws(JournalFailure) -> [RoomKey] {
        commit()
        return contents.withLock { contents in
            contents.disk.order.filter { contents.disk.rooms[$0]?.ended == false }
        }
    }

    package func exists(_ key: RoomKey) async throws(JournalFailure) -> Bool {
        contents.withLock { $0.disk.rooms[key] != nil }
    }

    private func enqueue(_ work: Work) {
        let automatic = contents.withLock { contents in
            contents.waiting.append(work)
            if case .automatic = contents.mode { return true } else { return false }
        }
        if automatic { commit() }
    }
}

extension MemoryJournal.Contents {
    fileprivate mutating func nextFault() -> MemoryJournal.Fault? {
        guard let found = fault, found.left > 0 else { return nil }
        fault?.left -= 1
        return found
    }

    private func takes(_ entry: JournalEntry) -> Bool {
        guard opened.contains(entry.key), let room = disk.rooms[entry.key] else { return false }
        return !room.ended && room.epoch == entry.epoch && room.head < .max && room.head + 1 == entry.position
    }

    private mutating func store(_ entry: JournalEntry) {
        disk.rooms[entry.key]?.entries.append(entry)
        if entry.kind == .chat { disk.rooms[entry.key]?.chat.append(entry) }
        if let change = entry.standing { disk.standing[change.key] = change }
    }

    /// Writes a batch whole or not at all; refused entries (savepoints) harm nobody else.
    fileprivate mutating func write(
        _ batch: [MemoryJournal.Work], _ restrictions: MemoryRestrictions, _ audit: MemoryAudit
    ) -> ([@Sendable () -> Void], Bool) {
        let fault = nextFault()
        let isStored = fault?.isStored ?? true
        var told: [@Sendable () -> Void] = []
        for work in batch {
            switch work {
            case .entry(let entry, let done):
                let isTaken = isStored && takes(entry)
                if isTaken {
                    store(entry)
                    if let line = entry.line { audit.note(line) }
                }
                told.append {
                    if let fault { return done(.failure(fault.failure)) }
                    guard isTaken else { return done(.failure(.outOfOrder)) }
                    if let change = entry.standing { restrictions.note(change) }
                    done(.success(()))
                }
            case .snapshot(let payload, let key, let position):
                guard isStored, let room = disk.rooms[key], position <= room.head,
                    position > room.snapshotPosition
                else { continue }
                disk.rooms[key]?.snapshot = payload
                disk.rooms[key]?.snapshotPosition = position
                disk.rooms[key]?.entries.removeAll { $0.position < position }
            case .close(let key):
                guard isStored else { continue }
                disk.rooms[key]?.ended = true
            }
        }
        if fault != nil {
            // Until they are opened again.
            for case .entry(let entry, _) in batch { opened.remove(entry.key) }
        }
        if isStored { disk.commits += 1 }
        return (told, fault == nil)
    }
}
