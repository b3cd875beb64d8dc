import Foundation
import Ovation
import ServerApp
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// Connections that are lost, and come back.
    @Suite struct LossTests {
        @Test("V17-C V19-C a connection that is back in time: one warning, the room as it is, and everything once")
        func backInTime() async throws {
            let directory = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            let hands = Hands()
            let alice = try await VoicePerson.signedIn("alice", at: before, clock: hands.clock)
            let bob = try await VoicePerson.signedIn("bob", at: before)
            #expect(await alice.create(721) == 0)
            #expect(await alice.sit(0) == 0)
            #expect(await bob.enter(721) == 0)
            #expect(await bob.sit(2) == 0)
            for person in [alice, bob] {
                try await person.notes.line("sits 2 bob")
                person.notes.clear()
            }
            let port = before.port
            try await before.stop()
            for person in [alice, bob] { try await person.notes.line("warning 5101 the connection is lost") }
            let after = try await TestServer.start(directory: directory) { $0.port = port }
            for person in [alice, bob] {
                try await person.notes.line("seats 1alice 0 1bob")
                let told = person.notes.lines.filter { !$0.hasPrefix("warning") }
                #expect(told == ["info 721 Salon 721 of Alice", "seats 1alice 0 1bob"])
                #expect(person.notes.lines.count { $0.hasPrefix("warning 5101 the connection is lost") } == 1)
                person.notes.clear()
            }
            #expect(await bob.ask("send") { bob.room.sendRoomTextMsg(message: "back", callback: $0) } == 0)
            try await alice.notes.line("text bob/Bob: back")
            #expect(await alice.ask("kick") { alice.room.kickSeat(seatIndex: 2, callback: $0) } == 0)
            try await bob.notes.line("stands 2 bob")
            try await alice.notes.line("stands 2 bob")
            #expect(
                alice.notes.lines.filter { !$0.hasPrefix("warning") }
                    == ["text bob/Bob: back", "callback kick 0", "seats 1alice 0 0", "stands 2 bob"])
            #expect(
                bob.notes.lines.filter { !$0.hasPrefix("warning") }
                    == ["callback send 0", "seats 1alice 0 0", "stands 2 bob"])
            // The two minutes are off.
            #expect(hands.fire(LossPatience.milliseconds) == 0)
            try await after.stop()
        }

        @Test(
            "V02-C V19-C a room that ended while the connection was lost is told as destroyed, and another can be created"
        )
        func endedMeanwhile() async throws {
            let directory = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            let alice = try await VoicePerson.signedIn("alice", at: before)
            let bob = try await VoicePerson.signedIn("bob", at: before)
            #expect(await alice.create(722) == 0)
            #expect(await bob.enter(722) == 0)
            let port = before.port
            try await before.stop()
            try await bob.notes.line("warning 5101 the connection is lost")
            let between = try await TestServer.start(directory: directory)
            let owner = try await between.signedIn("alice")
            try await owner.call("room.enter", ["room": 722])
            try await owner.call("room.destroy", ["room": 722])
            try await between.stop()
            let after = try await TestServer.start(directory: directory) { $0.port = port }
            try await bob.notes.line("destroyed 722")
            #expect(bob.notes.lines.count { $0.hasPrefix("destroyed") } == 1)
            #expect(await bob.create(723) == 0)
            try await after.stop()
        }

        @Test(
            "V19-C a room that was given up after two minutes is left on the server as soon as the connection is back")
        func leftWhenBack() async throws {
            let directory = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            let hands = Hands()
            let alice = try await VoicePerson.signedIn("alice", at: before, clock: hands.clock)
            #expect(await alice.create(724) == 0)
            #expect(await alice.sit(0) == 0)
            let port = before.port
            try await before.stop()
            try await alice.notes.line("warning 5101 the connection is lost")
            #expect(hands.fire(LossPatience.milliseconds) == 1)
            try await alice.notes.line("error 10002")
            let after = try await TestServer.start(directory: directory) { $0.port = port }
            let bob = try await after.signedIn("bob")
            let entered = try await bob.call("room.enter", ["room": 724])["snapshot"]
            // Unless she was quicker than Bob.
            if entered["seats"][0]["user"] == "alice" {
                #expect(try await bob.event("seat.left") { $0["user"]["id"] == "alice" }["reason"] == "exited")
            }
            #expect(await alice.sit(0) == -1)
            try await after.stop()
        }

        @Test("V19-C D02-C two minutes without a server: the error, and the song that went on until then is over")
        func lostInMidSong() async throws {
            let hands = Hands()
            let alice = try await TestServer.with { server async throws in
                let path = try SoundFile.addSong(seconds: 120, to: server.directory)
                let alice = try await ChorusPerson.signedIn("alice", at: server, clock: hands.clock)
                #expect(await alice.create(722) == 0)
                #expect(await alice.sit(0) == 0)
                alice.room.startPlayMusic(musicID: 6, url: path)
                try await alice.notes.line("the song is heard") {
                    $0.hasPrefix("music 6 at") && !$0.contains(" at 0 ")
                }
                return alice
            }
            try await alice.notes.line("warning 5101 the connection is lost")
            let room = try #require(alice.room.controller.room)
            alice.notes.clear()
            try await alice.notes.line("music 6 at")
            #expect(hands.fire(LossPatience.milliseconds) == 1)
            try await alice.notes.line("error 10002")
            // First the song, then the error: who is told that the room was left hears no more of it.
            let story = alice.notes.lines.filter { $0.hasPrefix("error") || $0 == "music 6 ended" }
            #expect(story.first == "music 6 ended" && story.count == 2)
            while room.audio.song != nil { try await nextTurn() }
            #expect(await alice.sit(0) == -1)
            alice.room.destroy()
        }

        @Test(
            "V19-C D02-C kill -9 in mid-song, and ten seconds without a server: all sing on, are told what happened, and are back at the right place"
        )
        func killedInMidSong() async throws {
            let folder = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = try SoundFile.addSong(seconds: 120, to: folder)
            let ports = try (FreePort.take(), FreePort.take())
            var server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            var people: [ChorusPerson] = []
            for name in ["Alice", "Bob", "Carol"] {
                let given = try await PlainHTTP.post("/v1/tickets", ["name": .string(name)], port: ports.0).json
                let user = try #require(given["user"].string)
                let person = ChorusPerson(user)
                try await person.signIn(
                    port: ports.0, application: UInt32(try #require(given["app"].int)),
                    ticket: try #require(given["ticket"].string))
                let code = await people.isEmpty ? person.create(731) : person.enter(731)
                #expect(code == 0)
                if people.count < 2 { #expect(await person.sit(people.count) == 0) }
                people.append(person)
            }
            people[0].room.startPlayMusic(musicID: 5, url: path)
            for person in people {
                try await person.notes.line("the song is heard") {
                    $0.hasPrefix("music 5 at") && !$0.contains(" at 0 ")
                }
            }
            let rooms = people.compactMap(\.room.controller.room)
            let play = try #require(rooms[0].state.play)
            let seats = "seats 1\(people[0].name) 1\(people[1].name)"
            for person in people { person.notes.clear() }
            server.kill()
            // Ten seconds, by the song, which tells every 200 ms how far it is.
            for person in people {
                try await person.notes.line("warning 5101 the connection is lost")
                try await person.notes.until("the song goes on") { $0.count { $0.hasPrefix("music 5 at") } >= 50 }
            }
            server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            for person in people { try await person.notes.line(seats) }
            for (person, room) in zip(people, rooms) {
                let heard = person.notes.lines
                #expect(heard.count { $0.hasPrefix("warning 5101 the connection is lost") } == 1)
                // Who only listens may be back too late for the room to have waited, and enters anew.
                let told = heard.filter { line in
                    !["warning", "music 5 at", "exits", "enters"].contains { line.hasPrefix($0) }
                }
                #expect(told.count == 2 && told[0].hasPrefix("info 731") && told[1] == seats, "\(told)")
                #expect(room.state.play == play)
                person.notes.clear()
                try await person.notes.line("music 5 at")
            }
            // Where the room's time has it, and heard by who listens: the sound's way is back too.
            for room in rooms.prefix(2) {
                while !(room.audio.song?.offset.map { abs($0.milliseconds) <= 20 } ?? false) {
                    try await nextTurn()
                }
            }
            for room in rooms {
                for await connection in room.audio.connectionChanges where connection == .connected { break }
            }
            people[1].room.stopPlayMusic()
            for person in people {
                try await person.notes.line("music 5 ended")
                #expect(!person.notes.lines.contains { $0.hasPrefix("error") || $0.hasPrefix("music 5 begins") })
                person.room.destroy()
            }
            server.kill()
        }
    }
}
