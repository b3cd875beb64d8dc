import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// G03: messages that somebody looks at before they are told; R02: what webhooks are told.
@Suite(.timeLimit(.minutes(10))) struct ReviewTests {
    private func say(_ text: String) -> RoomCommand { .sendMessage(MessageDraft(.text(text))) }

    /// Until so many questions wait.
    private func asked(_ salon: Salon, _ count: Int) async throws {
        while salon.reviewer.waiting < count { await Task.yield() }
    }

    /// The room has the verdict.
    private func heard(_ salon: Salon) async throws {
        while !salon.turnWanted.current { await Task.yield() }
        salon.settle()
    }

    private func salon() async throws -> (Salon, owner: Client, member: Client) {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.reviewer.turnOn()
        return (salon, owner, member)
    }

    @Test("G03-S a held message holds up nothing, and gets its number with the verdict; its words may be others then")
    func held() async throws {
        let (salon, _, member) = try await salon()
        let first = salon.submit(say("one"), by: member)
        try await asked(salon, 1)
        let second = salon.submit(say("two"), by: member)
        #expect(salon.submit(.takeSeat(TakeSeat(1)), by: member).current != nil)
        #expect(first.current == nil && second.current == nil)
        try await asked(salon, 2)
        salon.reviewer.answerLast(.told(.text("zwei")))
        try await heard(salon)
        #expect(try second.current?.get() == .sent(chat: 1, time: salon.core.turn.wallNow))
        salon.reviewer.answer(.told(.text("one")))
        try await heard(salon)
        #expect(try first.current?.get() == .sent(chat: 2, time: salon.core.turn.wallNow))
        salon.advance(.seconds(1))
        #expect(member.outbox.messages.map(\.body) == [.text("zwei"), .text("one")])
    }

    @Test("G03-S what is refused or dropped nobody gets; the sender of the one is told, that of the other is not")
    func refused() async throws {
        let (salon, owner, member) = try await salon()
        let refused = salon.submit(say("one"), by: member)
        let dropped = salon.submit(say("two"), by: member)
        try await asked(salon, 2)
        salon.reviewer.answerLast(.dropped)
        try await heard(salon)
        salon.reviewer.answer(.refused)
        try await heard(salon)
        #expect(throws: RoomError.self) { try refused.current?.get() }
        guard case .failure(let error)? = refused.current else { return }
        #expect(error.code == .reviewRefused && error.code.number == 10_016)
        #expect(try dropped.current?.get() == .sent(chat: 0, time: salon.core.turn.wallNow))
        salon.advance(.seconds(1))
        #expect(owner.outbox.messages.isEmpty)
    }

    @Test(
        "G03-S who is muted or has left while the message waited is refused when the verdict comes, and at the room's end whoever waits"
    )
    func lostRight() async throws {
        let (salon, owner, member) = try await salon()
        let muted = salon.submit(say("one"), by: member)
        try await asked(salon, 1)
        salon.submit(.setRestriction(RestrictionDraft(.chatMute, of: .member, seconds: 60)), by: owner)
        salon.reviewer.answer(.told(.text("one")))
        try await heard(salon)
        guard case .failure(let error)? = muted.current else { throw Missing() }
        #expect(error.code == .chatMuted)
        // Who may not write is told at once, and nobody is asked.
        #expect(salon.refusal(say("two"), by: member) == .chatMuted && salon.reviewer.waiting == 0)

        let guest = salon.enter(UserID(literal: "gus"))
        let left = salon.submit(say("three"), by: guest)
        try await asked(salon, 1)
        salon.core.detach(guest.session, from: nil, why: .left)
        salon.settle()
        salon.reviewer.answer(.told(.text("three")))
        try await heard(salon)
        guard case .failure(let gone)? = left.current else { throw Missing() }
        #expect(gone.code == .notInRoom)

        let late = salon.submit(say("four"), by: owner)
        try await asked(salon, 1)
        salon.submit(.destroyRoom, by: owner)
        guard case .failure(let over)? = late.current else { throw Missing() }
        #expect(over.code == .roomClosed)
        salon.reviewer.answer(.told(.text("four")))
        try await heard(salon)
    }

    private struct Missing: Error {}

    @Test(
        "G03-S a repeat while the first one waits is the same message; the budget is spent once, and a person holds few"
    )
    func repeats() async throws {
        let (salon, owner, member) = try await salon()
        salon.policy.update { $0.messages = MessageLimits(room: 1_000, person: 1_000) }
        let first = salon.submit(say("one"), by: member, key: "k")
        let again = salon.submit(say("one"), by: member, key: "k")
        try await asked(salon, 2)
        for _ in 0..<2 {
            salon.reviewer.answer(.told(.text("eins")))
            try await heard(salon)
        }
        #expect(try first.current?.get() == again.current?.get() && first.current != nil)
        salon.advance(.seconds(1))
        #expect(owner.outbox.messages.count == 1)
        #expect(salon.refusal(say("other"), by: member, key: "k") == .keyReused)

        for number in 0..<RoomReviews.mostOfPerson { salon.submit(say("\(number)"), by: member) }
        #expect(salon.refusal(say("too much"), by: member) == .rateLimited)
        try await asked(salon, RoomReviews.mostOfPerson)
        salon.reviewer.answer(.told(.text("0")))
        try await heard(salon)
        #expect(salon.submit(say("now"), by: member).current == nil)
        // Programs of the operator are not reviewed.
        let console = Caller.operator(Operator(UserID(literal: "console"), scopes: [.writeMessages]))
        #expect(salon.submit(say("news"), by: console) != nil)
    }

    @Test(
        "R02-S webhooks are told what is stored, in its order, with the entry that tells of it, and who comes and goes")
    func told() async throws {
        let salon = try await Salon(.manual)
        let owner = salon.create()
        salon.commit()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        salon.submit(say("hello"), by: member)
        salon.commit()
        salon.submit(.leaveSeat, by: member)
        salon.core.detach(member.session, from: nil, why: .left)
        salon.submit(.destroyRoom, by: owner)
        salon.commit()
        #expect(
            salon.reviewer.told == [
                "created", "olga entered", "mia entered", "seatTaken", "message 1", "seatLeft", "mia left", "ended",
            ], "\(salon.reviewer.told)")
        #expect(salon.journal.outgoing.map { $0.map(\.type) }.filter { !$0.isEmpty } == [["created"]])
    }
}
