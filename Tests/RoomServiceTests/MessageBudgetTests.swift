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
            var now = Instant(nanoseconds: 5_000_000_000)
            let start = now
            var passed = 0
            for _ in 0..<3_000 {
                now = now + .microseconds(Int64.random(in: 0...Int64(1_000_000 / rate), using: &random))
                guard let priority = MessagePriority.allCases.randomElement(using: &random) else { return }
                guard let wait = budget.take(priority, of: rate, at: now) else {
                    passed += 1
                    continue
                }
                #expect(wait > 0, "seed \(seed)")
                var later = budget
                #expect(later.take(priority, of: rate, at: now + .milliseconds(Int64(wait))) == nil, "seed \(seed)")
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
            while budget.take(priority, of: 40, at: now) == nil { count += 1 }
            return count
        }
        #expect([passing(.low), passing(.normal), passing(.high)] == [20, 10, 10])
        #expect(budget.take(.high, of: 40, at: now) == 25, "a fortieth of a second")
        // Another budget is another budget at once.
        #expect(budget.take(.low, of: 80, at: now) == nil)
    }

    @Test(
        "G04-S a message beyond the budget is refused before it is stored, its sender is told, and seats are not concerned"
    )
    func refused() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.advance(.seconds(2))
        var refusals: [RoomError] = []
        for number in 0..<400 {
            let reply = salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: member)
            if case .failure(let error) = reply.current { refusals.append(error) }
            if number == 200 { salon.submit(.takeSeat(1), by: member) }
        }
        #expect(refusals.count == 400 - 30)
        #expect(refusals.allSatisfy { $0.code == .rateLimited && ($0.retryAfterMs ?? 0) > 0 })
        #expect(refusals.first?.message.contains("rooms.messages_per_second") == true)
        salon.advance(.seconds(1))
        #expect(owner.outbox.messages.map(\.chat) == Array(1...30), "numbers without holes")
        #expect(owner.outbox.changes.count == 1)
        // What matters more passes, and after a second so do the others.
        salon.submit(.sendMessage(MessageDraft(.text("once more"))), by: member)
        #expect(owner.outbox.messages.last?.chat == 31)
    }

    @Test(
        "G04-S a repeat of a message that was taken is answered, whatever the budget; of one that was refused, it is a new attempt"
    )
    func repeats() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let member = salon.enter(.member)
        let first = salon.submit(.sendMessage(MessageDraft(.text("first"))), by: member, key: "first")
        for number in 0..<50 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: member) }
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
