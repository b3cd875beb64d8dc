import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// What the published components take, and this server does not.
    @Suite struct RoomParameterTests {
        @Test(
            "V01-C a room is made of parameters that the published component takes; what was changed is told by onWarning",
            arguments: [
                ("", "", 1, "77: 1 seats, cover ''", ["roomName is empty"]),
                (" \u{200B}\n", "", 1, "77: 1 seats, cover ''", ["roomName is empty"]),
                (
                    String(repeating: "가", count: 70), "", 1,
                    String(repeating: "가", count: 64) + ": 1 seats, cover ''", ["roomName is longer"]
                ),
                ("Salon", "Cover URL", 0, "Salon: 1 seats, cover ''", ["seatCount is 0", "coverUrl is no"]),
                ("Salon", "room_cover", 20, "Salon: 16 seats, cover ''", ["up to 16 seats", "coverUrl is no"]),
                ("Salon", "javascript:alert(1)", 2, "Salon: 2 seats, cover ''", ["coverUrl is no"]),
                ("Salon", "https://example.org/a.png", 2, "Salon: 2 seats, cover 'https://example.org/a.png'", []),
                ("Salon", "covers/a.png", 2, "Salon: 2 seats, cover 'covers/a.png'", []),
            ] as [(String, String, Int, String, [String])])
        func mended(name: String, cover: String, seats: Int, room: String, warnings: [String]) async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let param = VoiceRoomParam()
                param.roomName = name
                param.coverUrl = cover
                param.seatCount = seats
                #expect(
                    await alice.ask("create") { alice.room.createRoom(roomID: 77, roomParam: param, callback: $0) } == 0
                )
                let info = try #require(alice.room.controller.room).state.info
                #expect("\(info.name): \(info.seats) seats, cover '\(info.cover)'" == room)
                try await alice.notes.line("info")
                let told = alice.notes.lines.filter { $0.hasPrefix("warning -1") }
                #expect(told.count == warnings.count)
                for (line, part) in zip(told, warnings) { #expect(line.contains(part)) }
            }
        }

        @Test("V01-C a chorus room without parameters is made too, for its owner alone")
        func chorus() async throws {
            try await TestServer.with { server async throws in
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                #expect(
                    await alice.ask("create") {
                        alice.room.createRoom(roomID: 78, roomParam: ChorusParam(), callback: $0)
                    } == 0)
                #expect(await alice.sit(0) == 0)
                try await alice.notes.line("seats 1alice")
            }
        }

        @Test("A04-C an empty name leaves the user's name as it is, and changes the picture alone")
        func emptyName() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(
                    await alice.ask("profile") {
                        alice.room.setSelfProfile(userName: "", avatarURL: "/avatars/new.svg", callback: $0)
                    } == 0)
                let told = await withCheckedContinuation { continuation in
                    alice.room.getUserInfoList(userIDList: ["alice"]) { _, _, people in
                        continuation.resume(returning: people.map { "\($0.userName) \($0.userAvatar)" })
                    }
                }
                #expect(told == ["Alice /avatars/new.svg"])
            }
        }

        @Test("A05-C any number of users is looked up in one call, in the order asked")
        func manyPeople() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                _ = try await VoicePerson.signedIn("bob", at: server)
                let ids = ["bob"] + (1...230).map { "nobody\($0)" } + ["alice"]
                let told = await withCheckedContinuation { continuation in
                    alice.room.getUserInfoList(userIDList: ids) { code, _, people in
                        continuation.resume(returning: ["\(code)"] + people.map(\.userId))
                    }
                }
                #expect(told == ["0", "bob", "alice"])
            }
        }
    }
}
