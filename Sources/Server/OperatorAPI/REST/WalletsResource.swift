import Commerce
import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol
import Signalling

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

    /// A line of somebody's account, with what an operator follows it by.
    private struct StatementLine: Encodable {
        var entry: StatementEntry
        var room: RoomID?
        var key: String

        private enum CodingKeys: String, CodingKey { case room, key }

        func encode(to encoder: any Encoder) throws {
            try entry.encode(to: encoder)
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encodeIfPresent(room, forKey: .room)
            try fields.encode(key, forKey: .key)
        }
    }

    private struct Statement: Encodable {
        var entries: [StatementLine]
        var cursor: String?
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
            let query = try parameters.payload(StatementQuery.self)
            do throws(JournalFailure) {
                return HTTPReply.json(
                    Self.statement(
                        try await wallets.transfers(query, of: user, in: access.application), query, of: user))
            } catch { throw Self.unavailable }
        case .readLedger:
            try trail.check(.readWallets, access, "readLedger")
            do throws(JournalFailure) {
                return HTTPReply.json(["sum": try await wallets.settings.ledger.sum(of: access.application)])
            } catch { throw Self.unavailable }
        case .topUp:
            try trail.check(.writeWallets, access, "topUp")
            return try await move(parameters, access, trail, .topUp) { (.shop, .wallet($0)) }
        case .refund:
            try trail.check(.writeWallets, access, "refund")
            return try await move(parameters, access, trail, .refund) { (.wallet($0), .shop) }
        }
    }

    private func move(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail,
        _ purpose: Transfer.Purpose, _ accounts: (UserID) -> (LedgerAccount, LedgerAccount)
    ) async throws(Refusal) -> Response {
        let user = try parameters.user()
        let coins = try parameters.whole("coins")
        guard let key = try parameters.idempotencyKey() else {
            throw Refusal(.invalid("key", "what moves coins has an Idempotency-Key, so that it is done once"))
        }
        let reason = try parameters.text("reason").flatMap { $0.isEmpty ? nil : $0 }
        guard reason.map(Restriction.isReason) ?? true else {
            throw Refusal(.invalid("reason", "a reason has up to \(Restriction.reasonCharacters) characters"))
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
                    application: access.application, poster: .program(access.caller.name), key: key.rawValue,
                    fingerprint: "\(purpose) \(user.rawValue) \(coins)")
            ) { continuation.resume(returning: $0) }
        }
        let outcome: TransferOutcome
        do throws(JournalFailure) { outcome = try result.get() } catch { throw Self.unavailable }
        switch outcome {
        case .posted(_, let again):
            // A repeat is no deed of its own.
            guard !again else { break }
            trail.note(
                access, purpose.action, target: user, detail: ["coins": "\(coins)", "key": key.rawValue], reason: reason
            )
        case .refused(.balanceLow(let balance)): throw Refusal(RoomError(.balanceLow, reason: "\(balance)"))
        case .refused(.balanceFull): throw Refusal(.invalid("coins", "no account holds as many coins"))
        case .refused(.keyReused): throw Refusal(RoomError(.keyReused))
        }
        return HTTPReply.json(try await balance(of: user, access))
    }

    private static func statement(
        _ found: [PostedTransfer], _ query: StatementQuery, of user: UserID
    ) -> Statement {
        let account = query.account(of: user)
        return Statement(
            entries: found.map { posted in
                var room: RoomID?
                if case .gift(let life, _) = posted.transfer.purpose { room = life.key.room }
                return StatementLine(entry: StatementEntry(posted, of: account), room: room, key: posted.key)
            }, cursor: query.cursor(after: found))
    }

    private func balance(of user: UserID, _ access: OperatorAccess) async throws(Refusal) -> Balance {
        do throws(JournalFailure) {
            let wallet = try await wallets.wallet(of: user, in: access.application)
            return Balance(coins: wallet.coins, earnings: wallet.earnings)
        } catch { throw Self.unavailable }
    }
}
