import Foundation
import RoomModel
import ServerApp
import ServerTestSupport
import Synchronization
import Testing

@testable import Ovation

extension LiveServerTests {
    /// Sound between clients through a whole server.
    @Suite struct LiveAudioTests {
        @Test(
            "V04-K V06-K V14-K who sits down is heard, who is muted is not, who leaves is not; levels tell who speaks")
        func heard() async throws {
            try await TestServer.with { server async throws in
                func client(_ user: UserID) async throws -> OvationClient {
                    let client = try server.sdk { $0.audio = .automatic }
                    try await client.signIn(
                        app: ApplicationID(TestServer.application), user: user, ticket: try server.ticket(user.rawValue)
                    )
                    return client
                }
                let alice = try await client("alice")
                let bob = try await client("bob")
                let owner = try await alice.createRoom(RoomDraft(name: "Salon", seats: 3))
                let guest = try await bob.enterRoom(owner.id)
                try guest.audio.useInput(.tone(frequency: 440, amplitude: 0.5))
                for room in [owner, guest] {
                    _ = await room.audio.connectionChanges.first { $0 == .connected }
                }
                #expect(!guest.audio.isMicrophoneOn, "nobody is heard who does not sit")
                // Levels of the signalling come from what the server hears.
                func levels(of user: UserID, are fits: (Int) -> Bool) async throws {
                    _ = try await owner.events.upTo { event in
                        guard case .levels(let levels) = event else { return false }
                        return fits(levels[user] ?? 0)
                    }
                }
                try await guest.takeSeat(1)
                try await levels(of: "bob") { $0 > 30 }
                #expect(guest.audio.isMicrophoneOn)
                let isHeard = { owner.audio.levels.users["bob"] ?? 0 > 30 }
                while !isHeard() { try await nextTurn() }
                try await owner.muteSeat(1)
                try await levels(of: "bob") { $0 == 0 }
                try await owner.muteSeat(1, false)
                try await levels(of: "bob") { $0 > 30 }
                try await guest.leaveSeat()
                while guest.audio.isMicrophoneOn { try await nextTurn() }
                try await levels(of: "bob") { $0 == 0 }
                try await guest.exit()
                #expect(guest.audio.connection == .closed && owner.audio.connection == .connected)
                await alice.signOut()
                await bob.signOut()
            }
        }

        @Test("V19-K kill -9 and restart: another media plane, and the sound is back by itself, from the same seat")
        func restarted() async throws {
            let folder = NSTemporaryDirectory() + "ovation-sound-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let ports = try (FreePort.take(), FreePort.take())
            var server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            var clients: [OvationClient] = []
            for name in ["Alice", "Bob"] {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(ports.0)"),
                    configuration: .init(callTimeout: .seconds(60)))
                try await client.signIn(name: name)
                clients.append(client)
            }
            let owner = try await clients[0].createRoom(RoomDraft(name: "Salon", seats: 3))
            let guest = try await clients[1].enterRoom(owner.id)
            let singer = guest.state.me.id
            try guest.audio.useInput(.tone(frequency: 440, amplitude: 0.5))
            try await guest.takeSeat(1)
            func isHeard(_ events: EventStream<RoomSession.Event>) async throws {
                _ = try await events.upTo {
                    if case .levels(let levels) = $0 { levels[singer] ?? 0 > 30 } else { false }
                }
            }
            try await isHeard(owner.events)
            let before = owner.state.mediaEpoch
            let events = owner.events
            server.kill()
            server = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            _ = try await events.upTo { $0 == .resumed }
            #expect(owner.state.mediaEpoch != before)
            try await isHeard(owner.events)
            while owner.audio.levels.users[singer] ?? 0 < 30 { try await nextTurn() }
            #expect(guest.state.mySeat == 1 && guest.audio.isMicrophoneOn)
            for client in clients { await client.signOut() }
        }
    }
}
