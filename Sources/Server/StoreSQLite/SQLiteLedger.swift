package import Commerce
package import RoomModel
package import RoomPorts
import Timing

/// The ledger in the store's file. A transfer shares its transaction with whatever the rooms write at that time.
package final class SQLiteLedger: Ledger {
    private let commit: GroupCommit
    private let now: @Sendable () -> WallTime

    init(commit: GroupCommit, now: @escaping @Sendable () -> WallTime) {
        self.commit = commit
        self.now = now
    }

    package func post(
        _ transfer: Transfer, key: TransferKey,
        done: @escaping @Sendable (Result<TransferOutcome, JournalFailure>) -> Void
    ) {
        let time = now().millisecondsSince1970
        commit.submit { db in
            try LedgerTables(db: db, application: key.application).post(transfer, key: key, at: time)
        } done: {
            done($0)
        }
    }

    package func find(
        _ key: TransferKey, done: @escaping @Sendable (Result<TransferOutcome?, JournalFailure>) -> Void
    ) {
        commit.submit {
            try LedgerTables(db: $0, application: key.application).find(key)
        } done: {
            done($0)
        }
    }

    package func balance(
        of account: LedgerAccount, in application: ApplicationID
    ) async throws(JournalFailure) -> Int64 {
        try await commit.read {
            try LedgerTables(db: $0, application: application).account(account)?.balance ?? 0
        }
    }

    package func statement(
        of account: LedgerAccount, in application: ApplicationID, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [PostedTransfer] {
        try await commit.read {
            try LedgerTables(db: $0, application: application).statement(of: account, before: id, limit: limit)
        }
    }

    package func gifts(to room: RoomLife, after id: Int64) async throws(JournalFailure) -> [PostedTransfer] {
        // Through the writer: what is posted before is seen.
        try await commit.run { try LedgerTables(db: $0, application: room.key.application).gifts(to: room, after: id) }
    }

    package func sum(of application: ApplicationID) async throws(JournalFailure) -> Int64 {
        try await commit.read { try LedgerTables(db: $0, application: application).sum() }
    }
}
