import Dispatch
import Foundation
import Ovation
import ServerApp
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// Whoever goes is gone, whatever the server and the connection are doing.
    @Suite struct LeavingTests {
        @Test(
            "V18-C A04-C a login whose instance goes before the answer still has its callback, and nobody stays signed in",
            arguments: [false, true])
        func goneBeforeTheAnswer(isDestroyed: Bool) async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let bob = V2TIMManager()
                #expect(await signIn(bob, "bob", server) == 0)
                let ticket = try server.ticket("alice")
                let answer = await outcome { reply in
                    let room = TRTCVoiceRoom()
                    room.setDelegateQueue(queue: DispatchQueue(label: "app of alice"))
                    room.login(
                        sdkAppID: Int32(TestServer.application), userId: "alice", userSig: ticket, callback: reply)
                    if isDestroyed { room.destroy() }
                }
                #expect(answer.code == -1 && answer.message.contains("destroyed"))
                // The last of Alice's components: with it her session ends, and nobody reaches her any more.
                let last = V2TIMManager()
                #expect(await signIn(last, "alice", server) == 0)
                #expect(await ended { bob.sendC2CTextMessage("hello", to: "alice", succ: $0, fail: $1) } == 0)
                #expect(await ended { last.logout($0, fail: $1) } == 0)
                #expect(await ended { bob.sendC2CTextMessage("hello", to: "alice", succ: $0, fail: $1) } == -1)
                #expect(await ended { bob.logout($0, fail: $1) } == 0)
            }
        }

        @Test("E07-C a chat client that goes before its login answers has its callback, and nobody stays signed in")
        func chatGoneBeforeTheAnswer() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let bob = V2TIMManager()
                #expect(await signIn(bob, "bob", server) == 0)
                let ticket = try server.ticket("alice")
                let code = await ended { succ, fail in
                    let alice = V2TIMManager()
                    alice.initSDK(Int32(TestServer.application))
                    alice.login("alice", userSig: ticket, succ: succ, fail: fail)
                }
                #expect(code == 0)
                let last = V2TIMManager()
                #expect(await signIn(last, "alice", server) == 0)
                #expect(await ended { last.logout($0, fail: $1) } == 0)
                #expect(await ended { bob.sendC2CTextMessage("hello", to: "alice", succ: $0, fail: $1) } == -1)
                #expect(await ended { bob.logout($0, fail: $1) } == 0)
            }
        }

        @Test(
            "V04-C E07-C whoever closes the chat keeps the seat that they have in the voice room",
            arguments: [true, false])
        func chatBesideASeat(logsOut: Bool) async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(744) == 0)
                #expect(await alice.sit(1) == 0)
                let chat = V2TIMManager()
                #expect(await signIn(chat, "alice", server) == 0)
                #expect(await ended { chat.quitGroup("744", succ: $0, fail: $1) } == TRTCCode.notInGroup)
                #expect(await ended { chat.joinGroup("744", succ: $0, fail: $1) } == 0)
                if logsOut {
                    #expect(await ended { chat.logout($0, fail: $1) } == 0)
                } else {
                    #expect(await ended { chat.quitGroup("744", succ: $0, fail: $1) } == 0)
                }
                let room = try #require(alice.room.controller.room)
                // Behind whatever the chat may have asked for.
                #expect(await alice.ask("say") { alice.room.sendRoomTextMsg(message: "still here", callback: $0) } == 0)
                #expect(room.state.mySeat == 1 && room.state.isPresent)
                // The room component gives it up.
                #expect(await signIn(chat, "alice", server) == 0)
                #expect(await ended { chat.joinGroup("744", succ: $0, fail: $1) } == 0)
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                _ = await room.changes.first { $0.mySeat == nil }
                #expect(await ended { chat.logout($0, fail: $1) } == 0)
            }
        }

        @Test("E07-C a chat client that logs out during its login is logged out")
        func chatLoggedOutMeanwhile() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let ticket = try server.ticket("alice")
                let alice = V2TIMManager()
                alice.initSDK(Int32(TestServer.application))
                let code = await ended { succ, fail in
                    alice.login("alice", userSig: ticket, succ: succ, fail: fail)
                    alice.logout(nil)
                }
                #expect(code == TRTCCode.notSignedIn && alice.getLoginUser() == nil)
                // And the next login finds nothing in its way.
                #expect(await signIn(alice, "alice", server) == 0)
                #expect(await ended { alice.logout($0, fail: $1) } == 0)
            }
        }

        @Test("V18-C an instance that is let go leaves its room, though another component of the user stays signed in")
        func letGoBesideAnother() async throws {
            try await TestServer.with { server async throws in
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await bob.create(741) == 0)
                let chat = V2TIMManager()
                #expect(await signIn(chat, "alice", server) == 0)
                func comeAndGo() async throws {
                    let alice = try await VoicePerson.signedIn("alice", at: server)
                    #expect(await alice.enter(741) == 0)
                }
                try await comeAndGo()
                try await bob.notes.line("exits alice")
                #expect(await ended { chat.logout($0, fail: $1) } == 0)
            }
        }

        @Test(
            "V03-C V19-C exitRoom without a connection succeeds at once and is off the air; the server hears of it when the connection is back"
        )
        func exitWithoutConnection() async throws {
            let directory = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            let alice = try await VoicePerson.signedIn("alice", at: before)
            #expect(await alice.create(742) == 0)
            #expect(await alice.sit(0) == 0)
            let session = try #require(alice.room.controller.room)
            let port = before.port
            try await before.stop()
            try await alice.notes.line("warning 5101 the connection is lost")
            #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
            #expect(session.state.phase == .left && session.audio.connection == .closed)
            #expect(!session.audio.isMicrophoneOn)
            #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == -1)
            let after = try await TestServer.start(directory: directory) { $0.port = port }
            let bob = try await after.signedIn("bob")
            let entered = try await bob.call("room.enter", ["room": 742])["snapshot"]
            // Unless she was quicker than Bob.
            if entered["seats"][0]["user"] == "alice" {
                #expect(try await bob.event("seat.left") { $0["user"]["id"] == "alice" }["reason"] == "exited")
            }
            // She is in no room, here and there: another can be entered.
            #expect(await alice.create(743) == 0)
            try await after.stop()
        }

        @Test("V03-C the next room can be entered right after exitRoom, without waiting for its callback")
        func fromRoomToRoom() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                for room in Int32(744)..<754 {
                    #expect(await alice.create(room) == 0)
                    #expect(await alice.sit(0) == 0)
                    alice.room.exitRoom()
                }
                alice.notes.clear()
                #expect(await alice.create(744) == 0)
                // Beside it a late event of the room that she leaves may be told.
                #expect(alice.notes.lines.first { $0.hasPrefix("callback") } == "callback create 0")
            }
        }
    }
}
