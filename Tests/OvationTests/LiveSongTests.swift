import Foundation
import RoomModel
import ServerApp
import ServerTestSupport
import Testing
import Timing

@testable import Ovation

extension LiveServerTests {
    /// Songs of choruses through a whole server, with engines that play them.
    @Suite struct LiveSongTests {
        /// As long as a song of the tests.
        private static let seconds = 60

        /// Puts a song where the server keeps uploads.
        private func makeSong(in data: String) throws -> Song {
            let place = "/songs/1/00000000000000aa/"
            try FileManager.default.createDirectory(atPath: data + place, withIntermediateDirectories: true)
            for (name, period) in [("accompaniment", 20), ("original", 31)] {
                let bytes = WAVFile.tone(seconds: Self.seconds, period: period)
                try bytes.write(to: URL(fileURLWithPath: data + place + name + ".wav"))
            }
            return Song(
                id: "test", title: "Test", durationMs: Int64(Self.seconds) * 1_000,
                accompaniment: place + "accompaniment.wav", original: place + "original.wav")
        }

        private func client(_ user: UserID, of server: TestServer) async throws -> OvationClient {
            let client = try server.sdk { $0.audio = .automatic }
            try await client.signIn(
                app: ApplicationID(TestServer.application), user: user, ticket: try server.ticket(user.rawValue))
            return client
        }

        /// Returns when both copies are heard at the same place, at one and the same instant, and that is where the room's time has
        /// them. A machine that is busy with other tests may need a moment to get there.
        private func inStep(_ a: RoomSession, _ b: RoomSession, by clock: RoomClock) async throws {
            for try await event in a.audio.events(replay: .all) {
                guard case .songProgress(let progress) = event, progress.position > .zero else { continue }
                let now = Instant.here
                guard let first = a.audio.singer?.position(at: now), let second = b.audio.singer?.position(at: now),
                    let play = a.state.play, let startAt = play.startAt, let room = clock.estimate(at: now)
                else { continue }
                let wanted = play.positionMs * 1_000_000 + room.server - startAt * 1_000_000
                let limit = 5_000_000
                if abs(first.nanoseconds - second.nanoseconds) <= limit,
                    abs(Int(first.nanoseconds - wanted)) <= limit + Int(room.error.nanoseconds)
                {
                    return
                }
            }
            Issue.record("the sound has ended before the singers were in step")
        }

        /// Returns when the copy is open and held: no time moves it.
        private func stands(_ room: RoomSession) async throws {
            while true {
                let now = Instant.here
                if let place = room.audio.singer?.position(at: now),
                    place == room.audio.singer?.position(at: now + .seconds(1))
                {
                    return
                }
                try await nextTurn()
            }
        }

        @Test(
            "D01-K D02-K D05-K D08-K two singers are in step from the start, after pause, seek and another track; who leaves the seat hears the mix, and the song goes on",
            .timeLimit(.minutes(10)))
        func inStep() async throws {
            try await TestServer.with { server async throws in
                let song = try makeSong(in: server.directory)
                let alice = try await client("alice", of: server)
                let bob = try await client("bob", of: server)
                let owner = try await alice.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: 2))
                let guest = try await bob.enterRoom(owner.id)
                try await owner.takeSeat(0)
                try await guest.takeSeat(1)
                let sounds = guest.audio.events(replay: .all)
                let startAt = try await owner.startSong(song, lead: .seconds(1))
                #expect(owner.state.play?.starts == startAt)
                try await inStep(owner, guest, by: alice.clock)
                // Nobody sings: what comes to a listener is the mix with the song in it.
                let carol = try await client("carol", of: server)
                let listener = try await carol.enterRoom(owner.id)
                _ = try await listener.audio.events(replay: .all).upTo { _ in
                    listener.audio.statistics.packetsReceived > 50
                }
                #expect(listener.audio.song?.offset == nil && listener.audio.singer?.position(at: .here) == nil)
                await carol.signOut()
                try await guest.pauseSong()
                _ = await owner.changes.first { $0.play?.isPaused ?? false }
                for room in [owner, guest] { try await stands(room) }
                let resumedAt = try await owner.resumeSong(lead: .milliseconds(500))
                _ = await guest.changes.first { $0.play?.starts == resumedAt }
                try await inStep(owner, guest, by: bob.clock)
                try await guest.seekSong(to: .seconds(30), lead: .milliseconds(400))
                _ = await owner.changes.first { $0.play?.positionMs == 30_000 }
                try await inStep(owner, guest, by: alice.clock)
                try await owner.setSongTrack(.original)
                _ = await guest.changes.first { $0.play?.track == .original }
                try await inStep(owner, guest, by: alice.clock)
                // In mid-song.
                try await owner.leaveSeat()
                while owner.audio.singer?.position(at: .here) != nil { try await nextTurn() }
                _ = try await guest.audio.events.upTo { if case .songProgress = $0 { true } else { false } }
                let progress = try #require(guest.audio.song)
                #expect(progress.position > .seconds(30) && progress.offset != nil && !progress.isPaused)
                #expect(owner.audio.song?.offset == nil && owner.state.play?.song == song)
                // And back on the seat: late.
                try await owner.takeSeat(0)
                try await inStep(owner, guest, by: bob.clock)
                owner.audio.singing = .off
                while owner.audio.singer?.position(at: .here) != nil { try await nextTurn() }
                #expect(owner.audio.song == nil)
                try await guest.stopSong()
                let heard = try await sounds.upTo { if case .songCompleted = $0 { true } else { false } }
                #expect(heard.last == .songCompleted(song, nil))
                #expect(heard.count { $0 == .songPrepared(song) } == 1)
                for client in [alice, bob] { await client.signOut() }
            }
        }

        @Test(
            "D02-K V19-K kill -9 in mid-song: both are told, the server comes back, and both sing on in the right place"
        )
        func killed() async throws {
            let folder = NSTemporaryDirectory() + "ovation-song-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let song = try makeSong(in: folder)
            let ports = try (FreePort.take(), FreePort.take())
            var server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            var rooms: [RoomSession] = []
            var clients: [OvationClient] = []
            for name in ["Alice", "Bob"] {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(ports.0)"), configuration: .init(callTimeout: .seconds(60)))
                try await client.signIn(name: name)
                clients.append(client)
                rooms.append(
                    rooms.isEmpty
                        ? try await client.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: 2))
                        : try await client.enterRoom(rooms[0].id))
                try await rooms[rooms.count - 1].takeSeat(rooms.count - 1)
            }
            try await rooms[0].startSong(song, lead: .seconds(1))
            try await inStep(rooms[0], rooms[1], by: clients[0].clock)
            let news = rooms.map(\.events)
            let sounds = rooms.map { $0.audio.events(replay: .all) }
            let play = try #require(rooms[0].state.play)
            server.kill()
            // Some seconds alone.
            for events in sounds {
                var ticks = 0
                let heard = try await events.upTo {
                    if case .songProgress = $0 { ticks += 1 }
                    return ticks == 12
                }
                #expect(!heard.contains { if case .songCompleted = $0 { true } else { false } })
            }
            server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            for events in news {
                let heard = try await events.upTo { $0 == .resumed }
                #expect(heard.count { $0 == .connectionLost } == 1 && heard.last == .resumed)
                let missed = heard.drop { $0 != .connectionLost }.filter {
                    if case .songChanged = $0 { true } else { false }
                }
                #expect(missed.isEmpty, "the song is the one that it was")
            }
            #expect(rooms.allSatisfy { $0.state.play == play && $0.state.mySeat != nil })
            try await inStep(rooms[0], rooms[1], by: clients[1].clock)
            for room in rooms { _ = await room.audio.connectionChanges.first { $0 == .connected } }
            for client in clients { await client.signOut() }
        }
    }
}

extension Instant {
    /// On the clock of the sound.
    fileprivate static var here: Instant { RoomClock().now }
}
