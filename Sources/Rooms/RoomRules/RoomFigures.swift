package import Commerce

/// What a room has drawn so far: people, likes and gifts.
package struct RoomFigures: Equatable, Sendable {
    /// Most people at once.
    package var peak = 0
    package var likes: UInt64 = 0
    package var gifts = GiftBook()
}

extension RoomFigures: Codable {
    private enum CodingKeys: String, CodingKey { case peak, likes, gifts }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        peak = try fields.decodeIfPresent(Int.self, forKey: .peak) ?? 0
        likes = try fields.decodeIfPresent(UInt64.self, forKey: .likes) ?? 0
        gifts = try fields.decodeIfPresent(GiftBook.self, forKey: .gifts) ?? GiftBook()
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(peak, forKey: .peak)
        try fields.encode(likes, forKey: .likes)
        if !gifts.isEmpty { try fields.encode(gifts, forKey: .gifts) }
    }
}
