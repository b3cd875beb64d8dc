import Foundation
import RoomModel
import ServerApp
import ServerTestSupport
import Synchronization
import Testing

@testable import Ovation

extension LiveServerTests {
    /// Two and more clients in a room of a whole server.
    @Suite struct LiveRoomTests {
        private func salon(
            _ server: TestServer, needsRequest: Bool = false
        ) async throws -> (alice: OvationClient, bob: OvationClient, owner: RoomSession, guest: RoomSession) {
            let alice = try await server.signIn("alice")
            let bob = try await server.signIn("bob")
            let owner = try await alice.createRoom(
                RoomDraft(name: "Salon", tags: ["jazz"], needsRequest: needsRequest, seats: 4))
            let guest = try await bob.enterRoom(owner.id)
            return (alice, bob, owner, guest)
        }

        @Test(
            "V01-K V03-K V04-K V05-K V06-K V09-K V11-K creating, entering, sitting down: both see the same, and a call's effect is there at its return"
        )
        func seats() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob, owner, guest) = try await salon(server)
                #expect(owner.state.me.role == .owner && guest.state.info.name == "Salon")
                let entered = try await owner.events(replay: .all).upTo { $0.brief == "entered bob" }
                #expect(entered.map(\.brief) == ["info", "list - - - -", "entered bob"])

                for seat in [0, 2] {
                    try await owner.takeSeat(seat)
                    #expect(owner.state.mySeat == seat && owner.state.seats[seat].user == "alice")
                    try await owner.leaveSeat()
                    #expect(owner.state.mySeat == nil && owner.state.seats[seat].state == .empty)
                }
                try await guest.takeSeat(1)
                #expect(await refusal { _ = try await owner.seat("bob", at: 3) } == "already_seated")
                try await guest.moveSeat(to: 2)
                #expect(guest.state.mySeat == 2)
                #expect(await refusal { _ = try await guest.moveSeat(to: 3) } == "too_frequent")
                try await owner.setSeat(2, muted: true)
                #expect(await refusal { _ = try await guest.setMicrophone(muted: false) } == "seat_muted")
                try await owner.setSeat(2, muted: false)
                try await guest.setMicrophone(muted: true)
                #expect(guest.state.me.micMuted)
                try await owner.kickSeat(2)
                try await owner.seat("bob", at: 3)
                try await owner.setSeat(3, open: false)
                #expect(owner.state.seats[3].state == .closed)
                #expect(await refusal { _ = try await guest.takeSeat(3) } == "seat_closed")
                let heard = try await guest.events(replay: .all).upTo {
                    if case .seatClosed = $0 { true } else { false }
                }
                #expect(
                    heard.map(\.brief).filter { $0.hasPrefix("taken") || $0.hasPrefix("left") } == [
                        "taken 0 alice", "left 0 alice left", "taken 2 alice", "left 2 alice left", "taken 1 bob",
                        "left 1 bob moved", "taken 2 bob", "left 2 bob kicked", "taken 3 bob", "left 3 bob closed",
                    ])
                #expect(heard.contains(.microphoneMuted(MicrophoneMuted(user: "bob", muted: true, seat: 2))))
                #expect(guest.state.seats == owner.state.seats && guest.state.seq == owner.state.seq)

                // A seated user's exit frees the seat first; who left hears nothing more.
                let leaving = owner.events
                try await guest.takeSeat(0)
                await guest.leave()
                #expect(guest.state.phase == .left)
                let left = try await leaving.upTo { $0.brief == "gone bob" }
                #expect(left.map(\.brief).suffix(3) == ["list - - - -", "left 0 bob exited", "gone bob"])
                await alice.signOut()
                await bob.signOut()
            }
        }

        @Test("V06-K a mute waits on the empty seat for who sits down there, and its end opens nobody's own mute")
        func mutes() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob, owner, guest) = try await salon(server)
                try await owner.setSeat(1, muted: true)
                try await guest.takeSeat(1)
                #expect(guest.state.seats[1].muted && guest.state.seats[1].micMuted != true)
                #expect(await refusal { _ = try await guest.setMicrophone(muted: false) } == "seat_muted")
                try await guest.setMicrophone(muted: true)
                try await owner.setSeat(1, muted: false)
                #expect(!owner.state.seats[1].muted && owner.state.seats[1].micMuted == true)
                try await guest.setMicrophone(muted: false)
                #expect(!guest.state.seats[1].muted && guest.state.seats[1].micMuted != true)
                withExtendedLifetime((alice, bob)) {}
            }
        }

        @Test(
            "V08-K in one order: the answer, the whole list, then the single event; on entering the room, the list, the seated"
        )
        func order() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob, owner, _) = try await salon(server)
                try await owner.takeSeat(0)
                let carol = try await server.signIn("carol")
                let log = EventLog()
                let (delivered, delivery) = AsyncStream.makeStream(of: String.self)
                carol.deliver {
                    guard case .room(_, let event) = $0 else { return }
                    log.add(event.brief)
                    delivery.yield(event.brief)
                }
                let done = AsyncStream.makeStream(of: RoomSession.self)
                carol.enterRoom(owner.id) { result in
                    log.add("answer")
                    if let room = try? result.get() { done.continuation.yield(room) }
                    done.continuation.finish()
                }
                var rooms = done.stream.makeAsyncIterator()
                let room = try #require(await rooms.next())
                // The events of one call before the next: the server gathers those of calls that follow each other at once.
                for (command, end) in [
                    (RoomCommand.takeSeat(TakeSeat(1)), "taken 1 carol"), (.leaveSeat, "left 1 carol left"),
                    (.takeSeat(TakeSeat(3)), "taken 3 carol"),
                ] {
                    room.perform(command) { _ in log.add("answer \(command.name)") }
                    for await brief in delivered where brief == end { break }
                }
                #expect(
                    log.all == [
                        "answer", "info", "list alice - - -", "taken 0 alice", "answer takeSeat",
                        "list alice carol - -", "taken 1 carol", "answer leaveSeat", "list alice - - -",
                        "left 1 carol left", "answer takeSeat", "list alice - - carol", "taken 3 carol",
                    ])
                withExtendedLifetime((alice, bob)) {}
            }
        }

        @Test(
            "V10-K V21-K invitations in both directions, and consent: refused before, once allowed after, either way; whom the owner picks sits at once"
        )
        func invitations() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob, owner, guest) = try await salon(server, needsRequest: true)
                #expect(await refusal { _ = try await guest.takeSeat(1) } == "consent_required")
                let asked = try await guest.invite("alice", command: "ENTER_SEAT", content: "1")
                #expect(asked.position == 1 && guest.state.invitations.map(\.id) == [asked.id])
                #expect(
                    await refusal {
                        _ = try await guest.invite("alice", command: "ENTER_SEAT", content: "1", id: asked.id)
                    } == "invitation_exists")
                let received = try await owner.events(replay: .all).upTo {
                    if case .invitation = $0 { true } else { false }
                }
                #expect(received.last?.brief == "invitation \(asked.id) waiting")
                #expect(owner.state.invitations.first?.content == "1")
                try await owner.acceptInvitation(asked.id)
                #expect(owner.state.invitations.isEmpty)
                _ = try await guest.events(replay: .all).upTo { $0.brief == "invitation \(asked.id) accepted" }
                try await guest.takeSeat(1)
                try await guest.leaveSeat()
                #expect(await refusal { _ = try await guest.takeSeat(1) } == "consent_required")

                let offered = try await owner.invite("bob", command: "PICK_SEAT", timeout: .seconds(600))
                _ = await guest.changes.first { !$0.invitations.isEmpty }
                #expect(guest.state.invitations.first?.expiresAt != nil)
                let answers = owner.events
                let cancellations = guest.events
                try await guest.rejectInvitation(offered.id, reason: "tired")
                let answer = try await answers.upTo { $0.brief == "invitation \(offered.id) rejected" }
                if case .invitation(let news)? = answer.last { #expect(news.invitation.reason == "tired") }
                let third = try await owner.invite("bob", command: "PICK_SEAT")
                try await owner.cancelInvitation(third.id)
                _ = try await cancellations.upTo { $0.brief == "invitation \(third.id) cancelled" }
                #expect(guest.state.invitations.isEmpty && owner.state.invitations.isEmpty)

                let fourth = try await owner.invite("bob", command: "PICK_SEAT")
                #expect(await refusal { _ = try await guest.takeSeat(2) } == "consent_required")
                try await guest.acceptInvitation(fourth.id)
                try await guest.takeSeat(2)
                try await guest.leaveSeat()
                #expect(await refusal { _ = try await guest.takeSeat(2) } == "consent_required")
                try await owner.seat("bob", at: 2)
                _ = await guest.changes.first { $0.mySeat == 2 }
                withExtendedLifetime((alice, bob)) {}
            }
        }

        @Test("G04-K a message says how much it matters; who says too much is told when there is room again")
        func priorities() async throws {
            try await TestServer.with(configure: { $0.roomsMessagesPerSecond = 4 }) { server async throws in
                let (alice, bob, owner, guest) = try await salon(server)
                var refused: OvationError?
                for number in 0..<20 where refused == nil {
                    do throws(OvationError) {
                        try await guest.send("\(number)", priority: .low)
                    } catch {
                        refused = error
                    }
                }
                #expect(refused?.code == .rateLimited && (refused?.retryAfter ?? .zero) > .zero)
                try await guest.send(command: "PRODUCT", message: "7", priority: .high)
                _ = await owner.changes.first { $0.messages.last?.body == .custom(command: "PRODUCT", message: "7") }
                await alice.signOut()
                await bob.signOut()
            }
        }

        @Test("V16-K G01-K G05-K messages reach everybody once, in one order, one's own with one's id; likes are exact")
        func messages() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob, owner, guest) = try await salon(server)
                let sent = try await guest.send("안녕하세요", id: "mine-1")
                #expect(sent.id == "mine-1" && guest.state.messages.last?.id == "mine-1", "shown at the return")
                let again = try await guest.send("안녕하세요", id: "mine-1")
                #expect(again.number == sent.number, "a repeat is the same message")
                #expect(await refusal { _ = try await guest.send("another text", id: "mine-1") } == "key_reused")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 { group.addTask { _ = try await owner.send("a\(number)") } }
                    for number in 0..<8 {
                        group.addTask { _ = try await guest.send(command: "CMD_DANMU", message: "b\(number)") }
                    }
                    try await group.waitForAll()
                }
                for room in [owner, guest] { _ = await room.changes.first { $0.chat == 29 } }
                #expect(owner.state.messages == guest.state.messages)
                #expect(owner.state.messages.map(\.chat) == Array(1...29))
                #expect(Set(owner.state.messages.map(\.from.name)) == ["Alice", "Bob"])
                let long = String(repeating: "a", count: 12_289)
                #expect(await refusal { _ = try await guest.send(long) } == "message_too_large")

                let carol = try await server.signIn("carol")
                let late = try await carol.enterRoom(owner.id)
                #expect(late.state.messages == owner.state.messages, "who comes late sees what was said last")
                await carol.signOut()

                try await withThrowingTaskGroup(of: UInt64.self) { group in
                    for _ in 0..<10 { group.addTask { try await guest.like(7) } }
                    var most: UInt64 = 0
                    for try await total in group { most = max(most, total) }
                    #expect(most == 70)
                }
                _ = await owner.changes.first { $0.likes == 70 }
                withExtendedLifetime((alice, bob)) {}
            }
        }

        @Test(
            "V01-K one's own room is created again with its new settings, another's id is refused, and a seat list is kept"
        )
        func createdAgain() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob) = (try await server.signIn("alice"), try await server.signIn("bob"))
                let first = try await alice.createRoom(
                    RoomDraft(
                        name: "First", id: .number(48_213),
                        seats: [SeatSetup(muted: true), SeatSetup(), SeatSetup(closed: true)]))
                #expect(first.state.seats.map(\.state) == [.empty, .empty, .closed] && !first.state.info.needsRequest)
                #expect(first.state.seats.map(\.muted) == [true, false, false])
                #expect(
                    await refusal { _ = try await bob.createRoom(RoomDraft(name: "Mine", id: .number(48_213))) }
                        == "room_id_taken")
                let again = try await alice.createRoom(
                    RoomDraft(name: "Second", id: .number(48_213), cover: "/c.png", needsRequest: true))
                #expect(again.id == first.id && again.state.info.name == "Second" && again.state.info.needsRequest)
                #expect(again.state.info.cover == "/c.png" && again.state.info.owner.id == "alice")
                withExtendedLifetime(bob) {}
            }
        }

        @Test("A05-K A06-K A07-K A09-K V02-K the directory, infos and people by id; roles; settings; the end")
        func directory() async throws {
            try await TestServer.with { server async throws in
                let (alice, bob, owner, guest) = try await salon(server)
                let text = try #require(RoomID(string: "123"))
                let carol = try await server.signIn("carol")
                let other = try await carol.createRoom(RoomDraft(name: "Other", id: text, cover: "/c.png"))
                #expect(other.id == text)
                #expect(try await bob.rooms().rooms.map(\.room) == [text, owner.id])
                #expect(try await bob.rooms(tag: "JAZZ").rooms.map(\.name) == ["Salon"])
                #expect(try await bob.rooms(query: "THE").rooms.map(\.room) == [text])
                #expect(try await bob.rooms(kind: .voice).rooms.count == 2)
                try await guest.takeSeat(0)
                let listed = try #require(try await bob.rooms(tag: "jazz").rooms.first)
                #expect(listed.memberCount == 2 && listed.seated == 1 && listed.owner.id == "alice")
                #expect(try await bob.roomInfo([text]).first?.cover == "/c.png")
                try await guest.leaveSeat()
                #expect(try await bob.rooms(kind: .chorus).rooms.isEmpty)
                let page = try await bob.rooms(limit: 1)
                #expect(try await bob.rooms(limit: 1, cursor: page.cursor).rooms.map(\.room) == [owner.id])
                let infos = try await bob.roomInfo([.number(4_294_967_294), owner.id, .number(123), text])
                #expect(infos.map(\.room) == [owner.id, text])
                #expect(try await guest.members(["nobody", "bob", "alice"]).map(\.id) == ["bob", "alice"])
                #expect(Set(try await guest.allMembers().map(\.id)) == ["alice", "bob"])

                try await owner.setRole(.admin, of: "bob")
                _ = await guest.changes.first { $0.me.role == .admin }
                try await guest.update(name: "Renamed", tags: ["rock"])
                #expect(guest.state.info.name == "Renamed")
                #expect(await refusal { _ = try await guest.destroy() } == "permission_denied")
                try await owner.send("one")
                try await owner.destroy()
                #expect(!owner.state.isPresent)
                let end = await guest.changes.first { !$0.isPresent }
                guard case .ended(.owner, let summary)? = end?.phase else {
                    Issue.record("\(String(describing: end?.phase))")
                    return
                }
                #expect(summary.peak == 2)
                #expect(await refusal { _ = try await guest.takeSeat(0) } == "room_closed")
                #expect(await refusal { _ = try await bob.enterRoom(owner.id) } == "room_closed")
                #expect(await refusal { _ = try await bob.enterRoom(.number(99)) } == "room_not_found")
                // One is free for another room.
                _ = try await bob.enterRoom(text)
                withExtendedLifetime((alice, carol)) {}
            }
        }
    }
}
