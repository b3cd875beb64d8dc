import Commerce
import OperatorAPI
package import RoomModel
import RoomPorts
import StoreSQLite

/// Gifts and wallets of a server that is not running: what `ovation gift` and `ovation wallet` do.
package struct GiftAdmin: Sendable {
    /// What a user holds.
    package struct Balance: Sendable, Hashable {
        package var coins: Int64
        package var earnings: Int64
    }

    private let data: String
    private let application: ApplicationID

    package init(data: String, application: UInt32) {
        self.data = data
        self.application = ApplicationID(application)
    }

    // MARK: The catalogue

    /// The cheapest first.
    package func list() async throws -> [Gift] {
        try await withStore { store in try await store.gifts.gifts(of: application).gifts }
    }

    /// Adds a gift, or changes the one with that id. What was given before stays as it was.
    package func set(_ gift: Gift) async throws {
        if let problem = GiftCatalogue.problem(with: gift) { throw ConfigurationFailure(problem) }
        try await withStore { store in
            let catalogue = try await store.gifts.gifts(of: application)
            guard catalogue[gift.id] != nil || catalogue.gifts.count < GiftCatalogue.most else {
                throw ConfigurationFailure("an application has at most \(GiftCatalogue.most) gifts")
            }
            try await store.gifts.save(gift, of: application)
            CommandTrail(store: store, application: application).note("setGift", detail: gift.audited)
        }
    }

    package func remove(_ id: String) async throws {
        try await withStore { store in
            guard try await store.gifts.remove(id, of: application) else {
                throw ConfigurationFailure("there is no gift \(id) (see: ovation gift list)")
            }
            CommandTrail(store: store, application: application).note("removeGift", detail: ["gift": id])
        }
    }

    // MARK: Wallets

    package func balance(of user: String) async throws -> Balance {
        let user = try id(user)
        return try await withStore { store in try await balance(of: user, in: store) }
    }

    /// Gives coins that were sold.
    /// - Parameter key: repeats an attempt whose outcome is not known: it counts once.
    package func credit(_ user: String, coins: Int64, key: String, reason: String? = nil) async throws -> Balance {
        let user = try id(user)
        return try await move(coins, from: .shop, to: .wallet(user), for: .topUp, key, of: user, reason)
    }

    /// Takes coins back from a wallet.
    package func refund(_ user: String, coins: Int64, key: String, reason: String? = nil) async throws -> Balance {
        let user = try id(user)
        return try await move(coins, from: .wallet(user), to: .shop, for: .refund, key, of: user, reason)
    }

    /// What all accounts hold together: nought, or something is wrong.
    package func sum() async throws -> Int64 { try await withStore { try await $0.ledger.sum(of: application) } }

    private func move(
        _ coins: Int64, from: LedgerAccount, to: LedgerAccount, for purpose: Transfer.Purpose, _ key: String,
        of user: UserID, _ reason: String?
    ) async throws -> Balance {
        guard reason.map(Restriction.isReason) ?? true else {
            throw ConfigurationFailure("a reason has up to \(Restriction.reasonCharacters) characters")
        }
        guard IdempotencyKey(key) != nil else {
            throw ConfigurationFailure("a key is 1…64 printable ASCII characters")
        }
        let transfer = Transfer(from: from, to: to, coins: coins, purpose: purpose)
        guard transfer.isSound else { throw ConfigurationFailure("coins are a whole number from 1 on") }
        return try await withStore { store in
            let outcome = try await withCheckedThrowingContinuation { continuation in
                store.ledger.post(
                    transfer,
                    key: TransferKey(
                        application: application, poster: .operator, key: key,
                        fingerprint: "\(purpose) \(user.rawValue) \(coins)")
                ) { continuation.resume(with: $0) }
            }
            switch outcome {
            case .posted(_, let again):
                if !again {
                    CommandTrail(store: store, application: application).note(
                        purpose.action, target: user, detail: ["coins": "\(coins)", "key": key], reason: reason)
                }
                return try await balance(of: user, in: store)
            case .refused(.balanceLow(let balance)):
                throw ConfigurationFailure("the wallet holds \(balance) coins only")
            case .refused(.balanceFull): throw ConfigurationFailure("no account holds as many coins")
            case .refused(.keyReused): throw ConfigurationFailure("something else was done under the key \(key)")
            }
        }
    }

    private func balance(of user: UserID, in store: SQLiteStore) async throws -> Balance {
        Balance(
            coins: try await store.ledger.balance(of: .wallet(user), in: application),
            earnings: try await store.ledger.balance(of: .earnings(user), in: application))
    }

    private func id(_ text: String) throws -> UserID {
        guard let user = UserID(text) else { throw ConfigurationFailure("a user id is 1…32 of A-Z a-z 0-9 _ -") }
        return user
    }

    private func withStore<Value: Sendable>(_ body: (SQLiteStore) async throws -> Value) async throws -> Value {
        try await StoppedStore.with(data) { store in
            guard try await store.accounts.application(application) != nil else {
                throw ConfigurationFailure("there is no application \(application) (see: ovation app list)")
            }
            return try await body(store)
        }
    }
}
