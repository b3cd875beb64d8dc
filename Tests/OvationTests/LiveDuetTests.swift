import ClientMedia
import Foundation
import Platform
import RoomModel
import ServerTestSupport
import Synchronization
import Testing
import Timing

@testable import Ovation

extension LiveServerTests {
    /// Two singers who agree that one leads, through a whole server.
    @Suite struct LiveDuetTests {
        private static let tone = (frequency: 440.0, amplitude: 0.5)

        @Test(
            "D07-K both hear how the other's way does; one leads and hears nobody, the other follows a way later; both end with the word",
            .timeLimit(.minutes(10)))
        func leadFollow() async throws {
            try await TestServer.with { server async throws in
                let place = "/songs/1/00000000000000aa/"
                try FileManager.default.createDirectory(
                    atPath: server.directory + place, withIntermediateDirectories: true)
                try WAVFile.tone(seconds: 120, period: 20).write(
                    to: URL(fileURLWithPath: server.directory + place + "accompaniment.wav"))
                var clients: [OvationClient] = []
                var rooms: [RoomSession] = []
                for name in ["alice", "bob"] as [UserID] {
                    let client = try server.sdk { $0.audio = .automatic }
                    try await client.signIn(
                        app: ApplicationID(TestServer.application), user: name,
                        ticket: try server.ticket(name.rawValue))
                    clients.append(client)
                    rooms.append(
                        rooms.isEmpty
                            ? try await client.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: 2))
                            : try await client.enterRoom(rooms[0].id))
                }
                let (alice, bob) = (rooms[0], rooms[1])
                for (seat, room) in rooms.enumerated() {
                    try room.audio.useInput(.tone(frequency: Self.tone.frequency, amplitude: Self.tone.amplitude))
                    try await room.takeSeat(seat)
                }
                // Each is told of both, measured by the server.
                for room in rooms {
                    let report = await room.changes.first { state in
                        state.network.singers.count == 2 && state.network.apart != nil
                            && state.network.singers.values.allSatisfy {
                                $0.quality != .unknown && $0.roundTripMs != nil
                            }
                    }?.network
                    #expect(report?.singers.keys.sorted { $0.rawValue < $1.rawValue } == ["alice", "bob"])
                    #expect(room.network.apart != nil)
                }
                // Levels are the speaker's, not the listener's: what counts is what is played.
                func plays(_ room: RoomSession, seat: Int, _ wanted: Bool) async throws {
                    while await room.audio.plays(seat) != wanted { try await nextTurn() }
                }
                while alice.audio.localLevels.users["bob"] ?? 0 < 20 { try await nextTurn() }
                try await plays(alice, seat: 1, true)
                try await alice.startSong(
                    Song(
                        id: "tone", title: "Tone", durationMs: 120_000,
                        accompaniment: place + "accompaniment.wav"), lead: .seconds(1))

                try await bob.leadAndFollow()
                #expect(bob.state.duet == .leadFollow(leader: "alice"), "seat 0 leads")
                _ = await alice.changes.first { $0.duet.leader == "alice" }
                try await plays(alice, seat: 1, false)
                try await plays(bob, seat: 0, true)
                // The follower's song is later than the room by what the room says of the way; the leader's is not.
                while true {
                    let now = clients[0].clock.now
                    let wait = bob.audio.teller.withLock(\.wait)
                    let lag = try #require(bob.state.song.lagBehindLeader(of: "bob", wait: wait))
                    guard lag > .zero, let play = alice.state.play, let startAt = play.startAt,
                        let room = clients[0].clock.estimate(at: now),
                        let first = alice.audio.singer?.position(at: now),
                        let second = bob.audio.singer?.position(at: now), first > .seconds(1)
                    else {
                        try await nextTurn()
                        continue
                    }
                    let exact = Interval(nanoseconds: room.server - startAt * 1_000_000)
                    let (ahead, behind) = ((first - exact).milliseconds, (exact - second - lag).milliseconds)
                    // What the way has changed by since moves the song only beyond 20 ms.
                    if abs(ahead) <= 5, abs(behind) <= 25, exact - second >= .milliseconds(10) { break }
                    try await nextTurn()
                }

                try await alice.singTogether()
                _ = await bob.changes.first { $0.duet == .together }
                try await plays(alice, seat: 1, true)
                try await bob.leadAndFollow(leader: "bob")
                try await plays(bob, seat: 0, false)
                try await bob.leaveSeat()
                _ = await alice.changes.first { $0.duet == .together }
                for client in clients { await client.signOut() }
            }
        }
    }
}

extension Ovation.RoomAudio {
    /// Whether that seat's sound is to be heard here.
    fileprivate func plays(_ seat: Int) async -> Bool {
        await withCheckedContinuation { done in
            withEngine { done.resume(returning: !$0.settings.mutedSlots.contains(seat)) }
        }
    }
}
