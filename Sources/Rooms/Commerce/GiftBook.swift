package import RoomModel

/// What a room remembers of its gifts.
package struct GiftBook: Equatable, Sendable {
    /// Of all supporters those who gave most. Who falls out begins anew: each has paid to be in it, and a thousand are read by nobody.
    package static let supportersKept = 1_000
    /// How many everybody is told of with each gift.
    package static let leadersTold = 3
    /// How many the ranking shows that people ask for.
    package static let leadersKept = 20

    /// The last gift that the room has told, by its number.
    package var upTo: Int64 = 0
    package var coins: Int64 = 0
    package var supporters: [UserID: Supporter] = [:]
    /// Who gave most, first. They are told with each gift, and everybody may ask, so they are not looked for each time.
    package private(set) var leaders: [Supporter] = []

    package var isEmpty: Bool { upTo == 0 }

    package init() {}

    package mutating func add(_ sent: SentGift) {
        upTo = sent.number
        coins = coins.addingReportingOverflow(sent.coins).overflow ? .max : coins + sent.coins
        let former = supporters[sent.from.id]?.coins ?? 0
        let sum = former.addingReportingOverflow(sent.coins)
        let supporter = Supporter(user: sent.from, coins: sum.overflow ? .max : sum.partialValue)
        supporters[sent.from.id] = supporter
        lead(supporter)
        guard supporters.count > Self.supportersKept,
            let least = supporters.min(by: { Self.isAbove($1.value, $0.value) })?.key
        else { return }
        supporters[least] = nil
    }

    /// Nobody's coins grow less, so whoever leads is among those who led and the one who has just given.
    private mutating func lead(_ supporter: Supporter) {
        leaders.removeAll { $0.user.id == supporter.user.id }
        leaders.append(supporter)
        leaders.sort(by: Self.isAbove)
        if leaders.count > Self.leadersKept { leaders.removeLast() }
    }

    /// The sum stays, with the id.
    package mutating func erase(_ user: UserID) {
        guard supporters[user] != nil else { return }
        supporters[user]?.user = UserProfile(id: user)
        for index in leaders.indices where leaders[index].user.id == user {
            leaders[index].user = UserProfile(id: user)
        }
    }

    /// As a snapshot has it.
    package init(upTo: Int64, coins: Int64, supporters: [Supporter]) {
        self.upTo = upTo
        self.coins = coins
        for supporter in supporters {
            self.supporters[supporter.user.id] = supporter
            lead(supporter)
        }
    }

    /// All that are kept, who gave most first.
    package var ranked: [Supporter] { supporters.values.sorted(by: Self.isAbove) }

    /// As that person sees it.
    package func ranking(for user: UserID) -> GiftRanking {
        let own = supporters[user]
        // Without sorting: everybody in the room may ask, and often.
        var above = 0
        var next: Int64?
        for other in supporters.values {
            if let own, !Self.isAbove(other, own) { continue }
            above += 1
            next = min(next ?? .max, other.coins)
        }
        // One more than the next has: among equals the name decides.
        let toNext = next.map { next in
            let missing = (next - (own?.coins ?? 0)).addingReportingOverflow(1)
            return missing.overflow ? .max : missing.partialValue
        }
        return GiftRanking(
            coins: coins, supporters: leaders, own: own?.coins ?? 0, place: own.map { _ in above + 1 }, toNext: toNext)
    }

    /// Among equals by name, so that everybody sees the same order.
    private static func isAbove(_ one: Supporter, _ other: Supporter) -> Bool {
        (one.coins, other.user.id.rawValue) > (other.coins, one.user.id.rawValue)
    }
}
