import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// R09: what is left of a person whom the operator erases. Whatever mina writes or is called has `Qvz` in it.
    @Suite struct ErasureTests {
        private static let mark = "Qvz"

        /// Where the mark stands, in any byte of any file, with what is around it.
        private func traces(of mark: String = mark, in folder: String) throws -> [String] {
            let mark = Data(mark.utf8)
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            return names.flatMap { name -> [String] in
                guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else { return [] }
                var found: [String] = []
                var rest = bytes.startIndex..<bytes.endIndex
                while let next = bytes.range(of: mark, in: rest) {
                    let around = max(0, next.lowerBound - 40)..<min(bytes.endIndex, next.upperBound + 30)
                    found.append("\(name): \(String(decoding: bytes[around], as: UTF8.self))")
                    rest = next.upperBound..<bytes.endIndex
                }
                return found
            }
        }

        private func expectNothing(in folder: String) throws {
            let left = try traces(in: folder)
            #expect(left == [])
        }

        /// Signs in, with everything that a person can write about themselves.
        private func signIn(_ house: RESTHouse) async throws -> SignalClient {
            let mina = try await house.server.signedIn("mina")
            try await mina.call(
                "profile.set", ["name": "QvzName", "avatar": "https://example.org/Qvz.png", "bio": "Qvz bio"])
            return mina
        }

        private func song(of user: String, to server: TestServer) async throws {
            let sound =
                "RIFF\u{64}\u{1f}\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0\u{40}\u{1f}\0\0\u{40}\u{1f}\0\0\u{1}\0\u{8}\0"
                + "data\u{40}\u{1f}\0\0" + String(repeating: "@", count: 8000)
            let body =
                [("title", "QvzSong"), ("artist", "QvzArtist"), ("lyrics", "[00:01.00]Qvz la"), ("audio", sound)]
                .map { "--line\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }.joined()
                + "--line--\r\n"
            let made = try await PlainHTTP.send(
                "POST /v1/songs HTTP/1.1", port: server.port,
                headers: [
                    "Authorization: Bearer \(TestServer.application):\(user):\(try server.ticket(user))",
                    "Content-Type: multipart/form-data; boundary=line", "Content-Length: \(body.utf8.count)",
                ], body: body)
            #expect(made.status == 201, "\(made.text)")
        }

        /// Mina in the room of somebody else: a listener, then an admin.
        private func visit(_ mina: SignalClient, _ owner: SignalClient) async throws {
            let room: JSON = 48_213
            try await mina.call("room.enter", ["room": room])
            try await mina.call("message.send", ["room": room, "text": "Qvz hello", "id": "Qvz-1", "key": "Qvz-key"])
            try await mina.call("message.send", ["room": room, "command": "Qvz", "message": "{\"a\":\"Qvz\"}"])
            try await owner.call("message.send", ["room": room, "text": "hello"])
            try await mina.call("seat.take", ["room": room, "seat": 1, "key": "Qvz-seat"])
            try await mina.call(
                "invitation.send",
                ["room": room, "user": "owner", "command": "Qvz", "content": "Qvz please", "words": "Qvz words"])
            try await mina.call("gift.send", ["room": room, "gift": "rose", "key": "Qvz-gift"])
            try await mina.call(
                "report.send", ["room": room, "user": "owner", "cause": "spam", "words": "Qvz reported"])
            try await owner.call("report.send", ["room": room, "user": "mina", "cause": "spam", "words": "look"])
            try await owner.call("role.set", ["room": room, "user": "mina", "role": "admin"])
            try await mina.call(
                "restriction.set",
                ["room": room, "user": "kim", "kind": "chat_mute", "seconds": 600, "reason": "Qvz reason"])
            // What was written over since.
            try await mina.call("room.update", ["room": room, "name": "Qvz title", "tags": ["Qvz"]])
            try await mina.call("attributes.set", ["room": room, "set": ["theme": "Qvz"], "key": "Qvz-theme"])
            try await owner.call("room.update", ["room": room, "name": "Salon", "tags": []])
            try await owner.call("attributes.set", ["room": room, "set": ["theme": "night"]])
            try await mina.call("room.exit", ["room": room])
        }

        /// Rooms of her own, one that has ended and one that has not.
        private func host(_ mina: SignalClient) async throws {
            for (room, ends) in [(JSON.number(1), true), (.number(2), false)] {
                try await mina.call(
                    "room.create",
                    ["room": room, "kind": "chorus", "name": "Qvz salon", "tags": ["Qvz"], "cover": "/Qvz.png"])
                try await mina.call("attributes.set", ["room": room, "set": ["Qvz": "Qvz"]])
                try await mina.call("seat.take", ["room": room, "seat": 0])
                try await mina.call(
                    "song.start",
                    [
                        "room": room,
                        "song": [
                            "id": "Qvz", "title": "Qvz", "artist": "Qvz", "durationMs": 60_000,
                            "accompaniment": "/Qvz.mp3",
                        ],
                    ])
                try await mina.call(
                    "restriction.set",
                    ["room": room, "user": "kim", "kind": "ban", "everywhere": true, "reason": "Qvz banned"])
                try await mina.call(ends ? "room.destroy" : "room.exit", ["room": room])
            }
        }

        @Test(
            "R09-S nothing that an erased person wrote or was called is left in any byte of the data folder or of a later backup; ids, sums and bans are"
        )
        func bytes() async throws {
            try await RESTHouse.with { house in
                #expect(try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 30]) == "200")
                #expect(
                    try await house.outcome(
                        "POST", "users/mina/top-ups", ["coins": 100], headers: ["Idempotency-Key: a"]) == "200")
                for format in ["standard", "compatible"] {
                    // A room's own name and attributes are told without word of who gave them.
                    let hook: JSON = [
                        "url": "http://127.0.0.1:9/hook", "format": .string(format),
                        "events": [
                            "room.created", "room.destroyed", "seat.*", "song.*", "gifts.sent", "role.changed",
                            "message", "message.deleted", "invitation.*", "restriction.*", "audience.*",
                        ],
                    ]
                    #expect(try await house.outcome("POST", "webhooks", hook) == "201")
                }
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                let mina = try await signIn(house)
                try await song(of: "mina", to: house.server)
                try await visit(mina, owner)
                try await host(mina)
                #expect(
                    try await house.outcome(
                        "PUT", "users/mina/restrictions/chat_mute", ["seconds": 600, "reason": "Qvz said too much"])
                        == "200")
                let folder = house.server.directory
                #expect(try traces(in: folder).count > 50, "the test writes what it looks for")
                let earlier = folder + "/ovation.sqlite.before-restore"
                try BackupAdmin(data: folder).make(earlier)

                let erased = try await house.send("DELETE", "users/mina")
                #expect(erased.status == 200, "\(erased.text)")
                #expect(erased.json["messages"] == 2 && erased.json["songs"] == 1 && erased.json["rooms"] == [2])
                #expect(erased.json["copies"] == [.string(earlier)])
                try FileManager.default.removeItem(atPath: earlier)
                try expectNothing(in: folder)
                let later = NSTemporaryDirectory() + "ovation-later-" + UUID().uuidString
                defer { try? FileManager.default.removeItem(atPath: later) }
                try FileManager.default.createDirectory(atPath: later, withIntermediateDirectories: true)
                try BackupAdmin(data: folder).make(later + "/copy.sqlite")
                try expectNothing(in: later)

                // Nothing comes back by what others see, or by what is written afterwards.
                let jun = try await house.server.signedIn("jun")
                let entered = try await jun.call("room.enter", ["room": 48_213])
                #expect(!entered.text.contains("Qvz") && entered["snapshot"]["messages"].array.count == 3)
                #expect(try await jun.call("gift.ranking", ["room": 48_213])["supporters"][0]["coins"] == 30)
                try await jun.call("message.send", ["room": 48_213, "text": "good evening"])
                for path in [
                    "rooms", "rooms/48213", "rooms/48213/messages", "rooms/48213/restrictions", "users/mina",
                    "users/mina/statement", "users/owner/statement?account=earnings", "restrictions",
                    "reports?all=true",
                    "audit?limit=500",
                ] {
                    let answer = try await house.send("GET", path)
                    #expect(answer.status == 200 && !answer.text.contains("Qvz"), "\(path): \(answer.text)")
                }
                #expect(try await house.send("GET", "users/mina/wallet").json["coins"] == 70)
                #expect(try await house.outcome("GET", "rooms/2").hasPrefix("4"))
                try expectNothing(in: folder)
            }
        }

        @Test(
            "R09-S webhooks that wait to be told of a room that has ended learn its name no more, once one of its people is erased; that of a living room they learn, whoever had its id before"
        )
        func newsOfEndedRooms() async throws {
            try await RESTHouse.with { house in
                for format in ["standard", "compatible"] {
                    let hook: JSON = [
                        "url": "http://127.0.0.1:9/hook", "format": .string(format),
                        "events": ["room.*", "attributes.*"],
                    ]
                    #expect(try await house.outcome("POST", "webhooks", hook) == "201")
                }
                let (owner, mina) = (try await house.server.signedIn("owner"), try await house.server.signedIn("mina"))
                try await owner.call("room.create", ["room": "1", "name": "Qvz salon", "tags": ["Qvz"]])
                try await mina.call("room.enter", ["room": "1"])
                try await owner.call("role.set", ["room": "1", "user": "mina", "role": "admin"])
                try await mina.call("room.update", ["room": "1", "name": "Qvz evening", "cover": "/Qvz.png"])
                try await owner.call("room.update", ["room": "1", "name": "Qvz night"])
                try await mina.call("attributes.set", ["room": "1", "set": ["Qvz": "Qvz"]])
                try await owner.call("room.destroy", ["room": "1"])
                // Another person's, of another room of the same name in numbers, and of a later one with the same id.
                try await owner.call("room.create", ["room": 1, "name": "Kept"])
                try await owner.call("room.exit", ["room": 1])
                try await owner.call("room.create", ["room": "1", "name": "Living"])
                let folder = house.server.directory
                #expect(try traces(in: folder).count > 5, "the test writes what it looks for")
                #expect(try await house.outcome("DELETE", "users/mina") == "200")
                try expectNothing(in: folder)
                // As the compatible format writes it, and nothing else.
                #expect(try traces(of: #""Name":"Living""#, in: folder).count > 0)
                let kept = try await house.send("GET", "rooms/1")
                #expect(kept.json["info"]["name"] == "Kept", "\(kept.text)")
            }
        }

        @Test("R09-S after a restart the rooms in which an erased person was are as they were, without them")
        func restart() async throws {
            try await RESTHouse.with { house in
                #expect(try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 30]) == "200")
                #expect(
                    try await house.outcome(
                        "POST", "users/mina/top-ups", ["coins": 100], headers: ["Idempotency-Key: a"]) == "200")
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                try await owner.call("seat.take", ["room": 48_213, "seat": 0])
                try await visit(try await signIn(house), owner)
                #expect(try await house.outcome("DELETE", "users/mina") == "200")
                let before = try await house.send("GET", "rooms/48213").json
                try await house.server.stop()
                let again = try await TestServer.start(directory: house.server.directory)
                let reborn = RESTHouse(server: again, keys: house.keys)
                let after = try await reborn.send("GET", "rooms/48213").json
                for field in ["seq", "chat", "likes", "gifts", "attributes"] {
                    #expect(after[field] == before[field], "\(field)")
                }
                #expect(after["seats"][0]["user"] == "owner" && after["info"]["name"] == "Salon")
                try expectNothing(in: again.directory)
                try await again.stop()
            }
        }
    }
}
