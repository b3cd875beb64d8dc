package import RoomModel

// Gifts and coins outside a room.

/// Asks for the catalogue.
package struct ListGifts: NamedCall {
    package static let name = CallName.giftList
    package var asCall: Call.Body { .wallet(.listGifts) }

    package init() {}
}

/// Asks what the caller has.
package struct ReadWallet: NamedCall {
    package static let name = CallName.walletGet
    package var asCall: Call.Body { .wallet(.read) }

    package init() {}
}

/// Coins for nothing, on a server that is tried out. What moves money has a key.
package struct DrawCoins: NamedCall {
    package static let name = CallName.walletFaucet
    package var asCall: Call.Body { .wallet(.drawCoins(self)) }

    package var key: IdempotencyKey

    package init(key: IdempotencyKey) {
        self.key = key
    }

    private enum CodingKeys: String, CodingKey { case key }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = try fields.decodeIfPresent(IdempotencyKey.self, forKey: .key) else {
            throw RoomError.invalid("key", "a key is needed")
        }
        self.init(key: key)
    }
}

/// Which lines of a statement.
package struct StatementQuery: NamedCall {
    package static let name = CallName.walletStatement
    package var asCall: Call.Body { .wallet(.readStatement(self)) }

    package enum Account: String, Codable, Hashable, Sendable, CaseIterable { case wallet, earnings }

    package var account: Account
    /// The transfer that stands before them; `nil`: from the newest on.
    package var before: Int64?
    package var limit: Int

    package init(account: Account = .wallet, before: Int64? = nil, limit: Int = 50) {
        self.account = account
        self.before = before
        self.limit = limit
    }

    package func check() throws(RoomError) { try RoomError.check(limit, in: 1...100, "limit") }

    private enum CodingKeys: String, CodingKey { case account, cursor, limit }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            account: try fields.decodeIfPresent(Account.self, forKey: .account) ?? .wallet,
            before: try NumberedPlace.read(try fields.decodeIfPresent(String.self, forKey: .cursor))?.number,
            limit: try fields.decodeIfPresent(Int.self, forKey: .limit) ?? 50)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(account, forKey: .account)
        try fields.encodeIfPresent(before.map { "\($0)" }, forKey: .cursor)
        try fields.encode(limit, forKey: .limit)
    }
}
