import Foundation
import NIOCore
import RoomTestSupport
import ServerTestSupport
import Testing

@testable import Ovation

extension LiveServerTests {
    /// Pictures that users keep on the server.
    @Suite struct LiveFaceTests {
        @Test("A13-K a picture is uploaded with a part of it, becomes the user's face, is listed, and is removed")
        func life() async throws {
            try await TestServer.with { server async throws in
                let (mina, jun) = (try await server.signIn("mina"), try await server.signIn("jun"))
                let crop = Face.Crop(x: 0.5, y: 0, width: 0.5, height: 1)
                let face = try await mina.uploadFace(Data(TestPicture.whole("PNG")), as: .avatar, crop: crop)
                #expect(face.kind == .avatar && face.picture == face.sizes["medium"])
                #expect(face.sizes.keys.sorted() == ["large", "medium", "small"])
                let cover = try await mina.uploadFace(Data(TestPicture.whole("WebP")), as: .cover)
                #expect(try await mina.faces() == [cover, face])
                #expect(try await jun.faces().isEmpty)

                let exchange = HTTPExchange(server: jun.server, trustRoots: .system)
                #expect(try await exchange.get(face.picture).body.readableBytesView.starts(with: [0xFF, 0xD8]))
                try await mina.setProfile(avatar: face.picture)
                let room = try await mina.createRoom(RoomDraft(name: "Evening", cover: cover.picture))
                #expect(room.state.info.cover == cover.picture)

                await #expect { try await jun.removeFace(face.id) } throws: {
                    ($0 as? OvationError)?.code == .faceNotFound
                }
                try await mina.removeFace(face.id)
                #expect(try await mina.faces() == [cover])
                #expect(try await exchange.get(face.picture).refusal != nil)
            }
        }

        @Test(
            "A13-K why a picture is not taken is said by a code: too large before anything is sent, no picture, a part outside"
        )
        func refusals() async throws {
            try await TestServer.with { server async throws in
                let mina = try await server.signIn("mina")
                let png = Data(TestPicture.whole("PNG"))
                for (picture, crop, code) in [
                    (Data(count: OvationClient.faceBytesMost + 1), nil, OvationError.Code.faceTooLarge),
                    (Data("text".utf8), nil, .faceFormat),
                    (png, Face.Crop(x: 0.5, y: 0, width: 0.6, height: 1), .invalidParams),
                    (png, Face.Crop(x: .nan, y: 0, width: 1, height: 1), .invalidParams),
                ] {
                    await #expect("\(code)") { try await mina.uploadFace(picture, as: .avatar, crop: crop) } throws: {
                        ($0 as? OvationError)?.code == code
                    }
                }
                await #expect { try await mina.uploadFace(png, as: Face.Kind(rawValue: "hat&x=1")) } throws: {
                    ($0 as? OvationError)?.code == .invalidParams
                }
                let nobody = try server.sdk()
                await #expect { try await nobody.faces() } throws: { ($0 as? OvationError)?.code == .signedOut }
            }
        }
    }
}
