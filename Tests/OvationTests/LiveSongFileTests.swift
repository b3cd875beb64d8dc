import Foundation
import RoomModel
import ServerApp
import ServerTestSupport
import Testing

@testable import Ovation

extension LiveServerTests {
    /// The files of songs: over TLS, gone, and back.
    @Suite struct LiveSongFileTests {
        private static let place = "/songs/1/00000000000000aa/"

        /// Puts a song where the server keeps uploads.
        private func putSong(in data: String) throws {
            try FileManager.default.createDirectory(atPath: data + Self.place, withIntermediateDirectories: true)
            try WAVFile.tone(seconds: 30, period: 20)
                .write(to: URL(fileURLWithPath: data + Self.place + "accompaniment.wav"))
        }

        private func song(at origin: String) -> Song {
            Song(id: "s", title: "S", durationMs: 30_000, accompaniment: origin + Self.place + "accompaniment.wav")
        }

        /// A singer on the first seat of a chorus.
        private func singer(
            of server: TestServer, trusting roots: OvationClient.TrustRoots = .system
        ) async throws -> (OvationClient, RoomSession) {
            let client = try server.sdk {
                $0.audio = .automatic
                $0.trustRoots = roots
            }
            try await client.signIn(
                app: ApplicationID(TestServer.application), user: "alice", ticket: try server.ticket("alice"))
            let room = try await client.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: 2))
            try await room.takeSeat(0)
            return (client, room)
        }

        /// What is first told of whether the song can be heard.
        private func fate(of events: EventStream<RoomAudio.Event>) async throws -> RoomAudio.Event? {
            try await events.upTo {
                switch $0 {
                case .songPrepared, .songUnavailable: true
                default: false
                }
            }.last
        }

        @Test("D02-K a song comes over TLS from whoever is trusted, from a file or a text, and from nobody else")
        func trusted() async throws {
            try await TestServer.with { server async throws in
                try await TestServer.with(mode: .localNetwork) { songs async throws in
                    try putSong(in: songs.directory)
                    let song = song(at: "https://127.0.0.1:\(songs.port)")
                    let certificate = songs.directory + "/lan-certificate.pem"
                    let text = try String(contentsOfFile: certificate, encoding: .utf8)
                    for roots in [OvationClient.TrustRoots.file(certificate), .pem(text)] {
                        let (client, room) = try await singer(of: server, trusting: roots)
                        let sounds = room.audio.events(replay: .all)
                        try await room.startSong(song, lead: .milliseconds(300))
                        #expect(try await fate(of: sounds) == .songPrepared(song))
                        await client.signOut()
                    }
                    let (client, room) = try await singer(of: server)
                    let sounds = room.audio.events
                    try await room.startSong(song, lead: .milliseconds(300))
                    guard case .songUnavailable(song, let error) = try await fate(of: sounds) else {
                        Issue.record("a stranger's certificate was believed")
                        return
                    }
                    #expect(error.code == .mediaFailed)
                    await client.signOut()
                }
            }
        }

        @Test(
            "D02-K a song whose file is not there is said, sung without, and heard in its place once the file is there")
        func missing() async throws {
            try await TestServer.with { server async throws in
                let (client, room) = try await singer(of: server)
                let song = song(at: "")
                let sounds = room.audio.events(replay: .all)
                try await room.startSong(song, lead: .milliseconds(300))
                let first = try await sounds.upTo { if case .songUnavailable(song, _) = $0 { true } else { false } }
                #expect(!first.contains(.songPrepared(song)))
                let without = try await room.audio.events.upTo {
                    if case .songProgress(let progress) = $0 { progress.position > .zero } else { false }
                }
                guard case .songProgress(let progress)? = without.last else { return }
                #expect(progress.offset == nil && !progress.isPaused, "the song goes on")
                try putSong(in: server.directory)
                let heard = try await room.audio.events.upTo {
                    if case .songProgress(let progress) = $0 { progress.offset != nil } else { false }
                }
                #expect(heard.contains(.songPrepared(song)))
                await client.signOut()
            }
        }

        @Test(
            "D05-K V13-K a voice from a file is sung at the song's place, over a leap, and is silent while it is held")
        func alongSong() async throws {
            try await TestServer.with { server async throws in
                try putSong(in: server.directory)
                // Sound from the tenth to the twentieth second alone.
                let file = server.directory + "/voice.wav"
                var voice = WAVFile.tone(seconds: 30, period: 18)
                let second = WAVFile.rate * 2
                for part in [0..<10 * second, 20 * second..<30 * second] {
                    voice.replaceSubrange(
                        44 + part.lowerBound..<44 + part.upperBound, with: Data(count: part.count))
                }
                try voice.write(to: URL(fileURLWithPath: file))
                let (client, room) = try await singer(of: server)
                try room.audio.useInput(.alongSong(file))
                let start = song(at: "")
                func own(at place: Duration, is fits: (Int) -> Bool) async throws {
                    try await room.seekSong(to: place, lead: .milliseconds(300))
                    _ = try await room.audio.events(replay: .all).upTo {
                        guard case .songProgress(let progress) = $0, progress.position > place + .milliseconds(400)
                        else { return false }
                        return fits(room.audio.localLevels.own)
                    }
                }
                try await room.startSong(start, lead: .milliseconds(300))
                _ = try await room.audio.events.upTo { $0 == .songPrepared(start) }
                #expect(room.audio.localLevels.own == 0)
                try await own(at: .seconds(12)) { $0 > 30 }
                try await own(at: .seconds(22)) { $0 == 0 }
                try await own(at: .seconds(11)) { $0 > 30 }
                try await room.pauseSong()
                while room.audio.localLevels.own > 0 { try await nextTurn() }
                await client.signOut()
            }
        }
    }
}
