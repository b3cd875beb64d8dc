import Foundation
import NIOCore
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// Calls that a client sends in one breath, and sessions that are over while their calls are on the way.
    @Suite struct StayTests {
        @Test("V19-S who exits and enters in one breath and is then lost does not stay for ever: no ghosts")
        func noGhost() async throws {
            try await TestServer.with(configure: { $0.roomsSeatGraceSeconds = 1 }) { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await owner.call("room.create", ["name": "Salon", "seats": 4])["room"]
                let ghost = try await server.signedIn("ghost")
                try await ghost.call("room.enter", ["room": room])
                try await ghost.call("seat.take", ["room": room, "seat": 1])
                let exit = ghost.send("room.exit", ["room": room])
                let enter = ghost.send("room.enter", ["room": room])
                let sit = ghost.send("seat.take", ["room": room, "seat": 2])
                _ = try await ghost.answer(to: exit)
                _ = try await ghost.answer(to: enter)
                _ = try await ghost.answer(to: sit)
                // The server knows that it is in the room: another one is refused, and its loss is seen.
                let other = try await owner.call("room.get", ["rooms": [room]])
                #expect(other["rooms"][0]["memberCount"] == 2)
                #expect(try await ghost.refusal("room.create", ["name": "Another"]) == "in_another_room")
                await ghost.drop()
                try await owner.event("seat.left") { $0["seat"]["index"] == 2 && $0["reason"] == "lost" }
                try await owner.event("audience.left") { $0["user"] == "ghost" && $0["reason"] == "lost" }
            }
        }

        @Test("V03-S exits and entries in many breaths end where the last of them says", arguments: [2, 3, 8, 9])
        func manyBreaths(count: Int) async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await owner.call("room.create", ["name": "Salon"])["room"]
                let guest = try await server.signedIn("guest")
                try await guest.call("room.enter", ["room": room])
                var calls: [Int] = []
                for number in 0..<count {
                    calls.append(guest.send(number.isMultiple(of: 2) ? "room.exit" : "room.enter", ["room": room]))
                }
                for call in calls { _ = try await guest.answer(to: call) }
                let isIn = count.isMultiple(of: 2)
                let found = try await owner.call("room.members", ["room": room])["members"].array
                #expect(found.contains { $0["id"] == "guest" } == isIn)
                // What the session believes is what the room believes.
                let elsewhere = try await guest.refusal("room.create", ["name": "Mine"])
                #expect(elsewhere.hasPrefix(isIn ? "in_another_room" : "accepted"))
            }
        }

        @Test("A12-S a client that was replaced is refused whatever it sends before its connection closes")
        func replacedClientGoesOn() async throws {
            try await TestServer.with { server async throws in
                let old = try await server.signedIn("alice")
                let room = try await old.call("room.create", ["name": "Salon", "seats": 2])["room"]
                try await old.call("seat.take", ["room": room, "seat": 1])
                let bob = try await server.signedIn("bob")
                try await bob.call("room.enter", ["room": room])
                let new = try await server.client()
                let opening = new.send("session.open", try server.opening("alice"))
                // In the same moment the old one goes on calling.
                let calls = (0..<40).map {
                    old.send("message.send", ["room": room, "text": .string("old \($0)")])
                }
                let entries = (0..<5).map { _ in old.send("room.enter", ["room": room]) }
                _ = try await new.answer(to: opening)
                #expect(try await old.closeCode() == 4001)
                for call in calls + entries { _ = try? await old.answer(to: call) }
                let entered = try await new.call("room.enter", ["room": room])["snapshot"]
                #expect(entered["me"]["seat"] == 1)
                // The old session is nowhere: who it was is in the room once, by the new one, and leaves with it.
                try await new.call("room.exit", ["room": room])
                try await bob.event("audience.left") { $0["user"] == "alice" }
                #expect(try await bob.call("room.members", ["room": room])["count"] == 1)
            }
        }

        @Test("A02-S a privateMapKey signs nobody in as if it were a whole ticket")
        func privateMapKey() async throws {
            try await TestServer.with { server async throws in
                let client = try await server.client()
                guard case .object(var fields) = try server.opening("alice") else { return }
                fields["ticket"] = .string(try server.privateMapKey("alice", room: 5))
                #expect(try await client.refusal("session.open", .object(fields)) == "ticket_failed")
                // Nor does it renew a session.
                let signedIn = try await server.signedIn("alice")
                let renewal = try await signedIn.refusal("session.renew", ["ticket": fields["ticket"] ?? .null])
                #expect(renewal == "ticket_failed")
            }
        }

        @Test("one person has only so many rooms open, and may open another when one has ended")
        func roomsPerOwner() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                var rooms: [JSON] = []
                for number in 0..<20 {
                    rooms.append(try await owner.call("room.create", ["name": .string("Room \(number)")])["room"])
                    try await owner.call("room.exit", ["room": rooms[number]])
                }
                #expect(try await owner.refusal("room.create", ["name": "One more"]) == "rooms_limited")
                // The own open room can be entered anew all the same.
                try await owner.call("room.create", ["name": "Again", "room": rooms[3]])
                try await owner.call("room.destroy", ["room": rooms[3]])
                try await owner.call("room.create", ["name": "One more"])
            }
        }
    }
}
