package import Commerce
import RoomEvents
package import RoomModel

extension GiftDraft {
    /// G02, as far as the room decides: who may give what to whom.
    package func order(
        by user: UserProfile, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> GiftOrder {
        guard room.progress.phase == .open else { throw RoomError(.roomClosed) }
        _ = try Self.access.permission(of: .person(user), in: room, context)
        guard RoomLimits.giftsPerCall.contains(count) else { throw .invalid("count", "1…999 of a gift at once") }
        let to = self.to ?? room.owner.id
        guard to != user.id else { throw .invalid("to", "nobody gives to themselves") }
        let receiver: UserProfile
        if to == room.owner.id {
            receiver = room.owner
        } else if let seat = room.seat(of: to), let seated = room.seats[seat].occupant {
            receiver = seated.profile
        } else {
            throw RoomError(.notSeated)
        }
        guard let gift = context.gift, gift.id == self.gift else { throw RoomError(.giftUnknown) }
        return GiftOrder(gift: gift, count: count, to: receiver)
    }
}

extension GiftBook {
    /// What the room has been given, as people are told it.
    package var standing: GiftStanding? {
        isEmpty ? nil : GiftStanding(coins: coins, supporters: Array(leaders.prefix(Self.leadersTold)))
    }
}

extension GiftOrder {
    /// Nothing happens in the room before it is paid.
    var undecided: Decision { .nothing }
}

extension GiftDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.everyone)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try order(by: caller.profile, in: room, context).undecided
    }
}

// MARK: What is kept of it

extension Journal.Gifted: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        for gift in gifts {
            try require(gift.number > room.figures.gifts.upTo)
            room.figures.gifts.add(gift)
        }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.giftsSent(GiftsSent(gifts, room.figures.gifts.standing ?? GiftStanding())), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        Journal.Gifted(
            gifts.map { gift in
                var sent = gift
                (sent.from, sent.to) = (gift.from.erasing(user), gift.to.erasing(user))
                return sent
            })
    }
}

extension GiftBook: Codable {
    private enum CodingKeys: String, CodingKey { case upTo, coins, supporters }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            upTo: try fields.decode(Int64.self, forKey: .upTo), coins: try fields.decode(Int64.self, forKey: .coins),
            supporters: try fields.decode([Supporter].self, forKey: .supporters))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(upTo, forKey: .upTo)
        try fields.encode(coins, forKey: .coins)
        // In an order, so that the same state gives the same bytes.
        try fields.encode(ranked, forKey: .supporters)
    }
}
