package import RoomModel

/// What an application's people can give, in the order in which it is shown.
package struct GiftCatalogue: Hashable, Sendable {
    package var gifts: [Gift]

    package init(_ gifts: [Gift] = []) { self.gifts = gifts }

    /// What a gift may be: what fits its button, the statement and a room's news.
    package static func problem(with gift: Gift) -> String? {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let isID = gift.id.utf8.allSatisfy {
            letters.contains($0 | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2d
                || $0 == 0x5f
        }
        guard isID, (1...32).contains(gift.id.utf8.count) else { return "a gift's id is 1…32 of A-Z a-z 0-9 _ -" }
        guard isName(gift.name) else { return "a gift's name has 1…64 characters" }
        guard gift.names.count <= languages else { return "a gift has names in at most \(languages) languages" }
        for (language, name) in gift.names.sorted(by: { $0.key < $1.key }) {
            guard LanguageTag.isSound(language) else {
                return "the names of a gift stand by language, such as ko, pt-BR or zh-Hans"
            }
            guard isName(name) else { return "a gift's name in \(language) has 1…64 characters" }
        }
        guard prices.contains(gift.price) else { return "a gift costs \(prices.lowerBound)…\(prices.upperBound) coins" }
        guard WebAddress.isAcceptable(gift.picture, bytes: 500) else {
            return "a picture's address is https:, http: or relative, at most 500 bytes"
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= TextKind.giftName.rule.bytes && (1...64).contains(text.count)
            && ReadableName.isReadable(text)
    }

    /// In how many languages a gift may be named beside its name: all of them come with each gift that is sent.
    package static let languages = 12
    /// 999 of the dearest are still far from what an account can hold.
    package static let prices: ClosedRange<Int64> = 1...1_000_000_000
    /// A tray of some pages.
    package static let most = 200

    package subscript(id: String) -> Gift? { gifts.first { $0.id == id } }
}
