import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing
import Timing

@testable import RoomService

@Suite struct GiftTests {
    private func gift(_ id: String = "rose", _ count: Int = 1, to: UserID? = nil) -> RoomCommand {
        .sendGift(GiftDraft(gift: id, count: count, to: to))
    }

    private func sent(_ client: Client) -> [SentGift] {
        client.outbox.changes.flatMap { change -> [SentGift] in
            if case .giftsSent(let sent) = change.what { sent.gifts } else { [] }
        }
    }

    private func refusal(_ reply: Shared<Result<CommandResult, RoomError>?>) -> RoomError? {
        if case .failure(let error)? = reply.current { error } else { nil }
    }

    @Test(
        "G02-S a gift is paid once and told to everybody, the sender's answer first, with what the room has been given")
    func told() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        let reply = salon.submit(gift("rose", 3), by: member, key: "k1")
        salon.advance(.seconds(1))
        guard case .success(.gifted(let number, 70))? = reply.current else {
            Issue.record("\(String(describing: reply.current))")
            return
        }
        for client in [owner, member] {
            let gift = try #require(sent(client).first)
            #expect(gift.number == number && gift.count == 3 && gift.combo == 3 && gift.coins == 30)
            #expect(gift.from.id == .member && gift.to.id == .owner && gift.gift == Salon.catalogue["rose"])
        }
        // The answer stands before the news.
        let heard = member.outbox.heard
        let answer = try #require(
            heard.firstIndex { if case .answer(let text) = $0 { text.contains("sendGift") } else { false } })
        let told = try #require(
            heard.firstIndex {
                if case .news(.change(let change), _) = $0, case .giftsSent = change.what { true } else { false }
            })
        #expect(answer < told)
        #expect(try await salon.ledger.balance(of: .earnings(.owner), in: salon.key.application) == 30)
        let standing = try #require(salon.enter(.other).snapshot?.gifts)
        #expect(standing == GiftStanding(coins: 30, supporters: [Supporter(user: .named(.member), coins: 30)]))
    }

    @Test(
        "G02-S a repeat by the same key pays nothing, tells nobody, and gets the first answer; another gift under it is refused"
    )
    func repeats() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        let first = salon.submit(gift(), by: member, key: "k1")
        for _ in 0..<10 {
            salon.advance(.seconds(1))
            let again = salon.submit(gift(), by: member, key: "k1")
            guard case .success(let one)? = first.current, case .success(let other)? = again.current else {
                Issue.record("\(String(describing: again.current))")
                return
            }
            #expect(one == other)
        }
        salon.advance(.seconds(1))
        #expect(refusal(salon.submit(gift("crown"), by: member, key: "k1"))?.code == .keyReused)
        #expect(refusal(salon.submit(gift("rose", 2), by: member, key: "k1"))?.code == .keyReused)
        #expect(refusal(salon.submit(gift(), by: member))?.field == "key", "without a key nothing is paid")
        #expect(sent(owner).count == 1)
        #expect(try await salon.ledger.balance(of: .wallet(.member), in: salon.key.application) == 90)
    }

    @Test("G02-S what is refused leaves the room and the wallet as they were, and says why")
    func refused() async throws {
        let salon = try await Salon()
        salon.ledger.give(15, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        let other = salon.enter(.other)
        let seq = salon.core.state.progress.seq
        func code(_ command: RoomCommand, by client: Client) throws -> RoomError? {
            salon.advance(.seconds(1))
            return refusal(salon.submit(command, by: client, key: FreshKey.make()))
        }
        let low = try code(gift("rose", 2), by: member)
        #expect(low?.code == .balanceLow && low?.reason == "15")
        #expect(try code(gift("bicycle"), by: member)?.code == .giftUnknown)
        #expect(try code(gift("rose", 0), by: member)?.field == "count")
        #expect(try code(gift("rose", 1_000), by: member)?.field == "count")
        #expect(try code(gift("rose", 1, to: .other), by: member)?.code == .notSeated, "a listener is given nothing")
        #expect(try code(gift(), by: owner)?.field == "to", "nobody gives to themselves")
        salon.ledger.fail(.full)
        #expect(try code(gift(), by: member)?.code == .unavailable)
        salon.ledger.fail(nil)
        #expect(salon.core.state.progress.seq == seq && sent(owner).isEmpty)
        #expect(try await salon.ledger.balance(of: .wallet(.member), in: salon.key.application) == 15)
        // Whoever sits can be given something.
        salon.submit(.takeSeat(TakeSeat(1)), by: other)
        #expect(try code(gift("rose", 1, to: .other), by: member) == nil)
        salon.advance(.seconds(1))
        #expect(sent(owner).map(\.to.id) == [.other])
        #expect(salon.core.state.progress.seq == seq + 2)
    }

    @Test(
        "G02-S a repeat is answered like the first, also when whoever got it has left the stage, or it is offered no longer"
    )
    func repeatsLater() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let (member, other) = (salon.enter(.member), salon.enter(.other))
        salon.submit(.takeSeat(TakeSeat(1)), by: other)
        let first = salon.submit(gift("rose", 1, to: .other), by: member, key: "k1")
        salon.advance(.seconds(1))
        salon.submit(.leaveSeat, by: other)
        salon.catalogue.set(GiftCatalogue())
        let again = salon.submit(gift("rose", 1, to: .other), by: member, key: "k1")
        salon.advance(.seconds(1))
        guard case .success(let one)? = first.current, case .success(let two)? = again.current else {
            Issue.record("\(String(describing: again.current))")
            return
        }
        #expect(one == two && sent(owner).count == 1)
        #expect(refusal(salon.submit(gift("rose", 2, to: .other), by: member, key: "k1"))?.code == .keyReused)
        #expect(refusal(salon.submit(gift("rose", 1, to: .other), by: member, key: "k2"))?.code == .notSeated)
    }

    @Test("G02-S who has no coins keeps nobody from giving, and behind a slow disk no more wait than the room holds")
    func penniless() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let crowd = (0..<30).map { salon.enter(UserID(literal: "fan-\($0)")) }
        let member = salon.enter(.member)
        salon.ledger.give(100, to: .member, in: salon.key.application)
        salon.advance(.seconds(2))
        for _ in 0..<10 {
            for client in crowd {
                #expect(refusal(salon.submit(gift(), by: client, key: FreshKey.make()))?.code == .balanceLow)
            }
        }
        let reply = salon.submit(gift(), by: member, key: FreshKey.make())
        salon.advance(.seconds(1))
        #expect(refusal(reply) == nil && sent(owner).count == 1)
        salon.ledger.hold()
        salon.advance(.seconds(5))
        let waiting = (0..<10).flatMap { _ in
            crowd.map { salon.submit(gift(), by: $0, key: FreshKey.make()) }
        }
        #expect(waiting.count { refusal($0)?.code == .rateLimited } == 300 - RoomGifts.ordersAtOnce)
        salon.ledger.release()
        salon.settle()
        #expect(waiting.allSatisfy { $0.current != nil })
    }

    @Test("G02-S in a row the combo grows, for each sender, gift and receiver, and begins anew after a rest")
    func combos() async throws {
        let salon = try await Salon()
        for user in [UserID.member, .other] { salon.ledger.give(10_000, to: user, in: salon.key.application) }
        let owner = salon.create()
        let (member, other) = (salon.enter(.member), salon.enter(.other))
        func send(_ command: RoomCommand, _ client: Client, after interval: Interval) {
            salon.advance(interval)
            salon.submit(command, by: client, key: FreshKey.make())
        }
        send(gift("rose", 2), member, after: .seconds(1))
        send(gift("rose", 1), other, after: .seconds(1))
        send(gift("rose", 5), member, after: .seconds(1))
        send(gift("crown", 1), member, after: .seconds(1))
        send(gift("rose", 1), member, after: .seconds(6))
        salon.advance(.seconds(1))
        #expect(sent(owner).map(\.combo) == [2, 1, 7, 1, 1])
    }

    @Test("G02-S gifts of a crowd are told together, in the order of their numbers, and what is too much costs nothing")
    func crowd() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let crowd = (0..<200).map { salon.enter(UserID(literal: "fan-\($0)")) }
        for client in crowd { salon.ledger.give(10, to: client.user, in: salon.key.application) }
        salon.advance(.seconds(2))
        owner.outbox.drain()
        let replies = crowd.map { salon.submit(gift(), by: $0, key: FreshKey.make()) }
        salon.advance(.seconds(1))
        let refusals = replies.compactMap { refusal($0) }
        #expect(refusals.count == 100 && refusals.allSatisfy { $0.code == .rateLimited && ($0.retryAfterMs ?? 0) > 0 })
        let gifts = sent(owner)
        #expect(gifts.count == 100 && gifts.map(\.number) == gifts.map(\.number).sorted())
        let events = owner.outbox.changes.count { if case .giftsSent = $0.what { true } else { false } }
        #expect(events <= 2, "\(events) events")
        let paid = 2_000 - 100 * 10
        var left: Int64 = 0
        for client in crowd {
            left += try await salon.ledger.balance(of: .wallet(client.user), in: salon.key.application)
        }
        #expect(left == Int64(paid))
        // One person has a share of it.
        salon.ledger.give(10_000, to: crowd[0].user, in: salon.key.application)
        salon.advance(.seconds(10))
        let own = (0..<60).map { _ in salon.submit(gift(), by: crowd[0], key: FreshKey.make()) }
        #expect(own.compactMap { refusal($0) }.count == 40)
    }

    @Test("G02-S who repeats a gift that is paid takes nothing of what the room lets through")
    func repeatsTakeNoShare() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let crowd = (0..<20).map { salon.enter(UserID(literal: "fan-\($0)")) }
        for client in crowd { salon.ledger.give(10, to: client.user, in: salon.key.application) }
        let member = salon.enter(.member)
        salon.ledger.give(100, to: .member, in: salon.key.application)
        for client in crowd { salon.submit(gift(), by: client, key: "k1") }
        salon.advance(.seconds(5))
        for _ in 0..<10 {
            let repeated = crowd.map { salon.submit(gift(), by: $0, key: "k1") }
            salon.settle()
            #expect(repeated.allSatisfy { $0.current != nil && refusal($0) == nil })
        }
        let reply = salon.submit(gift(), by: member, key: "k1")
        salon.advance(.seconds(1))
        #expect(refusal(reply) == nil && sent(owner).count == 21)
    }

    @Test("G02-S what was paid and not told is told once the room is there again, whatever ended it, and never twice")
    func crash() async throws {
        let salon = try await Salon()
        salon.ledger.give(1_000, to: .member, in: salon.key.application)
        _ = salon.create()
        let member = salon.enter(.member)
        // The journal loses what the ledger has.
        salon.journal.setMode(.manual)
        let reply = salon.submit(gift("rose", 4), by: member, key: "k1")
        salon.settle()
        #expect(reply.current == nil, "not before it is on the disk")
        try await salon.crash()
        salon.journal.setMode(.automatic)
        salon.settle()
        #expect(salon.core.state.figures.gifts.coins == 40)
        try await salon.crash()
        #expect(salon.core.state.figures.gifts.coins == 40)
        let back = salon.enter(.member)
        let again = salon.submit(gift("rose", 4), by: back, key: "k1")
        salon.advance(.seconds(1))
        guard case .success(let outcome)? = again.current else {
            Issue.record("\(String(describing: again.current))")
            return
        }
        #expect(outcome == .gifted(number: 2, balance: 960))
        #expect(sent(back).isEmpty && salon.core.state.figures.gifts.coins == 40)
    }

    @Test(
        "G02-S a gift that was paid is told before the room's end, whoever ends it and however soon",
        arguments: [RoomEndReason.owner, .operator])
    func beforeTheEnd(reason: RoomEndReason) async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.advance(.seconds(1))
        let replies = ["k1", "k2"].map { salon.submit(gift(), by: member, key: $0) }
        salon.settle()
        #expect(sent(owner).count == 1, "the second waits for company")
        if reason == .owner { salon.submit(.destroyRoom, by: owner) } else { salon.core.serve(.dismissed) }
        salon.settle()
        #expect(replies.allSatisfy { if case .success? = $0.current { true } else { false } })
        for client in [owner, member] {
            #expect(sent(client).count == 2)
            let changes = client.outbox.changes.suffix(2).map(\.what)
            guard case .giftsSent(let sent)? = changes.first, case .ended(let end)? = changes.last,
                end.reason == reason
            else {
                Issue.record("\(client.outbox.changes)")
                continue
            }
            #expect(sent.standing.coins == 20)
        }
    }

    @Test("G02-S a gift in doubt is not passed over when the end of its room fails, nor is one that waits behind it")
    func failedEnd() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.ledger.loseAnswers(true)
        salon.submit(gift("rose", 2), by: member, key: "in doubt")
        salon.ledger.loseAnswers(false)
        salon.submit(gift("rose", 3), by: member, key: "behind it")
        salon.journal.setMode(.manual)
        salon.submit(.destroyRoom, by: owner)
        // Whatever of it comes before the end is stored.
        while salon.journal.pending > 1 { salon.commit(1) }
        salon.journal.fail(times: 1)
        salon.commit()
        salon.journal.heal()
        salon.journal.setMode(.automatic)
        try await salon.load()
        salon.advance(.seconds(1))
        #expect(!salon.core.isOver && salon.core.state.figures.gifts.coins == 50)
        #expect(sent(owner).map(\.count) == [2, 3])
    }

    @Test("G02-S who waits behind a gift in doubt is answered as paid when the room ends")
    func endInDoubt() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.ledger.loseAnswers(true)
        salon.submit(gift("rose", 2), by: member, key: "in doubt")
        salon.ledger.loseAnswers(false)
        let reply = salon.submit(gift("rose", 3), by: member, key: "behind it")
        #expect(reply.current == nil)
        salon.submit(.destroyRoom, by: owner)
        salon.settle()
        #expect(salon.core.isOver)
        #expect(reply.current == .success(.gifted(number: 3, balance: 50)))
        #expect(sent(owner).isEmpty, "told in an order in which it is not told again")
    }

    // MARK: Erasure

    private func erase(_ user: UserID, in salon: Salon) -> Result<Int, RoomError>? {
        let program = Operator(UserID.program(.owner), scopes: Set(OperatorScope.allCases))
        let answer = Shared<Result<Int, RoomError>?>(nil)
        salon.core.erase(user, by: program) { answer.set($0) }
        salon.settle()
        return answer.current
    }

    @Test("R09-S what an erased person gave is told before they are erased: nothing that is stored later names them")
    func erasedWhileWaiting() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        _ = salon.create()
        let member = salon.enter(.member)
        for key in ["k1", "k2"] { salon.submit(gift(), by: member, key: key) }
        #expect(salon.core.state.figures.gifts.coins == 10, "the second waits for company")
        salon.core.detach(member.session, from: nil, why: .left)
        #expect(erase(.member, in: salon) == .success(0))
        salon.advance(.seconds(1))
        #expect(salon.core.state.figures.gifts.coins == 20)
        // The erasure stores a snapshot: only what comes behind it is beside it.
        let kept = try await salon.journal.copy().open(salon.key, chatLimit: 0)
        for payload in [kept.snapshot ?? []] + kept.entries.map(\.payload) {
            #expect(!String(decoding: payload, as: UTF8.self).contains("MIA"))
        }
        #expect(kept.snapshot != nil)
    }

    @Test("R09-S nobody is erased while a gift of theirs, or to them, is being paid or in doubt; then they are")
    func erasedInDoubt() async throws {
        let salon = try await Salon()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let owner = salon.create()
        let (member, other) = (salon.enter(.member), salon.enter(.other))
        salon.submit(.takeSeat(TakeSeat(1)), by: other)
        salon.ledger.loseAnswers(true)
        salon.submit(gift("rose", 1, to: .other), by: member, key: "in doubt")
        salon.ledger.loseAnswers(false)
        for client in [member, other] { salon.core.detach(client.session, from: nil, why: .left) }
        for user in [UserID.member, .other] {
            #expect(erase(user, in: salon) == .failure(RoomCore.unavailable))
        }
        #expect(erase(.admin, in: salon) == .success(0), "it is not about them")
        salon.advance(.seconds(1))
        #expect(sent(owner).count == 1)
        for user in [UserID.member, .other] { #expect(erase(user, in: salon) == .success(0)) }
        // Who goes on giving puts it off no longer: nothing of theirs is begun until it is asked for again.
        let giver = salon.enter(.member)
        salon.ledger.hold()
        salon.submit(gift(), by: giver, key: "first")
        #expect(erase(.owner, in: salon) == .failure(RoomCore.unavailable))
        #expect(salon.refusal(gift(), by: giver, key: "second") == .unavailable)
        salon.ledger.release()
        salon.settle()
        salon.advance(RoomGifts.erasureTime)
        salon.submit(gift(), by: giver, key: "third")
        #expect(sent(owner).count == 3, "it was not asked for again")
        salon.core.detach(giver.session, from: nil, why: .left)
        // Being paid.
        let back = salon.enter(.admin)
        salon.ledger.give(100, to: .admin, in: salon.key.application)
        salon.ledger.hold()
        salon.submit(gift(), by: back, key: "being paid")
        salon.core.detach(back.session, from: nil, why: .left)
        #expect(erase(.admin, in: salon) == .failure(RoomCore.unavailable))
        salon.ledger.release()
        salon.advance(.seconds(1))
        #expect(erase(.admin, in: salon) == .success(0))
    }

    @Test(
        "G02-S a room that waits for its journal, or has ended, keeps nobody's coins: who paid is answered at once, and the gift is told or kept"
    )
    func reload() async throws {
        let salon = try await Salon()
        salon.ledger.give(1_000, to: .member, in: salon.key.application)
        let owner = salon.create()
        let member = salon.enter(.member)
        func isPaid(_ reply: Shared<Result<CommandResult, RoomError>?>) -> Bool {
            if case .success(.gifted)? = reply.current { true } else { false }
        }
        // One is told, one waits for company, and one the ledger answers while the room is being loaded.
        let first = salon.submit(gift(), by: member, key: "k")
        salon.settle()
        let second = salon.submit(gift(), by: member, key: "k0")
        salon.settle()
        #expect(isPaid(first) && second.current == nil)
        salon.ledger.hold()
        let third = salon.submit(gift(), by: member, key: "k1")
        salon.journal.fail(times: 1)
        salon.submit(.sendMessage(MessageDraft(.text("lost"))), by: owner)
        salon.settle()
        #expect(salon.reloadWanted.current)
        #expect(isPaid(second) && third.current == nil)
        salon.ledger.release()
        salon.settle()
        #expect(isPaid(third))
        try await salon.load()
        salon.advance(.seconds(1))
        #expect(sent(owner).count == 3 && salon.core.state.figures.gifts.coins == 30)
        // The room ends while a gift is being paid.
        salon.ledger.hold()
        let late = salon.submit(gift(), by: member, key: "k2")
        salon.submit(.destroyRoom, by: owner)
        salon.settle()
        #expect(refusal(late)?.code == .unavailable, "nobody waits for a room that is gone")
        salon.ledger.release()
        salon.settle()
        #expect(try await salon.ledger.balance(of: .earnings(.owner), in: salon.key.application) == 40)
    }

    @Test(
        "G02-S two rooms that spend one wallet never overdraw it, whatever happens to them, and each tells what it got")
    func twoRooms() async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        let ledger = MemoryLedger()
        let rooms = [
            try await Salon(ledger: ledger, room: .number(1)), try await Salon(ledger: ledger, room: .number(2)),
        ]
        let application = rooms[0].key.application
        ledger.give(500, to: .member, in: application)
        var owners = rooms.map { $0.create() }
        var members = rooms.map { $0.enter(.member) }
        var keys: [String] = []
        for _ in 0..<400 {
            let index = Int.random(in: 0...1, using: &random)
            let salon = rooms[index]
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                try await salon.crash()
                owners[index] = salon.enter(.owner)
                members[index] = salon.enter(.member)
            case 1: salon.journal.fail(times: 1)
            case 2: ledger.give(50, to: .member, in: application)
            default:
                let key: String
                if let used = keys.randomElement(using: &random), Bool.random(using: &random) {
                    key = used
                } else {
                    key = FreshKey.make()
                    keys.append(key)
                }
                salon.submit(gift("rose", .random(in: 1...6, using: &random)), by: members[index], key: key)
            }
            salon.advance(.milliseconds(.random(in: 0...400, using: &random)))
            if salon.reloadWanted.current { try await salon.load() }
        }
        for salon in rooms {
            salon.journal.heal()
            salon.advance(.seconds(2))
            if salon.reloadWanted.current { try await salon.load() }
            salon.advance(.seconds(1))
        }
        let balance = try await ledger.balance(of: .wallet(.member), in: application)
        #expect(balance >= 0, "seed \(seed)")
        #expect(try await ledger.sum(of: application) == 0, "seed \(seed)")
        let told = rooms.reduce(0) { $0 + $1.core.state.figures.gifts.coins }
        #expect(told == (try await ledger.balance(of: .earnings(.owner), in: application)), "seed \(seed)")
        #expect(told > 100, "seed \(seed)")
    }

    @Test("G02-S the ranking keeps those who gave most, in an order that is the same for everybody")
    func ranking() {
        var book = GiftBook()
        func give(_ name: String, _ coins: Int64) {
            book.add(
                SentGift(
                    number: book.upTo + 1, gift: Gift(id: "g", name: "G", price: coins), count: 1, combo: 1,
                    from: UserProfile.named(UserID(literal: name)), to: UserProfile.named(.owner), time: 0))
        }
        for number in 0..<(GiftBook.supportersKept + 50) { give("fan-\(number)", Int64(number + 1)) }
        give("ada", 5_000)
        give("bob", 5_000)
        give("bob", 1)
        give("eve", 5_000)
        #expect(book.supporters.count == GiftBook.supportersKept)
        #expect(book.leaders.prefix(3).map(\.user.id.rawValue) == ["bob", "ada", "eve"])
        #expect(book.leaders == Array(book.ranked.prefix(GiftBook.leadersKept)))
        #expect(book.supporters[UserID(literal: "fan-0")] == nil)
        let all = (1...Int64(GiftBook.supportersKept + 50)).reduce(0, +) + 15_001
        #expect(book.coins == all, "the total forgets nobody")
    }

    @Test("G02-S somebody is told their place among all who gave, and how many coins the next one is away")
    func ownPlace() {
        var book = GiftBook()
        #expect(book.ranking(for: .member) == GiftRanking(coins: 0, supporters: []))
        func give(_ name: UserID, _ coins: Int64) {
            book.add(
                SentGift(
                    number: book.upTo + 1, gift: Gift(id: "g", name: "G", price: coins), count: 1, combo: 1,
                    from: UserProfile.named(name), to: UserProfile.named(.owner), time: 0))
        }
        for number in 1...30 { give(UserID(literal: "fan-\(number)"), Int64(number) * 10) }
        let stranger = book.ranking(for: .member)
        #expect(stranger.coins == 4_650 && stranger.supporters.count == GiftBook.leadersKept)
        #expect(stranger.own == 0 && stranger.place == nil && stranger.toNext == 11)
        give(.member, 95)
        let fan = book.ranking(for: .member)
        #expect(fan.own == 95 && fan.place == 22 && fan.toNext == 6)
        #expect(!fan.supporters.contains { $0.user.id == .member })
        // With so much they stand one place further up, whatever their name.
        give(.member, fan.toNext ?? 0)
        #expect(book.ranking(for: .member).place == 21)
        give(.member, 1_000)
        let first = book.ranking(for: .member)
        #expect(first.place == 1 && first.toNext == nil && first.supporters.first?.user.id == .member)
    }

    @Test("G02-S the ranking is for those who are in the room")
    func readRanking() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.ledger.give(100, to: .member, in: salon.key.application)
        let member = salon.enter(.member)
        _ = salon.submit(gift("rose", 3), by: member, key: "k1")
        salon.advance(.seconds(1))
        let read = Shared<Result<GiftRanking, RoomError>?>(nil)
        salon.core.giftRanking(for: owner.session) { read.set($0) }
        salon.settle()
        let supporters = [Supporter(user: .named(.member), coins: 30)]
        #expect(read.current == .success(GiftRanking(coins: 30, supporters: supporters, toNext: 31)))
        salon.core.detach(member.session, from: nil, why: .left)
        salon.core.giftRanking(for: member.session) { read.set($0) }
        salon.settle()
        #expect(read.current == .failure(RoomError(.notInRoom)))
    }
}

/// Keys that no other gift has.
private enum FreshKey {
    private static let numbers = Serial()

    static func make() -> String { "fresh \(numbers.next())" }
}
