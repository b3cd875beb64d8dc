package import Commerce
import RoomModel
package import RoomPorts

/// One promise of the ledger's port.
package struct LedgerPromise: Sendable, CustomStringConvertible {
    package var description: String
    package var check: @Sendable (_ ledger: any Ledger) async throws -> Void
}

extension Ledger {
    /// Posts and waits.
    package func post(_ transfer: Transfer, key: TransferKey) async throws -> TransferOutcome {
        try await withCheckedThrowingContinuation { continuation in
            post(transfer, key: key) { continuation.resume(with: $0) }
        }
    }
}

extension TransferKey {
    fileprivate static func of(_ poster: Poster, _ key: String, _ fingerprint: String = "") -> TransferKey {
        TransferKey(application: application, poster: poster, key: key, fingerprint: fingerprint)
    }

    fileprivate static let application = ApplicationID(1_400_000_001)
}

extension UserID {
    fileprivate static func of(_ name: String) throws(BrokenPromise) -> UserID {
        guard let user = UserID(name) else { throw BrokenPromise(description: "\(name) is no user") }
        return user
    }
}

private let life = RoomLife(key: .numbered(1), createdIn: 4)

/// Everything that `Ledger` promises, for every implementation. Each promise gets a fresh ledger.
package let ledgerPromises: [LedgerPromise] = [
    LedgerPromise(description: "nobody has anything at first, and what is given to one is taken from another") {
        ledger in
        let (ada, bob) = (try UserID.of("ada"), try UserID.of("bob"))
        try require(try await ledger.balance(of: .wallet(ada), in: TransferKey.application), is: 0)
        let topUp = Transfer(from: .shop, to: .wallet(ada), coins: 100, purpose: .topUp)
        guard case .posted(let first, false) = try await ledger.post(topUp, key: .of(.operator, "1")) else {
            throw BrokenPromise(description: "not posted")
        }
        try require(first.transfer, is: topUp)
        try require([first.fromBalance, first.toBalance], is: [-100, 100])
        let gift = Transfer(
            from: .wallet(ada), to: .earnings(bob), coins: 40, purpose: .gift(to: life, detail: Array("what".utf8)))
        guard case .posted(let second, false) = try await ledger.post(gift, key: .of(.user(ada), "1")) else {
            throw BrokenPromise(description: "not posted")
        }
        try require(second.id > first.id, "ids grow")
        try require([second.fromBalance, second.toBalance], is: [60, 40])
        let accounts: [LedgerAccount] = [.shop, .wallet(ada), .earnings(ada), .wallet(bob), .earnings(bob)]
        var balances: [Int64] = []
        for account in accounts { balances.append(try await ledger.balance(of: account, in: TransferKey.application)) }
        try require(balances, is: [-100, 60, 0, 0, 40])
        try require(try await ledger.sum(of: TransferKey.application), is: 0)
        try require(try await ledger.balance(of: .wallet(ada), in: ApplicationID(9)), is: 0)
    },
    LedgerPromise(description: "a repeat is the first transfer, for ever; another request under its key is refused") {
        ledger in
        let ada = try UserID.of("ada")
        let topUp = Transfer(from: .shop, to: .wallet(ada), coins: 5, purpose: .topUp)
        let first = try await ledger.post(topUp, key: .of(.operator, "k", "a"))
        guard case .posted(let posted, _) = first else { throw BrokenPromise(description: "not posted") }
        for _ in 0..<3 {
            try require(
                try await ledger.post(topUp, key: .of(.operator, "k", "a")), is: .posted(posted, again: true))
        }
        try require(try await ledger.post(topUp, key: .of(.operator, "k", "b")), is: .refused(.keyReused))
        // The same key is another poster's own.
        guard case .posted(_, false) = try await ledger.post(topUp, key: .of(.user(ada), "k", "a")) else {
            throw BrokenPromise(description: "not posted")
        }
        try require(try await ledger.balance(of: .wallet(ada), in: TransferKey.application), is: 10)
    },
    LedgerPromise(description: "no account but the shop's falls below nought, and a refusal changes nothing") {
        ledger in
        let (ada, bob) = (try UserID.of("ada"), try UserID.of("bob"))
        let gift = Transfer(from: .wallet(ada), to: .earnings(bob), coins: 7, purpose: .gift(to: life, detail: []))
        try require(try await ledger.post(gift, key: .of(.user(ada), "k")), is: .refused(.balanceLow(balance: 0)))
        _ = try await ledger.post(
            Transfer(from: .shop, to: .wallet(ada), coins: 6, purpose: .topUp), key: .of(.operator, "1"))
        try require(try await ledger.post(gift, key: .of(.user(ada), "k")), is: .refused(.balanceLow(balance: 6)))
        _ = try await ledger.post(
            Transfer(from: .shop, to: .wallet(ada), coins: 1, purpose: .topUp), key: .of(.operator, "2"))
        // The key of what was refused is free.
        guard case .posted(_, false) = try await ledger.post(gift, key: .of(.user(ada), "k")) else {
            throw BrokenPromise(description: "not posted")
        }
        try require(try await ledger.gifts(to: life, after: 0).count, is: 1)
        let all = Transfer(from: .shop, to: .wallet(ada), coins: LedgerLimits.mostCoins, purpose: .topUp)
        try require(try await ledger.post(all, key: .of(.operator, "3")), is: .refused(.balanceFull))
        try require(try await ledger.sum(of: TransferKey.application), is: 0)
    },
    LedgerPromise(description: "a statement has both sides, the newest first, page by page without doubles or holes") {
        ledger in
        let (ada, bob) = (try UserID.of("ada"), try UserID.of("bob"))
        var ids: [Int64] = []
        for number in 0..<25 {
            let transfer =
                number % 3 == 0
                ? Transfer(from: .shop, to: .wallet(ada), coins: 10, purpose: .topUp)
                : Transfer(
                    from: .wallet(ada), to: .earnings(bob), coins: 2, purpose: .gift(to: life, detail: [UInt8(number)]))
            let poster: TransferKey.Poster = number % 3 == 0 ? .operator : .user(ada)
            guard case .posted(let posted, false) = try await ledger.post(transfer, key: .of(poster, "\(number)"))
            else {
                throw BrokenPromise(description: "transfer \(number) was refused")
            }
            ids.append(posted.id)
        }
        var found: [PostedTransfer] = []
        while true {
            let page = try await ledger.statement(
                of: .wallet(ada), in: TransferKey.application, before: found.last?.id, limit: 4)
            found += page
            if page.isEmpty { break }
        }
        try require(found.map(\.id), is: ids.reversed())
        // Each line goes on from the one before.
        var balance: Int64 = 0
        for line in found.reversed() {
            let isIncome = line.transfer.to == .wallet(ada)
            balance += isIncome ? line.transfer.coins : -line.transfer.coins
            try require(isIncome ? line.toBalance : line.fromBalance, is: balance)
        }
        let none = try await ledger.statement(
            of: .wallet(bob), in: TransferKey.application, before: nil, limit: 10)
        try require(none.isEmpty, "bob's wallet has \(none)")
        try require(
            try await ledger.statement(of: .earnings(bob), in: TransferKey.application, before: nil, limit: 100).count,
            is: 16)
    },
    LedgerPromise(description: "a room finds its gifts, oldest first, and none of another life or room") { ledger in
        let (ada, bob) = (try UserID.of("ada"), try UserID.of("bob"))
        _ = try await ledger.post(
            Transfer(from: .shop, to: .wallet(ada), coins: 100, purpose: .topUp), key: .of(.operator, "1"))
        let lives = [
            life, RoomLife(key: life.key, createdIn: 5), RoomLife(key: .named("1"), createdIn: 4),
        ]
        var ids: [Int64] = []
        for number in 0..<9 {
            let transfer = Transfer(
                from: .wallet(ada), to: .earnings(bob), coins: 1,
                purpose: .gift(to: lives[number % 3], detail: [UInt8(number)]))
            if case .posted(let posted, _) = try await ledger.post(transfer, key: .of(.user(ada), "\(number)")) {
                ids.append(posted.id)
            }
        }
        let found = try await ledger.gifts(to: life, after: 0)
        try require(found.map(\.id), is: [ids[0], ids[3], ids[6]])
        try require(
            found.map(\.transfer.purpose), is: [0, 3, 6].map { .gift(to: life, detail: [$0]) })
        try require(try await ledger.gifts(to: life, after: ids[3]).map(\.id), is: [ids[6]])
    },
]
