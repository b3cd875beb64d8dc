import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// A03: what a key lets its bearer do holds for the whole stay.
@Suite struct RightsTests {
    private func enter(_ user: UserID, _ rights: RoomRights, in salon: Salon, as client: Client? = nil) -> Client {
        let client = client ?? salon.client(user)
        var attendee = client.attendee
        attendee.rights = rights
        salon.core.attach(attendee, since: nil) { [entries = client.entries] result in
            entries.update { $0.append(result) }
        }
        salon.settle()
        return client
    }

    @Test("A03-S what the key does not allow is refused: a seat, a microphone, a camera, a screen")
    func commands() async throws {
        let salon = try await Salon()
        _ = salon.create(kind: .live, seats: 4)
        let listener = enter(.member, [.receiveAudio, .receiveVideo], in: salon)
        let refused = salon.submit(.takeSeat(TakeSeat(1)), by: listener)
        guard case .failure(let error)? = refused.current else {
            Issue.record("\(String(describing: refused.current))")
            return
        }
        #expect(error.code == .permissionDenied && error.reason == "scope")
        let speaker = enter(.other, [.sendAudio, .receiveAudio, .receiveVideo], in: salon)
        #expect(salon.refusal(.takeSeat(TakeSeat(1)), by: speaker) == nil)
        #expect(salon.refusal(.setMicrophone(SetMicrophone(muted: true)), by: speaker) == nil)
        #expect(salon.refusal(.setMicrophone(SetMicrophone(muted: false)), by: speaker) == nil)
        #expect(salon.refusal(.setCamera(SetCamera(on: true)), by: speaker) == .permissionDenied)
        #expect(salon.refusal(.startScreen, by: speaker) == .permissionDenied)
        let filming = enter(.admin, [.sendVideo, .receiveAudio, .receiveVideo], in: salon)
        #expect(salon.refusal(.takeSeat(TakeSeat(2)), by: filming) == nil)
        #expect(salon.refusal(.setCamera(SetCamera(on: true)), by: filming) == nil)
        #expect(salon.refusal(.setMicrophone(SetMicrophone(muted: false)), by: filming) == .permissionDenied)
    }

    @Test("A03-S who is put on a seat without the right to be heard or seen is neither, on the media plane")
    func picked() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .live, seats: 4)
        let listener = enter(.member, [.receiveAudio, .receiveVideo, .receiveScreen], in: salon)
        let place = try salon.core.openMedia(for: listener.session)
        #expect(salon.refusal(.pickSeat(PickSeat(1, .member)), by: owner) == nil)
        let slot = try #require(salon.media.slots(of: salon.stage)?[1])
        #expect(slot.peer == place.peer && slot.muted && slot.dark)
        let speaker = enter(.other, [.sendAudio, .receiveAudio, .receiveVideo, .receiveScreen], in: salon)
        _ = try salon.core.openMedia(for: speaker.session)
        #expect(salon.refusal(.takeSeat(TakeSeat(2)), by: speaker) == nil)
        #expect(salon.media.slots(of: salon.stage)?[2]?.muted == false)
    }

    @Test(
        "A03-S who may not see is sent no picture, who may not see screens no screen, and without hearing there is no path"
    )
    func receiving() async throws {
        let salon = try await Salon()
        _ = salon.create(kind: .live, seats: 3)
        let deaf = enter(.member, [.sendAudio], in: salon)
        #expect(throws: RoomError.self) { try salon.core.openMedia(for: deaf.session) }
        func hidden(from peer: PeerID) -> Set<PictureView> {
            Set(
                salon.media.orders.compactMap {
                    if case .view(let picture, .none, peer, _) = $0 { picture } else { nil }
                })
        }
        let blind = try salon.core.openMedia(for: enter(.other, [.receiveAudio], in: salon).session)
        #expect(
            hidden(from: blind.peer) == [.seat(0), .seat(1), .seat(2), .guest(0), .guest(1), .guest(2), .screen])
        let viewer = try salon.core.openMedia(for: enter(.admin, [.receiveAudio, .receiveVideo], in: salon).session)
        #expect(hidden(from: viewer.peer) == [.screen] && !viewer.rights.contains(.receiveScreen))
        let whole = try salon.core.openMedia(for: salon.enter(UserID(literal: "wendy")).session)
        #expect(hidden(from: whole.peer).isEmpty && whole.rights == .all)
    }

    @Test("A03-S who enters again by another key has a path of that key's rights alone")
    func changed() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let client = enter(.member, .all, in: salon)
        let place = try salon.core.openMedia(for: client.session)
        #expect(salon.refusal(.takeSeat(TakeSeat(1)), by: client) == nil)
        _ = enter(.member, [.receiveAudio], in: salon, as: client)
        #expect(salon.media.orders.contains(.closePeer(place.peer, salon.stage)))
        let next = try salon.core.openMedia(for: client.session)
        #expect(next.peer != place.peer)
        let slot = try #require(salon.media.slots(of: salon.stage)?[1])
        #expect(slot.peer == next.peer && slot.muted)
    }
}
