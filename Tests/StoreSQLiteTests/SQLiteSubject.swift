import JournalContract
import RoomModel
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

    var restrictions: any StandingRestrictions { store.withLock { $0.restrictions } }

    func audited(_ application: ApplicationID) async throws -> [AuditLine] {
        let records = store.withLock { $0.records }
        return try await records.audit(of: application, AuditQuery(limit: 100)).reversed().map(\.line)
    }

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

extension RoomJournal {
    /// Submits and waits.
    func append(_ entry: JournalEntry) async throws(JournalFailure) {
        let result: Result<Void, JournalFailure> = await withCheckedContinuation { continuation in
            submit(entry) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

extension StandingRestrictions {
    /// Changes one and waits.
    func set(_ restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID) async throws {
        try await change(StandingChange(beginning: restriction, from: scope, in: application))
    }

    func change(_ change: StandingChange) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            self.change(change) { continuation.resume(with: $0) }
        }
    }
}
