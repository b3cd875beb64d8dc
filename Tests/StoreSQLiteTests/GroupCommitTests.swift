import Dispatch
import GRDB
import JournalContract
import RoomModel
import RoomPorts
import Synchronization
import Testing

@testable import StoreSQLite

@Suite("Group commit")
struct GroupCommitTests {
    /// Keeps the writer inside a completion, so that what is submitted from now on gathers until the gate is opened.
    private func holdWriter(of store: SQLiteStore) async -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            store.journal.submit(.sample(.named("nobody opened this"), 1, epoch: 1)) { _ in
                continuation.resume()
                gate.wait()
            }
        }
        return gate
    }

    @Test("what gathers while the writer is busy shares one commit and one fsync, over all rooms", arguments: [1, 40])
    func entriesShareCommits(rooms: UInt32) async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        var epochs: [RoomKey: UInt64] = [:]
        for room in 0..<rooms {
            epochs[.numbered(room + 1)] = try await store.journal.open(.numbered(room + 1), chatLimit: 0).epoch
        }
        let gate = await holdWriter(of: store)
        let (commitsBefore, syncsBefore) = (store.commitCounts.commits, disk.syncs)
        let count = 800
        let accepted = Mutex(0)
        var positions: [RoomKey: UInt64] = [:]
        let syncsAfter: Int = await withCheckedContinuation { continuation in
            for step in 0..<count {
                let key = RoomKey.numbered(UInt32(step) % rooms + 1)
                positions[key, default: 0] += 1
                store.journal.submit(.sample(key, positions[key, default: 0], epoch: epochs[key, default: 0])) {
                    result in
                    if case .success = result { accepted.withLock { $0 += 1 } }
                    if step == count - 1 { continuation.resume(returning: disk.syncs) }
                }
            }
            gate.signal()
        }
        #expect(accepted.withLock { $0 } == count)
        #expect(store.commitCounts.commits - commitsBefore == 1)
        #expect(syncsAfter - syncsBefore == 1)
        await store.shutDown()
    }

    @Test("an entry is acknowledged only after an fsync that came after it")
    func acknowledgedAfterSync() async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let epoch = try await store.journal.open(.numbered(1), chatLimit: 0).epoch
        for position in 1...20 {
            let before = disk.syncs
            try await store.journal.append(.sample(.numbered(1), UInt64(position), epoch: epoch))
            #expect(disk.syncs > before)
        }
        await store.shutDown()
    }

    /// Operations of which each is followed by the next before the writer could rest.
    private final class Chain: Sendable {
        private let commit: GroupCommit
        private let most: Int
        private let state = Mutex((count: 0, isOver: false))

        init(_ commit: GroupCommit, most: Int) { (self.commit, self.most) = (commit, most) }

        func goOn() {
            let isNext = state.withLock { state in
                state.count += 1
                return state.count <= most && !state.isOver
            }
            guard isNext else { return }
            commit.submit {
                try $0.execute(sql: "INSERT INTO line VALUES (1)")
            } done: { _ in
                self.goOn()
            }
        }

        /// - Returns: whether it was still going on.
        func end() -> Bool {
            state.withLock { state in
                state.isOver = true
                return state.count <= most
            }
        }
    }

    @Test("R09-S an erasure has the file to itself after the commit that is under way, however many follow")
    func alone() async throws {
        let pool = try DatabaseQueue()
        try await pool.write { try $0.execute(sql: "CREATE TABLE line (a INTEGER)") }
        let commit = GroupCommit(pool: pool) { _ in }
        // Minutes of work: longer than a busy machine lets anybody wait for the call below.
        let chain = Chain(commit, most: 3_000_000)
        chain.goOn()
        try await commit.emptyLog()
        #expect(chain.end(), "it was not let in before the last of them")
        await commit.close()
    }

    @Test("an endless queue is cut into commits of bounded size")
    func batchesAreBounded() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let epoch = try await store.journal.open(.numbered(1), chatLimit: 0).epoch
        let payload = [UInt8](repeating: 7, count: GroupCommit.byteLimit / 4)
        let gate = await holdWriter(of: store)
        let before = store.commitCounts
        await withCheckedContinuation { continuation in
            for position in 1...UInt64(8) {
                let entry = JournalEntry(
                    key: .numbered(1), kind: .durable, position: position, epoch: epoch, payload: payload)
                store.journal.submit(entry) { _ in
                    if position == 8 { continuation.resume() }
                }
            }
            gate.signal()
        }
        // 8 × 1 MiB by 4.
        #expect(store.commitCounts.commits - before.commits == 2)
        #expect(store.commitCounts.operations - before.operations == 8)
        await store.shutDown()
    }

    @Test(
        "on a full disk an entry is refused as full, nothing that was acknowledged is lost, and with space it goes on")
    func diskFull() async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let key = RoomKey.numbered(1)
        let epoch = try await store.journal.open(key, chatLimit: 0).epoch
        disk.limitGrowth(200_000)
        var kept: [JournalEntry] = []
        var refusal: JournalFailure?
        for position in 1...UInt64(500) where refusal == nil {
            let entry = JournalEntry(
                key: key, kind: .durable, position: position, epoch: epoch,
                payload: [UInt8](repeating: UInt8(position % 251), count: 3_000))
            do {
                try await store.journal.append(entry)
                kept.append(entry)
            } catch {
                refusal = error
            }
        }
        #expect(refusal == .full)
        #expect(kept.count > 5)
        // Reading works on a full disk.
        #expect(try await store.accounts.applications() == [])
        await #expect(throws: JournalFailure.full) { try await store.journal.open(key, chatLimit: 0) }

        disk.limitGrowth(nil)
        let history = try await store.journal.open(key, chatLimit: 0)
        #expect(history.entries == kept)
        try await store.journal.append(.sample(key, UInt64(kept.count) + 1, epoch: history.epoch))
        await store.shutDown()
    }

    @Test("an fsync that fails is never acknowledged, and the room goes on from what was")
    func failingSync() async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let key = RoomKey.numbered(1)
        let epoch = try await store.journal.open(key, chatLimit: 0).epoch
        try await store.journal.append(.sample(key, 1, epoch: epoch))
        disk.failSyncs(true)
        let failure = await #expect(throws: JournalFailure.self) {
            try await store.journal.append(.sample(key, 2, epoch: epoch, salt: "lost"))
        }
        guard case .failed = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(store.commitCounts.failedCommits == 1)
        disk.failSyncs(false)
        await #expect(throws: JournalFailure.outOfOrder) {
            try await store.journal.append(.sample(key, 3, epoch: epoch))
        }
        let next = try await store.journal.open(key, chatLimit: 0)
        #expect(next.entries == [.sample(key, 1, epoch: epoch)])
        try await store.journal.append(.sample(key, 2, epoch: next.epoch))
        await store.shutDown()
        let reopened = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(
            try await reopened.journal.open(key, chatLimit: 0).entries == [
                .sample(key, 1, epoch: epoch), .sample(key, 2, epoch: next.epoch),
            ])
        await reopened.shutDown()
    }

    @Test("shutting down writes what was submitted before and refuses what comes after")
    func shutDown() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let key = RoomKey.numbered(1)
        let epoch = try await store.journal.open(key, chatLimit: 0).epoch
        let results = Mutex<[JournalFailure?]>([])
        for position in 1...UInt64(300) {
            store.journal.submit(.sample(key, position, epoch: epoch)) { result in
                var failure: JournalFailure?
                if case .failure(let found) = result { failure = found }
                results.withLock { $0.append(failure) }
            }
        }
        await store.shutDown()
        #expect(results.withLock { $0 } == Array(repeating: nil, count: 300))
        await #expect(throws: JournalFailure.closed) {
            try await store.journal.append(.sample(key, 301, epoch: epoch))
        }
        await #expect(throws: JournalFailure.closed) { try await store.journal.openRooms() }
        await #expect(throws: JournalFailure.self) { try await store.accounts.applications() }
        await store.shutDown()
        let next = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(try await next.journal.open(key, chatLimit: 0).entries.count == 300)
        await next.shutDown()
    }
}
