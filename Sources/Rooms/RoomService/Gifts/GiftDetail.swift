import Foundation
package import RoomModel

/// What the ledger keeps of a gift beside the coins, as JSON: what the room tells, and what a statement shows, whatever the catalogue and
/// the names are by then.
package struct GiftDetail: Codable, Hashable, Sendable {
    package var gift: Gift
    package var count: Int
    package var from: UserProfile
    package var to: UserProfile

    package init(gift: Gift, count: Int, from: UserProfile, to: UserProfile) {
        self.gift = gift
        self.count = count
        self.from = from
        self.to = to
    }

    /// `nil` for what is no such text.
    package init?(_ bytes: [UInt8]) {
        guard let detail = try? JSONDecoder().decode(GiftDetail.self, from: Data(bytes)) else { return nil }
        self = detail
    }

    func encoded() throws(RoomError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(self)) } catch { throw RoomError(.internalError) }
    }
}
