import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@Suite struct LikesTests {
    @Test("G01-S a crowd's likes are stored together, every total is exact, and the news name three and count all")
    func crowd() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let crowd = (0..<20).map { salon.enter(UserID(literal: "fan-\($0)")) }
        salon.advance(.seconds(1))
        let commits = salon.journal.commits
        var answers: [Shared<Result<CommandResult, RoomError>?>] = []
        for round in 1...5 { answers += crowd.map { salon.submit(.sendLikes(SendLikes(round)), by: $0) } }
        salon.advance(.seconds(1))
        #expect(salon.journal.commits - commits == 2, "the first at once, the rest together")
        let totals = answers.compactMap { answer -> UInt64? in
            if case .success(.liked(let total)) = answer.current { total } else { nil }
        }
        #expect(totals.count == 100)
        #expect(totals.last == 300)
        #expect(zip(totals, totals.dropFirst()).allSatisfy { $0 < $1 })
        let news = owner.outbox.passing.compactMap { if case .likes(let likes) = $0 { likes } else { nil } }
        #expect(news.map(\.added).reduce(0, +) == 300)
        #expect(news.last?.total == 300)
        #expect(news.last?.users.count == 3)
        try await salon.crash()
        #expect(salon.enter(.owner).snapshot?.likes == 300)
    }

    @Test("G01-S likes that a room is still counting are in its summary when it ends") func atTheEnd() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.sendLikes(SendLikes(1)), by: owner)
        let late = salon.submit(.sendLikes(SendLikes(41)), by: owner)
        #expect(late.current == nil)
        salon.submit(.destroyRoom, by: owner)
        #expect(late.current == .success(.liked(total: 42)))
        guard case .ended(let end) = owner.outbox.changes.last?.what, end.reason == .owner else {
            Issue.record("\(owner.outbox.changes)")
            return
        }
        #expect(end.summary.likes == 42)
    }

    @Test("V02-S G01-S nothing of a room comes after its end: messages and likes of its last moment come before")
    func lastWord() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        salon.advance(.seconds(1))
        salon.submit(.sendLikes(SendLikes(1)), by: listener)
        salon.submit(.sendLikes(SendLikes(2)), by: listener)
        salon.submit(.sendMessage(MessageDraft(.text("bye"))), by: owner)
        salon.submit(.destroyRoom, by: owner)
        salon.advance(.seconds(1))
        for client in [owner, listener] {
            guard case .change(let change)? = client.outbox.news.last, case .ended = change.what else {
                Issue.record("\(client.outbox.news)")
                continue
            }
            #expect(client.outbox.messages.map(\.body) == [.text("bye")])
            #expect(client.outbox.passing.last == .likes(LikesNews(total: 3, added: 2, users: [.member])))
        }
    }

    @Test("likes that could not be stored are refused, and not counted") func failed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.journal.fail(.full, times: 1)
        #expect(salon.refusal(.sendLikes(SendLikes(9)), by: owner) == .unavailable)
        try await salon.load()
        #expect(salon.submit(.sendLikes(SendLikes(1)), by: owner).current == nil)
        salon.advance(.seconds(1))
        #expect(owner.outbox.passing.last == .likes(LikesNews(total: 1, added: 1, users: [.owner])))
    }
}
