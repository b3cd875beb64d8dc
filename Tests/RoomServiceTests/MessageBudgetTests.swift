import RoomModel
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing
import Timing

@testable import RoomService

@Suite struct MessageBudgetTests {
    @Test("G04-S of any flood no more passes than the budget, and who is told to wait so long passes then")
    func bounded() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        for rate in [1, 2, 3, 40, 1_000] {
            var budget = MessageBudget()
            let limits = MessageLimits(room: rate, person: rate)
            var now = Instant(nanoseconds: 5_000_000_000)
            let start = now
            var passed = 0
            for _ in 0..<3_000 {
                now = now + .microseconds(Int64.random(in: 0...Int64(1_000_000 / rate), using: &random))
                guard let priority = MessagePriority.allCases.randomElement(using: &random) else { return }
                let sender: UserID? = [nil, .owner, .member].randomElement(using: &random) ?? nil
                let wait: Int
                switch budget.take(priority, by: sender, of: limits, at: now) {
                case nil:
                    passed += 1
                    continue
                case .room(let told): wait = told
                case .person(let told):
                    // A share that is there again may meet a room that is full.
                    #expect(told > 0 && sender != nil, "seed \(seed)")
                    continue
                case .elsewhere, .slow, .words: return
                }
                #expect(wait > 0, "seed \(seed)")
                var later = budget
                let then = now + .milliseconds(Int64(wait))
                #expect(later.take(priority, by: sender, of: limits, at: then) == nil, "seed \(seed)")
            }
            let seconds = (now - start).seconds
            #expect(Double(passed) <= Double(rate) * (seconds + 1) + 1, "seed \(seed)")
        }
    }

    @Test("G04-S in a flood of what matters less, what matters more finds room: each priority has its share")
    func priorities() {
        var budget = MessageBudget()
        let now = Instant(nanoseconds: 0)
        func passing(_ priority: MessagePriority) -> Int {
            var count = 0
            while budget.take(priority, by: nil, of: MessageLimits(), at: now) == nil { count += 1 }
            return count
        }
        #expect([passing(.low), passing(.normal), passing(.high)] == [20, 10, 10])
        #expect(budget.take(.high, by: nil, of: MessageLimits(), at: now) == .room(wait: 25), "a fortieth of a second")
        // Another budget is another budget at once.
        #expect(budget.take(.low, by: nil, of: MessageLimits(room: 80), at: now) == nil)
    }

    @Test(
        "G04-S one person has a share of the budget, told apart from the room's, and a refusal of the room costs none of it"
    )
    func shares() {
        var budget = MessageBudget()
        var now = Instant(nanoseconds: 0)
        let limits = MessageLimits(room: 40, person: 5)
        func take(_ person: UserID?) -> MessageBudget.Refusal? { budget.take(.normal, by: person, of: limits, at: now) }
        for _ in 0..<10 { #expect(take(.member) == nil) }
        #expect(take(.member) == .person(wait: 200), "a fifth of a second")
        // The others have what is left of the room's.
        for number in 0..<20 { #expect(take(UserID(literal: "guest-\(number)")) == nil) }
        let late = UserID(literal: "late")
        for _ in 0..<50 { #expect(take(late) == .room(wait: 25)) }
        now = now + .seconds(1)
        for _ in 0..<10 { #expect(take(late) == nil) }
        #expect(take(late) == .person(wait: 200))
        for _ in 0..<5 { #expect(take(.member) == nil) }
        #expect(take(.member) == .person(wait: 200))
    }

    @Test("G04-S what is refused elsewhere costs nothing here, and what is refused here is not asked for elsewhere")
    func elsewhere() {
        var budget = MessageBudget()
        let now = Instant(nanoseconds: 0)
        let refusal = RoomError(.rateLimited, "of an address", retryAfterMs: 7)
        var asked = 0
        func take(_ answer: RoomError?) -> MessageBudget.Refusal? {
            budget.take(
                .high, by: .member, of: MessageLimits(room: 40, person: 1), at: now,
                elsewhere: {
                    asked += 1
                    return answer
                })
        }
        for _ in 0..<50 { #expect(take(refusal) == .elsewhere(refusal)) }
        for _ in 0..<2 { #expect(take(nil) == nil) }
        asked = 0
        #expect(take(nil) == .person(wait: 1_000))
        #expect(asked == 0)
    }

    @Test(
        "G04-S a message beyond the budget is refused before it is stored, its sender is told, and seats are not concerned"
    )
    func refused() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let crowd = (0..<9).map { salon.enter(UserID(literal: "guest-\($0)")) } + [member]
        salon.advance(.seconds(2))
        var refusals: [RoomError] = []
        for number in 0..<400 {
            let sender = crowd[number % 10]
            let reply = salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: sender)
            if case .failure(let error) = reply.current { refusals.append(error) }
            if number == 200 { salon.submit(.takeSeat(TakeSeat(1)), by: member) }
        }
        #expect(refusals.count == 400 - 30)
        #expect(refusals.allSatisfy { $0.code == .rateLimited && ($0.retryAfterMs ?? 0) > 0 })
        #expect(refusals.first?.message.contains("rooms.messages_per_second") == true)
        salon.advance(.seconds(1))
        #expect(owner.outbox.messages.map(\.chat) == Array(1...30), "numbers without holes")
        #expect(owner.outbox.changes.count == 1)
        // After a second there is room again.
        salon.submit(.sendMessage(MessageDraft(.text("once more"))), by: member)
        #expect(owner.outbox.messages.last?.chat == 31)
    }

    @Test("G04-S one member in a flood is told of the own share, and whoever runs the room has none to keep to")
    func oneMember() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let admin = salon.enter(.admin)
        let member = salon.enter(.member)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.advance(.seconds(2))
        func passing(_ sender: Client, of count: Int = 30) -> [RoomError] {
            (0..<count).compactMap {
                let reply = salon.submit(.sendMessage(MessageDraft(.text("\($0)"))), by: sender)
                guard case .failure(let error) = reply.current else { return nil }
                return error
            }
        }
        let refusals = passing(member)
        #expect(refusals.count == 20)
        #expect(refusals.first?.code == .rateLimited && refusals.first?.retryAfterMs == 200)
        #expect(refusals.first?.message.contains("rooms.messages_per_person") == true)
        salon.advance(.seconds(2))
        #expect(passing(admin).isEmpty)
        salon.advance(.seconds(2))
        #expect(passing(owner).isEmpty)
    }

    @Test(
        "G04-S a repeat of a message that was taken is answered, whatever the budget; of one that was refused, it is a new attempt"
    )
    func repeats() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let first = salon.submit(.sendMessage(MessageDraft(.text("first"))), by: member, key: "first")
        for number in 0..<50 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        let again = salon.submit(.sendMessage(MessageDraft(.text("first"))), by: member, key: "first")
        #expect(first.current != nil && first.current == again.current)
        let late = salon.submit(.sendMessage(MessageDraft(.text("late"))), by: member, key: "late")
        guard case .failure(let error) = late.current else {
            Issue.record("it was taken")
            return
        }
        #expect(error.code == .rateLimited)
        salon.advance(.milliseconds(Int64(error.retryAfterMs ?? 0)))
        let retry = salon.submit(.sendMessage(MessageDraft(.text("late"))), by: member, key: "late")
        guard case .success = retry.current else {
            Issue.record("\(String(describing: retry.current))")
            return
        }
    }
}
