import Foundation
import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    @Suite struct SignInTests {
        private func login(
            _ room: TRTCVoiceRoom, app: UInt32 = TestServer.application, _ user: String, _ ticket: String
        ) async -> Outcome {
            await outcome { room.login(sdkAppID: Int32(app), userId: user, userSig: ticket, callback: $0) }
        }

        @Test("A04-C signing in, again, as another, and out; not from within a room")
        func signInAndOut() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                // Again as the same user: the newer ticket is put in place, a bad one is refused and changes nothing.
                #expect(await login(alice.room, "alice", try server.ticket("alice")).code == 0)
                #expect(await login(alice.room, "alice", try server.ticket("alice", key: "another")).code == -100_018)
                #expect(await alice.create(30) == 0)
                // A second component of the same user shares the connection, if its own ticket is good.
                let second = TRTCVoiceRoom()
                #expect(await login(second, "alice", try server.ticket("alice", key: "another")).code == -100_018)
                #expect(await login(second, "alice", try server.ticket("alice")).code == 0)
                #expect(!alice.notes.lines.contains { $0.hasPrefix("error") })
                #expect(await login(alice.room, "bob", try server.ticket("bob")).code == -1)
                #expect(await outcome { alice.room.logout(callback: $0) }.code == -1)
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                #expect(await outcome { alice.room.logout(callback: $0) } == Outcome(code: 0, message: "success"))
                #expect(await outcome { alice.room.logout(callback: $0) }.code == -1)
                #expect(await alice.enter(30) == -1)
                #expect(await login(alice.room, "bob", try server.ticket("bob")).code == 0)
                #expect(await alice.enter(30) == 0)
            }
        }

        @Test("A04-C the profile is what others see, and what is empty or too long is refused")
        func profile() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(
                    await alice.ask("profile") {
                        alice.room.setSelfProfile(
                            userName: "앨리스", avatarURL: "https://example.org/a.png", callback: $0)
                    } == 0)
                #expect(
                    await alice.ask("profile") {
                        alice.room.setSelfProfile(userName: "A", avatarURL: "javascript:alert(1)", callback: $0)
                    } == -1)
                #expect(await bob.create(31) == 0)
                #expect(await alice.enter(31) == 0)
                #expect(try await bob.notes.line("enters") == "enters alice 앨리스")
            }
        }

        @Test("A04-C the same user signed in elsewhere ends this session with 6208")
        func replaced() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(32) == 0)
                let elsewhere = try await server.signedIn("alice")
                #expect(try await alice.notes.line("error").hasPrefix("error 6208"))
                #expect(await alice.enter(32) == -1)
                #expect(alice.notes.lines.filter { $0.hasPrefix("error") }.count == 1)
                // Nothing is left of the session: whoever signs in again is in no room, and may enter one.
                let again = await outcome { [room = alice.room] in
                    room.login(
                        sdkAppID: Int32(TestServer.application), userId: "alice",
                        userSig: (try? server.ticket("alice")) ?? "", callback: $0)
                }
                #expect(again.code == 0)
                #expect(await alice.enter(32) == 0)
                await elsewhere.close()
            }
        }

        @Test(
            "A04-C V17-C what is wrong with a sign-in has its documented code",
            arguments: [
                ("no application", -1), ("no user", -1), ("a bad user id", -1), ("no ticket", -1),
                ("another key", -100_018),
                ("another user's ticket", -100_018), ("an old ticket", -100_018), ("an unknown application", -3_317),
            ] as [(String, Int32)])
        func refusals(what: String, code: Int32) async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let room = TRTCVoiceRoom()
                let good = try server.ticket("alice")
                let answer =
                    switch what {
                    case "no application": await login(room, app: 0, "alice", good)
                    case "no user": await login(room, "", good)
                    case "a bad user id": await login(room, "alice@example.org", good)
                    case "no ticket": await login(room, "alice", "")
                    case "another key": await login(room, "alice", try server.ticket("alice", key: "another"))
                    case "another user's ticket": await login(room, "alice", try server.ticket("bob"))
                    case "an old ticket": await login(room, "alice", try server.ticket("alice", issuedAt: 1_000))
                    default: await login(room, app: 7, "alice", try server.ticket("alice", application: 7))
                    }
                #expect(answer.code == code, "\(answer)")
                #expect(!answer.message.isEmpty)
                #expect(await outcome { room.enterRoom(roomID: 1, callback: $0) }.code == -1)
            }
        }

        @Test("X02-C without a server login answers with the line to write; one line or the variable names it")
        func address() async throws {
            OvationServer.address = nil
            #expect(throws: OvationError.self) { try OvationServer.named(in: [:]) }
            let unset = await login(TRTCVoiceRoom(), "alice", "ticket")
            #expect(unset.code == TRTCCode.noServer)
            #expect(unset.message.contains("OvationServer.address = ") && unset.message.contains("OVATION_SERVER"))
            let chat = V2TIMManager()
            chat.initSDK(7)
            let refused = await withCheckedContinuation { continuation in
                chat.login(
                    "alice", userSig: "ticket", succ: { continuation.resume(returning: Int32(0)) },
                    fail: { code, _ in continuation.resume(returning: code) })
            }
            #expect(refused == TRTCCode.noServer)

            OvationServer.address = "gopher://example.org"
            #expect(await login(TRTCVoiceRoom(), "alice", "ticket").code == TRTCCode.noServer)
            // Port 1 of this machine: nobody is there.
            OvationServer.address = "127.0.0.1:1"
            let unreachable = await login(TRTCVoiceRoom(), "alice", "ticket")
            #expect(unreachable.code == -6 && unreachable.message.hasPrefix("server_unreachable"))

            OvationServer.address = nil
            let named = try OvationServer.named(in: ["OVATION_SERVER": "https://live.example.com"])
            #expect(named.description == "https://live.example.com")
            OvationServer.address = "http://here:81"
            #expect(try OvationServer.named(in: ["OVATION_SERVER": "https://live.example.com"]).port == 81)
            OvationServer.address = nil
        }

        @Test("A05-C rooms come in the order asked, unknown ones left out; nil is everybody in the room")
        func directory() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                let carol = try await VoicePerson.signedIn("carol", at: server)
                #expect(await alice.create(41) == 0)
                #expect(await bob.create(42, needRequest: true) == 0)
                #expect(await carol.enter(42) == 0)
                let rooms = await withCheckedContinuation { continuation in
                    carol.room.getRoomInfoList(roomIdList: [42, 999, 41, -1] as [NSNumber]) { code, _, rooms in
                        continuation.resume(
                            returning: rooms.map {
                                "\(code) \($0.roomID) \($0.roomName) \($0.ownerId) \($0.ownerName) \($0.memberCount) \($0.needRequest)"
                            })
                    }
                }
                #expect(rooms == ["0 42 Salon 42 bob Bob 2 true", "0 41 Salon 41 alice Alice 1 false"])

                func people(_ ids: [String]?) async -> [String] {
                    await withCheckedContinuation { continuation in
                        carol.room.getUserInfoList(userIDList: ids) { code, _, people in
                            continuation.resume(returning: ["\(code)"] + people.map { "\($0.userId) \($0.userName)" })
                        }
                    }
                }
                #expect(await people(["carol", "nobody", "alice"]) == ["0", "carol Carol", "alice Alice"])
                #expect(await Set(people(nil)) == ["0", "bob Bob", "carol Carol"])
                #expect(await carol.ask("exit") { carol.room.exitRoom(callback: $0) } == 0)
                #expect(await people(nil) == ["-1"])
            }
        }
    }

    @Suite struct TestTicketTests {
        /// What is written to the standard error stream meanwhile, by whomever.
        private func errorStream(_ body: () -> Void) throws -> String {
            let pipe = Pipe()
            let kept = dup(STDERR_FILENO)
            try #require(kept >= 0)
            dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
            body()
            dup2(kept, STDERR_FILENO)
            close(kept)
            try pipe.fileHandleForWriting.close()
            // Not to the end: a process that another test started meanwhile may hold the other side.
            return String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }

        @Test(
            "X01-C unset values say which line to write; set ones make a ticket that the server takes; releases warn once"
        )
        func tickets() async throws {
            defer {
                GenerateTestUserSig.SDKAPPID = 0
                GenerateTestUserSig.SECRETKEY = ""
            }
            GenerateTestUserSig.SDKAPPID = 0
            GenerateTestUserSig.SECRETKEY = ""
            var said: [String] = []
            func make(_ user: String, isRelease: Bool = false) -> String {
                GenerateTestUserSig.make(user, now: 1_700_000_000, isRelease: isRelease) { said.append($0) }
            }
            #expect(make("alice").isEmpty)
            #expect(said.count == 1 && said[0].contains("GenerateTestUserSig.SDKAPPID = "))
            let room = TRTCVoiceRoom()
            let refused = await outcome { room.login(sdkAppID: 0, userId: "alice", userSig: "", callback: $0) }
            #expect(refused.code == -1 && refused.message.contains("GenerateTestUserSig.SDKAPPID"))
            GenerateTestUserSig.SDKAPPID = Int32(TestServer.application)
            #expect(make("alice").isEmpty)
            #expect(said.count == 2 && said[1].contains("GenerateTestUserSig.SECRETKEY = "))
            GenerateTestUserSig.SECRETKEY = "key"
            #expect(make("al ice").isEmpty)
            #expect(said.count == 3)
            #expect(!make("alice").isEmpty)
            #expect(said.count == 3)
            #expect(!make("alice", isRelease: true).isEmpty && said.count == 4)
            #expect(!make("alice", isRelease: true).isEmpty)
            #expect(said.count == 4 && said[3].contains("release build"))
            GenerateTestUserSig.SDKAPPID = -1
            #expect(make("alice").isEmpty && said.count == 5)
            #expect(said.last == "SDKAPPID is -1, which no application has")
            GenerateTestUserSig.SDKAPPID = Int32(TestServer.application)
            GenerateTestUserSig.SECRETKEY = ""
            let written = try errorStream { _ = GenerateTestUserSig.genTestUserSig("alice") }
            #expect(written.contains(said[1]))

            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                GenerateTestUserSig.SECRETKEY = server.keys[0]
                let answer = await outcome {
                    room.login(
                        sdkAppID: GenerateTestUserSig.SDKAPPID, userId: "alice",
                        userSig: GenerateTestUserSig.genTestUserSig(identifier: "alice"), callback: $0)
                }
                #expect(answer.code == 0, "\(answer)")
            }
        }
    }
}
