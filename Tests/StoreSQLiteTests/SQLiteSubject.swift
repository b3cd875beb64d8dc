import JournalContract
import RoomPorts
import Synchronization
import Timing

@testable import StoreSQLite

/// The SQLite journal for the contract suite.
final class SQLiteSubject: JournalUnderTest {
    private let scratch: Scratch
    private let disk: FaultDisk
    private let store: Mutex<SQLiteStore>

    init() throws {
        scratch = try Scratch()
        disk = try FaultDisk(scratch)
        store = Mutex(try SQLiteStore(directory: scratch.path, now: fixedNow))
    }

    var journal: any RoomJournal { store.withLock { $0.journal } }

    func restart() async throws {
        await shutDown()
        let next = try SQLiteStore(directory: scratch.path, now: fixedNow)
        store.withLock { $0 = next }
    }

    func failCommits(_ failing: Bool) async -> Bool {
        disk.limitGrowth(failing ? 0 : nil)
        return true
    }

    func shutDown() async {
        await store.withLock { $0 }.shutDown()
    }
}

/// 2026-01-02 03:04:05 UTC, for tests in which no time passes.
let fixedNow: @Sendable () -> WallTime = { WallTime(secondsSince1970: 1_767_323_045) }

/// A clock that a test sets.
final class SetClock: Sendable {
    private let time = Mutex(fixedNow())
    var now: @Sendable () -> WallTime { { self.time.withLock { $0 } } }
    func advance(by interval: Interval) { time.withLock { $0 = $0 + interval } }
}

/// SplitMix64: the same sequence for the same seed on every platform.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

extension RoomJournal {
    /// Submits and waits.
    func append(_ entry: JournalEntry) async throws(JournalFailure) {
        let result: Result<Void, JournalFailure> = await withCheckedContinuation { continuation in
            submit(entry) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}
