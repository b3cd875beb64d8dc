import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    @Suite struct BanTests {
        @Test("G06-C V17-C whoever is put out of a room hears why by onError, is out, and cannot come back")
        func banned() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                try await owner.call("room.create", ["room": 771, "name": "Ban", "seats": 2])
                for (user, ban, name) in [
                    ("bob", ["seconds": 600, "reason": "noise"] as JSON, "banned:"), ("carol", [:], "banned_for_good:"),
                ] {
                    let person = try await VoicePerson.signedIn(user, at: server)
                    #expect(await person.enter(771) == 0)
                    #expect(await person.sit(1) == 0)
                    let audio = try #require(person.room.controller.room).audio
                    try await owner.call(
                        "restriction.set",
                        [
                            "room": 771, "user": .string(user), "kind": "ban", "seconds": ban["seconds"],
                            "reason": ban["reason"],
                        ])
                    let told = try await person.notes.line("error")
                    #expect(told.hasPrefix("error -1 \(name) owner put this user out of the room"))
                    #expect(told.hasSuffix(": noise") == (user == "bob"))
                    #expect(person.room.controller.room == nil && audio.connection == .closed)
                    #expect(person.notes.lines.count { $0.hasPrefix("error") } == 1)
                    let again = await outcome { person.room.enterRoom(roomID: 771, callback: $0) }
                    #expect(again.code == -1 && again.message.hasPrefix(name))
                    // Elsewhere they are welcome.
                    #expect(await person.create(user == "bob" ? 772 : 773) == 0)
                }
            }
        }

        @Test(
            "V17-C whoever may not come back after a lost connection hears why by onError, once",
            arguments: [
                (.banned, "error -1 banned:"), (.bannedForGood, "error -1 banned_for_good:"),
                (.roomKeyFailed, "error -100006 room_key_failed:"), (.roomFull, "error -1 room_full:"),
                (.permissionDenied, "error -1 permission_denied:"), (.roomClosed, "destroyed 774"),
            ] as [(OvationError.Code, String)])
        func notLetInAgain(code: OvationError.Code, line: String) async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(774) == 0)
                let session = try #require(alice.room.controller.room)
                try await alice.notes.line("seats")
                alice.notes.clear()
                alice.room.controller.hear(.room(session, .gone(OvationError(code))))
                try await alice.notes.line(line)
                #expect(alice.notes.lines.count == 1 && alice.room.controller.room == nil)
            }
        }
    }
}
