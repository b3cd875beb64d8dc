import Commerce
import Foundation
import GRDB
import RoomModel
import RoomPorts

/// The tables of one application's ledger, inside a transaction.
struct LedgerTables {
    struct Account {
        var id: Int64
        var balance: Int64
    }

    let db: Database
    let application: ApplicationID

    // MARK: Posting

    func post(_ transfer: Transfer, key: TransferKey, at time: Int64) throws -> TransferOutcome {
        if let known = try find(key) { return known }
        guard transfer.isSound else { throw JournalFailure.failed("no transfer: \(transfer)") }
        let (debit, credit) = (try account(transfer.from), try account(transfer.to))
        let (held, received) = (debit?.balance ?? 0, credit?.balance ?? 0)
        if transfer.from != .shop, held < transfer.coins { return .refused(.balanceLow(balance: held)) }
        let most = LedgerLimits.mostCoins
        guard held >= transfer.coins - most, received <= most - transfer.coins else { return .refused(.balanceFull) }
        let from = try set(transfer.from, debit, to: held - transfer.coins)
        let to = try set(transfer.to, credit, to: received + transfer.coins)
        let (purpose, room, createdIn, detail) = columns(of: transfer.purpose)
        let values: [(any DatabaseValueConvertible)?] = [
            application.rawValue, key.poster.column, key.key, key.fingerprint, from.id, to.id, transfer.coins,
            from.balance, to.balance, purpose, room, createdIn, detail, time,
        ]
        try db.cachedStatement(
            sql: """
                INSERT INTO transfer (application, poster, key, fingerprint, debit, credit, coins, debit_after, credit_after,
                    purpose, room, created_in, detail, posted_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: StatementArguments(values))
        return .posted(
            PostedTransfer(
                id: db.lastInsertedRowID, transfer: transfer, key: key.key, time: time, fromBalance: from.balance,
                toBalance: to.balance),
            again: false)
    }

    /// The outcome of a repeat under that key; `nil`: it is no repeat. What a program has posted before programs had keys of their own, or
    /// somebody by hand, is not paid again.
    func find(_ key: TransferKey) throws -> TransferOutcome? {
        var former = key
        if case .program = key.poster { former.poster = .operator }
        guard let known = try posted(key) ?? (former == key ? nil : posted(former)) else { return nil }
        return known.fingerprint == key.fingerprint ? .posted(known.transfer, again: true) : .refused(.keyReused)
    }

    private func posted(_ key: TransferKey) throws -> (transfer: PostedTransfer, fingerprint: String)? {
        let row = try Row.fetchOne(
            try db.cachedStatement(
                sql:
                    "\(Self.columns), t.fingerprint \(Self.tables) WHERE t.application = ? AND t.poster = ? AND t.key = ?"
            ),
            arguments: [application.rawValue, key.poster.column, key.key])
        return try row.map { (try posted($0), $0["fingerprint"]) }
    }

    /// - Parameter known: the account, if it is there already.
    private func set(_ account: LedgerAccount, _ known: Account?, to balance: Int64) throws -> Account {
        if let known {
            try db.cachedStatement(sql: "UPDATE ledger_account SET balance = ? WHERE id = ?")
                .execute(arguments: [balance, known.id])
            return Account(id: known.id, balance: balance)
        }
        let (kind, user) = account.columns
        try db.cachedStatement(sql: "INSERT INTO ledger_account (application, kind, user, balance) VALUES (?, ?, ?, ?)")
            .execute(arguments: [application.rawValue, kind, user, balance])
        return Account(id: db.lastInsertedRowID, balance: balance)
    }

    // MARK: Reading

    func account(_ account: LedgerAccount) throws -> Account? {
        let (kind, user) = account.columns
        return try Row.fetchOne(
            try db.cachedStatement(
                sql: "SELECT id, balance FROM ledger_account WHERE application = ? AND kind = ? AND user = ?"),
            arguments: [application.rawValue, kind, user]
        ).map { Account(id: $0[0], balance: $0[1]) }
    }

    func statement(of account: LedgerAccount, before id: Int64?, limit: Int) throws -> [PostedTransfer] {
        guard let account = try self.account(account) else { return [] }
        // Each half by its own index; no transfer is in both.
        return try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    SELECT * FROM (\(Self.columns) \(Self.tables) WHERE t.debit = :account AND t.id < :before
                        ORDER BY t.id DESC LIMIT :limit)
                    UNION ALL
                    SELECT * FROM (\(Self.columns) \(Self.tables) WHERE t.credit = :account AND t.id < :before
                        ORDER BY t.id DESC LIMIT :limit)
                    ORDER BY id DESC LIMIT :limit
                    """),
            arguments: ["account": account.id, "before": id ?? .max, "limit": limit]
        ).map(posted)
    }

    func gifts(to room: RoomLife, after id: Int64) throws -> [PostedTransfer] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    \(Self.columns) \(Self.tables)
                    WHERE t.application = ? AND t.room = ? AND t.created_in = ? AND t.id > ? ORDER BY t.id
                    """),
            arguments: [application.rawValue, room.key.room.column, Int64(room.createdIn), id]
        ).map(posted)
    }

    func sum() throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT coalesce(sum(balance), 0) FROM ledger_account WHERE application = ?",
            arguments: [application.rawValue]) ?? 0
    }

    // MARK: Rows

    private static let columns = """
        SELECT t.id AS id, t.key AS key, t.coins, t.debit_after, t.credit_after, t.purpose, t.room, t.created_in, t.detail, t.posted_at,
            d.kind AS debit_kind, d.user AS debit_user, c.kind AS credit_kind, c.user AS credit_user
        """
    private static let tables = """
        FROM transfer t JOIN ledger_account d ON d.id = t.debit JOIN ledger_account c ON c.id = t.credit
        """

    private func posted(_ row: Row) throws -> PostedTransfer {
        let purpose: Transfer.Purpose
        switch row["purpose"] as String {
        case "gift":
            guard let room = RoomID(column: row["room"]), let createdIn = UInt64(exactly: row["created_in"] as Int64)
            else {
                throw JournalFailure.failed("transfer \(row["id"] as Int64) is to no room")
            }
            purpose = .gift(
                to: RoomLife(key: RoomKey(application: application, room: room), createdIn: createdIn),
                detail: Array(row["detail"] as Data))
        case "topUp": purpose = .topUp
        case "refund": purpose = .refund
        case let other: throw JournalFailure.failed("transfer \(row["id"] as Int64) is for \(other)")
        }
        return PostedTransfer(
            id: row["id"],
            transfer: Transfer(
                from: try LedgerAccount(kind: row["debit_kind"], user: row["debit_user"]),
                to: try LedgerAccount(kind: row["credit_kind"], user: row["credit_user"]), coins: row["coins"],
                purpose: purpose),
            key: row["key"], time: row["posted_at"], fromBalance: row["debit_after"], toBalance: row["credit_after"])
    }

    private func columns(
        of purpose: Transfer.Purpose
    ) -> (purpose: String, room: DatabaseValue, createdIn: Int64?, detail: Data?) {
        switch purpose {
        case .gift(let room, let detail): ("gift", room.key.room.column, Int64(clamping: room.createdIn), Data(detail))
        case .topUp: ("topUp", .null, nil, nil)
        case .refund: ("refund", .null, nil, nil)
        }
    }
}

extension LedgerAccount {
    fileprivate var columns: (kind: String, user: String) {
        switch self {
        case .wallet(let user): ("wallet", user.rawValue)
        case .earnings(let user): ("earnings", user.rawValue)
        case .shop: ("shop", "")
        }
    }

    fileprivate init(kind: String, user: String) throws {
        switch (kind, UserID(user)) {
        case ("wallet", let user?): self = .wallet(user)
        case ("earnings", let user?): self = .earnings(user)
        case ("shop", _): self = .shop
        default: throw JournalFailure.failed("the ledger has an account of kind \(kind)")
        }
    }
}

extension TransferKey.Poster {
    /// A user's id never has a colon before it.
    fileprivate var column: String {
        switch self {
        case .user(let user): "user:" + user.rawValue
        case .program(let name): "program:" + name.plainName
        case .operator: "operator"
        }
    }
}
