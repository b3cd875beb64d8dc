import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

extension RoomTurn {
    mutating func takeEffects() -> [Effect] {
        var taken: [Effect] = []
        exchangeEffects(&taken)
        return taken
    }

    /// Of a room that its owner has just opened; nobody acts on what it brings.
    static func opened(
        at clock: VirtualRoomClock = VirtualRoomClock(), with others: [UserID] = []
    ) throws -> RoomTurn {
        let key = RoomKey(application: ApplicationID(1_400_000_001), room: .number(48_213))
        var turn = RoomTurn(key: key, policy: { RoomPolicy() }, at: clock)
        for user in [.owner] + others { turn.attendance.add(.named(user)) }
        let creation = RoomCreation(
            room: key.room, kind: .voice, settings: RoomSettings(name: "Salon"), seats: [SeatSetup(), SeatSetup()])
        turn.carryOut(try creation.decide(by: .named(.owner), epoch: 1))
        _ = turn.takeEffects()
        return turn
    }
}

/// Gifts alone: what a turn says is to be done, without a room that does it.
@Suite struct GiftTurnTests {
    private let clock = VirtualRoomClock()

    private func gifts() -> RoomGifts { RoomGifts(catalogue: { Salon.catalogue }, at: clock.now) }

    private func send(
        _ gifts: inout RoomGifts, in turn: inout RoomTurn, key: String = "k1",
        reply: @escaping Reply<CommandOutcome> = { _ in }
    ) throws {
        let key = try #require(IdempotencyKey(key))
        gifts.send(
            GiftDraft(gift: "rose", count: 2, to: nil), by: .named(.member), key: key, reply: reply, in: &turn)
    }

    private func posting(_ turn: inout RoomTurn) throws -> (transfer: Transfer, order: UInt64) {
        let posted = turn.takeEffects().compactMap { effect -> (Transfer, UInt64)? in
            if case .out(.post(let transfer, _, let order)) = effect { (transfer, order) } else { nil }
        }
        #expect(posted.count == 1)
        return try #require(posted.first)
    }

    @Test(
        "G02-S a gift that the rules let through asks the ledger for its coins, and changes nothing before they are paid"
    )
    func ordered() throws {
        var (turn, gifts) = (try RoomTurn.opened(at: clock, with: [.member]), gifts())
        let before = turn.state
        try send(&gifts, in: &turn)
        let transfer = try posting(&turn).transfer
        #expect(transfer.coins == 20 && transfer.from == .wallet(.member) && transfer.to == .earnings(.owner))
        #expect(turn.state == before)
    }

    @Test("G02-S once it is paid the room's entry comes first, and the answer waits for the disk with it")
    func paid() throws {
        var (turn, gifts) = (try RoomTurn.opened(at: clock, with: [.member]), gifts())
        let answer = Shared<Result<CommandOutcome, RoomError>?>(nil)
        try send(&gifts, in: &turn) { answer.set($0) }
        let (transfer, order) = try posting(&turn)
        let posted = PostedTransfer(id: 7, transfer: transfer, key: "k1", time: 0, fromBalance: 80, toBalance: 20)
        gifts.hear(
            [RoomInbox.Posting(number: order, result: .success(.posted(posted, again: false)))], in: &turn)
        let effects = turn.takeEffects()
        guard effects.count == 1, case .submit(let submission)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(answer.current == nil, "told before the disk has it")
        #expect(submission.position == turn.state.progress.position && turn.state.figures.gifts.upTo == 7)
        submission.sequel.answer?()
        #expect(try answer.current?.get().result == .gifted(number: 7, balance: 80))
    }

    @Test("G02-S while a room is read again who pays is answered, and the gift waits to be told until that is possible")
    func waits() throws {
        var (turn, gifts) = (try RoomTurn.opened(at: clock, with: [.member]), gifts())
        let answer = Shared<Result<CommandOutcome, RoomError>?>(nil)
        try send(&gifts, in: &turn, reply: { answer.set($0) })
        let (transfer, order) = try posting(&turn)
        turn.phase = .loading
        let posted = PostedTransfer(id: 7, transfer: transfer, key: "k1", time: 0, fromBalance: 80, toBalance: 20)
        gifts.hear([RoomInbox.Posting(number: order, result: .success(.posted(posted, again: false)))], in: &turn)
        let effects = turn.takeEffects()
        guard effects.count == 1, case .release(let release)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(release.needs == 0 && gifts.hasUntold)
        release.answer?()
        #expect(try answer.current?.get().result == .gifted(number: 7, balance: 80))
        turn.phase = .open
        gifts.tell(in: &turn)
        #expect(turn.takeEffects().count == 1 && !gifts.hasUntold)
    }

    @Test("G02-S a gift that was paid though the ledger failed is found, and told before those that came after it")
    func doubtful() throws {
        var (turn, gifts) = (try RoomTurn.opened(at: clock, with: [.member]), gifts())
        try send(&gifts, in: &turn)
        let (transfer, order) = try posting(&turn)
        gifts.hear([RoomInbox.Posting(number: order, result: .failure(.failed("disk")))], in: &turn)
        _ = turn.takeEffects()
        #expect(turn.deadlines.time(of: .doubts) == turn.now + RoomGifts.doubtTime)

        try send(&gifts, in: &turn, key: "k2")
        let later = try posting(&turn)
        gifts.hear([posted(9, later.transfer, by: later.order)], in: &turn)
        #expect(turn.takeEffects().isEmpty && gifts.hasUntold, "what came later waits")

        gifts.settleDoubts(in: &turn)
        let found = turn.takeEffects().compactMap { effect -> UInt64? in
            if case .out(.find(_, let order)) = effect { order } else { nil }
        }
        let asked = try #require(found.first)
        gifts.hear([RoomInbox.Posting(number: asked, result: .failure(.failed("disk")))], in: &turn)
        _ = turn.takeEffects()
        #expect(gifts.hasUntold, "a second failure tells nothing either")
        gifts.settleDoubts(in: &turn)
        for case .out(.find(_, let order)) in turn.takeEffects() {
            gifts.hear([posted(7, transfer, by: order)], in: &turn)
        }
        for case .submit(let submission) in turn.takeEffects() {
            guard case .gifted(let told)? = submission.accepted.events.first else { continue }
            #expect(told.gifts.map(\.number) == [7, 9])
        }
        #expect(turn.state.figures.gifts.upTo == 9 && turn.state.figures.gifts.coins == 40 && !gifts.hasUntold)
    }

    @Test(
        "G02-S a gift of which the ledger never says what became of it holds up the others for ten seconds, no longer")
    func unreadable() throws {
        var (turn, gifts) = (try RoomTurn.opened(at: clock, with: [.member]), gifts())
        try send(&gifts, in: &turn)
        var asked = try posting(&turn).order
        try send(&gifts, in: &turn, key: "k2")
        let later = try posting(&turn)
        gifts.hear([posted(9, later.transfer, by: later.order)], in: &turn)
        _ = turn.takeEffects()
        for attempt in 0...RoomGifts.doubtAttempts {
            gifts.hear([RoomInbox.Posting(number: asked, result: .failure(.failed("disk")))], in: &turn)
            _ = turn.takeEffects()
            gifts.settleDoubts(in: &turn)
            for case .out(.find(_, let order)) in turn.takeEffects() { asked = order }
            if attempt == 0 { #expect(!gifts.hasUntold, "told before there was a doubt") }
        }
        try send(&gifts, in: &turn, key: "k3")
        let last = try posting(&turn)
        gifts.hear([posted(11, last.transfer, by: last.order)], in: &turn)
        gifts.tell(in: &turn)
        #expect(turn.state.figures.gifts.upTo == 11)
    }

    @Test(
        "G02-S a gift that is paid when the end of the room is decided is answered as paid, and told in no ended room")
    func paidAtEnd() throws {
        var (turn, gifts) = (try RoomTurn.opened(at: clock, with: [.member]), gifts())
        let answer = Shared<Result<CommandOutcome, RoomError>?>(nil)
        try send(&gifts, in: &turn) { answer.set($0) }
        let order = try posting(&turn)
        turn.carryOut(turn.state.decide(.dismissed, in: turn.context))
        _ = turn.takeEffects()
        gifts.hear([posted(7, order.transfer, by: order.order)], in: &turn)
        gifts.tell(in: &turn)
        #expect(turn.takeEffects().isEmpty && gifts.hasUntold)
        gifts.end(in: &turn)
        for case .answer(let planned) in turn.takeEffects() { planned() }
        #expect(try answer.current?.get().result == .gifted(number: 7, balance: 80))
    }

    private func posted(_ id: Int64, _ transfer: Transfer, by order: UInt64) -> RoomInbox.Posting {
        let posted = PostedTransfer(id: id, transfer: transfer, key: "k", time: 0, fromBalance: 80, toBalance: 20)
        return RoomInbox.Posting(number: order, result: .success(.posted(posted, again: false)))
    }
}
