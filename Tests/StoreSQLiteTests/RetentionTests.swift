import GRDB
import JournalContract
import RoomModel
import RoomPorts
import Testing
import Timing

@testable import StoreSQLite

@Suite("What is kept, and how long")
struct RetentionTests {
    /// Everything that was queued by now is done, and of what it queued itself the next step.
    private func turn(of store: SQLiteStore) async throws { _ = try await store.journal.openRooms() }

    private func rows(_ store: SQLiteStore, _ table: String) async throws -> Int? {
        try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }

    @Test("a snapshot lets go of the entries that it includes, but for the newest chat")
    func snapshotPrunes() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(chatKept: 5), now: fixedNow)
        let (key, other) = (RoomKey.numbered(1), RoomKey.numbered(2))
        let epoch = try await store.journal.open(key, chatLimit: 0).epoch
        let otherEpoch = try await store.journal.open(other, chatLimit: 0).epoch
        for position in 1...UInt64(40) {
            try await store.journal.append(
                .sample(key, position, epoch: epoch, position.isMultiple(of: 2) ? .chat : .durable))
            try await store.journal.append(.sample(other, position, epoch: otherEpoch))
        }
        // Chat at 2, 4 … 40. Of those up to 34 the snapshot keeps what is among the newest five: 32 and 34.
        store.journal.saveSnapshot([1], of: key, at: 34)
        let history = try await store.journal.open(key, chatLimit: 100)
        #expect(history.recentChat.map(\.position) == [32, 34, 36, 38, 40])
        #expect(history.entries.map(\.position) == [35, 36, 37, 38, 39, 40])
        #expect(try await rows(store, "entry") == 40 + 6 + 2)
        await store.shutDown()
    }

    @Test("an ended room stays for its retention, then goes whole; other rooms stay")
    func endedRoomsArePruned() async throws {
        let scratch = try Scratch()
        let clock = SetClock()
        let settings = StoreSettings(retention: .seconds(86_400))
        let store = try SQLiteStore(directory: scratch.path, settings: settings, now: clock.now)
        let (ended, running) = (RoomKey.numbered(1), RoomKey.named("running"))
        _ = try await store.journal.open(ended, chatLimit: 0)
        let epoch = try await store.journal.open(ended, chatLimit: 0).epoch
        // More than one pruning step.
        for position in 1...UInt64(2_500) { store.journal.submit(.sample(ended, position, epoch: epoch)) { _ in } }
        store.journal.saveSnapshot([1], of: ended, at: 1)
        let runningEpoch = try await store.journal.open(running, chatLimit: 0).epoch
        try await store.journal.append(.sample(running, 1, epoch: runningEpoch))
        store.journal.close(ended)
        #expect(try await store.journal.exists(ended))

        // Not yet: whoever looks through them finds nothing old enough.
        clock.advance(by: .seconds(86_000))
        store.forgetOld()
        for _ in 1...10 { try await turn(of: store) }
        #expect(try await store.journal.exists(ended))
        // 2,500 without the one in the snapshot, and one of the other room.
        #expect(try await rows(store, "entry") == 2_500)

        clock.advance(by: .seconds(3_700))
        store.forgetOld()
        // A step of pruning queues the next one behind whatever else is there. The reads below do not wait for the writer.
        for _ in 1...10 { try await turn(of: store) }
        #expect(try await !store.journal.exists(ended))
        #expect(try await rows(store, "entry") == 1)
        #expect(try await rows(store, "snapshot") == 0)
        #expect(try await store.journal.openRooms() == [running])
        // A client that held on to the room for all that time must not take the new one's epoch for its own.
        #expect(try await store.journal.open(ended, chatLimit: 0).epoch > epoch)
        await store.shutDown()
    }

    @Test("what has outlived its retention while the server was off goes at the start")
    func prunedAtStart() async throws {
        let scratch = try Scratch()
        let clock = SetClock()
        let store = try SQLiteStore(directory: scratch.path, now: clock.now)
        _ = try await store.journal.open(.numbered(1), chatLimit: 0)
        store.journal.close(.numbered(1))
        await store.shutDown()
        clock.advance(by: StoreSettings().retention + .seconds(1))
        let next = try SQLiteStore(directory: scratch.path, now: clock.now)
        try await turn(of: next)
        #expect(try await !next.journal.exists(.numbered(1)))
        await next.shutDown()
    }
}
