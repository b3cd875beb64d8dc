import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// Signing in over a real socket: who is let in, who is told what, and what becomes of sessions.
    @Suite struct SessionTests {
        @Test("A02-S a ticket signs in, and each wrong one is refused with its own name and reason")
        func tickets() async throws {
            try await TestServer.with { server async throws in
                var now: Int64 { Int64(Date().timeIntervalSince1970) }
                func refusal(_ changes: [String: JSON] = [:]) async throws -> SignalClient.Refused? {
                    let client = try await server.client()
                    guard case .object(var fields) = try server.opening("alice") else { return nil }
                    fields.merge(changes) { _, changed in changed }
                    do {
                        try await client.call("session.open", .object(fields))
                        return nil
                    } catch let refused as SignalClient.Refused {
                        return refused
                    }
                }
                #expect(try await refusal() == nil)

                let empty = try await refusal(["ticket": ""])
                #expect(empty?.name == "ticket_empty")
                #expect(empty?.code == -3320)
                let malformed = try await refusal(["ticket": "garbage"])
                #expect(malformed?.code == -100018 && malformed?.error["data"]["reason"] == "malformed")
                let forged = try await refusal(["ticket": .string(try server.ticket("alice", key: "guessed"))])
                #expect(forged?.code == -100018 && forged?.error["data"]["reason"] == "signature")
                let others = try await refusal(["ticket": .string(try server.ticket("bob"))])
                #expect(others?.code == -100018 && others?.error["data"]["reason"] == "user")
                let elsewhere = try await refusal(["ticket": .string(try server.ticket("alice", application: 5))])
                #expect(elsewhere?.code == -100018 && elsewhere?.error["data"]["reason"] == "app")
                let expired = try await refusal([
                    "ticket": .string(try server.ticket("alice", lifetime: 10, issuedAt: now - 100))
                ])
                #expect(expired?.name == "ticket_expired" && expired?.code == -100018)
                let early = try await refusal(["ticket": .string(try server.ticket("alice", issuedAt: now + 4000))])
                #expect(early?.name == "ticket_not_yet_valid")
                #expect((3_940...4_000).contains(early?.error["data"]["skewSeconds"].int ?? 0))

                #expect(try await refusal(["app": 12345])?.name == "app_unknown")
                #expect(try await refusal(["user": "not a user!"])?.code == -3319)
                #expect(try await refusal(["version": 2])?.error["data"]["field"] == "version")
                // R08: a wrong clock, an expired ticket and a forged one read differently.
                let messages: [String] = try [expired, early, forged].map { refused in
                    try #require(refused?.error["message"].string)
                }
                #expect(Set(messages).count == 3)
            }
        }

        @Test("A04-S the same user signs in twice: the older session is told 6208 and closed")
        func replaced() async throws {
            try await TestServer.with { server async throws in
                let first = try await server.signedIn("alice")
                let second = try await server.signedIn("alice")
                #expect(try await first.closeCode() == 4001)
                let notice = try await first.first("session.closed") { $0["method"] == "session.closed" }
                #expect(notice["params"]["code"] == 6208)
                #expect(notice["params"]["name"] == "session_replaced")
                // The newer one is untouched.
                #expect(try await second.call("clock.read")["time"].int ?? 0 > 0)
            }
        }

        @Test(
            "A04-S who signs in elsewhere keeps the seat for the grace time, and the older session's secret is worth nothing"
        )
        func replacedInARoom() async throws {
            try await TestServer.with { server async throws in
                let phone = try await server.client()
                let opened = try await phone.call("session.open", try server.opening("alice"))
                let room = try await phone.call("room.create", ["name": "Salon", "seats": 2])["room"]
                try await phone.call("seat.take", ["room": room, "seat": 1])
                let bob = try await server.signedIn("bob")
                try await bob.call("room.enter", ["room": room])

                let laptop = try await server.signedIn("alice")
                // Already: the room has let go of the phone before the laptop was answered, whenever the phone's socket goes.
                let members = try await bob.call("room.members", ["room": room, "users": ["alice"]])["members"]
                #expect(members[0]["presence"] == "reconnecting")
                #expect(try await phone.closeCode() == 4001)
                try await bob.event("presence") { $0["user"] == "alice" && $0["presence"] == "reconnecting" }
                #expect(try await laptop.refusal("seat.leave", ["room": room]) == "not_in_room")
                let entered = try await laptop.call("room.enter", ["room": room])["snapshot"]
                #expect(entered["seats"][1]["user"] == "alice" && entered["memberCount"] == 2)
                try await bob.event("presence") { $0["user"] == "alice" && $0["presence"] == "online" }
                #expect(!bob.events.contains { $0["type"] == "seat.left" || $0["type"] == "audience.left" })
                // Nothing of the phone is left to wait for: who goes now is gone, seat and all.
                try await laptop.call("room.exit", ["room": room])
                #expect(try await bob.event("seat.left") { $0["user"]["id"] == "alice" }["reason"] == "exited")

                // The page that was closed does not know it yet, and tries to resume: that is a session of its own.
                let late = try await server.client()
                let again = try await late.call(
                    "session.open", try server.opening("alice", resume: opened["session"].string))
                #expect(again["resumed"] == false && again["rooms"] == [])
                #expect(again["session"] != opened["session"])
                #expect(try await laptop.closeCode() == 4001)
            }
        }

        @Test(
            "A04-S where the application allows it a user who signs in twice is live twice, and each session ends alone"
        )
        func bothLive() async throws {
            try await TestServer.with(secondSession: .allowed) { server async throws in
                let phone = try await server.signedIn("alice")
                let room = try await phone.call("room.create", ["name": "Salon", "seats": 2])["room"]
                try await phone.call("seat.take", ["room": room, "seat": 1])
                let laptop = try await server.signedIn("alice")
                let entered = try await laptop.call("room.enter", ["room": room])["snapshot"]
                #expect(entered["memberCount"] == 1 && entered["seats"][1]["user"] == "alice")
                try await phone.call("message.send", ["room": room, "text": "from the phone"])
                try await laptop.event("message") { $0["text"] == "from the phone" }
                try await laptop.call("message.send", ["room": room, "text": "from the laptop"])
                try await phone.event("message") { $0["text"] == "from the laptop" }

                try await phone.call("session.close")
                #expect(try await phone.closeCode() == 4006)
                let now = try await laptop.call("room.members", ["room": room, "users": ["alice"]])["members"]
                #expect(now.array.count == 1, "the person is still there")
                try await laptop.call("message.send", ["room": room, "text": "alone"])
            }
        }

        @Test(
            "V19-S a session that is resumed while its older connection still stands closes that one and loses nothing")
        func takenOver() async throws {
            try await TestServer.with { server async throws in
                let old = try await server.client()
                let opened = try await old.call("session.open", try server.opening("alice"))
                let room = try await old.call("room.create", ["name": "Salon"])["room"]
                try await old.call("seat.take", ["room": room, "seat": 0])
                let bob = try await server.signedIn("bob")
                try await bob.call("room.enter", ["room": room])

                let new = try await server.client()
                let resumed = try await new.call(
                    "session.open", try server.opening("alice", resume: opened["session"].string))
                #expect(resumed["resumed"] == true && resumed["session"] == opened["session"])
                #expect(try await old.closeCode() == 4001)
                let entered = try await new.call("room.enter", ["room": room])["snapshot"]
                #expect(entered["seats"][0]["user"] == "alice" && entered["seats"][0]["presence"] == "online")
                // The end of the old connection is not the end of the session, which goes on by the new one.
                try await bob.call("message.send", ["room": room, "text": "still there?"])
                try await new.event("message") { $0["text"] == "still there?" }
                #expect(!bob.events.contains { $0["type"] == "presence" })
            }
        }

        @Test(
            "V19-S what the room cannot tell exactly is answered with a snapshot: another life, numbers from the future"
        )
        func noGap() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signedIn("alice")
                let created = try await alice.call("room.create", ["name": "Salon"])
                let room = created["room"]
                let now = created["snapshot"]
                guard let epoch = now["epoch"].int, let seq = now["seq"].int, let chat = now["chat"].int else {
                    Issue.record("\(now.text)")
                    return
                }
                for (what, since) in [
                    ("another life", (epoch + 1, seq, chat)), ("a future event", (epoch, seq + 1, chat)),
                    ("a future message", (epoch, seq, chat + 1)), ("an earlier room of that id", (0, seq, chat)),
                ] {
                    let point: JSON = [
                        "epoch": .number(Double(since.0)), "seq": .number(Double(since.1)),
                        "chat": .number(Double(since.2)),
                    ]
                    let entered = try await alice.call("room.enter", ["room": room, "since": point])
                    #expect(entered["resumed"] == false && entered["events"].isNull, "\(what)")
                    #expect(entered["snapshot"]["info"]["name"] == "Salon", "\(what)")
                }
                let exact = try await alice.call(
                    "room.enter",
                    ["room": room, "since": ["epoch": now["epoch"], "seq": now["seq"], "chat": now["chat"]]])
                #expect(exact["resumed"] == true && exact["events"] == [] && exact["snapshot"].isNull)
            }
        }

        @Test("A04-S a profile is set, shown to others, kept over a restart, and bad names are refused")
        func profiles() async throws {
            let directory = NSTemporaryDirectory() + "ovation-test-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            var server = try await TestServer.start(directory: directory)
            let alice = try await server.signedIn("alice")
            try await alice.call("profile.set", ["name": "앨리스", "avatar": "https://example.org/a.png"])
            try await alice.call("profile.set", ["bio": "노래하는 사람"])
            for bad: JSON in [
                ["name": ""], ["name": "   "], ["name": .string(String(repeating: "a", count: 65))],
                ["name": "a\u{1}b"],
                ["avatar": "javascript:alert(1)"], ["avatar": "data:image/png;base64,AAAA"],
                ["avatar": .string("https://" + String(repeating: "a", count: 500))],
            ] {
                #expect(try await alice.refusal("profile.set", bad) == "invalid_params", "\(bad.text)")
                guard case .object(var opening) = try server.opening("carol"), case .object(let profile) = bad else {
                    preconditionFailure("a literal object")
                }
                opening.merge(profile) { $1 }
                #expect(
                    try await server.client().refusal("session.open", .object(opening)) == "invalid_params",
                    "\(bad.text)")
            }
            try await server.stop()

            server = try await TestServer.start(directory: directory)
            let bob = try await server.signedIn("bob")
            let users = try await bob.call("profile.get", ["users": ["bob", "nobody", "alice"]])["users"].array
            #expect(users.map { $0["id"].string } == ["bob", "alice"])
            #expect(users.last?["name"] == "앨리스")
            #expect(users.last?["avatar"] == "https://example.org/a.png" && users.last?["bio"] == "노래하는 사람")
            try await server.stop()
        }

        @Test("A10-S a ticket is renewed without losing the seat; only one's own will do")
        func renewal() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signedIn("alice", lifetime: 3)
                let room = try await alice.call("room.create", ["name": "Salon"])["room"]
                try await alice.call("seat.take", ["room": room, "seat": 0])
                #expect(
                    try await alice.refusal("session.renew", ["ticket": .string(try server.ticket("bob"))])
                        == "ticket_failed")
                let renewed = try await alice.call("session.renew", ["ticket": .string(try server.ticket("alice"))])
                #expect((86_390...86_400).contains(renewed["expiresInSeconds"].int ?? 0))

                // Somebody whose ticket ends after the first of Alice's sees that she still sits there.
                let bob = try await server.signedIn("bob", lifetime: 4)
                try await bob.call("room.enter", ["room": room])
                #expect(try await bob.closeCode() == 4002)
                let seats = try await alice.call("room.enter", ["room": room])["snapshot"]["seats"]
                #expect(seats[0]["user"] == "alice")
            }
        }

        @Test("A10-S a ticket that runs out ends the session with 6206, and an expired one does not come back")
        func expiry() async throws {
            try await TestServer.with { server async throws in
                let client = try await server.client()
                let opened = try await client.call("session.open", try server.opening("alice", lifetime: 2))
                #expect((0...2).contains(opened["expiresInSeconds"].int ?? -1))
                #expect(try await client.closeCode() == 4002)
                let notice = try await client.first("session.closed") { $0["method"] == "session.closed" }
                #expect(notice["params"]["code"] == 6206)

                let again = try await server.client()
                let old = try server.ticket("alice", lifetime: 2, issuedAt: Int64(Date().timeIntervalSince1970) - 10)
                guard case .object(var fields) = try server.opening("alice") else { return }
                fields["ticket"] = .string(old)
                fields["resume"] = opened["session"]
                #expect(try await again.refusal("session.open", .object(fields)) == "ticket_expired")
            }
        }

        @Test(
            "V19-S a dropped connection is resumed with the session's secret: same seat, exact gap, and nothing without the secret"
        )
        func resume() async throws {
            try await TestServer.with { server async throws in
                let client = try await server.client()
                let opened = try await client.call("session.open", try server.opening("alice"))
                let created = try await client.call("room.create", ["name": "Salon", "seats": 4])
                let room = created["room"]
                try await client.call("seat.take", ["room": room, "seat": 2])
                let bob = try await server.signedIn("bob")
                let seen = try await bob.call("room.enter", ["room": room])["snapshot"]
                await client.drop()
                let lost = try await bob.event("presence") { $0["user"] == "alice" && $0["presence"] == "reconnecting" }
                #expect((lost["until"].int ?? 0) > (created["snapshot"]["info"]["createdAt"].int ?? .max))
                try await bob.call("message.send", ["room": room, "text": "while you were away"])

                let back = try await server.client()
                let resumed = try await back.call(
                    "session.open", try server.opening("alice", resume: opened["session"].string))
                #expect(resumed["resumed"] == true)
                #expect(resumed["rooms"] == [room])
                let entered = try await back.call(
                    "room.enter",
                    ["room": room, "since": ["epoch": seen["epoch"], "seq": seen["seq"], "chat": seen["chat"]]])
                #expect(entered["resumed"] == true)
                #expect(entered["events"].array.compactMap { $0["text"].string } == ["while you were away"])
                try await bob.event("presence") { $0["user"] == "alice" && $0["presence"] == "online" }

                // Another user's secret, or none, opens a session of one's own.
                let mallory = try await server.client()
                let own = try await mallory.call(
                    "session.open", try server.opening("mallory", resume: resumed["session"].string))
                #expect(own["resumed"] == false)
                #expect(own["session"] != resumed["session"])
                #expect(own["rooms"] == [])
                #expect(try await back.call("clock.read")["time"].int ?? 0 > 0)
            }
        }

        @Test("A04-S signing out leaves the room, frees the seat and closes with 4006; the session cannot be resumed")
        func signOut() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signedIn("alice")
                let room = try await alice.call("room.create", ["name": "Salon"])["room"]
                let bob = try await server.client()
                let opened = try await bob.call("session.open", try server.opening("bob"))
                try await bob.call("room.enter", ["room": room])
                try await bob.call("seat.take", ["room": room, "seat": 1])
                try await bob.call("session.close")
                #expect(try await bob.closeCode() == 4006)
                let left = try await alice.event("seat.left") { $0["user"]["id"] == "bob" }
                #expect(left["seat"]["state"] == "empty")
                try await alice.event("audience.left") { $0["user"] == "bob" }
                let anew = try await server.client().call(
                    "session.open", try server.opening("bob", resume: opened["session"].string))
                #expect(anew["resumed"] == false && anew["session"] != opened["session"])
            }
        }

        @Test("nothing but session.open is answered before it, and a second one is refused")
        func beforeSignIn() async throws {
            try await TestServer.with { server async throws in
                let client = try await server.client()
                #expect(try await client.refusal("room.list") == "not_signed_in")
                try await client.call("session.open", try server.opening("alice"))
                #expect(try await client.refusal("session.open", try server.opening("alice")) == "invalid_request")
                #expect(try await client.call("room.list")["rooms"] == [])
            }
        }
    }
}
