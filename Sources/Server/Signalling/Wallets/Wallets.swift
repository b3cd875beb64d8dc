package import Commerce
package import RoomModel
package import RoomPorts
import RoomService
package import SignalProtocol

/// What the gateway knows of gifts and coins.
package struct WalletSettings: Sendable {
    package var ledger: any Ledger
    package var catalogue: @Sendable (ApplicationID) -> GiftCatalogue
    /// Where people buy coins: the operator's own shop.
    package var topUpURL: String?
    /// Whether coins are given away. Only on a server that is tried out.
    package var faucet: Bool

    package init(
        ledger: any Ledger, catalogue: @escaping @Sendable (ApplicationID) -> GiftCatalogue, topUpURL: String? = nil,
        faucet: Bool = false
    ) {
        self.ledger = ledger
        self.catalogue = catalogue
        self.topUpURL = topUpURL
        self.faucet = faucet
    }
}

/// People's own accounts: what they hold, what came and went, and coins to try gifts with (G02).
package struct Wallets: Sendable {
    /// What the faucet gives at once.
    static let faucetCoins: Int64 = 1_000
    /// Who holds as much gets no more of it.
    static let faucetFull: Int64 = 10_000

    package let settings: WalletSettings

    package init(
        settings: WalletSettings
    ) {
        self.settings = settings
    }

    func perform(_ asked: WalletCall, by user: UserID, in application: ApplicationID, call: CallID)
        async throws(Refusal)
        -> [UInt8]
    {
        do throws(JournalFailure) {
            switch asked {
            case .listGifts: return Answer.success(call, GiftsAnswer(gifts: settings.catalogue(application).gifts))
            case .read: return Answer.success(call, try await wallet(of: user, in: application))
            case .readStatement(let query):
                return Answer.success(call, try await statement(query, of: user, in: application))
            case .drawCoins(let asked): return try await draw(asked.key, for: user, in: application, call: call)
            }
        } catch {
            throw Refusal(RoomError(.unavailable, retryAfterMs: 500))
        }
    }

    package func wallet(of user: UserID, in application: ApplicationID) async throws(JournalFailure) -> Wallet {
        let ledger = settings.ledger
        return Wallet(
            coins: try await ledger.balance(of: .wallet(user), in: application),
            earnings: try await ledger.balance(of: .earnings(user), in: application), topUpURL: settings.topUpURL,
            faucet: settings.faucet)
    }

    package func statement(
        _ query: StatementQuery, of user: UserID, in application: ApplicationID
    ) async throws(JournalFailure) -> StatementPage {
        let found = try await transfers(query, of: user, in: application)
        let account = query.account(of: user)
        return StatementPage(
            entries: found.map { StatementEntry($0, of: account) }, cursor: query.cursor(after: found))
    }

    package func transfers(
        _ query: StatementQuery, of user: UserID, in application: ApplicationID
    ) async throws(JournalFailure) -> [PostedTransfer] {
        try await settings.ledger.statement(
            of: query.account(of: user), in: application, before: query.before, limit: query.limit)
    }

    /// What became of a gift that was paid for under that key: `nil` if none was.
    func findGift(_ key: TransferKey, done: @escaping @Sendable (Result<CommandOutcome?, RoomError>) -> Void) {
        settings.ledger.find(key) { found in
            switch found {
            case .success(.posted(let posted, _)):
                done(.success(CommandOutcome(.gifted(number: posted.id, balance: posted.fromBalance))))
            case .success(.refused(.keyReused)): done(.failure(RoomError(.keyReused)))
            case .success: done(.success(nil))
            case .failure: done(.failure(RoomError(.unavailable, retryAfterMs: 500)))
            }
        }
    }

    private func draw(
        _ key: IdempotencyKey, for user: UserID, in application: ApplicationID, call: CallID
    ) async throws(JournalFailure) -> [UInt8] {
        guard settings.faucet else {
            return Answer.failure(call, RoomError(.permissionDenied, "this server gives no coins away"))
        }
        guard try await settings.ledger.balance(of: .wallet(user), in: application) < Self.faucetFull else {
            return Answer.failure(
                call, RoomError(.permissionDenied, "the faucet fills a wallet up to \(Self.faucetFull) coins"))
        }
        let outcome = await withCheckedContinuation { continuation in
            settings.ledger.post(
                Transfer(from: .shop, to: .wallet(user), coins: Self.faucetCoins, purpose: .topUp),
                key: TransferKey(
                    application: application, poster: .user(user), key: "faucet " + key.rawValue, fingerprint: "faucet")
            ) { continuation.resume(returning: $0) }
        }
        _ = try outcome.get()
        return Answer.success(call, try await wallet(of: user, in: application))
    }
}

extension StatementQuery {
    package func account(of user: UserID) -> LedgerAccount {
        switch account {
        case .wallet: .wallet(user)
        case .earnings: .earnings(user)
        }
    }

    /// Where the next page begins; `nil`: there is none.
    package func cursor(after found: [PostedTransfer]) -> String? {
        found.count == limit ? found.last.map { "\($0.id)" } : nil
    }
}

extension StatementEntry {
    /// A transfer as the account's owner sees it.
    package init(_ posted: PostedTransfer, of account: LedgerAccount) {
        let isIncome = posted.transfer.to == account
        self.init(
            number: posted.id, time: posted.time, kind: .topUp,
            coins: isIncome ? posted.transfer.coins : -posted.transfer.coins,
            balance: isIncome ? posted.toBalance : posted.fromBalance)
        switch posted.transfer.purpose {
        case .topUp: break
        case .refund: kind = .refund
        case .gift(_, let detail):
            kind = .gift
            guard let detail = GiftDetail(detail) else { return }
            user = isIncome ? detail.from : detail.to
            gift = detail.gift
            count = detail.count
        }
    }
}
