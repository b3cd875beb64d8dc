internal import RoomModel

/// The room itself: what it is called, what the app keeps with it, what it has been given.
struct RoomCard: Sendable, Hashable {
    private(set) var info: RoomInfo
    private(set) var attributes: [String: String]
    private(set) var giftStanding: GiftStanding

    init(_ snapshot: RoomSnapshot) {
        info = snapshot.info
        attributes = snapshot.attributes ?? [:]
        giftStanding = snapshot.gifts ?? GiftStanding()
    }

    // MARK: - News

    mutating func take(_ update: RoomUpdated) -> [RoomSession.Event] {
        info = update.info
        return [.infoChanged(info)]
    }

    mutating func take(_ changed: AttributesChanged) -> [RoomSession.Event] {
        attributes = changed.change.applied(to: attributes)
        return [.attributesChanged(changed)]
    }

    mutating func take(_ sent: GiftsSent) -> [RoomSession.Event] {
        giftStanding = sent.standing
        return [.giftsSent(sent.gifts), .giftStandingChanged(sent.standing)]
    }

    mutating func take(_ changed: OwnerChanged) -> [RoomSession.Event] {
        info.owner = changed.user.brief
        return [.infoChanged(info), .ownerChanged(changed)]
    }

    // MARK: - What differs

    func changedInfo(since old: RoomCard) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        if info != old.info { events.append(.infoChanged(info)) }
        if info.owner.id != old.info.owner.id {
            events.append(.ownerChanged(OwnerChanged(info.owner, reason: .ownerAbsent)))
        }
        return events
    }

    func changedGifts(since old: RoomCard) -> [RoomSession.Event] {
        giftStanding == old.giftStanding ? [] : [.giftStandingChanged(giftStanding)]
    }

    func changedAttributes(since old: RoomCard) -> [RoomSession.Event] {
        let set = attributes.filter { old.attributes[$0] != $1 }
        let removed = old.attributes.keys.filter { attributes[$0] == nil }.sorted()
        return set.isEmpty && removed.isEmpty ? [] : [.attributesChanged(AttributesChanged(set: set, removed: removed))]
    }
}
