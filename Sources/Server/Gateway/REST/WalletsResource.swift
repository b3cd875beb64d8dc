import Hummingbird
import RoomModel
import RoomPorts
import SignalProtocol

/// People's coins, as operators see and move them (G02).
struct WalletsResource: Sendable {
    enum Operation: Sendable, Hashable {
        case read, readStatement, readLedger
        /// Coins that were sold.
        case topUp
        /// Coins that are taken back.
        case refund
    }

    /// What a person holds.
    private struct Balance: Encodable {
        var coins: Int64
        var earnings: Int64
    }

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))

    let wallets: Wallets

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .read:
            try trail.check(.readWallets, access, "readWallet")
            return HTTPReply.json(try await balance(of: try parameters.user(), access))
        case .readStatement:
            try trail.check(.readWallets, access, "readWallet")
            let user = try parameters.user()
            guard case .wallet(.readStatement(let query)) = try parameters.call(.walletStatement) else {
                throw Refusal(RoomError(.internalError))
            }
            do throws(JournalFailure) {
                return HTTPReply.json(try await wallets.statement(query, of: user, in: access.application))
            } catch { throw Self.unavailable }
        case .readLedger:
            try trail.check(.readWallets, access, "readLedger")
            do throws(JournalFailure) {
                return HTTPReply.json(["sum": try await wallets.settings.ledger.sum(of: access.application)])
            } catch { throw Self.unavailable }
        case .topUp:
            try trail.check(.writeWallets, access, "topUp")
            return try await move(parameters, access, trail, action: "topUp", .topUp) { (.shop, .wallet($0)) }
        case .refund:
            try trail.check(.writeWallets, access, "refund")
            return try await move(parameters, access, trail, action: "refund", .refund) { (.wallet($0), .shop) }
        }
    }

    private func move(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail, action: String,
        _ purpose: Transfer.Purpose, _ accounts: (UserID) -> (LedgerAccount, LedgerAccount)
    ) async throws(Refusal) -> Response {
        let user = try parameters.user()
        let coins = try parameters.whole("coins")
        guard let key = try parameters.idempotencyKey() else {
            throw Refusal(.invalid("key", "what moves coins has an Idempotency-Key, so that it is done once"))
        }
        let (from, to) = accounts(user)
        let transfer = Transfer(from: from, to: to, coins: coins, purpose: purpose)
        guard transfer.isSound else {
            throw Refusal(.invalid("coins", "coins are 1…\(LedgerLimits.mostCoins)"))
        }
        let result = await withCheckedContinuation { continuation in
            wallets.settings.ledger.post(
                transfer,
                key: TransferKey(
                    application: access.application, poster: .operator, key: key.rawValue,
                    fingerprint: "\(purpose) \(user.rawValue) \(coins)")
            ) { continuation.resume(returning: $0) }
        }
        let outcome: TransferOutcome
        do throws(JournalFailure) { outcome = try result.get() } catch { throw Self.unavailable }
        switch outcome {
        case .posted: break
        case .refused(.balanceLow(let balance)): throw Refusal(RoomError(.balanceLow, reason: "\(balance)"))
        case .refused(.balanceFull): throw Refusal(.invalid("coins", "no account holds as many coins"))
        case .refused(.keyReused): throw Refusal(RoomError(.keyReused))
        }
        trail.note(access, action, target: user, detail: ["coins": "\(coins)", "key": key.rawValue])
        return HTTPReply.json(try await balance(of: user, access))
    }

    private func balance(of user: UserID, _ access: OperatorAccess) async throws(Refusal) -> Balance {
        do throws(JournalFailure) {
            let wallet = try await wallets.wallet(of: user, in: access.application)
            return Balance(coins: wallet.coins, earnings: wallet.earnings)
        } catch { throw Self.unavailable }
    }
}
