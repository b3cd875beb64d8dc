public import RoomModel
internal import SignalProtocol

extension OvationClient {
    // MARK: - Gifts and coins

    /// Returns the gifts that can be sent, the cheapest first. Empty: the server offers none.
    public func gifts() async throws(OvationError) -> [Gift] {
        guard case .gifts(let gifts) = try await ask(.wallet(.listGifts)) else { throw OvationError(.invalidAnswer) }
        return gifts
    }

    /// Returns what the user can spend and has received.
    public func wallet() async throws(OvationError) -> Wallet {
        guard case .wallet(let wallet) = try await ask(.wallet(.read)) else { throw OvationError(.invalidAnswer) }
        return wallet
    }

    /// An account of the user's.
    @nonexhaustive public enum Account: Sendable, Hashable {
        /// What can be spent.
        case wallet
        /// What was received by gifts.
        case earnings
    }

    /// A page of an account's entries.
    public struct Statement: Sendable, Hashable {
        /// The newest first.
        public var entries: [StatementEntry]
        /// Where the next page begins, or `nil` if this is the last one.
        public var cursor: String?
    }

    /// Returns what came and went on one of the user's accounts, the newest first.
    /// - Parameters:
    ///   - limit: 1…100.
    ///   - cursor: the cursor of the previous page.
    public func statement(
        of account: Account = .wallet, limit: Int = 50, cursor: String? = nil
    ) async throws(OvationError) -> Statement {
        let query = StatementQuery(
            account: account == .wallet ? .wallet : .earnings, before: cursor.flatMap { Int64($0) }, limit: limit)
        guard case .statement(let page) = try await ask(.wallet(.readStatement(query))) else {
            throw OvationError(.invalidAnswer)
        }
        return Statement(entries: page.entries, cursor: page.cursor)
    }

    /// Draws coins for nothing, on a server that is being tried out (`Wallet.faucet`).
    @discardableResult
    public func drawCoins() async throws(OvationError) -> Wallet {
        guard let key = IdempotencyKey.fresh(),
            case .wallet(let wallet) = try await ask(.wallet(.drawCoins(DrawCoins(key: key))))
        else { throw OvationError(.invalidAnswer) }
        return wallet
    }
}
