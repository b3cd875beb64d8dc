import RoomModel
import RoomService
import RoomTestSupport
import Testing
import Timing

/// The number in an answer: whoever has taken up the changes up to it sees what the command did.
@Suite struct AnswerNumberTests {
    private func ask(_ salon: Salon, _ command: RoomCommand, by client: Client, key: String? = nil) -> CommandOutcome? {
        let answer = Shared<CommandOutcome?>(nil)
        salon.core.submit(command, from: client.session, key: key.flatMap { IdempotencyKey($0) }) { result in
            answer.set(try? result.get())
        }
        salon.advance(.seconds(2))
        return answer.current
    }

    private func lastChange(_ client: Client) -> UInt64? {
        client.outbox.heard.compactMap { heard -> UInt64? in
            if case .news(.change(let change), _) = heard { change.seq } else { nil }
        }.last
    }

    @Test("V08-S the answer tells the number of the last change that the command caused, also when it is asked again")
    func numbers() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.advance(.seconds(1))
        for command in [
            RoomCommand.takeSeat(TakeSeat(0)), .moveSeat(MoveSeat(2)), .closeSeat(CloseSeat(1, closed: true)),
            .leaveSeat,
        ] {
            owner.outbox.drain()
            let outcome = ask(salon, command, by: owner)
            #expect(outcome?.seq != nil && outcome?.seq == lastChange(owner), "\(command)")
        }
        let first = ask(salon, .takeSeat(TakeSeat(0)), by: owner, key: "k")
        // What others do meanwhile only raises the number, never beyond what is told.
        let other = ask(salon, .takeSeat(TakeSeat(3)), by: member)
        #expect(other?.seq == first?.seq.map { $0 + 1 })
        let again = ask(salon, .takeSeat(TakeSeat(0)), by: owner, key: "k")
        #expect(again?.seq == other?.seq && again?.seq == lastChange(owner))
    }

    @Test("what changes nothing durable has no number")
    func without() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.advance(.seconds(1))
        let invitation = RoomCommand.sendInvitation(InvitationDraft(to: .owner, command: "c"))
        for (command, client) in [
            (invitation, member), (.sendMessage(MessageDraft(.text("x"))), member), (.sendLikes(SendLikes(3)), member),
            (.exitRoom, member),
        ] as [(RoomCommand, Client)] {
            let outcome = ask(salon, command, by: client)
            #expect(outcome != nil && outcome?.seq == nil, "\(command)")
        }
        _ = owner
    }
}
