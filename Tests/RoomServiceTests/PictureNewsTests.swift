import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Testing
import Timing

@Suite struct PictureNewsTests {
    @Test("L11-S what somebody gets of pictures, and how large their camera is wanted, is told to them alone")
    func alone() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .live, seats: 3)
        let viewer = salon.enter(.member)
        let anchor = try salon.core.openMedia(for: owner.session).peer
        let peer = try salon.core.openMedia(for: viewer.session).peer
        salon.core.hear(
            .pictures(
                salon.stage, peer,
                [
                    PictureReading(picture: .seat(0), layer: .low, lack: .line),
                    PictureReading(picture: .screen, layer: .none, lack: .sender),
                ]))
        salon.core.hear(.cameraWanted(salon.stage, anchor, CameraWish(layer: .middle, spare: true)))
        salon.core.hear(.cameraWanted(salon.stage, PeerID(rawValue: 9_999), CameraWish(layer: .low, spare: false)))
        salon.advance(.seconds(1))
        func told(_ client: Client) -> [PassingNews] {
            client.outbox.passing.filter {
                if case .pictures = $0 { true } else if case .cameraWanted = $0 { true } else { false }
            }
        }
        #expect(
            told(viewer) == [
                .pictures(
                    PicturesChanged([
                        PictureNews(.seat(0), .low, lack: .line), PictureNews(.screen, .off, lack: .sender),
                    ]))
            ])
        #expect(told(owner) == [.cameraWanted(CameraWanted(.middle, spare: true))])
    }
}
