/// A gift of an application's catalogue.
public struct Gift: Codable, Hashable, Sendable {
    /// 1…32 of A-Z a-z 0-9 _ -.
    public var id: String
    /// As people read it, 1…64 characters.
    public var name: String
    /// What it is called in other languages, by their tags ("ko", "zh-Hans").
    public var names: [String: String]
    /// Coins.
    public var price: Int64
    /// Address of its picture; empty: none.
    public var picture: String
    /// Whether it is shown large, one at a time.
    public var isLarge: Bool

    /// A gift of that name and price.
    public init(
        id: String, name: String, names: [String: String] = [:], price: Int64, picture: String = "",
        isLarge: Bool = false
    ) {
        self.id = id
        self.name = name
        self.names = names
        self.price = price
        self.picture = picture
        self.isLarge = isLarge
    }

    /// What it is called in that language: by the tag as it is, without its last parts ("zh" for "zh-Hans-CN"), or by `name`.
    public func name(in language: String) -> String {
        var parts = language.split(separator: "-")
        while !parts.isEmpty {
            if let found = names[parts.joined(separator: "-")] { return found }
            parts.removeLast()
        }
        return name
    }

    private enum CodingKeys: String, CodingKey { case id, name, names, price, picture, large }

    /// Names in other languages, a picture and `large` may be left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(String.self, forKey: .id)
        name = try fields.decode(String.self, forKey: .name)
        names = try fields.decodeIfPresent([String: String].self, forKey: .names) ?? [:]
        price = try fields.decode(Int64.self, forKey: .price)
        picture = try fields.decodeIfPresent(String.self, forKey: .picture) ?? ""
        isLarge = try fields.decodeIfPresent(Bool.self, forKey: .large) ?? false
    }

    /// As on the wire.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(name, forKey: .name)
        if !names.isEmpty { try fields.encode(names, forKey: .names) }
        try fields.encode(price, forKey: .price)
        if !picture.isEmpty { try fields.encode(picture, forKey: .picture) }
        if isLarge { try fields.encode(true, forKey: .large) }
    }
}

/// What somebody wants to send.
package struct GiftDraft: CommandPayload {
    package static let name = RoomCommand.Name.sendGift
    package static let allowance = ChangeAllowance.measuredByRoom
    package static var answer: CommandResult.Form { .gifted }
    package var asCommand: RoomCommand { .sendGift(self) }

    /// Its id in the catalogue.
    package var gift: String
    package var count: Int
    /// The owner, or somebody who sits; `nil`: the owner.
    package var to: UserID?

    package init(gift: String, count: Int = 1, to: UserID? = nil) {
        self.gift = gift
        self.count = count
        self.to = to
    }

    package func check() throws(RoomError) { try RoomError.check(count, in: 1...999, "count") }

    package var texts: [SaidText] { [SaidText(.wordOfTheProtocol, gift, "gift")] }

    private enum CodingKeys: String, CodingKey { case gift, count, to }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            gift: try fields.decode(String.self, forKey: .gift),
            count: try fields.decodeIfPresent(Int.self, forKey: .count) ?? 1,
            to: try fields.decodeIfPresent(UserID.self, forKey: .to))
    }
}

/// A gift that was paid for.
public struct SentGift: Codable, Hashable, Sendable {
    /// Of its transfer in the ledger; grows.
    public var number: Int64
    /// As it stood in the catalogue.
    public var gift: Gift
    /// How many at once.
    public var count: Int
    /// How many of that gift the sender has sent to the same person in a row, these included.
    public var combo: Int
    /// Who paid.
    public var from: UserProfile
    /// Who got it.
    public var to: UserProfile
    /// Milliseconds since 1970.
    package var time: Int64

    /// The gift of that number.
    package init(
        number: Int64, gift: Gift, count: Int, combo: Int, from: UserProfile, to: UserProfile, time: Int64
    ) {
        self.number = number
        self.gift = gift
        self.count = count
        self.combo = combo
        self.from = from
        self.to = to
        self.time = time
    }

    /// What it cost.
    public var coins: Int64 { gift.price * Int64(count) }
}

/// Somebody who has sent gifts, and for how much.
public struct Supporter: Codable, Hashable, Sendable {
    /// Who.
    public var user: UserProfile
    /// Sent in this room.
    public var coins: Int64

    /// Somebody with so much.
    public init(user: UserProfile, coins: Int64) {
        self.user = user
        self.coins = coins
    }
}

/// What a room has been given.
public struct GiftStanding: Codable, Hashable, Sendable {
    /// All of it.
    public var coins: Int64
    /// Who gave most, first.
    public var supporters: [Supporter]

    /// So much, from these above all.
    public init(coins: Int64 = 0, supporters: [Supporter] = []) {
        self.coins = coins
        self.supporters = supporters
    }
}

/// Who gave most in a room, and where the reader stands.
public struct GiftRanking: Codable, Hashable, Sendable {
    /// All that the room has been given.
    public var coins: Int64
    /// Who gave most, first: up to 20.
    public var supporters: [Supporter]
    /// What the reader has given.
    public var own: Int64
    /// The reader's place, from 1 on; `nil`: they have given nothing, or less than a thousand others.
    public var place: Int?
    /// The coins with which the reader would be one place further up; `nil`: they lead, or nobody has given anything.
    public var toNext: Int64?

    package init(coins: Int64, supporters: [Supporter], own: Int64 = 0, place: Int? = nil, toNext: Int64? = nil) {
        self.coins = coins
        self.supporters = supporters
        self.own = own
        self.place = place
        self.toNext = toNext
    }
}

/// A line of somebody's account.
public struct StatementEntry: Codable, Hashable, Sendable {
    /// What moved the coins.
    @nonexhaustive public enum Kind: Codable, Hashable, Sendable, CaseIterable, RawRepresentable {
        /// A gift that was sent, or received.
        case gift
        /// Coins that were bought, or given by a server that is tried out.
        case topUp
        /// Coins that the operator took back.
        case refund
        /// Something that this version does not know, with its wire name.
        case unknown(String)

        /// The kinds that this version knows.
        public static let allCases: [Kind] = [.gift, .topUp, .refund]

        /// The wire name.
        public var rawValue: String {
            switch self {
            case .gift: "gift"
            case .topUp: "topUp"
            case .refund: "refund"
            case .unknown(let name): name
            }
        }
    }

    /// Of the transfer; grows.
    public var number: Int64
    /// Milliseconds since 1970.
    package var time: Int64
    /// What moved them.
    public var kind: Kind
    /// Below nought: they went away.
    public var coins: Int64
    /// What the account held after it.
    public var balance: Int64
    /// Who was at the other end of a gift.
    public var user: UserProfile?
    /// The gift, as it stood in the catalogue.
    public var gift: Gift?
    /// How many of it.
    public var count: Int?

    /// A line of so many coins.
    package init(
        number: Int64, time: Int64, kind: Kind, coins: Int64, balance: Int64, user: UserProfile? = nil,
        gift: Gift? = nil, count: Int? = nil
    ) {
        self.number = number
        self.time = time
        self.kind = kind
        self.coins = coins
        self.balance = balance
        self.user = user
        self.gift = gift
        self.count = count
    }
}

/// What somebody has.
public struct Wallet: Codable, Hashable, Sendable {
    /// To spend.
    public var coins: Int64
    /// Received by gifts.
    public var earnings: Int64
    /// Where more can be bought; absent: nowhere.
    public var topUpURL: String?
    /// Whether the server gives coins away, since it is being tried out.
    public var faucet: Bool

    /// A wallet with so much in it.
    public init(coins: Int64, earnings: Int64, topUpURL: String? = nil, faucet: Bool = false) {
        self.coins = coins
        self.earnings = earnings
        self.topUpURL = topUpURL
        self.faucet = faucet
    }
}

/// Gifts were sent and paid for, in the order of their numbers.
package struct GiftsSent: EventPayload {
    package var gifts: [SentGift]
    /// What the room has been given with them.
    package var standing: GiftStanding

    package init(_ gifts: [SentGift], _ standing: GiftStanding) {
        self.gifts = gifts
        self.standing = standing
    }

    package var type: EventType { .giftsSent }
    package var wireSize: Int { gifts.reduce(standing.wireSize + WireSize.object) { $0 + $1.wireSize } }
}
