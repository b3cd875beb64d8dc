package import Commerce
package import RoomModel
package import RoomPorts
import Synchronization

/// A ledger without a disk: it answers at once, or when told, and can fail.
package final class MemoryLedger: Ledger {
    private struct Account: Hashable {
        var application: ApplicationID
        var account: LedgerAccount
    }

    /// What a key is known by, without what was asked for under it.
    private struct Known: Hashable {
        var application: ApplicationID
        var poster: TransferKey.Poster
        var key: String
    }

    private struct Contents {
        var balances: [Account: Int64] = [:]
        var posted: [(key: TransferKey, transfer: PostedTransfer)] = []
        var keys: [Known: Int] = [:]
        var waiting: [@Sendable () -> Void] = []
        var isHeld = false
        var areAnswersLost = false
        var failure: JournalFailure?
        var time: Int64?

        func outcome(of key: TransferKey, _ known: Known) -> TransferOutcome? {
            guard let index = keys[known] else { return nil }
            let first = posted[index]
            return first.key.fingerprint == key.fingerprint
                ? .posted(first.transfer, again: true) : .refused(.keyReused)
        }
    }

    private let contents = Mutex(Contents())

    package init() {}

    // MARK: What tests do to it

    /// From now on what is posted waits, as on a slow disk, until `release`.
    package func hold() { contents.withLock { $0.isHeld = true } }

    /// What waited is posted and answered.
    package func release() {
        let waiting = contents.withLock { contents in
            defer { contents.waiting = [] }
            contents.isHeld = false
            return contents.waiting
        }
        for work in waiting { work() }
    }

    /// From now on nothing can be posted; `nil`: it can again.
    package func fail(_ failure: JournalFailure?) { contents.withLock { $0.failure = failure } }

    /// Whether what is posted from now on is stored and reported as failed.
    package func loseAnswers(_ areLost: Bool) { contents.withLock { $0.areAnswersLost = areLost } }

    /// When what is posted from now on is paid, in milliseconds since 1970. Else its times are numbers.
    package func setTime(_ time: Int64) { contents.withLock { $0.time = time } }

    /// Coins for a wallet, from the shop.
    package func give(_ coins: Int64, to user: UserID, in application: ApplicationID) {
        let number = contents.withLock { $0.posted.count }
        _ = carryOut(
            Transfer(from: .shop, to: .wallet(user), coins: coins, purpose: .topUp),
            TransferKey(application: application, poster: .operator, key: "given \(number)", fingerprint: ""))
    }

    // MARK: The port

    package func post(
        _ transfer: Transfer, key: TransferKey,
        done: @escaping @Sendable (Result<TransferOutcome, JournalFailure>) -> Void
    ) {
        let work: @Sendable () -> Void = { [self] in
            let result = carryOut(transfer, key)
            done(contents.withLock { $0.areAnswersLost } ? .failure(.failed("the answer is lost")) : result)
        }
        let isHeld = contents.withLock { contents in
            if contents.isHeld { contents.waiting.append(work) }
            return contents.isHeld
        }
        if !isHeld { work() }
    }

    package func find(
        _ key: TransferKey, done: @escaping @Sendable (Result<TransferOutcome?, JournalFailure>) -> Void
    ) {
        let known = Known(application: key.application, poster: key.poster, key: key.key)
        done(
            contents.withLock { contents in
                contents.failure.map { .failure($0) } ?? .success(contents.outcome(of: key, known))
            })
    }

    private func carryOut(_ transfer: Transfer, _ key: TransferKey) -> Result<TransferOutcome, JournalFailure> {
        contents.withLock { contents in
            if let failure = contents.failure { return .failure(failure) }
            let known = Known(application: key.application, poster: key.poster, key: key.key)
            if let first = contents.outcome(of: key, known) { return .success(first) }
            let from = Account(application: key.application, account: transfer.from)
            let to = Account(application: key.application, account: transfer.to)
            let held = contents.balances[from, default: 0]
            if transfer.from != .shop, held < transfer.coins { return .success(.refused(.balanceLow(balance: held))) }
            guard contents.balances[to, default: 0] <= LedgerLimits.mostCoins - transfer.coins,
                held >= transfer.coins - LedgerLimits.mostCoins
            else { return .success(.refused(.balanceFull)) }
            contents.balances[from, default: 0] -= transfer.coins
            contents.balances[to, default: 0] += transfer.coins
            let posted = PostedTransfer(
                id: Int64(contents.posted.count + 1), transfer: transfer, key: key.key,
                time: contents.time ?? Int64(contents.posted.count),
                fromBalance: contents.balances[from, default: 0], toBalance: contents.balances[to, default: 0])
            contents.keys[known] = contents.posted.count
            contents.posted.append((key, posted))
            return .success(.posted(posted, again: false))
        }
    }

    package func balance(of account: LedgerAccount, in application: ApplicationID) async throws(JournalFailure) -> Int64
    {
        contents.withLock { $0.balances[Account(application: application, account: account), default: 0] }
    }

    package func statement(
        of account: LedgerAccount, in application: ApplicationID, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [PostedTransfer] {
        contents.withLock { contents in
            contents.posted.lazy.reversed()
                .filter { $0.key.application == application }.map(\.transfer)
                .filter { $0.transfer.from == account || $0.transfer.to == account }
                .filter { $0.id < id ?? .max }.prefix(limit).map { $0 }
        }
    }

    package func gifts(to room: RoomLife, after id: Int64) async throws(JournalFailure) -> [PostedTransfer] {
        contents.withLock { contents in
            contents.posted.map(\.transfer).filter {
                guard case .gift(let life, _) = $0.transfer.purpose else { return false }
                return life == room && $0.id > id
            }
        }
    }

    package func sum(of application: ApplicationID) async throws(JournalFailure) -> Int64 {
        contents.withLock { contents in
            contents.balances.filter { $0.key.application == application }.values.reduce(0, +)
        }
    }
}
