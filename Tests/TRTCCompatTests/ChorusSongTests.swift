import Foundation
import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// The song of a chorus room by the published calls and callbacks.
    @Suite struct ChorusSongTests {
        /// The lines of a song without its progress, and with how far it came.
        private func story(_ person: ChorusPerson) -> (lines: [String], progress: [(at: Int, of: Int)]) {
            let lines = person.notes.lines.filter {
                $0.hasPrefix("music") || $0.hasPrefix("song") || $0.hasPrefix("error")
            }
            let told = lines.compactMap { line -> (at: Int, of: Int)? in
                let words = line.split(separator: " ")
                guard words.count == 6, words[2] == "at", let at = Int(words[3]), let of = Int(words[5]) else {
                    return nil
                }
                return (at, of)
            }
            return (lines.filter { !$0.contains(" at ") }, told)
        }

        @Test(
            "D02-C the lead starts a song: singers and audience hear that it is to begin, how far it is and that it has ended, in milliseconds and in this order"
        )
        func sung() async throws {
            try await TestServer.with { server async throws in
                let path = try SoundFile.addSong(seconds: 1.2, to: server.directory)
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                let carol = try await ChorusPerson.signedIn("carol", at: server)
                #expect(await alice.create(611) == 0)
                #expect(await alice.sit(0) == 0)
                for person in [bob, carol] { #expect(await person.enter(611) == 0) }
                #expect(await bob.sit(1) == 0)
                for person in [alice, bob, carol] {
                    try await person.notes.line("sits 1 bob")
                    person.notes.clear()
                }
                let url = "http://127.0.0.1:\(server.port)" + path
                alice.room.startPlayMusic(musicID: 7, url: url)
                let announced = try await bob.notes.line("song")
                let room = try #require(bob.room.controller.room)
                let play = try #require(room.state.play)
                #expect(play.song.id == "7" && play.song.title == "accompaniment" && play.song.durationMs == 1_200)
                #expect(play.by.rawValue == "alice" && play.song.accompaniment == path)
                // The app of the published component starts what it is told of.
                bob.room.startPlayMusic(musicID: 7, url: url)
                for person in [alice, bob, carol] {
                    try await person.notes.line("music 7 ended")
                    let (lines, progress) = story(person)
                    let first = person.name == "alice" ? [] : [announced]
                    if person.name == "carol" {
                        #expect(lines.first?.hasPrefix("song 7 in ") ?? false)
                        #expect(lines.dropFirst() == ["music 7 begins", "music 7 ended"])
                    } else {
                        #expect(lines == first + ["music 7 begins", "music 7 ended"])
                    }
                    #expect(
                        progress.count >= 4 && progress.allSatisfy { $0.of == 1_200 && (0...1_200).contains($0.at) })
                    #expect(progress.map(\.at) == progress.map(\.at).sorted())
                    #expect((progress.last?.at ?? 0) >= 600)
                }
                let delay = try #require(Int(announced.split(separator: " ").last ?? ""))
                #expect((1_500...3_001).contains(delay), "three seconds, less the way")
                _ = await room.changes.first { $0.play == nil }
                // Nothing is there to be stopped, and that is no error.
                alice.room.stopPlayMusic()
                alice.room.pausePlayMusic()
                carol.room.stopPlayMusic()
                #expect(await alice.leaveSeat() == 0)
                #expect(await carol.ask("exit") { carol.room.exitRoom(callback: $0) } == 0)
                for person in [alice, carol] { #expect(!person.notes.lines.contains { $0.hasPrefix("error") }) }
            }
        }

        @Test(
            "D02-C D08-C the owner takes seat 0 after creating, another sings along on seat 1; the lead pauses, resumes, leaves the seat in mid-song, and it goes on; the co-singer stops it"
        )
        func inMidSong() async throws {
            try await TestServer.with { server async throws in
                let path = try SoundFile.addSong(seconds: 120, to: server.directory)
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                #expect(await alice.create(612) == 0)
                #expect(await alice.sit(0) == 0)
                #expect(await bob.enter(612) == 0)
                // Whoever neither sits nor owns starts nothing.
                bob.room.startPlayMusic(musicID: 8, url: path)
                #expect(try await bob.notes.line("error").hasPrefix("error -1 not_seated"))
                #expect(await bob.sit(1) == 0)
                try await alice.notes.line("sits 1 bob")
                alice.room.startPlayMusic(musicID: 8, url: path)
                for person in [alice, bob] {
                    try await person.notes.line("the song is heard") {
                        $0.hasPrefix("music 8 at") && !$0.contains(" at 0 ")
                    }
                }
                let room = try #require(bob.room.controller.room)
                let first = try #require(room.state.play?.startAt)

                alice.room.pausePlayMusic()
                _ = await room.changes.first { $0.play?.isPaused ?? false }
                bob.notes.clear()
                alice.room.resumePlayMusic()
                _ = await room.changes.first { $0.play?.isPaused == false }
                #expect(try #require(room.state.play?.startAt) > first)
                try await bob.notes.line("music 8 at")

                #expect(await alice.leaveSeat() == 0)
                try await bob.notes.line("stands 0 alice")
                for person in [alice, bob] { person.notes.clear() }
                for person in [alice, bob] { try await person.notes.line("music 8 at") }
                #expect(room.state.play?.song.id == "8" && room.audio.song?.isPaused == false)
                // Their own copy at the place that the room's time has.
                while !(room.audio.song?.offset.map { abs($0.milliseconds) <= 20 } ?? false) {
                    try await nextTurn()
                }
                #expect(await alice.sit(0) == 0)

                // How loud one's own copy is, and where, the effects say.
                let effects = try #require(bob.room.getAudioEffectManager())
                effects.setMusicPlayoutVolume(8, volume: 40)
                #expect(room.audio.songVolume == 40 && effects.getMusicCurrentPosInMS(8) > 0)
                effects.setMusicPlayoutVolume(9, volume: 10)
                #expect(room.audio.songVolume == 40 && effects.getMusicCurrentPosInMS(9) == -1)

                // Whoever enters now is told that it has begun.
                let carol = try await ChorusPerson.signedIn("carol", at: server)
                #expect(await carol.enter(612) == 0)
                try await carol.notes.line("music 8 at")
                let heard = story(carol).lines
                #expect(
                    heard.count == 2 && heard[0].hasPrefix("song 8 in -") && heard[1] == "music 8 begins", "\(heard)")

                bob.room.stopPlayMusic()
                for person in [alice, bob, carol] { try await person.notes.line("music 8 ended") }
                for person in [alice, carol] { #expect(!person.notes.lines.contains { $0.hasPrefix("error") }) }
            }
        }

        @Test("D02-C a song takes another's place; a stop overtakes a start; leaving the room ends it for who leaves")
        func replaced() async throws {
            try await TestServer.with { server async throws in
                let path = try SoundFile.addSong(seconds: 120, to: server.directory)
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                #expect(await alice.create(613) == 0)
                #expect(await alice.sit(0) == 0)
                #expect(await bob.enter(613) == 0)
                alice.room.startPlayMusic(musicID: 1, url: path)
                alice.room.stopPlayMusic()
                alice.room.startPlayMusic(musicID: 2, url: path)
                try await bob.notes.line("song 2")
                try await alice.notes.line("music 2 begins")
                try await bob.notes.line("music 2 begins")
                // Two in one breath: the first is not wanted any more when its file is open.
                alice.room.startPlayMusic(musicID: 4, url: path)
                alice.room.startPlayMusic(musicID: 3, url: path)
                try await bob.notes.line("music 3 begins")
                try await alice.notes.line("music 3 begins")
                #expect(await bob.ask("exit") { bob.room.exitRoom(callback: $0) } == 0)
                let heard = bob.notes.lines
                #expect(
                    try #require(heard.firstIndex(of: "music 3 ended")) < #require(
                        heard.firstIndex(of: "callback exit 0")))
                // Nothing of it is told with the next room.
                #expect(await bob.create(615) == 0)
                #expect(await bob.ask("exit") { bob.room.exitRoom(callback: $0) } == 0)
                // One's own track instead of it: neither is the room's song.
                let own = server.directory + "/own.wav"
                try SoundFile.tone(seconds: 60).write(to: URL(fileURLWithPath: own))
                alice.room.startPlayMusic(musicID: 5, url: path)
                alice.room.startPlayMusic(musicID: 6, url: own)
                try await alice.notes.line("music 6 begins")
                #expect(
                    story(bob).lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
                        "song 2 in", "music 2 begins", "music 2 ended", "song 3 in", "music 3 begins", "music 3 ended",
                    ])
                try await alice.notes.line("music 3 ended")
                // The track begins at once, the song ends by way of the server.
                #expect(
                    story(alice).lines.sorted() == [
                        "music 2 begins", "music 2 ended", "music 3 begins", "music 3 ended", "music 6 begins",
                    ])
            }
        }

        @Test(
            "D02-C a song that cannot be opened here is announced all the same; one's own track gives way to the room's song"
        )
        func unreachable() async throws {
            try await TestServer.with { server async throws in
                let path = try SoundFile.addSong(seconds: 120, to: server.directory)
                let own = server.directory + "/own.wav"
                try SoundFile.tone(seconds: 60).write(to: URL(fileURLWithPath: own))
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                #expect(await alice.create(614) == 0)
                #expect(await alice.sit(0) == 0)
                #expect(await bob.enter(614) == 0)
                #expect(await bob.sit(1) == 0)
                let room = try #require(alice.room.controller.room)
                try await room.startSong(
                    Song(id: "9", title: "Nowhere", durationMs: 60_000, accompaniment: "http://127.0.0.1:1/a.mp3"))
                let announced = try await bob.notes.line("song 9 in")
                #expect(Int(announced.split(separator: " ").last ?? "") ?? 0 > 1_500, "before it begins")
                try await room.stopSong()
                alice.room.startPlayMusic(musicID: 4, url: own)
                try await alice.notes.line("music 4 begins")
                alice.room.startPlayMusic(musicID: 5, url: path)
                try await bob.notes.line("song 5 in")
                try await alice.notes.line("music 4 ended")
                // From here on the calls mean the room's song.
                alice.room.pausePlayMusic()
                _ = await room.changes.first { $0.play?.isPaused ?? false }
                alice.room.stopPlayMusic()
                _ = await room.changes.first { $0.play == nil }
            }
        }

        @Test("D02-C when one's own track has ended, the calls mean the room's song again")
        func afterOwn() async throws {
            try await TestServer.with { server async throws in
                let path = try SoundFile.addSong(seconds: 120, to: server.directory)
                let (own, long) = (server.directory + "/own.wav", server.directory + "/long.wav")
                try SoundFile.tone(seconds: 0.3).write(to: URL(fileURLWithPath: own))
                try SoundFile.tone(seconds: 60).write(to: URL(fileURLWithPath: long))
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                #expect(await alice.create(616) == 0)
                #expect(await alice.sit(0) == 0)
                let room = try #require(alice.room.controller.room)
                alice.room.getAudioEffectManager()?.setMusicPlayoutVolume(9, volume: 30)
                alice.room.startPlayMusic(musicID: 4, url: own)
                try await alice.notes.line("music 4 ended")
                try await room.startSong(Song(id: "9", title: "Ours", durationMs: 120_000, accompaniment: path))
                alice.room.pausePlayMusic()
                _ = await room.changes.first { $0.play?.isPaused ?? false }
                // As loud as was set for its number before.
                try await alice.notes.line("music 9 begins")
                while room.audio.songVolume != 30 { await Task.yield() }
                // One's own gives way to a stop, and one that cannot be opened is none.
                alice.room.startPlayMusic(musicID: 6, url: long)
                try await alice.notes.line("music 6 begins")
                // Once more by its number: the first has ended, and a stop means the second.
                alice.notes.clear()
                alice.room.startPlayMusic(musicID: 6, url: long)
                try await alice.notes.line("music 6 begins")
                #expect(alice.notes.lines.contains("music 6 ended"))
                alice.notes.clear()
                alice.room.stopPlayMusic()
                try await alice.notes.line("music 6 ended")
                alice.room.startPlayMusic(musicID: 5, url: server.directory + "/nothing.wav")
                try await alice.notes.line("error -1 music 5 cannot be played")
                try await room.startSong(Song(id: "9", title: "Ours", durationMs: 120_000, accompaniment: path))
                alice.room.pausePlayMusic()
                _ = await room.changes.first { $0.play?.isPaused ?? false }
            }
        }

        @Test("D02-C what everybody can open is the room's song, a file of one's own is not; its name is the title")
        func addresses() throws {
            let server = try ServerAddress("https://live.example.com/salon")
            for (url, wanted) in [
                ("https://cdn.example.com/a.mp3", "https://cdn.example.com/a.mp3"),
                ("HTTP://cdn.example.com/a.mp3?x=1", "HTTP://cdn.example.com/a.mp3?x=1"),
                ("https://live.example.com/salon/songs/one/a.mp3", "/songs/one/a.mp3"),
                ("/songs/one/a.mp3", "/songs/one/a.mp3"), ("/home/alice/a.mp3", nil), ("a.mp3", nil),
                ("file:///home/alice/a.mp3", nil), ("", nil),
            ] { #expect(SongPlayer.address(url, on: server) == wanted, "\(url)") }
            for (url, wanted) in [
                ("https://cdn.example.com/Ein%20Lied.mp3?sig=a/b", "Ein Lied"), ("/songs/one/노래.m4a", "노래"),
                ("https://cdn.example.com/a.b.mp3#t", "a.b"), ("https://cdn.example.com/%20.mp3", nil),
                ("https://cdn.example.com/" + String(repeating: "ü", count: 300), String(repeating: "ü", count: 100)),
            ] { #expect(SongPlayer.title(of: url) == wanted, "\(url)") }
        }
    }
}

extension StateChanges {
    /// The first state that fits.
    fileprivate func first(where fits: (Element) -> Bool) async -> Element? {
        for await state in self where fits(state) { return state }
        return nil
    }
}
