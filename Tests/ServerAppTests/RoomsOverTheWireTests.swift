import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// The room calls from end to end, as a client sees them; every rule has its own tests beside the rules.
    @Suite struct RoomsOverTheWireTests {
        /// An owner in a new room, and guests who have entered it.
        private func salon(
            _ server: TestServer, _ fields: [String: JSON] = [:], guests: [String]
        ) async throws -> (room: JSON, owner: SignalClient, guests: [SignalClient]) {
            let owner = try await server.signedIn("owner")
            var params: [String: JSON] = ["name": "Evening salon", "seats": 4]
            params.merge(fields) { _, new in new }
            let room = try await owner.call("room.create", .object(params))["room"]
            var entered: [SignalClient] = []
            for name in guests {
                let guest = try await server.signedIn(name)
                try await guest.call("room.enter", ["room": room])
                entered.append(guest)
            }
            return (room, owner, entered)
        }

        @Test("V01-S a room is created with all its settings; again by its owner, not by another")
        func create() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signedIn("alice")
                let seats: JSON = [["muted": true], [:], ["closed": true]]
                let created = try await alice.call(
                    "room.create",
                    [
                        "room": "my salon!", "name": "이브닝", "cover": "/covers/1.svg", "tags": ["music", "late"],
                        "seats": seats, "needsRequest": true,
                    ])
                #expect(created["room"] == "my salon!")
                let info = created["snapshot"]["info"]
                #expect(info["name"] == "이브닝" && info["cover"] == "/covers/1.svg" && info["needsRequest"] == true)
                #expect(info["tags"] == ["music", "late"] && info["kind"] == "voice")
                #expect(created["snapshot"]["seats"].array.map { $0["state"].string } == ["empty", "empty", "closed"])
                #expect(created["snapshot"]["seats"][0]["muted"] == true)
                #expect(created["snapshot"]["me"]["role"] == "owner")

                let again = try await alice.call("room.create", ["room": "my salon!", "name": "Another name"])
                #expect(again["snapshot"]["info"]["name"] == "Another name")
                let bob = try await server.signedIn("bob")
                #expect(try await bob.refusal("room.create", ["room": "my salon!", "name": "Mine"]) == "room_id_taken")
                #expect(try await alice.refusal("room.create", ["name": "A second"]) == "in_another_room")
            }
        }

        @Test("V02-S destroying a room tells everybody once and frees them to enter another")
        func destroy() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob", "carol"])
                #expect(try await guests[0].refusal("room.destroy", ["room": room]) == "permission_denied")
                try await owner.call("room.destroy", ["room": room])
                for client in guests {
                    let end = try await client.event("room.destroyed")
                    #expect(end["reason"] == "owner" && end["summary"]["peak"] == 3)
                    #expect(try await client.refusal("room.enter", ["room": room]) == "room_closed")
                    try await client.call("room.list")
                    #expect(client.events.filter { $0["type"] == "room.destroyed" }.count == 1)
                }
                try await guests[0].call("room.create", ["name": "The next"])
            }
        }

        @Test(
            "V03-S entering shows all, others are told once; leaving frees the seat first; an owner's leaving is an absence"
        )
        func enterAndExit() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob"])
                try await owner.call("seat.take", ["room": room, "seat": 0])
                try await guests[0].call("seat.take", ["room": room, "seat": 3])

                let carol = try await server.signedIn("carol")
                let snapshot = try await carol.call("room.enter", ["room": room])["snapshot"]
                #expect(snapshot["seats"].array.map { $0["user"].string } == ["owner", nil, nil, "bob"])
                #expect(snapshot["memberCount"] == 3)
                let entered = try await owner.event("audience.entered") { $0["member"]["id"] == "carol" }
                #expect(entered["member"]["role"] == "member")

                try await guests[0].call("room.exit", ["room": room])
                let left = try await owner.event("audience.left") { $0["user"] == "bob" }
                #expect(left["reason"] == "left")
                let types = owner.events.compactMap { $0["type"].string }
                let freed = try #require(types.lastIndex(of: "seat.left"))
                let gone = try #require(types.lastIndex(of: "audience.left"))
                #expect(freed < gone)
                #expect(types.filter { $0 == "audience.entered" }.count == 2)

                try await owner.call("room.exit", ["room": room])
                try await carol.event("owner.absent")
                #expect(
                    try await carol.refusal("message.send", ["room": room, "text": "still here"]).hasPrefix("accepted"))
                try await owner.call("room.enter", ["room": room])
                try await carol.event("owner.back")
            }
        }

        @Test("V19-S the operator's time for an absent owner is the one that counts")
        func absentOwner() async throws {
            try await TestServer.with(configure: { $0.roomsOwnerAbsenceSeconds = 1 }) { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob"])
                try await owner.call("room.exit", ["room": room])
                #expect(try await guests[0].event("room.destroyed")["reason"] == "owner_absent")
            }
        }

        @Test("V04-S V05-S V06-S seats: take, leave, pick, kick, mute, close, each with its event and its refusal")
        func seats() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob"])
                let bob = guests[0]
                try await bob.call("seat.take", ["room": room, "seat": 1])
                #expect(try await owner.event("seat.taken")["user"]["id"] == "bob")
                #expect(try await owner.refusal("seat.take", ["room": room, "seat": 1]) == "seat_taken")
                try await bob.call("seat.leave", ["room": room])
                #expect(try await owner.event("seat.left")["reason"] == "left")
                #expect(try await bob.refusal("seat.leave", ["room": room]) == "not_seated")

                try await owner.call("seat.mute", ["room": room, "seat": 2, "muted": true])
                try await owner.call("seat.pick", ["room": room, "seat": 2, "user": "bob"])
                #expect(try await bob.refusal("microphone.set", ["room": room, "muted": false]) == "seat_muted")
                try await owner.call("seat.mute", ["room": room, "seat": 2, "muted": false])
                try await bob.call("microphone.set", ["room": room, "muted": true])
                let muted = try await owner.event("microphone.muted")
                #expect(muted["user"] == "bob" && muted["muted"] == true)
                #expect(try await bob.refusal("seat.kick", ["room": room, "seat": 2]) == "permission_denied")
                try await owner.call("seat.kick", ["room": room, "seat": 2])
                try await bob.event("seat.left") { $0["reason"] == "kicked" && $0["by"] == "owner" }

                try await owner.call("seat.close", ["room": room, "seat": 0, "closed": true])
                #expect(try await bob.event("seat.closed")["seat"]["state"] == "closed")
                #expect(try await bob.refusal("seat.take", ["room": room, "seat": 0]) == "seat_closed")
                #expect(try await bob.refusal("seat.take", ["room": room, "seat": 4]) == "seat_not_found")
            }
        }

        @Test(
            "V08-S the caller's answer stands before the event that the call caused, for every call and everybody's order is the same"
        )
        func order() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, ["seats": 8], guests: ["bob", "carol", "dave"])
                let clients = [owner] + guests
                // All at once, without waiting for anything.
                var ids: [[Int]] = []
                for (index, client) in clients.enumerated() {
                    ids.append([
                        client.send("seat.take", ["room": room, "seat": .number(Double(index))]),
                        client.send("message.send", ["room": room, "text": .string("from \(index)")]),
                        client.send("microphone.set", ["room": room, "muted": true]),
                        client.send("seat.leave", ["room": room]),
                    ])
                }
                for (client, ids) in zip(clients, ids) {
                    for id in ids { _ = try await client.answer(to: id) }
                    _ = try await client.events(16) { ($0["seq"].int ?? 0) > 1 || !$0["chat"].isNull }
                }
                for (index, client) in clients.enumerated() {
                    let heard = client.heard
                    let name = ["owner", "bob", "carol", "dave"][index]
                    for (id, type) in zip(ids[index], ["seat.taken", "message", "microphone.muted", "seat.left"]) {
                        let answer = try #require(heard.firstIndex { $0["id"].int == id })
                        let event = try #require(
                            heard.firstIndex { message in
                                message["params"]["events"].array.contains {
                                    $0["type"].string == type
                                        && [$0["user"], $0["user"]["id"], $0["from"]["id"]].contains(.string(name))
                                }
                            })
                        #expect(answer < event, "\(name): \(type)")
                    }
                }
                let orders = clients.map { client in
                    client.events.filter { !$0["seq"].isNull }.compactMap { $0["seq"].int }.filter { $0 > 1 }
                }
                for order in orders { #expect(order == Array(2..<(2 + order.count))) }
            }
        }

        @Test("V09-S moving to another seat is one notification, and at most once a second")
        func move() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob"])
                try await guests[0].call("seat.take", ["room": room, "seat": 0])
                try await guests[0].call("seat.move", ["room": room, "seat": 2])
                #expect(try await guests[0].refusal("seat.move", ["room": room, "seat": 3]) == "too_frequent")
                let note = try await owner.first("a move") { message in
                    message["params"]["events"].array.contains { $0["reason"] == "moved" }
                }
                #expect(
                    note["params"]["events"].array.compactMap { $0["type"].string }.suffix(2) == [
                        "seat.left", "seat.taken",
                    ])
            }
        }

        @Test("V10-S V21-S asking for a seat: consent is needed, asked for, given, used once")
        func invitations() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, ["needsRequest": true], guests: ["bob", "carol"])
                let bob = guests[0]
                #expect(try await bob.refusal("seat.take", ["room": room, "seat": 1]) == "consent_required")
                let first = try await bob.call(
                    "invitation.send", ["room": room, "user": "owner", "command": "ENTER_SEAT", "content": "1"])
                let second = try await guests[1].call(
                    "invitation.send", ["room": room, "user": "owner", "command": "ENTER_SEAT", "content": "2"])
                #expect(first["position"] == 1 && second["position"] == 2)
                let received = try await owner.event("invitation.received") { $0["invitation"]["from"] == "bob" }
                #expect(received["invitation"]["content"] == "1")
                #expect(
                    try await guests[1].refusal("invitation.accept", ["room": room, "id": first["id"]])
                        == "invitation_denied")
                try await owner.call("invitation.accept", ["room": room, "id": first["id"]])
                try await bob.event("invitation.accepted") { $0["by"] == "owner" }
                try await bob.call("seat.take", ["room": room, "seat": 1])
                try await bob.call("seat.leave", ["room": room])
                #expect(try await bob.refusal("seat.take", ["room": room, "seat": 1]) == "consent_required")

                try await owner.call("invitation.reject", ["room": room, "id": second["id"], "reason": "full tonight"])
                let no = try await guests[1].event("invitation.rejected")
                #expect(no["invitation"]["reason"] == "full tonight")
                let third = try await owner.call("invitation.send", ["room": room, "user": "bob", "command": "COME"])
                try await owner.call("invitation.cancel", ["room": room, "id": third["id"]])
                try await bob.event("invitation.cancelled")
                // Private: the other guest heard nothing of Bob's.
                try await guests[1].call("clock.read")
                #expect(
                    !guests[1].events.contains { $0["invitation"]["from"] == "bob" || $0["invitation"]["to"] == "bob" })
            }
        }

        @Test("V21-S where the application makes consent advisory, anybody sits down in a room that asks for requests")
        func advisoryConsent() async throws {
            try await TestServer.with(consent: .advisory) { server async throws in
                let (room, owner, guests) = try await salon(server, ["needsRequest": true], guests: ["bob"])
                #expect(try await guests[0].call("room.get", ["rooms": [room]])["rooms"][0]["needsRequest"] == true)
                try await guests[0].call("seat.take", ["room": room, "seat": 1])
                try await owner.event("seat.taken") { $0["user"]["id"] == "bob" }
            }
        }

        @Test("V21-S a room that is created with consent advisory seats whoever sits down, also after a restart")
        func advisoryRoom() async throws {
            let directory = NSTemporaryDirectory() + "ovation-test-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            let (room, owner, guests) = try await salon(
                before, ["needsRequest": true, "consent": "advisory"], guests: ["bob"])
            try await guests[0].call("seat.take", ["room": room, "seat": 1])
            try await owner.event("seat.taken") { $0["user"]["id"] == "bob" }
            #expect(try await owner.refusal("room.create", ["name": "x", "consent": "perhaps"]) == "invalid_params")
            try await before.stop()
            let after = try await TestServer.start(directory: directory)
            let carol = try await after.signedIn("carol")
            try await carol.call("room.enter", ["room": room])
            try await carol.call("seat.take", ["room": room, "seat": 2])
            try await after.stop()
        }

        @Test(
            "G04-S in a flood of messages the senders of those that are too much are told, lower priorities first, and seats go on"
        )
        func budget() async throws {
            try await TestServer.with(configure: { $0.roomsMessagesPerSecond = 4 }) { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob"])
                let (bob, carol) = (guests[0], try await server.signedIn("carol"))
                try await carol.call("room.enter", ["room": room])
                func say(_ text: String, _ priority: String, by client: SignalClient) async throws -> String {
                    try await client.refusal(
                        "message.send", ["room": room, "text": .string(text), "priority": .string(priority)])
                }
                var passed: [String: Int] = [:]
                for _ in 0..<30 {
                    for priority in ["low", "normal"] where try await say("flood", priority, by: bob) != "rate_limited"
                    {
                        passed[priority, default: 0] += 1
                    }
                }
                #expect((passed["normal"] ?? 0) > 0)
                try await carol.call("seat.take", ["room": room, "seat": 1])
                try await owner.event("seat.taken") { $0["user"]["id"] == "carol" }
                // What is kept for it is there, whoever has flooded the room.
                #expect(try await say("matters", "high", by: carol) != "rate_limited")
                try await owner.event("message") { $0["text"] == "matters" }
                let wrong = try await carol.refusal("message.send", ["room": room, "text": "x", "priority": "urgent"])
                #expect(wrong == "invalid_params")
            }
        }

        @Test("G02-S a call about gifts that is malformed is refused by its parameter, moves nothing, and harms nobody")
        func malformedGifts() async throws {
            try await TestServer.with { server async throws in
                let (room, _, guests) = try await salon(server, guests: ["bob"])
                let bob = guests[0]
                let sound: [String: JSON] = [
                    "room": room, "gift": "rose", "count": 1, "to": "alice", "key": "a key",
                ]
                let wrong: [(String, JSON)] = [
                    ("gift", 5), ("gift", nil), ("count", 0), ("count", -1), ("count", 1_000), ("count", 1.5),
                    ("count", "2"), ("count", 1e300), ("to", "no id!"), ("to", 7), ("key", ""), ("key", nil),
                    ("key", .string(String(repeating: "k", count: 65))), ("key", "é"),
                ]
                for (name, value) in wrong {
                    var params = sound
                    params[name] = value
                    let refusal = try await bob.refusal("gift.send", .object(params))
                    #expect(["invalid_params", "user_id_invalid"].contains(refusal), "\(name): \(refusal)")
                }
                // Well-formed, and no such gift here: this application offers none.
                let toOwner = JSON.object(sound.filter { $0.key != "to" })
                #expect(try await bob.refusal("gift.send", toOwner) == "gift_unknown")
                #expect(try await bob.call("gift.list")["gifts"].array.isEmpty)
                for (name, value) in [
                    ("account", "shop"), ("account", 1), ("limit", 0), ("limit", 101), ("cursor", "x"), ("cursor", 3),
                ] as [(String, JSON)] {
                    #expect(try await bob.refusal("wallet.statement", [name: value]) == "invalid_params", "\(name)")
                }
                #expect(try await bob.call("wallet.statement")["entries"].array.isEmpty)
                #expect(try await bob.refusal("wallet.faucet", ["key": "f"]) == "permission_denied")
                // Who is not in the room gives nothing there.
                let stranger = try await server.signedIn("mallory")
                #expect(try await stranger.refusal("gift.send", .object(sound)) == "not_in_room")
                #expect(try await bob.call("wallet.get")["coins"].int == 0)
            }
        }

        @Test(
            "V16-S texts and custom messages reach everybody once, in one order, with the sender; late comers see the last ones"
        )
        func messages() async throws {
            try await TestServer.with(configure: { $0.roomsMessagesPerSecond = 1_000 }) { server async throws in
                let (room, owner, guests) = try await salon(server, guests: ["bob", "carol"])
                let clients = [owner] + guests
                for round in 0..<10 {
                    for (index, client) in clients.enumerated() {
                        _ = client.send(
                            "message.send",
                            ["room": room, "text": .string("\(index)-\(round)"), "id": .string("\(index).\(round)")])
                    }
                }
                let last = try await owner.call(
                    "message.send", ["room": room, "command": "CMD_DANMU", "message": "{\"x\":1}"])
                #expect((last["chat"].int ?? 0) > 0)
                var orders: [[JSON]] = []
                for client in clients {
                    try await client.event("message") { $0["chat"].int == 31 }
                    orders.append(client.events.filter { $0["type"] == "message" })
                }
                #expect(orders[0].map { $0["chat"].int } == Array(1...31))
                #expect(orders[0] == orders[1] && orders[1] == orders[2])
                #expect(orders[0].contains { $0["command"] == "CMD_DANMU" && $0["from"]["name"] == "Owner" })
                #expect(orders[0].first { $0["text"] == "1-0" }?["id"] == "1.0")

                let dave = try await server.signedIn("dave")
                let snapshot = try await dave.call("room.enter", ["room": room])["snapshot"]
                #expect(snapshot["messages"].array.count == 31)
                let large = String(repeating: "가", count: 4097)
                #expect(
                    try await dave.refusal("message.send", ["room": room, "text": .string(large)])
                        == "message_too_large")
                #expect(try await dave.refusal("message.send", ["room": 99999, "text": "x"]) == "room_not_found")
            }
        }

        @Test(
            "A05-S A06-S A09-S rooms and people are found: request order, unknown ids dropped, closed and unknown ids differ"
        )
        func directory() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, guests) = try await salon(server, ["tags": ["jazz"]], guests: ["bob"])
                let other = try await server.signedIn("other")
                let second = try await other.call("room.create", ["name": "Quiet corner"])["room"]
                let infos = try await owner.call("room.get", ["rooms": [second, 4_000_000_000, room]])["rooms"].array
                #expect(infos.map { $0["room"] } == [second, room])
                let found = try await owner.call("room.list", ["query": "quiet"])["rooms"].array
                #expect(found.map { $0["room"] } == [second])
                let jazz = try await owner.call("room.list", ["tag": "jazz", "kind": "voice"])["rooms"].array
                #expect(jazz.map { $0["room"] } == [room] && jazz[0]["memberCount"] == 2)
                let singer = try await server.signedIn("singer")
                let duet = try await singer.call("room.create", ["name": "Duet", "kind": "chorus", "cover": "/c.png"])[
                    "room"]
                let duets = try await owner.call("room.list", ["kind": "chorus"])["rooms"].array
                #expect(duets.map { $0["room"] } == [duet] && duets[0]["cover"] == "/c.png")
                try await singer.call("room.destroy", ["room": duet])
                #expect(try await owner.call("room.list", ["kind": "chorus"])["rooms"].array.isEmpty)
                #expect(try await owner.refusal("room.list", ["kind": "opera"]) == "invalid_params")
                let page = try await owner.call("room.list", ["limit": 1])
                let next = try await owner.call("room.list", ["limit": 1, "cursor": page["cursor"]])
                #expect(page["rooms"].array.map { $0["room"] } == [second])
                #expect(next["rooms"].array.map { $0["room"] } == [room] && next["cursor"].isNull)

                let people = try await owner.call("room.members", ["room": room, "users": ["bob", "nobody", "owner"]])
                #expect(people["members"].array.map { $0["id"].string } == ["bob", "owner"])
                #expect(try await owner.call("room.members", ["room": room])["count"] == 2)
                #expect(try await other.refusal("room.members", ["room": room]) == "not_in_room")

                #expect(try await guests[0].refusal("room.enter", ["room": 4_000_000_001]) == "room_not_found")
                #expect(try await guests[0].refusal("room.enter", ["room": 0]) == "room_id_invalid")
                #expect(try await guests[0].refusal("room.enter", ["room": second]) == "in_another_room")
            }
        }

        @Test("A07-S the number 123 and the string \"123\" are different rooms")
        func identifiers() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signedIn("alice")
                let bob = try await server.signedIn("bob")
                #expect(try await alice.call("room.create", ["room": 123, "name": "Number"])["room"] == 123)
                #expect(try await bob.call("room.create", ["room": "123", "name": "String"])["room"] == "123")
                let infos = try await bob.call("room.get", ["rooms": ["123", 123]])["rooms"].array
                #expect(infos.map { $0["name"].string } == ["String", "Number"])
            }
        }

        @Test("a repeated key gets the first answer, and another body under it is refused")
        func idempotency() async throws {
            try await TestServer.with { server async throws in
                let (room, owner, _) = try await salon(server, guests: [])
                let first = try await owner.call("message.send", ["room": room, "text": "once", "key": "k1"])
                let again = try await owner.call("message.send", ["room": room, "text": "once", "key": "k1"])
                #expect(first == again)
                #expect(
                    try await owner.refusal("message.send", ["room": room, "text": "twice", "key": "k1"])
                        == "key_reused")
                #expect(try await owner.call("room.enter", ["room": room])["snapshot"]["chat"] == 1)
            }
        }
    }
}
