package import RoomModel

// Money. Coins are whole numbers, and each transfer takes from one account what it gives to another, so that all accounts of an
// application together are always nought.

/// An account of an application's ledger.
package enum LedgerAccount: Hashable, Sendable {
    /// What somebody can spend; never below nought.
    case wallet(UserID)
    /// What somebody was given; never below nought.
    case earnings(UserID)
    /// The operator's: coins come from here when they are sold, and go back when they are refunded. Below nought is what it has sold.
    case shop
}

/// Coins that go from one account to another.
package struct Transfer: Hashable, Sendable {
    /// What it is for.
    package enum Purpose: Hashable, Sendable {
        /// Sent in a room, to whoever is on its stage. `detail` is the room's, which alone reads it.
        case gift(to: RoomLife, detail: [UInt8])
        /// Sold by the operator, or given away by a server that is tried out.
        case topUp
        /// Taken back by the operator.
        case refund
    }

    package var from: LedgerAccount
    package var to: LedgerAccount
    /// 1 to `LedgerLimits.mostCoins`.
    package var coins: Int64
    package var purpose: Purpose

    /// Whether it moves something from one account to another. The ledger takes no other.
    package var isSound: Bool { from != to && (1...LedgerLimits.mostCoins).contains(coins) }

    package init(from: LedgerAccount, to: LedgerAccount, coins: Int64, purpose: Purpose) {
        self.from = from
        self.to = to
        self.coins = coins
        self.purpose = purpose
    }
}

extension Transfer.Purpose {
    /// As the audit trail names what an operator does with coins.
    package var action: String {
        switch self {
        case .gift: "sendGift"
        case .topUp: "topUp"
        case .refund: "refund"
        }
    }
}

/// A transfer that is on the disk.
package struct PostedTransfer: Hashable, Sendable {
    /// Grows with each transfer of the server.
    package var id: Int64
    package var transfer: Transfer
    /// The poster's, by which it is known.
    package var key: String
    /// Milliseconds since 1970.
    package var time: Int64
    /// What the two accounts held after it.
    package var fromBalance: Int64
    package var toBalance: Int64

    package init(id: Int64, transfer: Transfer, key: String, time: Int64, fromBalance: Int64, toBalance: Int64) {
        self.id = id
        self.transfer = transfer
        self.key = key
        self.time = time
        self.fromBalance = fromBalance
        self.toBalance = toBalance
    }
}

/// Why nothing was transferred.
package enum TransferRefusal: Hashable, Sendable {
    /// The account holds only so much.
    case balanceLow(balance: Int64)
    /// The account would hold more than `LedgerLimits.mostCoins`.
    case balanceFull
    /// Something else was asked for under that key.
    case keyReused
}

package enum LedgerLimits {
    /// What an account can hold and a transfer can move: the largest whole number that every client can read (ECMA-262, Number).
    package static let mostCoins: Int64 = (1 << 53) - 1
}

package enum TransferOutcome: Hashable, Sendable {
    /// - Parameter again: it had been posted before.
    case posted(PostedTransfer, again: Bool)
    case refused(TransferRefusal)
}
