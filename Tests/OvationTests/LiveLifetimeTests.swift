import Foundation
import RoomModel
import ServerTestSupport
import Testing

@testable import Ovation

extension LiveServerTests {
    /// What keeps a room open, and how one gets to a seat in it.
    @Suite struct LiveLifetimeTests {
        @Test("A12-K a room goes on as long as somebody holds it or reads its events, and is left when nobody does")
        func heldByTheRoom() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signIn("alice")
                let salon = try await owner.createRoom(RoomDraft(name: "Salon", seats: 2))
                func enter() async throws -> RoomSession { try await server.signIn("bob").enterRoom(salon.id) }
                let gone = salon.events
                var room: RoomSession? = try await enter()
                try await room?.takeSeat(1)
                #expect(room?.state.mySeat == 1)
                _ = await salon.changes.first { $0.seats[1].user == "bob" }
                var reading: EventStream<RoomSession.Event>? = room?.events
                room = nil
                try await salon.send("still there?")
                if let events = reading { for try await event in events { if case .message = event { break } } }
                #expect(salon.state.member("bob") != nil)
                reading = nil
                _ = try await gone.upTo { $0.brief == "gone bob" }
                #expect(salon.state.seats[1].user == nil)
                await owner.signOut()
            }
        }

        @Test("V10-K a seat is asked for and offered by calls of their own, and taken after consent")
        func seats() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signIn("alice")
                let bob = try await server.signIn("bob")
                let owner = try await alice.createRoom(RoomDraft(name: "Salon", needsRequest: true, seats: 3))
                let guest = try await bob.enterRoom(owner.id)
                let request = try await guest.requestSeat(1, words: "please")
                #expect(request.position == 1)
                _ = await owner.changes.first { $0.invitations.contains { $0.id == request.id } }
                let asked = try #require(owner.state.invitations.first)
                #expect(asked.content == "1" && asked.words == "please")
                #expect(abs(asked.created.timeIntervalSinceNow) < 600)
                try await owner.acceptInvitation(request.id)
                try await guest.takeSeat(1)
                try await guest.leaveSeat()

                let offer = try await owner.invite("bob", toSeat: 2, timeout: .seconds(60))
                _ = await guest.changes.first { $0.invitations.contains { $0.id == offer.id } }
                let offered = try #require(guest.state.invitations.first)
                #expect(offered.content == "2" && offered.expires.map { $0.timeIntervalSince(offered.created) } == 60)
                try await guest.acceptInvitation(offer.id)
                try await guest.takeSeat(2)
                await guest.leave()
                #expect(guest.state.phase == .left)
                _ = await owner.changes.first { $0.seats[2].user == nil }
                await alice.signOut()
                await bob.signOut()
            }
        }
    }
}
