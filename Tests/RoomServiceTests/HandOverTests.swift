import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// V20: hands that are raised, and rooms that are handed over.
@Suite struct HandOverTests {
    @Test("V20-S raised hands stand in the order in which they came, also after a crash, and each knows its place")
    func handsRaised() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let hands = [UserID.member, .other, .admin].map { salon.enter($0) }
        for (place, hand) in hands.enumerated() {
            let answer = salon.submit(
                .sendInvitation(InvitationDraft(to: .owner, command: "ENTER", id: "hand-\(place)")), by: hand)
            guard case .success(.invited(_, place + 1))? = answer.current else {
                Issue.record("\(String(describing: answer.current))")
                return
            }
            salon.advance(.milliseconds(5))
        }
        try await salon.crash()
        salon.attach(owner)
        #expect(owner.snapshot?.invitations.map(\.id) == ["hand-0", "hand-1", "hand-2"])
    }

    @Test("V20-S the owner hands the room over, stays admin, and requests go to the new owner")
    func handedOver() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let heir = salon.enter(.member)
        let other = salon.enter(.other)
        salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "ENTER", id: "hand")), by: other)
        #expect(salon.refusal(.setOwner(SetOwner(.member)), by: heir) == .permissionDenied)
        #expect(salon.refusal(.setOwner(SetOwner(.member)), by: owner) == nil)
        #expect(salon.core.state.owner.id == .member && salon.core.state.hosts.admins == [.owner])
        #expect(salon.refusal(.acceptInvitation(AcceptInvitation(id: "hand")), by: heir) == nil)
        salon.advance(.seconds(1))
        #expect(
            other.outbox.changes.contains {
                $0.what == .ownerChanged(OwnerChanged(.named(.member), reason: .handedOver))
            })
        #expect(salon.refusal(.destroyRoom, by: owner) == .permissionDenied)
        #expect(salon.refusal(.setOwner(SetOwner(.other)), by: owner) == .permissionDenied)
        salon.lose(other)
        #expect(
            salon.refusal(.setOwner(SetOwner(.other)), by: heir) == .userNotInRoom, "who is away takes no room over")
    }
}
