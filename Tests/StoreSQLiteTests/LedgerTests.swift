import Commerce
import JournalContract
import RoomModel
import RoomPorts
import RoomTestSupport
import SeededRandom
import Testing

@testable import StoreSQLite

@Suite("The ledger") struct LedgerTests {
    private static let application = ApplicationID(1_400_000_001)

    private func withStore<Value>(
        _ scratch: Scratch, _ body: (SQLiteStore) async throws -> Value
    ) async throws -> Value {
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        do {
            let value = try await body(store)
            await store.shutDown()
            return value
        } catch {
            await store.shutDown()
            throw error
        }
    }

    @Test("G02-S SQLite:", arguments: ledgerPromises)
    func promise(_ promise: LedgerPromise) async throws {
        try await withStore(try Scratch()) { try await promise.check($0.ledger) }
    }

    @Test("G02-S in memory:", arguments: ledgerPromises)
    func promiseInMemory(_ promise: LedgerPromise) async throws { try await promise.check(MemoryLedger()) }

    private func user(_ number: Int) -> UserID { UserID(literal: "user-\(number)") }

    @Test("R09-S no key that a client chose for its gifts keeps its person from being erased")
    func erasedKeys() async throws {
        let gift = Transfer(from: .shop, to: .wallet(user(1)), coins: 5, purpose: .topUp)
        try await withStore(try Scratch()) { store async throws in
            func pay(_ key: String) async throws -> Int64? {
                let outcome = try await store.ledger.post(
                    gift,
                    key: TransferKey(
                        application: Self.application, poster: .user(user(1)), key: key, fingerprint: "5"))
                if case .posted(let transfer, _) = outcome { return transfer.id }
                return nil
            }
            let first = try #require(try await pay("a"))
            // As keys of the erased looked, those of this one and of the next.
            for number in first...first + 2 { #expect(try await pay("erased-\(number)") != nil) }
            _ = try await store.personalData.erase(user(1), of: Self.application)
            _ = try await store.personalData.erase(user(1), of: Self.application)
        }
    }

    @Test(
        "G02-S each program pays under keys of its own; what was paid before they had them, or by hand, is not paid again"
    )
    func programs() async throws {
        let (shop, desk) = (UserID.program(UserID(literal: "shop")), UserID.program(UserID(literal: "desk")))
        let topUp = Transfer(from: .shop, to: .wallet(user(1)), coins: 5, purpose: .topUp)
        try await withStore(try Scratch()) { store async throws in
            func pay(_ poster: TransferKey.Poster, _ key: String, _ fingerprint: String = "5") async throws -> String {
                let outcome = try await store.ledger.post(
                    topUp,
                    key: TransferKey(
                        application: Self.application, poster: poster, key: key, fingerprint: fingerprint))
                switch outcome {
                case .posted(_, let again): return again ? "again" : "paid"
                case .refused(let why): return "\(why)"
                }
            }
            #expect(try await pay(.operator, "old") == "paid")
            for poster in [TransferKey.Poster.program(shop), .program(desk), .operator] {
                #expect(try await pay(poster, "old") == "again")
                #expect(try await pay(poster, "old", "6") == "keyReused")
            }
            #expect(try await pay(.program(shop), "new") == "paid")
            #expect(try await pay(.program(desk), "new", "6") == "paid")
            #expect(try await pay(.program(shop), "new") == "again")
            #expect(try await store.ledger.balance(of: .wallet(user(1)), in: Self.application) == 15)
        }
    }

    /// Some request of somebody, and its key, of few: repeats and other requests under used keys are common.
    private func request(using random: inout SeededGenerator) -> (Transfer, TransferKey) {
        let (payer, payee) = (user(.random(in: 0..<4, using: &random)), user(.random(in: 4..<7, using: &random)))
        let coins = Int64.random(in: 1...60, using: &random)
        let transfer: Transfer
        let poster: TransferKey.Poster
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2:
            (transfer, poster) = (
                Transfer(from: .shop, to: .wallet(payer), coins: coins, purpose: .topUp), .operator
            )
        case 2:
            (transfer, poster) = (
                Transfer(from: .wallet(payer), to: .shop, coins: coins, purpose: .refund), .operator
            )
        default:
            let life = RoomLife(key: .numbered(.random(in: 1...2, using: &random)), createdIn: 1)
            (transfer, poster) = (
                Transfer(
                    from: .wallet(payer), to: .earnings(payee), coins: coins, purpose: .gift(to: life, detail: [7])),
                .user(payer)
            )
        }
        let key = "\(Int.random(in: 0..<80, using: &random))"
        return (
            transfer,
            TransferKey(
                application: Self.application, poster: poster, key: key, fingerprint: "\(transfer)")
        )
    }

    @Test(
        "G02-S whatever is posted at once, by whom and how often, every account is the sum of its entries and all are nought"
    )
    func random() async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        let requests = (0..<1_500).map { _ in request(using: &random) }
        let scratch = try Scratch()
        let outcomes = try await withStore(scratch) { store in
            try await withThrowingTaskGroup { group in
                // Not waited for one by one: they share transactions.
                for (number, (transfer, key)) in requests.enumerated() {
                    group.addTask { (number, try await store.ledger.post(transfer, key: key)) }
                }
                return try await group.reduce(into: [Int: TransferOutcome]()) { $0[$1.0] = $1.1 }
            }
        }
        var once: [Int64: PostedTransfer] = [:]
        for outcome in outcomes.values {
            guard case .posted(let posted, let again) = outcome else { continue }
            #expect(again || once[posted.id] == nil, "twice the first, seed \(seed)")
            if !again { once[posted.id] = posted }
        }
        var expected: [LedgerAccount: Int64] = [:]
        for posted in once.values {
            expected[posted.transfer.from, default: 0] -= posted.transfer.coins
            expected[posted.transfer.to, default: 0] += posted.transfer.coins
        }
        #expect(once.count > 50, "seed \(seed)")
        // Also after a restart.
        try await withStore(scratch) { store in
            #expect(try await store.ledger.sum(of: Self.application) == 0, "seed \(seed)")
            for (account, balance) in expected {
                #expect(try await store.ledger.balance(of: account, in: Self.application) == balance, "seed \(seed)")
                #expect(balance >= 0 || account == .shop, "seed \(seed)")
                let lines = try await store.ledger.statement(
                    of: account, in: Self.application, before: nil, limit: .max)
                let sum = lines.reduce(0) { $0 + ($1.transfer.to == account ? $1.transfer.coins : -$1.transfer.coins) }
                #expect(sum == balance && Set(lines.map(\.id)).count == lines.count, "seed \(seed)")
            }
            // And each is still known by its key.
            for (number, (transfer, key)) in requests.enumerated().prefix(100) {
                guard case .posted(let first, _)? = outcomes[number] else { continue }
                #expect(try await store.ledger.post(transfer, key: key) == .posted(first, again: true), "seed \(seed)")
            }
        }
    }

    @Test("G02-S what could be no transfer is refused alone, and those beside it are posted")
    func unsound() async throws {
        try await withStore(try Scratch()) { store in
            let ada = user(1)
            let sound = Transfer(from: .shop, to: .wallet(ada), coins: 1, purpose: .topUp)
            for (number, coins) in [0, -1, Int64.max].enumerated() {
                let key = TransferKey(
                    application: Self.application, poster: .operator, key: "\(number)", fingerprint: "")
                await #expect(throws: JournalFailure.self) {
                    _ = try await store.ledger.post(
                        Transfer(from: .shop, to: .wallet(ada), coins: coins, purpose: .topUp), key: key)
                }
                _ = try await store.ledger.post(sound, key: key)
            }
            await #expect(throws: JournalFailure.self) {
                _ = try await store.ledger.post(
                    Transfer(from: .wallet(ada), to: .wallet(ada), coins: 1, purpose: .refund),
                    key: TransferKey(application: Self.application, poster: .operator, key: "x", fingerprint: ""))
            }
            #expect(try await store.ledger.balance(of: .wallet(ada), in: Self.application) == 3)
        }
    }

    @Test("G02-S a disk that is full takes nothing, and says so; afterwards the same key is posted once")
    func full() async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        try await withStore(scratch) { store in
            let ada = user(1)
            let topUp = Transfer(from: .shop, to: .wallet(ada), coins: 1, purpose: .topUp)
            let key = TransferKey(application: Self.application, poster: .operator, key: "k", fingerprint: "")
            disk.limitGrowth(0)
            await #expect(throws: JournalFailure.full) { _ = try await store.ledger.post(topUp, key: key) }
            disk.limitGrowth(nil)
            for _ in 0..<2 { _ = try await store.ledger.post(topUp, key: key) }
            #expect(try await store.ledger.balance(of: .wallet(ada), in: Self.application) == 1)
        }
    }
}
