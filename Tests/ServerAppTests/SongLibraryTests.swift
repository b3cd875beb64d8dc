import Foundation
import ServerTestSupport
import Testing

extension WholeServerTests {
    @Suite struct SongLibraryTests {
        /// A second of a WAV file of 8 bits at 8 kHz, all of whose bytes happen to be ASCII.
        private static let sound =
            "RIFF\u{64}\u{1f}\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0\u{40}\u{1f}\0\0\u{40}\u{1f}\0\0\u{1}\0\u{8}\0"
            + "data\u{40}\u{1f}\0\0" + String(repeating: "@", count: 8000)

        private func form(_ parts: [(String, String)]) -> String {
            parts.map { "--line\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }.joined()
                + "--line--\r\n"
        }

        private func upload(
            _ parts: [(String, String)], as user: String, to server: TestServer, cut: Int = 0
        ) async throws -> PlainHTTP.Response {
            let body = form(parts)
            return try await PlainHTTP.send(
                "POST /v1/songs HTTP/1.1", port: server.port,
                headers: [
                    "Authorization: Bearer \(TestServer.application):\(user):\(try server.ticket(user))",
                    "Content-Type: multipart/form-data; boundary=line", "Content-Length: \(body.utf8.count - cut)",
                ], body: String(decoding: Array(body.utf8).dropLast(cut), as: UTF8.self))
        }

        @Test(
            "G03-S a song's title, artist and lyrics are read by the word filter, and whom the operator muted uploads none"
        )
        func wordsOfSongs() async throws {
            try await RESTHouse.with { house in
                #expect(try await house.outcome("POST", "words", ["add": ["casino"]]) == "200")
                let whole = [
                    ("title", "A song"), ("durationMs", "61000"), ("audio", Self.sound), ("lyrics", "[00:01.00]La"),
                    ("artist", "Alice"),
                ]
                for (field, words) in [
                    ("title", "ca\u{200d}sino"), ("artist", "Casino"), ("lyrics", "[00:01.00]The casino"),
                ] {
                    let parts = whole.map { $0.0 == field ? (field, words) : $0 }
                    let made = try await upload(parts, as: "alice", to: house.server)
                    #expect(made.status == 422 && made.json["error"]["name"] == "text_filtered", "\(field)")
                }
                #expect(try await house.outcome("PUT", "users/alice/restrictions/chat_mute", [:]) == "200")
                let muted = try await upload(whole, as: "alice", to: house.server)
                #expect(muted.status == 403 && muted.json["error"]["name"] == "chat_muted")
            }
        }

        @Test(
            "D05-S a song that somebody uploads is listed for the application, served in parts, and removed by them alone"
        )
        func uploading() async throws {
            try await TestServer.with { server async throws in
                let made = try await upload(
                    [
                        ("title", " A  song "), ("durationMs", "61000"), ("audio", Self.sound),
                        ("lyrics", "[00:01.00]La la"), ("artist", "Alice"),
                    ], as: "alice", to: server)
                #expect(made.status == 201, "\(made.text)")
                let song = made.json["song"]
                #expect(song["title"].string == "A song" && [1000, 61_000].contains(song["durationMs"].int))
                let id = try #require(song["id"].string)
                let address = try #require(song["accompaniment"].string)
                #expect(address == "/songs/\(TestServer.application)/\(id)/accompaniment.wav")

                let bob = "Authorization: Bearer \(TestServer.application):bob:\(try server.ticket("bob"))"
                let list = try await PlainHTTP.get("/v1/songs", port: server.port, headers: [bob])
                let brought = list.json["songs"].array.filter { $0["builtIn"].bool == false }
                #expect(brought.map { $0["id"].string } == [id], "\(list.text)")
                let strangers = try await PlainHTTP.get("/v1/songs", port: server.port)
                #expect(
                    strangers.status == 200 && strangers.json["songs"].array.allSatisfy { $0["builtIn"].bool == true })

                let whole = try await PlainHTTP.get(address, port: server.port)
                #expect(
                    whole.status == 200 && whole.text == Self.sound && whole.headers["content-type"] == "audio/wav")
                #expect(whole.headers["cache-control"] == "public, max-age=31536000, immutable")
                let part = try await PlainHTTP.get(address, port: server.port, headers: ["Range: bytes=4-9"])
                #expect(part.status == 206 && part.text == Array(Self.sound)[4..<10].map(String.init).joined())
                #expect(part.headers["content-range"] == "bytes 4-9/\(Self.sound.utf8.count)")
                let tag = try #require(whole.headers["etag"])
                let known = try await PlainHTTP.get(address, port: server.port, headers: ["If-None-Match: \(tag)"])
                #expect(known.status == 304)
                let unknown = try await PlainHTTP.get(
                    address, port: server.port, headers: ["If-None-Match: \"x\(tag.dropFirst())"])
                #expect(unknown.status == 200, "a tag that ends like ours is another")
                let beyond = try await PlainHTTP.get(address, port: server.port, headers: ["Range: bytes=99999-"])
                #expect(beyond.status == 416)
                for path in [
                    "/songs/\(TestServer.application)/\(id)/song.json", "/songs/../ovation.db", "/songs/1/x/y",
                ] {
                    #expect(try await PlainHTTP.get(path, port: server.port).status == 404, "\(path)")
                }

                let refused = try await PlainHTTP.send(
                    "DELETE /v1/songs/\(id) HTTP/1.1", port: server.port, headers: [bob])
                #expect(refused.status == 403)
                let removed = try await PlainHTTP.send(
                    "DELETE /v1/songs/\(id) HTTP/1.1", port: server.port,
                    headers: ["Authorization: Bearer \(TestServer.application):alice:\(try server.ticket("alice"))"])
                #expect(removed.status == 200)
                #expect(try await PlainHTTP.get(address, port: server.port).status == 404)
            }
        }

        @Test("uploads that are no songs are refused with a code, and leave nothing behind")
        func refusals() async throws {
            try await TestServer.with { server async throws in
                let sound = ("audio", Self.sound)
                let cases: [([(String, String)], Int, String)] = [
                    ([("title", "x"), ("durationMs", "1000"), ("audio", "<html>")], 415, "song_format"),
                    ([("title", "x"), ("durationMs", "1000"), sound, ("lyrics", "no times")], 415, "lyrics_invalid"),
                    ([("title", " "), ("durationMs", "1000"), sound], 400, "invalid_params"),
                    ([("title", "x"), ("durationMs", "1000")], 400, "invalid_params"),
                    ([("title", "x"), ("surprise", "1")], 400, "invalid_request"),
                    ([("title", String(repeating: "x", count: 2000)), sound], 400, "invalid_params"),
                ]
                for (parts, status, name) in cases {
                    let answer = try await upload(parts, as: "alice", to: server)
                    #expect(answer.status == status && answer.json["error"]["name"].string == name, "\(answer.text)")
                }
                let short = try await upload(
                    [("title", "x"), ("durationMs", "1000"), sound], as: "alice", to: server, cut: 8)
                #expect(short.status == 400)
                let nobody = try await PlainHTTP.send(
                    "POST /v1/songs HTTP/1.1", port: server.port, headers: ["Content-Length: 0"])
                #expect(nobody.status == 401)
                let forged = try await PlainHTTP.get(
                    "/v1/songs", port: server.port, headers: ["Authorization: Bearer \(TestServer.application):alice:x"]
                )
                #expect(forged.status == 401)
                let left = try FileManager.default.subpathsOfDirectory(atPath: server.directory + "/songs")
                #expect(left.filter { $0 != ".incoming" }.isEmpty, "\(left)")
            }
        }

        @Test("D02-S the room time goes on in microseconds beside the milliseconds")
        func clock() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signedIn("alice")
                let first = try await alice.call("clock.read")
                let second = try await alice.call("clock.read")
                let (a, b) = (try #require(first["timeUs"].int), try #require(second["timeUs"].int))
                #expect(first["time"].int == a / 1000 && b >= a && b - a < 60_000_000)
                let passed = try #require(second["monotonicUs"].int) - (try #require(first["monotonicUs"].int))
                // The two clocks are read one after the other.
                #expect(abs((b - a) - passed) < 50_000)
                await alice.close()
            }
        }
    }
}
