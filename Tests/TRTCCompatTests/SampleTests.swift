import Foundation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// The documents' samples as they stand in `Samples`, run against a whole server.
    @Suite struct SampleTests {
        private func use(_ server: TestServer) {
            OvationServer.address = "http://127.0.0.1:\(server.port)"
            OvationDevices.input = .none
            OvationDevices.output = .none
        }

        @Test(
            "X05-C D01-C documents 000 and 001, steps 4 to 9: a duet is made as their samples make it",
            arguments: [false, true])
        func duet(ownerAsks: Bool) async throws {
            try await TestServer.with { server async throws in
                use(server)
                defer { TRTCChorusRoom.destroyShared() }
                let app = Int32(TestServer.application)
                let owner = YourController()
                let delegate = OwnerDelegate(owner)
                owner.step4(
                    chorusRoomDelegate: delegate, sdkAppID: app, userId: "alice", userSig: try server.ticket("alice"))
                try await owner.notes.line("login 0")
                owner.step5(userName: "Alice", avatarURL: "https://example.org/a.png", yourRoomID: 4_711)
                let made = ["created", "list [0, 0]", "seat taken", "list [1, 0]", "on seat 0: alice"]
                try await owner.notes.line("on seat 0: alice")
                #expect(owner.notes.lines.suffix(made.count) == made[...])

                let room = TRTCChorusRoom()
                defer { room.destroy() }
                let listener = ListenerController(room)
                room.setDelegate(delegate: listener)
                let ticket = try server.ticket("bob")
                #expect(
                    await outcome { room.login(sdkAppId: app, userId: "bob", userSig: ticket, callback: $0) }.code == 0)
                listener.step6(userName: "Bob", avatarURL: "https://example.org/b.png") { [4_711] }
                try await listener.notes.line("on seat 0: alice")
                #expect(
                    listener.notes.lines == [
                        "profile 0", "found Room name, asks first: true", "entered", "room Room name", "list [1, 0]",
                        "on seat 0: alice",
                    ])

                // As the documents have it: `needRequest` is the app's to see to, and a seat is taken without asking too.
                listener.step7()
                try await listener.notes.line("seat 0")
                #expect(await outcome { room.leaveSeat(callback: $0) }.code == 0)
                try await listener.notes.line("off seat 1: bob")
                try await owner.notes.line("on seat 1: bob")
                listener.notes.clear()
                owner.notes.clear()
                if ownerAsks {
                    owner.step8Owner(listenerUserId: "bob")
                    try await owner.notes.line("picked 0")
                } else {
                    listener.step8(ownerUserId: "alice")
                    try await listener.notes.line("seat 0")
                }
                try await listener.notes.line("on seat 1: bob")
                try await owner.notes.line("on seat 1: bob")

                listener.step9(message: "how are you")
                try await owner.notes.line("Bob likes")
                #expect(
                    owner.notes.lines.suffix(3) == ["Bob says how are you", "Bob comments hello world", "Bob likes"])
                try await listener.notes.line("sent 0")
            }
        }

        @Test("X05-C document 003: every declared call exists by its Swift name, and its two sequences run")
        func voiceRoom() async throws {
            try await TestServer.with { server async throws in
                use(server)
                // Nobody is signed in: every call with a callback is answered, none with success.
                let idle = TRTCVoiceRoom()
                let notes = Notes()
                let calls = VoiceRoomSamples.everyCall(of: idle, delegate: VoiceEar(notes), sig: "") { code, _ in
                    notes.write("answer \(code)")
                }
                #expect(calls == 33)
                idle.destroyRoom { _, _ in notes.write("last") }
                try await notes.line("last")
                let answers = notes.lines.filter { $0.hasPrefix("answer") }
                #expect(answers.count == 21 && answers.allSatisfy { $0 == "answer -1" }, "\(answers)")

                let room = TRTCVoiceRoom.shared()
                defer { TRTCVoiceRoom.destroyShared() }
                let speaker = VoiceRoomSamples.Speaker(room)
                room.setDelegate(delegate: speaker)
                let ticket = try server.ticket("alice")
                #expect(
                    await outcome {
                        room.login(
                            sdkAppID: Int32(TestServer.application), userId: "alice", userSig: ticket, callback: $0)
                    }.code == 0)
                speaker.createAndSpeak(roomID: 77)
                try await speaker.notes.line("on seat 0: alice")
                #expect(speaker.notes.lines == ["list [0, 0, 0]", "list [1, 0, 0]", "on seat 0: alice"])

                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await bob.enter(77) == 0)
                let entry = ["callback enter 0", "info 77 Salon of ", "seats 1alice 0 0", "sits 0 alice"]
                try await bob.notes.line("sits 0 alice")
                #expect(bob.notes.lines.map { $0.replacing("of alice", with: "of ") } == entry)
            }
        }

        @Test("X05-C E07-C document 002: the pop-up of a product reaches the audience of the room as it was sent")
        func popUp() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(88) == 0)
                let (anchor, viewer) = (V2TIMManager(), V2TIMManager())
                let (sending, watching) = (ProductPopUp(anchor), ProductPopUp(viewer))
                sending.listen()
                watching.listen()
                // The anchor's chat client shares the connection of the anchor's voice room.
                #expect(await signIn(anchor, "alice", server) == 0)
                #expect(await signIn(viewer, "bob", server) == 0)
                #expect(await ended { viewer.joinGroup("88", msg: "", succ: $0, fail: $1) } == 0)
                try sending.send(to: "88")
                try await sending.notes.line("sent")
                #expect(
                    try await watching.notes.line("popup") == "popup in 88 by alice/Alice: 1 199.0 xxx xxx")
                #expect(await alice.ask("sit") { alice.room.enterSeat(seatIndex: 0, callback: $0) } == 0)
                #expect(!alice.notes.lines.contains { $0.hasPrefix("error") || $0.hasPrefix("command") })
                // One's own messages do not come back.
                #expect(sending.notes.lines == ["sent"])
                #expect(await ended { viewer.quitGroup("88", succ: $0, fail: $1) } == 0)
                try await alice.notes.line("exits bob")
                #expect(await ended { viewer.quitGroup("88", succ: $0, fail: $1) } == 10_007)
                #expect(await ended { viewer.logout($0, fail: $1) } == 0)
                #expect(await ended { viewer.joinGroup("88", succ: $0, fail: $1) } == 6_014)
            }
        }
    }
}

/// 0, or the code of the failure.
func ended(_ call: (@escaping V2TIMSucc, @escaping V2TIMFail) -> Void) async -> Int32 {
    await withCheckedContinuation { continuation in
        call({ continuation.resume(returning: 0) }, { code, _ in continuation.resume(returning: code) })
    }
}

func signIn(_ manager: V2TIMManager, _ user: String, _ server: TestServer) async -> Int32 {
    manager.initSDK(Int32(TestServer.application))
    guard let ticket = try? server.ticket(user) else { return -1 }
    return await ended { manager.login(user, userSig: ticket, succ: $0, fail: $1) }
}
