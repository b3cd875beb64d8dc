import Foundation
import ServerApp
import ServerTestSupport
import Testing
import UserSig

extension WholeServerTests {
    /// privateMapKeys, over the wire.
    @Suite struct RoomKeyTests {
        private func key(
            of user: String, in room: PrivateMapKey.Room, _ privileges: RoomPrivileges, at server: TestServer,
            secret: String? = nil, lifetime: Int64 = 3_600, application: UInt32 = TestServer.application
        ) throws -> JSON {
            let signer = TicketSigner(
                application: application, key: try #require(secret ?? server.keys.first))
            let now = Int64(Date().timeIntervalSince1970)
            return .string(
                try signer.privateMapKey(
                    user: user, room: room, privileges: privileges, issuedAt: now, lifetime: lifetime))
        }

        private func reason(_ work: () async throws -> Void) async -> String? {
            do {
                try await work()
                return nil
            } catch let refused as SignalClient.Refused {
                let data = refused.error["data"]
                return "\(data["name"].string ?? "") \(data["reason"].string ?? "-")"
            } catch { return "\(error)" }
        }

        @Test(
            "A03-S where an application asks for keys nobody creates or enters a room without one that fits; each misfit has its reason"
        )
        func required() async throws {
            try await TestServer.with(roomKeys: .required) { server async throws in
                let owner = try await server.signedIn("owner")
                let guest = try await server.signedIn("guest")
                let room: JSON = 48_213
                let own = PrivateMapKey.Room.number(48_213)
                #expect(
                    await reason { try await owner.call("room.create", ["name": "Salon", "room": room]) }
                        == "room_key_failed missing")
                let enterOnly = try key(of: "owner", in: own, [.enterRoom, .receiveAudio], at: server)
                #expect(
                    await reason {
                        try await owner.call(
                            "room.create", ["name": "Salon", "room": room, "privateMapKey": enterOnly])
                    } == "room_key_failed scope")
                let whole = try key(of: "owner", in: own, .all, at: server)
                #expect(
                    await reason { try await owner.call("room.create", ["name": "Salon", "privateMapKey": whole]) }
                        == "room_key_failed room")
                try await owner.call("room.create", ["name": "Salon", "room": room, "privateMapKey": whole])
                for (wrong, why) in [
                    (JSON.string("nonsense"), "malformed"),
                    (.string(try server.ticket("guest")), "malformed"),
                    (whole, "user"),
                    (try key(of: "guest", in: own, .all, at: server, secret: "another secret"), "signature"),
                    (try key(of: "guest", in: .number(7), .all, at: server), "room"),
                    (try key(of: "guest", in: .string("48213"), .all, at: server), "room"),
                    (try key(of: "guest", in: own, [.createRoom, .receiveAudio], at: server), "scope"),
                    (try key(of: "guest", in: own, .all, at: server, application: 5), "app"),
                ] {
                    #expect(
                        await reason { try await guest.call("room.enter", ["room": room, "privateMapKey": wrong]) }
                            == "room_key_failed \(why)")
                }
                #expect(
                    await reason { try await guest.call("room.enter", ["room": room]) } == "room_key_failed missing")
                let listen = try key(of: "guest", in: own, .listen, at: server)
                try await guest.call("room.enter", ["room": room, "privateMapKey": listen])
                #expect(
                    await reason { try await guest.call("seat.take", ["room": room, "seat": 1]) }
                        == "permission_denied scope")
                // Who is in comes back without, and with the same rights.
                try await guest.call("room.enter", ["room": room])
                #expect(
                    await reason { try await guest.call("seat.take", ["room": room, "seat": 1]) }
                        == "permission_denied scope")
                try await guest.call(
                    "room.enter", ["room": room, "privateMapKey": try key(of: "guest", in: own, .all, at: server)])
                try await guest.call("seat.take", ["room": room, "seat": 1])
                try await guest.call("room.exit", ["room": room])
                #expect(
                    await reason { try await guest.call("room.enter", ["room": room]) } == "room_key_failed missing")
            }
        }

        @Test("A03-S where none is asked for, one that is given is checked and counts all the same")
        func unused() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let guest = try await server.signedIn("guest")
                let room: JSON = 48_213
                try await owner.call("room.create", ["name": "Salon", "room": room])
                #expect(
                    await reason { try await guest.call("room.enter", ["room": room, "privateMapKey": "nonsense"]) }
                        == "room_key_failed malformed")
                try await guest.call(
                    "room.enter",
                    ["room": room, "privateMapKey": try key(of: "guest", in: .number(48_213), .listen, at: server)])
                #expect(
                    await reason { try await guest.call("seat.take", ["room": room, "seat": 1]) }
                        == "permission_denied scope")
            }
        }
    }
}
