import Dispatch
import GRDB
import RoomPorts
import Synchronization

/// How the writer has fared since the start. `operations` are those in commits that succeeded.
package struct CommitCounts: Sendable, Hashable {
    package var commits: UInt64 = 0
    package var failedCommits: UInt64 = 0
    package var operations: UInt64 = 0
}

/// The one writer of the file. Operations of all rooms queue here and share transactions: while one commit waits for the disk,
/// the next batch gathers, so that the number of fsyncs follows the disk's speed and not the number of operations.
///
/// Each operation runs in a savepoint of its own; completions run on the writer, in the order of `submit`, after the commit that
/// holds the operation has reached the disk. A completion must not block.
final class GroupCommit: Sendable {
    /// A transaction ends at this many operations or bytes of payload, whichever comes first, so that the first of a long queue is
    /// acknowledged before the last is written; 4 MiB is about 1,000 pages, what one checkpoint takes in its stride.
    static let operationLimit = 1_024
    static let byteLimit = 4 << 20

    /// Pages that a WAL gathers before it is copied into the database, which is SQLite's own default. It is done here, after the
    /// acknowledgements, instead of inside COMMIT, where the batch would wait for it. Counted in changed rows, which are about as many.
    static let checkpointInterval = 1_000

    /// Rows that are deleted in one go because they are old.
    private static let pruningStep = 1_000

    private typealias Completion = @Sendable () -> Void

    private struct Operation: Sendable {
        var bytes: Int
        /// Throws `JournalFailure` to be refused alone.
        var perform: @Sendable (Database) throws -> Completion
        var fail: @Sendable (JournalFailure) -> Void
    }

    private struct Pending: Sendable {
        var operations: [Operation] = []
        /// What runs between two transactions.
        var alone: [@Sendable () -> Void] = []
        /// A drain is queued or running, and will see what is appended.
        var isDraining = false
        var isClosed = false
    }

    /// Where the writer works: one thing after the other, in the order in which it is asked, and not before it has been asked.
    typealias Writer = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let pool: any DatabaseWriter
    private let queue: Writer
    private let pending = Mutex(Pending())
    private let counted = Mutex(CommitCounts())
    private let settled: @Sendable (_ committed: Bool) -> Void

    /// - Parameters:
    ///   - queue: a thread of its own, unless a test is the writer.
    ///   - settled: runs on the writer after each transaction, before the completions: what operations have noted beside the
    ///     database becomes true, or is forgotten.
    init(
        pool: any DatabaseWriter, on queue: @escaping Writer = GroupCommit.thread(),
        settled: @escaping @Sendable (_ committed: Bool) -> Void
    ) {
        self.pool = pool
        self.queue = queue
        self.settled = settled
    }

    private static func thread() -> Writer {
        let queue = DispatchQueue(label: "ovation.store.writer")
        return { work in queue.async(execute: work) }
    }

    var counts: CommitCounts { counted.withLock { $0 } }

    /// Queues an operation; never waits for the disk.
    /// - Parameters:
    ///   - bytes: size of what it writes, roughly.
    ///   - body: runs once on the writer, inside the transaction.
    ///   - done: runs once on the writer.
    func submit<Value: Sendable>(
        bytes: Int = 0, _ body: @escaping @Sendable (Database) throws -> Value,
        done: @escaping @Sendable (Result<Value, JournalFailure>) -> Void
    ) {
        let operation = Operation(
            bytes: bytes,
            perform: { db in
                let value = try body(db)
                return { done(.success(value)) }
            },
            fail: { done(.failure($0)) })
        pending.withLock { pending in
            if pending.isClosed {
                queue { operation.fail(.closed) }
                return
            }
            pending.operations.append(operation)
            wake(&pending)
        }
    }

    private func wake(_ pending: inout Pending) {
        guard !pending.isDraining else { return }
        pending.isDraining = true
        queue { self.drain() }
    }

    /// The same for one who waits: what was written is durable when it returns.
    /// - Parameter stored: runs on the writer once it is, before what was submitted later is answered.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value,
        stored: @escaping @Sendable (Value) -> Void = { _ in }
    ) async throws(JournalFailure) -> Value {
        let result: Result<Value, JournalFailure> = await withCheckedContinuation { continuation in
            submit(body) { result in
                if case .success(let value) = result { stored(value) }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Deletes what is old, a step at a time between the commits of others, so that none of them waits for more than milliseconds.
    /// - Parameter step: deletes up to that many rows, and says how many there were.
    func prune(_ step: @escaping @Sendable (Database, _ limit: Int) throws -> Int) {
        prune {
            try 0..<step($0, $1)
        } deleted: { _ in
        }
    }

    /// The same where somebody counts.
    /// - Parameters:
    ///   - step: deletes up to that many rows, and says which.
    ///   - deleted: what a step has deleted, once it is on the disk.
    func prune<Gone: Collection & Sendable>(
        _ step: @escaping @Sendable (Database, _ limit: Int) throws -> Gone,
        deleted: @escaping @Sendable (Gone) -> Void
    ) {
        submit {
            try step($0, Self.pruningStep)
        } done: { [weak self] result in
            // A failure is tried again at the next due time.
            guard case .success(let gone) = result else { return }
            deleted(gone)
            if gone.count == Self.pruningStep { self?.prune(step, deleted: deleted) }
        }
    }

    /// Reads what is durable, beside the writer: nobody's commit waits for it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalFailure) -> Value {
        do { return try await pool.read(body) } catch { throw JournalFailure(error) }
    }

    /// How often the log is tried to be emptied while somebody reads from it; each attempt waits for readers as long as any write does.
    private static let attempts = 3

    /// Copies all that is committed into the file, and empties the log of writes: what was overwritten is nowhere any more.
    /// - Throws: if readers kept it from that.
    func emptyLog() async throws(JournalFailure) {
        try await alone { db in
            for _ in 0..<Self.attempts {
                let isBusy = try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") ?? true
                if !isBusy { return }
            }
            throw JournalFailure.failed("somebody reads the file all the time")
        }
    }

    func compact() async throws(JournalFailure) {
        try await alone { try $0.execute(sql: "VACUUM") }
        try await emptyLog()
    }

    /// Between the transactions of others: it waits for the one that is under way, however many follow.
    private func alone(_ body: @escaping @Sendable (Database) throws -> Void) async throws(JournalFailure) {
        let result: Result<Void, JournalFailure> = await withCheckedContinuation { continuation in
            pending.withLock { pending in
                pending.alone.append { [pool] in
                    do {
                        try pool.writeWithoutTransaction(body)
                        continuation.resume(returning: .success(()))
                    } catch { continuation.resume(returning: .failure(JournalFailure(error))) }
                }
                wake(&pending)
            }
        }
        try result.get()
    }

    /// Writes what has been submitted and refuses the rest (`closed`). Returns when the last completion has run.
    func close() async {
        pending.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue { continuation.resume() }
        }
    }

    private func drain() {
        var rest: ArraySlice<Operation> = []
        while true {
            // Looked at after each group: while operations keep coming, there is no end to wait for.
            let (more, alone) = pending.withLock { pending in
                let more = rest.isEmpty ? pending.operations : []
                if rest.isEmpty { pending.operations = [] }
                let alone = pending.alone.isEmpty ? nil : pending.alone.removeFirst()
                pending.isDraining = !rest.isEmpty || !more.isEmpty || alone != nil
                return (more, alone)
            }
            if rest.isEmpty { rest = more[...] }
            alone?()
            if !rest.isEmpty {
                let batch = Self.batch(from: rest)
                commit(batch)
                rest = rest[batch.endIndex...]
            } else if alone == nil {
                return
            }
        }
    }

    private static func batch(from operations: ArraySlice<Operation>) -> ArraySlice<Operation> {
        var bytes = 0
        var end = operations.startIndex
        while end < operations.endIndex, end - operations.startIndex < operationLimit, bytes < byteLimit {
            bytes += operations[end].bytes
            end += 1
        }
        return operations[..<end]
    }

    private func commit(_ batch: ArraySlice<Operation>) {
        let completions: [Completion]
        do {
            completions = try pool.writeWithoutTransaction { db in
                var completions: [Completion] = []
                completions.reserveCapacity(batch.count)
                try db.inTransaction(.immediate) {
                    for operation in batch {
                        completions.append(try Self.perform(operation, in: db))
                    }
                    return .commit
                }
                return completions
            }
            counted.withLock {
                $0.commits += 1
                $0.operations += UInt64(batch.count)
            }
            settled(true)
        } catch {
            counted.withLock { $0.failedCommits += 1 }
            settled(false)
            let failure = JournalFailure(error)
            for operation in batch { operation.fail(failure) }
            return
        }
        for completion in completions { completion() }
        checkpointIfDue()
    }

    /// One operation in its savepoint. What concerns it alone becomes its own refusal; what concerns the disk is thrown and ends the batch.
    private static func perform(_ operation: Operation, in db: Database) throws -> Completion {
        do {
            var completion: Completion = {}
            try db.inSavepoint {
                completion = try operation.perform(db)
                return .commit
            }
            return completion
        } catch let failure as JournalFailure {
            return { operation.fail(failure) }
        } catch let error as DatabaseError where error.concernsOneOperation && db.isInsideTransaction {
            let failure = JournalFailure(error)
            return { operation.fail(failure) }
        }
    }

    private func checkpointIfDue() {
        pool.writeWithoutTransaction { db in
            let changes = db.totalChangesCount
            guard changes - lastCheckpoint.withLock({ $0 }) >= Self.checkpointInterval else { return }
            lastCheckpoint.withLock { $0 = changes }
            // A failure only means that the WAL stays longer; what is committed is in it.
            try? db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
    }

    /// The connection's change count at the last checkpoint.
    private let lastCheckpoint = Mutex(0)
}

extension DatabaseError {
    /// The statement was wrong, and the database is as well as before.
    fileprivate var concernsOneOperation: Bool {
        switch resultCode {
        case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE: true
        default: false
        }
    }
}
