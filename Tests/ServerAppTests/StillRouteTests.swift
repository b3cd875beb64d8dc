import Foundation
import RoomModel
import RoomTestSupport
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// L01: what a live room looks like now, from the host's call to the list's picture.
    @Suite struct StillRouteTests {
        @Test(
            "L01-S a still goes from the host to whoever reads the list, and nowhere else",
            arguments: ["30010", "my salon!"])
        func way(_ name: String) async throws {
            let room: JSON = name == "30010" ? 30_010 : JSON(stringLiteral: name)
            try await TestServer.with { server async throws in
                let host = try await server.signedIn("host")
                try await host.call("room.create", ["room": room, "name": "Evening", "kind": "live", "seats": 3])
                try await host.call("seat.take", ["room": room, "seat": 0])
                try await host.call("camera.set", ["room": room, "on": true])
                let jpeg = TestJPEG.bytes(size: StillPicture.byteLimit)
                let sent = try await host.call(
                    "still.set", ["room": room, "picture": JSON(stringLiteral: Data(jpeg).base64EncodedString())])
                let viewer = try await server.signedIn("viewer")
                let listed = try await viewer.call("room.list")["rooms"][0]["still"]
                let number = try #require(listed.int)
                #expect(sent["still"] == listed)

                let slug = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
                let path = "/v1/rooms/\(slug)/still/\(number).jpg"
                let still = try await PlainHTTP.get(path, port: server.port)
                #expect(still.status == 200 && still.body == jpeg && still.headers["content-type"] == "image/jpeg")
                #expect(still.headers["cache-control"] == "public, max-age=60, immutable")
                #expect(still.headers["x-content-type-options"] == "nosniff")
                for other in [
                    "/v1/rooms/\(slug)/still/\(number + 1).jpg", "/v1/rooms/\(slug)/still/\(number)",
                    "/v1/rooms/1/still/\(number).jpg", "/v1/rooms/\(slug)/still/.jpg",
                    "/v1/rooms/\(slug)/still/-9223372036854775808.jpg", "/v1/rooms/%ff/still/\(number).jpg",
                ] {
                    #expect(try await PlainHTTP.get(other, port: server.port).status == 404, "\(other)")
                }
                try await host.call("camera.set", ["room": room, "on": false])
                #expect(try await PlainHTTP.get(path, port: server.port).status == 404)
                #expect(try await viewer.call("room.list")["rooms"][0]["still"] == .null)
            }
        }
    }
}
