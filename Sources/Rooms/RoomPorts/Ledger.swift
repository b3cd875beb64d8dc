package import Commerce
package import RoomModel

/// Accounts and what was transferred between them, durable, in the store's group commit.
package protocol Ledger: Sendable {
    /// Never waits for the disk. `done` runs off the caller's thread, in the order of `post`, after the transfer has reached the disk; it
    /// must not block.
    func post(
        _ transfer: Transfer, key: TransferKey,
        done: @escaping @Sendable (Result<TransferOutcome, JournalFailure>) -> Void)

    /// What became of the transfer of that key, behind all that was posted before; `nil`: there is none. As `post`, it never waits.
    func find(
        _ key: TransferKey, done: @escaping @Sendable (Result<TransferOutcome?, JournalFailure>) -> Void)

    /// Nought for an account that nothing was ever transferred to.
    func balance(of account: LedgerAccount, in application: ApplicationID) async throws(JournalFailure) -> Int64

    /// The newest transfers from or to an account first, before the one with that id.
    func statement(
        of account: LedgerAccount, in application: ApplicationID, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [PostedTransfer]

    /// The gifts to a room after the one with that id, oldest first.
    func gifts(to room: RoomLife, after id: Int64) async throws(JournalFailure) -> [PostedTransfer]

    /// What all accounts of an application hold together. It is nought, or something is wrong.
    func sum(of application: ApplicationID) async throws(JournalFailure) -> Int64
}
