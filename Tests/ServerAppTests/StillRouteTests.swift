import Foundation
import RoomModel
import RoomTestSupport
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// L01: what a live room looks like now, from the host's call to the list's picture.
    @Suite struct StillRouteTests {
        @Test(
            "L01-S R11-S a still goes from the host to whoever reads the list, written anew, and nowhere else",
            arguments: ["30010", "my salon!"])
        func way(_ name: String) async throws {
            let room: JSON = name == "30010" ? 30_010 : JSON(stringLiteral: name)
            try await TestServer.with { server async throws in
                let host = try await server.signedIn("host")
                try await host.call("room.create", ["room": room, "name": "Evening", "kind": "live", "seats": 3])
                try await host.call("seat.take", ["room": room, "seat": 0])
                try await host.call("camera.set", ["room": room, "on": true])
                var jpeg = TestJPEG.whole("colour for each pixel")
                // Where a still may have a profile of its colours, somebody could hide where they are.
                let place = Array("52.5163 13.3777".utf8)
                jpeg.insert(contentsOf: [0xFF, 0xE2, 0, UInt8(2 + place.count)] + place, at: 2)
                let sent = try await host.call(
                    "still.set", ["room": room, "picture": JSON(stringLiteral: Data(jpeg).base64EncodedString())])
                let viewer = try await server.signedIn("viewer")
                let listed = try await viewer.call("room.list")["rooms"][0]["still"]
                let number = try #require(listed.int)
                #expect(sent["still"] == listed)

                let slug = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
                let path = "/v1/rooms/\(slug)/still/\(number).jpg"
                let still = try await PlainHTTP.get(path, port: server.port)
                #expect(still.status == 200 && still.headers["content-type"] == "image/jpeg")
                #expect((try? StillPicture(jpeg: still.body)) != nil && still.body != jpeg)
                #expect(!String(decoding: still.body, as: UTF8.self).contains("52.5163"))
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

        @Test("L01-S R11-S where pictures cannot be read no still is taken")
        func withoutReader() async throws {
            try await TestServer.with(configure: { $0.inspector = "/nowhere/ovation" }) { server async throws in
                let host = try await server.signedIn("host")
                try await host.call("room.create", ["room": 7, "name": "Evening", "kind": "live", "seats": 3])
                try await host.call("seat.take", ["room": 7, "seat": 0])
                try await host.call("camera.set", ["room": 7, "on": true])
                let picture = JSON(stringLiteral: Data(TestJPEG.whole("baseline")).base64EncodedString())
                #expect(try await host.refusal("still.set", ["room": 7, "picture": picture]) == "uploads_unavailable")
            }
        }
    }
}
