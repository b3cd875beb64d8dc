import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// Invitations reach people wherever they are signed in.
@Suite struct ElsewhereTests {
    private func ask(_ user: UserID, seconds: Int = 60, id: String = "i") -> RoomCommand {
        .sendInvitation(
            InvitationDraft(to: user, command: "PICK_SEAT", content: "1", timeoutSeconds: seconds, id: id))
    }

    private func decline(_ id: String, by user: UserID, in salon: Salon) -> RoomError? {
        let answer = Shared<RoomError?>(nil)
        salon.core.decline(id, reason: "later", by: .named(user)) {
            if case .failure(let error) = $0 { answer.set(error) }
        }
        salon.settle()
        return answer.current
    }

    @Test("V10-S who runs the room asks somebody who is elsewhere, for a time; they hear of it there, and of its end")
    func asked() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(ask(.other), by: owner) == .userNotInRoom, "who is not signed in is nowhere")
        salon.reach.set(.there, for: .other)
        #expect(salon.refusal(ask(.other), by: member) == .userNotInRoom, "members have no room to call people to")
        #expect(salon.refusal(ask(.other, seconds: 0), by: owner) == .invalidParams)
        salon.reach.set(.busy(retryAfterMs: 700), for: .other)
        #expect(salon.refusal(ask(.other), by: owner) == .rateLimited)
        salon.reach.set(.there, for: .other)
        #expect(salon.refusal(ask(.other), by: owner) == nil)
        let told = try #require(salon.reach.told.first)
        #expect(told.user == .other && told.news.invitation.id == "i" && told.room.name == "Salon")
        salon.advance(.seconds(60))
        #expect(salon.reach.told.map(\.news.invitation.state) == [.waiting, .expired])
        // Who is banned is not called back.
        #expect(salon.refusal(.setRestriction(RestrictionDraft(.ban, of: .other)), by: owner) == nil)
        #expect(salon.refusal(ask(.other, id: "j"), by: owner) == .userNotInRoom)
    }

    @Test("V10-S they decline from where they are, once, and nobody else does it for them; who comes finds it waiting")
    func answered() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.reach.set(.there, for: .other)
        salon.reach.set(.there, for: .admin)
        for id in ["i", "j"] { salon.submit(ask(id == "i" ? .other : .admin, id: id), by: owner) }
        #expect(decline("j", by: .other, in: salon)?.code == .invitationDenied)
        #expect(decline("x", by: .other, in: salon)?.code == .invitationNotFound)
        #expect(decline("i", by: .other, in: salon) == nil)
        #expect(decline("i", by: .other, in: salon)?.code == .invitationNotFound)
        salon.advance(.seconds(1))
        #expect(
            owner.outbox.heard.contains {
                if case .news(.invitation(let news), _) = $0 {
                    news.invitation.id == "i" && news.invitation.state == .rejected && news.invitation.reason == "later"
                } else {
                    false
                }
            })
        let admin = salon.enter(.admin)
        #expect(admin.snapshot?.invitations.map(\.id) == ["j"])
        #expect(salon.refusal(.acceptInvitation(AcceptInvitation(id: "j")), by: admin) == nil)
        #expect(salon.refusal(.takeSeat(TakeSeat(1)), by: admin) == nil)
        #expect(
            salon.reach.told.filter { $0.user == .admin }.count == 1, "in the room they hear of it as the room tells it"
        )
    }
}
