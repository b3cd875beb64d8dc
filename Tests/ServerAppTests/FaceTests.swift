import Foundation
import RoomModel
import RoomPorts
import RoomTestSupport
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// A13: pictures of people and for their rooms, through a whole server and the process that reads them.
    @Suite struct FaceTests {
        private static let path = "/v1/faces"

        private func ticket(_ user: String, of server: TestServer) throws -> String {
            "Authorization: Bearer \(TestServer.application):\(user):\(try server.ticket(user))"
        }

        private func upload(
            _ picture: [UInt8], _ query: String = "kind=avatar", as user: String = "mina", to server: TestServer,
            type: String = "image/jpeg"
        ) async throws -> PlainHTTP.Response {
            try await PlainHTTP.send(
                "POST \(Self.path)?\(query) HTTP/1.1", port: server.port,
                headers: [
                    try ticket(user, of: server), "Content-Type: \(type)", "Content-Length: \(picture.count)",
                ], bytes: picture)
        }

        private func remove(_ id: String, as user: String, of server: TestServer) async throws -> Int {
            try await PlainHTTP.send(
                "DELETE \(Self.path)/\(id) HTTP/1.1", port: server.port, headers: [try ticket(user, of: server)]
            ).status
        }

        private func list(_ user: String, of server: TestServer) async throws -> [JSON] {
            try await PlainHTTP.get(Self.path, port: server.port, headers: [try ticket(user, of: server)])
                .json["faces"].array
        }

        /// Folders of pictures that are kept.
        private func folders(_ directory: String) throws -> [String] {
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory + "/faces")) ?? []
            return names.filter { $0.hasPrefix("\(TestServer.application)/") && !$0.hasSuffix(".jpg") }
        }

        @Test(
            "A13-S a picture of one's own is kept in three sizes, shown to whoever has its address, and removed by its person alone"
        )
        func life() async throws {
            try await TestServer.with { server async throws in
                let sent = TestPicture.whole("PNG") + Array("52.5163 13.3777".utf8)
                // What counts is the bytes.
                let made = try await upload(sent, to: server, type: "text/html")
                #expect(made.status == 201, "\(made.text)")
                let face = made.json["face"]
                let id = try #require(face["id"].string)
                let folder = "/faces/\(TestServer.application)/\(id)"
                #expect(
                    id.utf8.count == 26 && face["kind"] == "avatar"
                        && face["picture"] == .string(folder + "/medium.jpg"))
                for size in ["small", "medium", "large"] {
                    #expect(face["sizes"][size] == .string("\(folder)/\(size).jpg"))
                    let shown = try await PlainHTTP.get("\(folder)/\(size).jpg", port: server.port)
                    #expect(shown.status == 200 && shown.headers["content-type"] == "image/jpeg")
                    #expect(shown.headers["cache-control"] == "public, max-age=31536000, immutable")
                    #expect(shown.headers["x-content-type-options"] == "nosniff")
                    #expect(shown.body.starts(with: [0xFF, 0xD8]) && !shown.text.contains("52.5163"))
                    let tag = try #require(shown.headers["etag"])
                    let known = try await PlainHTTP.get(
                        "\(folder)/\(size).jpg", port: server.port, headers: ["If-None-Match: \(tag)"])
                    #expect(known.status == 304 && known.body.isEmpty)
                }
                let cover = try await upload(TestPicture.whole("WebP"), "kind=cover", to: server)
                #expect(cover.status == 201 && cover.json["face"]["kind"] == "cover")
                #expect(try await list("mina", of: server).map { $0["id"] } == [cover.json["face"]["id"], .string(id)])
                #expect(try await list("jun", of: server).isEmpty)

                for other in [
                    "\(folder)/huge.jpg", "\(folder)/medium", "\(folder)/medium.jpg/",
                    "\(folder)/../../../ovation.sqlite",
                    "/faces/\(TestServer.application)/%2e%2e/medium.jpg", "/faces/1/\(id)/medium.jpg",
                    "/faces/0\(TestServer.application)/\(id)/medium.jpg", "\(folder)/%6dedium.jpg",
                    "/faces/\(TestServer.application)/\(id.uppercased())/medium.jpg", "\(folder)/medium.jpg%00",
                ] {
                    #expect(try await PlainHTTP.get(other, port: server.port).status == 404, "\(other)")
                }
                #expect(try await remove(id, as: "jun", of: server) == 404)
                for wrong in ["..", "%2e%2e%2f%2e%2e", String(repeating: "0", count: 26), "x"] {
                    #expect(try await remove(wrong, as: "mina", of: server) == 404, "\(wrong)")
                }
                #expect(try await remove(id, as: "mina", of: server) == 200)
                let gone = try await PlainHTTP.get("\(folder)/medium.jpg", port: server.port)
                #expect(gone.status == 404 && gone.headers["cache-control"] == "no-store")
                #expect(try await list("mina", of: server).count == 1)
                #expect(try folders(server.directory).count == 1)
            }
        }

        @Test("A13-S what is no picture, or is too large, is refused with a code, and leaves nothing behind")
        func refusals() async throws {
            try await TestServer.with { server async throws in
                let png = TestPicture.whole("PNG")
                for (picture, query, outcome) in [
                    (Array("<svg onload=alert(1)>".utf8), "kind=avatar", "415 face_format"),
                    (TestPicture.animatedWebP, "kind=avatar", "415 face_format"),
                    ([], "kind=avatar", "415 face_format"), (png, "kind=hat", "400 invalid_params"),
                    (png, "kind=avatar&x=1", "400 invalid_params"),
                    (Array(png.dropLast(20)), "kind=cover", "415 face_format"),
                ] {
                    let answer = try await upload(picture, query, to: server)
                    let name = answer.json["error"]["name"].string ?? ""
                    #expect("\(answer.status) \(name)" == outcome)
                }
                let length = "Content-Length: \(8 << 20 + 1)"
                let large = try await PlainHTTP.send(
                    "POST \(Self.path)?kind=avatar HTTP/1.1", port: server.port,
                    headers: [try ticket("mina", of: server), length, "Expect: 100-continue"])
                #expect(large.status == 413 && large.json["error"]["name"] == "face_too_large")
                // A little too much is read, so that its sender, who writes before reading, gets the answer.
                let much = try await upload([UInt8](repeating: 1, count: 9 << 20), to: server)
                #expect(much.status == 413 && much.json["error"]["name"] == "face_too_large")
                for headers in [[], ["Authorization: Bearer \(TestServer.application):mina:x"]] {
                    for line in ["GET \(Self.path)", "POST \(Self.path)?kind=avatar", "DELETE \(Self.path)/x"] {
                        let answer = try await PlainHTTP.send(
                            line + " HTTP/1.1", port: server.port, headers: headers + ["Content-Length: 0"])
                        #expect(answer.status == 401, "\(line)")
                    }
                }
                #expect(try folders(server.directory).isEmpty)
            }
        }

        @Test(
            "A13-S a picture that is kept may be somebody's face and a room's cover, by its path or with this server's name; scripts may not"
        )
        func shown() async throws {
            try await TestServer.with(configure: { $0.originsPictures = ["https://pictures.example"] }) {
                server async throws in
                let face = try await upload(TestPicture.whole("PNG"), to: server).json["face"]["picture"]
                let cover = try await upload(TestPicture.whole("WebP"), "kind=cover", to: server).json["face"][
                    "picture"]
                let mina = try await server.signedIn("mina")
                try await mina.call("profile.set", ["avatar": face])
                try await mina.call("room.create", ["room": 7, "name": "Evening", "cover": cover])
                let jun = try await server.signedIn("jun")
                let entered = try await jun.call("room.enter", ["room": 7])
                #expect(entered["snapshot"]["info"]["cover"] == cover && entered.text.contains(face.string ?? "?"))
                let whole = JSON.string("http://127.0.0.1:\(server.port)\(cover.string ?? "")")
                try await mina.call("room.update", ["room": 7, "cover": whole])
                #expect(
                    try await mina.refusal("profile.set", ["avatar": "javascript:alert(1)"]) == "invalid_params")
                #expect(
                    try await mina.refusal("room.update", ["room": 7, "cover": "data:image/png,x"]) == "invalid_params")
            }
        }

        @Test("A13-S after a restart everything that people keep is there, and is theirs")
        func restart() async throws {
            let directory = NSTemporaryDirectory() + "ovation-faces-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let first = try await TestServer.start(directory: directory)
            let face = try await upload(TestPicture.whole("PNG"), to: first).json["face"]
            let path = try #require(face["picture"].string)
            let before = try await PlainHTTP.get(path, port: first.port).body
            try await first.stop()
            let second = try await TestServer.start(directory: directory)
            #expect(try await PlainHTTP.get(path, port: second.port).body == before)
            #expect(try await list("mina", of: second) == [face])
            #expect(try await remove(try #require(face["id"].string), as: "mina", of: second) == 200)
            try await second.stop()
        }

        @Test("A13-S pages know whether pictures are taken here; where they cannot be read the refusal says why")
        func availability() async throws {
            try await TestServer.with { server async throws in
                #expect(try await PlainHTTP.get("/v1/config", port: server.port).json["faces"].bool == true)
            }
            try await TestServer.with(configure: { $0.inspector = "/nowhere/ovation" }) { server async throws in
                #expect(try await PlainHTTP.get("/v1/config", port: server.port).json["faces"].bool == false)
                let answer = try await upload(TestPicture.whole("PNG"), to: server)
                #expect(answer.status == 501 && answer.json["error"]["name"] == "uploads_unavailable")
                #expect(try folders(server.directory).isEmpty)
            }
        }

        private func operatorUpload(
            _ house: RESTHouse, _ picture: [UInt8], _ query: String, user: String = "mina", key: String = "console",
            headers: [String] = []
        ) async throws -> PlainHTTP.Response {
            try await PlainHTTP.send(
                "POST /v1/users/\(user)/face?\(query) HTTP/1.1", port: house.server.port,
                headers: [
                    "Authorization: Bearer \(house.keys[key] ?? "")", "Content-Type: image/png",
                    "Content-Length: \(picture.count)",
                ] + headers, bytes: picture)
        }

        @Test(
            "A13-R a program gives somebody a face that everybody sees at once, and removes all of a person's; without the scope it does neither"
        )
        func operators() async throws {
            try await RESTHouse.with { house in
                let png = TestPicture.whole("PNG")
                let mina = try await house.server.signedIn("mina")
                try await mina.call("room.create", ["room": 7, "name": "Evening"])
                let made = try await operatorUpload(house, png, "kind=avatar&x=0&y=0&width=0.5&height=1")
                #expect(made.status == 201, "\(made.text)")
                let face = made.json["face"]["picture"]
                #expect(try await house.send("GET", "users/mina").json["avatar"] == face)
                let jun = try await house.server.signedIn("jun")
                #expect(try await jun.call("room.enter", ["room": 7]).text.contains(face.string ?? "?"))
                #expect(try await list("mina", of: house.server).map { $0["picture"] } == [face])
                // A cover is for rooms.
                let cover = try await operatorUpload(house, png, "kind=cover", headers: ["Idempotency-Key: once"])
                let again = try await operatorUpload(house, png, "kind=cover", headers: ["Idempotency-Key: once"])
                #expect(cover.status == 201 && again.text == cover.text)
                let other = try await operatorUpload(
                    house, TestPicture.whole("WebP"), "kind=cover", headers: ["Idempotency-Key: once"])
                #expect(other.json["error"]["name"] == "key_reused")
                #expect(try await house.send("GET", "users/mina").json["avatar"] == face)
                #expect(try await list("mina", of: house.server).count == 2)

                for (query, picture, outcome) in [
                    ("kind=hat", png, "400 invalid_params"), ("kind=avatar", Array("text".utf8), "415 face_format"),
                    ("kind=avatar", [UInt8](repeating: 1, count: 8 << 20 + 1), "413 face_too_large"),
                ] {
                    let answer = try await operatorUpload(house, picture, query)
                    #expect("\(answer.status) \(answer.json["error"]["name"].string ?? "")" == outcome)
                }
                #expect(try await operatorUpload(house, png, "kind=avatar", key: "reader").status == 403)
                #expect(try await house.outcome("DELETE", "users/mina/face", key: "reader").hasPrefix("403"))
                // Another application's key has another mina.
                #expect(try await house.send("DELETE", "users/mina/face", key: "other").json["faces"] == 0)

                let removed = try await house.send("DELETE", "users/mina/face")
                #expect(removed.status == 200 && removed.json["faces"] == 2)
                #expect(try await house.send("GET", "users/mina").json["avatar"] == "")
                #expect(try folders(house.server.directory).isEmpty)
                let audit = try await house.send("GET", "audit?user=mina").text
                #expect(audit.contains("setFace") && audit.contains("removeFaces"))
            }
        }

        @Test("A13-S A13-R who has twelve pictures, however they came, sends no more until one is removed")
        func full() async throws {
            try await RESTHouse.with { house in
                let png = TestPicture.whole("PNG")
                for _ in 0..<12 { #expect(try await operatorUpload(house, png, "kind=avatar").status == 201) }
                let refused = try await upload(png, to: house.server)
                #expect(refused.status == 409 && refused.json["error"]["name"] == "face_library_full")
                #expect(try await operatorUpload(house, png, "kind=avatar").status == 409)
                let newest = try #require(try await list("mina", of: house.server).first?["id"].string)
                #expect(try await remove(newest, as: "mina", of: house.server) == 200)
                #expect(try await upload(png, to: house.server).status == 201)
            }
        }

        @Test(
            "A13-S A13-R R09-S with a person their pictures are erased, by a running server and by the command for a stopped one"
        )
        func erased() async throws {
            try await RESTHouse.with { house in
                let png = TestPicture.whole("PNG")
                for user in ["mina", "jun", "kim"] {
                    #expect(try await upload(png, as: user, to: house.server).status == 201)
                }
                let path = try #require(try await list("mina", of: house.server).first?["picture"].string)
                let erased = try await house.send("DELETE", "users/mina")
                #expect(erased.status == 200 && erased.json["faces"] == 1)
                #expect(try await PlainHTTP.get(path, port: house.server.port).status == 404)
                #expect(try folders(house.server.directory).allSatisfy { !$0.contains("mina") })
                #expect(try folders(house.server.directory).count == 2)
                try await house.server.stop()
                let admin = PeopleAdmin(data: house.server.directory, application: TestServer.application)
                #expect(try await admin.erase("jun").faces == 1)
                #expect(try folders(house.server.directory).map { $0.hasSuffix(".kim") } == [true])
            }
        }

        @Test(
            "A13-S R09-S a backup takes pictures along, a restore puts them back, and an erasure names all their copies"
        )
        func backup() async throws {
            let backups = NSTemporaryDirectory() + "ovation-backup-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: backups) }
            try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true)
            try await RESTHouse.with { house in
                let face = try await upload(TestPicture.whole("PNG"), to: house.server).json["face"]
                let (path, id) = (try #require(face["picture"].string), try #require(face["id"].string))
                let shown = try await PlainHTTP.get(path, port: house.server.port).body
                let (admin, copy) = (BackupAdmin(data: house.server.directory), backups + "/copy.sqlite")
                try admin.make(copy)
                #expect(try await remove(id, as: "mina", of: house.server) == 200)
                #expect(try await upload(TestPicture.whole("WebP"), to: house.server).status == 201)
                try await house.server.stop()
                let former = try admin.restore(copy)
                #expect(
                    former.map { URL(fileURLWithPath: $0).lastPathComponent } == [
                        "ovation.sqlite.before-restore", "faces.before-restore",
                    ])
                let again = RESTHouse(
                    server: try await TestServer.start(directory: house.server.directory), keys: house.keys)
                #expect(try await PlainHTTP.get(path, port: again.server.port).body == shown)
                #expect(try await list("mina", of: again.server) == [face])
                let erased = try await again.send("DELETE", "users/mina")
                let copies = Set(erased.json["copies"].array.compactMap(\.string))
                #expect(erased.json["faces"] == 1 && copies.isSuperset(of: former + [copy, copy + ".faces"]))
                try await again.server.stop()
            }
        }
    }
}
