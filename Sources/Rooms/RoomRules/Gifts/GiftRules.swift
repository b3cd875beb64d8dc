package import Commerce
import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// G02, as far as the room decides: who may give what to whom.
    package func orderGift(
        _ draft: GiftDraft, by user: UserProfile, in context: DecisionContext
    ) throws(RoomError) -> GiftOrder {
        guard phase == .open else { throw RoomError(.roomClosed) }
        _ = try permission(of: .person(user), to: .sendGift, context)
        guard RoomLimits.giftsPerCall.contains(draft.count) else { throw .invalid("count", "1…999 of a gift at once") }
        let to = draft.to ?? owner.id
        guard to != user.id else { throw .invalid("to", "nobody gives to themselves") }
        let receiver: UserProfile
        if to == owner.id {
            receiver = owner
        } else if let seat = seat(of: to), let seated = seats[seat].occupant {
            receiver = seated.profile
        } else {
            throw RoomError(.notSeated)
        }
        guard let gift = context.gift, gift.id == draft.gift else { throw RoomError(.giftUnknown) }
        return GiftOrder(gift: gift, count: draft.count, to: receiver)
    }

    /// What the room has been given, as people are told it.
    package var giftStanding: GiftStanding? {
        gifts.isEmpty
            ? nil : GiftStanding(coins: gifts.coins, supporters: Array(gifts.leaders.prefix(GiftBook.leadersTold)))
    }
}

extension GiftOrder {
    /// Nothing happens in the room before it is paid.
    var undecided: Decision { .nothing }
}

extension GiftDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .allowed, admin: .allowed, owner: .allowed)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.orderGift(self, by: caller.profile, in: context).undecided
    }
}

// MARK: What is kept of it

extension RoomEvent.Gifted: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        for gift in gifts {
            try require(gift.number > room.gifts.upTo)
            room.gifts.add(gift)
        }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.giftsSent(GiftsSent(gifts, room.giftStanding ?? GiftStanding())), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self {
        RoomEvent.Gifted(
            gifts.map { gift in
                var sent = gift
                (sent.from, sent.to) = (gift.from.erasing(user), gift.to.erasing(user))
                return sent
            })
    }
}
