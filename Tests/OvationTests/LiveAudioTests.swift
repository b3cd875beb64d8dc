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
                while !isHeard() { await Task.yield() }
                try await owner.muteSeat(1)
                try await levels(of: "bob") { $0 == 0 }
                try await owner.muteSeat(1, false)
                try await levels(of: "bob") { $0 > 30 }
                try await guest.leaveSeat()
                while guest.audio.isMicrophoneOn { await Task.yield() }
                try await levels(of: "bob") { $0 == 0 }
                try await guest.exit()
                #expect(guest.audio.connection == .closed && owner.audio.connection == .connected)
                await alice.signOut()
                await bob.signOut()
            }
        }
    }
}
