import RoomModel
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

@Suite struct ResumeTests {
    @Test("G05-S who comes back gets exactly what was missed, in order, and news from there on") func exactGap()
        async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        salon.submit(.sendMessage(MessageDraft(.text("1"))), by: owner)
        salon.advance(.seconds(1))
        let point = member.point
        #expect((point.seq, point.chat) == (2, 1))
        salon.lose(member)
        salon.submit(.muteSeat(MuteSeat(1, muted: true)), by: owner)
        salon.submit(.sendMessage(MessageDraft(.text("2"))), by: owner)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(2))
        salon.reconnect(member, since: point)
        let gap = try #require(member.resumption)
        #expect(
            gap.events.map { event in
                switch event {
                case .change(let change): "\(change.seq)"
                case .message(let message): "chat \(message.chat)"
                default: "\(event)"
                }
            } == ["3", "chat 2", "4"])
        #expect((gap.seq, gap.chat) == (4, 2))
        #expect(gap.state.presence.map(\.presence) == [.online, .online])
        salon.submit(.sendMessage(MessageDraft(.text("3"))), by: owner)
        salon.advance(.seconds(1))
        #expect(member.outbox.messages.map(\.chat) == [3])
        #expect(member.outbox.changes.isEmpty)
    }

    @Test("G05-S who comes late gets the last 200 messages, oldest first, also after a crash of the server")
    func lateJoiner() async throws {
        let salon = try await Salon()
        salon.policy.update { $0.messages = .unlimited }
        let owner = salon.create()
        for number in 1...230 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        salon.advance(.seconds(1))
        let texts = (31...230).map { MessageBody.text("\($0)") }
        #expect(salon.enter(.member).snapshot?.messages.map(\.body) == texts)
        try await salon.crash()
        let late = try #require(salon.enter(.other).snapshot)
        #expect(late.messages.map(\.body) == texts && late.messages.map(\.chat) == Array(31...230) && late.chat == 230)
    }

    @Test(
        "V10-S V19-S who comes back is told how invitations were settled meanwhile, also over a crash, and no one else's"
    )
    func settledInvitations() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let other = salon.enter(.other)
        for id in ["yes", "no", "back", "waits"] {
            salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "C", content: id, id: id)), by: member)
        }
        salon.submit(.sendInvitation(InvitationDraft(to: .member, command: "C", id: "taken-back")), by: owner)
        salon.submit(.sendInvitation(InvitationDraft(to: .other, command: "C", id: "private")), by: owner)
        salon.advance(.seconds(1))
        let point = member.point
        salon.lose(member)
        salon.submit(.acceptInvitation(AcceptInvitation(id: "yes")), by: owner)
        salon.submit(.rejectInvitation(RejectInvitation(id: "no", reason: "later")), by: owner)
        salon.submit(.acceptInvitation(AcceptInvitation(id: "back")), by: owner)
        salon.submit(.cancelInvitation(CancelInvitation(id: "taken-back")), by: owner)
        salon.submit(.acceptInvitation(AcceptInvitation(id: "private")), by: other)
        func settled(_ client: Client) -> [String] {
            (client.resumption?.state.settled ?? []).map {
                "\($0.invitation.id) \($0.invitation.state) \($0.invitation.reason ?? "-") \($0.by?.rawValue ?? "-")"
            }
        }
        let expected = [
            "yes accepted - \(owner.user)", "no rejected later \(owner.user)", "back accepted - \(owner.user)",
            "taken-back cancelled - \(owner.user)",
        ]
        salon.reconnect(member, since: point)
        #expect(settled(member) == expected)
        #expect(member.resumption?.state.invitations.map(\.id) == ["waits"])
        // An id may be used again: then it waits, and what it was is no news.
        salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "C", content: "2", id: "back")), by: member)
        try await salon.crash()
        salon.reconnect(member, since: point)
        #expect(settled(member) == expected.filter { !$0.hasPrefix("back") })
        #expect(member.resumption?.state.invitations.map(\.id) == ["waits", "back"])
        salon.reconnect(other, since: other.point)
        #expect(settled(other) == ["private accepted - \(other.user)"])
    }

    @Test("only the last settled invitations are remembered") func settledLimit() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        for number in 0..<100 {
            salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "C", id: "i\(number)")), by: member)
            salon.submit(.rejectInvitation(RejectInvitation(id: "i\(number)", reason: nil)), by: owner)
        }
        salon.advance(.seconds(1))
        salon.reconnect(member, since: member.point)
        let settled = member.resumption?.state.settled ?? []
        #expect(settled.first?.invitation.id == "i36" && settled.last?.invitation.id == "i99" && settled.count == 64)
    }

    @Test("nothing missed is an empty gap") func emptyGap() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let member = salon.enter(.member)
        salon.reconnect(member, since: member.point)
        #expect(member.resumption?.events == [])
    }

    @Test("the gap is exact across a crash of the server, as far as the journal reaches") func acrossACrash()
        async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.sendMessage(MessageDraft(.text("1"))), by: owner)
        salon.advance(.seconds(1))
        let point = member.point
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.sendMessage(MessageDraft(.text("2"))), by: owner)
        try await salon.crash()
        salon.reconnect(member, since: point)
        let gap = try #require(member.resumption)
        #expect(gap.epoch == point.epoch + 1)
        #expect(gap.events.count == 2)
    }

    @Test("G05-S too long a gap, another life of the room, and numbers from the future get a snapshot") func gone()
        async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let start = member.point
        for number in 0..<1_100 { salon.submit(.muteSeat(MuteSeat(0, muted: number % 2 == 0)), by: owner) }
        for (name, point) in [
            ("too long", start),
            ("future", ResumePoint(epoch: start.epoch, seq: 9_999, chat: 0)),
            ("future chat", ResumePoint(epoch: start.epoch, seq: 1_101, chat: 1)),
            ("future epoch", ResumePoint(epoch: start.epoch + 1, seq: 1_101, chat: 0)),
            ("former life", ResumePoint(epoch: 0, seq: 1_101, chat: 0)),
        ] {
            salon.reconnect(member, since: point)
            #expect(member.snapshot?.seq == 1_101, "\(name)")
        }
        salon.reconnect(member, since: ResumePoint(epoch: start.epoch, seq: 1_100, chat: 0))
        #expect(member.resumption?.events.count == 1)
    }

    @Test("entering twice gives the state again, and news still come once") func twice() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.attach(member)
        salon.advance(.seconds(1))
        owner.outbox.drain()
        member.outbox.drain()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        #expect(member.outbox.changes.count == 1)
        #expect(owner.outbox.passing.isEmpty)
        #expect(member.snapshot?.memberCount == 2)
    }

    @Test("a connection that breaks after the session came back by another does no harm") func lateBreak() async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        let old = owner.outbox
        salon.reconnect(owner)
        salon.core.detach(owner.session, from: old, why: .lost)
        salon.advance(.seconds(60))
        #expect(owner.departures.current.isEmpty)
        #expect(salon.enter(.member).snapshot?.seats[0].user == .owner)
    }
}
