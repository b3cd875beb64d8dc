import Commerce
import RoomEvents
import RoomModel
import RoomRules

/// What people ask of a room, as it is drawn.
struct Whims {
    let keys: [RoomKey]
    let people: [UserID]
    private(set) var count = 0

    init(_ keys: [RoomKey], _ people: [UserID]) {
        self.keys = keys
        self.people = people
    }

    /// Words that nobody else says.
    mutating func words() -> String {
        count += 1
        return "words \(count)"
    }

    mutating func key() -> IdempotencyKey? {
        count += 1
        return IdempotencyKey("key-\(count)")
    }

    /// - Parameter truth: the room, as whoever asks may know it.
    mutating func command(of user: UserID, in truth: Truth, _ chance: inout Chance) -> RoomCommand {
        let state = truth.state
        if state.owner.id == user {
            if state.beginning.kind == .live, chance.percent(60) { return hostsCommand(state, &chance) }
            if chance.percent(25) { return moderation(by: user, truth, &chance) }
        } else if state.runs(user), chance.percent(15) {
            return moderation(by: user, truth, &chance)
        }
        switch chance.number(0..<60) {
        case 0..<10: return .takeSeat(TakeSeat(chance.number(0..<4)))
        case 10..<15: return .leaveSeat
        case 15..<20: return .setMicrophone(SetMicrophone(muted: chance.percent(50)))
        case 20..<25: return .muteSeat(MuteSeat(chance.number(0..<4), muted: chance.percent(50)))
        case 25..<35: return .sendMessage(MessageDraft(.text(words())))
        case 35..<40: return .sendLikes(SendLikes(chance.number(1..<9)))
        case 40..<44: return .updateRoom(RoomUpdate(name: "Hall \(words())"))
        case 44: return .exitRoom
        default:
            return .sendGift(
                GiftDraft(gift: chance.percent(90) ? "rose" : "crown", count: chance.number(1..<4), to: nil))
        }
    }

    private mutating func moderation(by user: UserID, _ truth: Truth, _ chance: inout Chance) -> RoomCommand {
        let whom = chance.pick(people) ?? user
        switch chance.number(0..<20) {
        case 0..<5:
            return .setRestriction(
                RestrictionDraft(.chatMute, of: whom, seconds: chance.number(1..<20), reason: words()))
        case 5..<8: return .setRestriction(RestrictionDraft(.ban, of: whom, seconds: chance.number(1..<10)))
        case 8..<11: return .setRestriction(RestrictionDraft(.ban, of: whom, seconds: 0))
        case 11: return .setRestriction(RestrictionDraft(.ban, of: whom, seconds: 5, everywhere: true))
        case 12..<15: return .liftRestriction(LiftRestriction(chance.percent(50) ? .ban : .chatMute, of: whom))
        case 15..<17: return .setRole(SetRole(whom, chance.percent(60) ? .admin : .member))
        case 17..<19: return .deleteMessage(DeleteMessage(truth.newestMessage ?? 1))
        default: return .destroyRoom
        }
    }

    /// What the host of a live room does about other rooms.
    private mutating func hostsCommand(_ state: DurableRoomState, _ chance: inout Chance) -> RoomCommand {
        if state.seats.first?.occupant?.profile.id != state.owner.id { return .takeSeat(TakeSeat(0)) }
        // Guests leave no room for others.
        if let guest = state.seats.indices.dropFirst().first(where: { state.seats[$0].occupant != nil }) {
            return .kickSeat(KickSeat(guest))
        }
        if let challenge = state.links.challenge {
            if challenge.isOurs, chance.percent(90) { return .sendMessage(MessageDraft(.text(words()))) }
            if challenge.isOurs { return .cancelChallenge }
            return .answerChallenge(
                AnswerChallenge(id: challenge.id, agreed: chance.percent(75), pause: chance.percent(3) ? .host : nil))
        }
        if let match = state.links.pk.match, match.phase == .linking, !match.isReady, chance.percent(80) {
            return .readyForPK
        }
        if let link = state.links.pk.links.first, chance.percent(25) {
            return chance.percent(30)
                ? .quitPK(QuitPK(link: link.id)) : .muteLink(MuteLink(link.id, muted: chance.percent(50)))
        }
        let others = keys.map(\.room).filter { $0 != state.room }
        let terms = chance.percent(80) ? PKTerms(seconds: 60, forfeitSeconds: chance.number(0..<5)) : nil
        return .challenge(ChallengeHost(chance.pick(others) ?? state.room, terms))
    }
}
