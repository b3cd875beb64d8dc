package import RoomModel

/// A gift that the room would let through, and what it costs. The ledger has the last word.
package struct GiftOrder: Hashable, Sendable {
    package var gift: Gift
    package var count: Int
    package var to: UserProfile

    package var coins: Int64 { gift.price * Int64(count) }

    package init(gift: Gift, count: Int, to: UserProfile) {
        self.gift = gift
        self.count = count
        self.to = to
    }
}
