import Ovation
import RoomModel
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    @Suite struct InvitationTests {
        @Test("V10-C invitations go both ways, and each answer is told to whom it concerns", arguments: [false, true])
        func invitations(isOwnerAsking: Bool) async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(20) == 0)
                #expect(await bob.enter(20) == 0)
                let (asker, asked) = isOwnerAsking ? (alice, bob) : (bob, alice)
                let command = isOwnerAsking ? "PICK_SEAT" : "ENTER_SEAT"
                func ask() async -> String {
                    var id = ""
                    let code = await asker.ask("invite") {
                        id = asker.room.sendInvitation(
                            cmd: command, userId: asked.name, content: "1", callback: $0)
                    }
                    #expect(code == 0 && !id.isEmpty)
                    return id
                }

                let first = await ask()
                try await asked.notes.line("invited \(first) by \(asker.name): \(command) 1")
                #expect(await asked.ask("accept") { asked.room.acceptInvitation(id: first, callback: $0) } == 0)
                try await asker.notes.line("accepted \(first) by \(asked.name)")
                #expect(await asked.ask("accept") { asked.room.acceptInvitation(id: first, callback: $0) } == 8_010)

                let second = await ask()
                try await asked.notes.line("invited \(second)")
                #expect(
                    await asked.ask("reject") { asked.room.rejectInvitation(identifier: second, callback: $0) } == 0)
                try await asker.notes.line("rejected \(second) by \(asked.name)")

                let third = await ask()
                try await asked.notes.line("invited \(third)")
                #expect(await asked.ask("cancel") { asked.room.cancelInvitation(id: third, callback: $0) } == 8_011)
                #expect(await asker.ask("cancel") { asker.room.cancelInvitation(identifier: third, callback: $0) } == 0)
                // The inviter, in spite of the label.
                try await asked.notes.line("cancelled \(third) by \(asker.name)")
                #expect(!asker.notes.lines.contains { $0.hasPrefix("cancelled") || $0.hasPrefix("invited") })
                #expect(!asked.notes.lines.contains { $0.hasPrefix("accepted") || $0.hasPrefix("rejected") })
            }
        }

        @Test("V10-C what cannot be sent has no id and says why by the callback")
        func refused() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                var id = "?"
                #expect(
                    await alice.ask("invite") {
                        id = alice.room.sendInvitation(cmd: "ENTER_SEAT", userId: "bob", content: "", callback: $0)
                    } == -1)
                #expect(id.isEmpty)
                #expect(await alice.create(21) == 0)
                #expect(
                    await alice.ask("invite") {
                        id = alice.room.sendInvitation(cmd: "ENTER_SEAT", userId: "no one!", content: "", callback: $0)
                    } == -1)
                #expect(id.isEmpty)
                #expect(
                    await alice.ask("invite") {
                        _ = alice.room.sendInvitation(cmd: "ENTER_SEAT", userId: "bob", content: "", callback: $0)
                    } == -1)
            }
        }

        @Test(
            "V21-C with needRequest a listener sits down only after an accepted invitation, either way, whatever the command word; whom the owner picks sits at once"
        )
        func consent() async throws {
            try await TestServer.with { server async throws in
                OvationServer.consent = .enforced
                defer { OvationServer.consent = .advisory }
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(22, needRequest: true) == 0)
                #expect(await alice.sit(0) == 0)
                #expect(await bob.enter(22) == 0)
                let refused = await outcome { bob.room.enterSeat(seatIndex: 1, callback: $0) }
                #expect(refused.code == -1 && refused.message.hasPrefix("consent_required"))
                var id = ""
                #expect(
                    await bob.ask("invite") {
                        id = bob.room.sendInvitation(cmd: "takeSeat", userId: "alice", content: "1", callback: $0)
                    } == 0)
                try await alice.notes.line("invited \(id) by bob: takeSeat 1")
                #expect(await alice.ask("accept") { alice.room.acceptInvitation(identifier: id, callback: $0) } == 0)
                try await bob.notes.line("accepted \(id) by alice")
                #expect(await bob.sit(1) == 0)
                #expect(await bob.ask("leave") { bob.room.leaveSeat(callback: $0) } == 0)

                #expect(
                    await alice.ask("invite") {
                        id = alice.room.sendInvitation(cmd: "come", userId: "bob", content: "2", callback: $0)
                    } == 0)
                try await bob.notes.line("invited \(id) by alice: come 2")
                #expect(await bob.sit(2) == -1)
                #expect(await bob.ask("accept") { bob.room.acceptInvitation(id: id, callback: $0) } == 0)
                #expect(await bob.sit(2) == 0)
                #expect(await bob.ask("leave") { bob.room.leaveSeat(callback: $0) } == 0)
                #expect(await bob.sit(2) == -1)
                #expect(await alice.ask("pick") { alice.room.pickSeat(seatIndex: 2, userId: "bob", callback: $0) } == 0)
                try await bob.notes.line("sits 2 bob")
            }
        }

        @Test("V21-C unless the app says otherwise, needRequest is told to every listener and keeps nobody from a seat")
        func advisory() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(23, needRequest: true) == 0)
                #expect(await bob.enter(23) == 0)
                #expect(try #require(bob.room.controller.room).state.info.needsRequest)
                #expect(await bob.sit(1) == 0)
                try await alice.notes.line("sits 1 bob")
            }
        }

        @Test(
            "V10-C the owner's invitation reaches a user who is signed in and not in the room; it can be declined from there, and accepted once inside"
        )
        func elsewhere() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(24) == 0)
                func invite() async -> String {
                    var id = ""
                    #expect(
                        await alice.ask("invite") {
                            id = alice.room.sendInvitation(cmd: "PICK_SEAT", userId: "bob", content: "1", callback: $0)
                        } == 0)
                    return id
                }
                let first = await invite()
                try await bob.notes.line("invited \(first) by alice: PICK_SEAT 1")
                #expect(await bob.ask("reject") { bob.room.rejectInvitation(id: first, callback: $0) } == 0)
                try await alice.notes.line("rejected \(first) by bob")

                let second = await invite()
                try await bob.notes.line("invited \(second) by alice: PICK_SEAT 1")
                let outside = await outcome { bob.room.acceptInvitation(id: second, callback: $0) }
                #expect(outside.code == -1 && outside.message.contains("call enterRoom first"))
                #expect(await bob.enter(24) == 0)
                #expect(await bob.ask("accept") { bob.room.acceptInvitation(id: second, callback: $0) } == 0)
                try await alice.notes.line("accepted \(second) by bob")
                // Nobody is signed in under that name.
                #expect(
                    await alice.ask("invite") {
                        alice.room.sendInvitation(cmd: "PICK_SEAT", userId: "carol", content: "1", callback: $0)
                    } == -1)
            }
        }
    }
}
