import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    @Suite struct LikeTests {
        /// The likes that somebody was told of.
        private static func sum(_ lines: [String]) -> Int {
            lines.reduce(0) { sum, line in
                let words = line.split(separator: " ")
                guard words.count == 4, words[0] == "command", words[2] == "CMD_LIKE:" else { return sum }
                return sum + (Int(words[3]) ?? 0)
            }
        }

        @Test(
            "G01-C bullet comments come as they were sent; likes are gathered, everybody is told those of all others exactly, with their number"
        )
        func likes() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                let carol = try await VoicePerson.signedIn("carol", at: server)
                #expect(await alice.create(711) == 0)
                carol.room.echoesOwnMessages = true
                for person in [bob, carol] { #expect(await person.enter(711) == 0) }
                func send(_ person: VoicePerson, _ command: String, _ message: String) async -> Int32 {
                    await person.ask("send") {
                        person.room.sendRoomCustomMsg(cmd: command, message: message, callback: $0)
                    }
                }
                let comments = ["hello world", "{\"color\":\"#ff0\"}", "꽃 \n 🌸", "3", ""]
                for comment in comments { #expect(await send(bob, "CMD_DANMU", comment) == 0) }
                // What says more than a number is no like to be counted.
                #expect(await send(bob, "CMD_LIKE", "{\"x\":1}") == 0)
                try await alice.notes.line("command bob CMD_LIKE: {")
                #expect(
                    alice.notes.lines.filter { $0.hasPrefix("command") }
                        == comments.map { "command bob CMD_DANMU: \($0)" } + ["command bob CMD_LIKE: {\"x\":1}"])

                for message in ["", "", "7", "", "100"] { #expect(await send(bob, "CMD_LIKE", message) == 0) }
                #expect(await send(carol, "CMD_LIKE", "") == 0)
                // Somebody in a browser.
                let guest = try await server.signedIn("dave")
                try await guest.call("room.enter", ["room": 711])
                try await guest.call("like.send", ["room": 711, "count": 12])
                for (person, others) in [(alice, 123), (bob, 13), (carol, 123)] {
                    try await person.notes.until("\(others) likes") { Self.sum($0) >= others }
                    #expect(Self.sum(person.notes.lines) == others)
                }
                #expect(alice.room.controller.room?.state.likes == 123)
                // Who comes later is told only of what comes then.
                let erin = try await VoicePerson.signedIn("erin", at: server)
                #expect(await erin.enter(711) == 0)
                #expect(await send(bob, "CMD_LIKE", "2") == 0)
                try await erin.notes.line("command bob CMD_LIKE: 2")
                #expect(await send(alice, "CMD_LIKE", "101") == 0)
                try await erin.notes.line("command alice CMD_LIKE: 101")
                #expect(alice.room.controller.room?.state.likes == 125)
                await guest.close()
            }
        }
    }
}
