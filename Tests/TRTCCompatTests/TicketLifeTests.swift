import Foundation
import ServerApp
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// Tickets that run out.
    @Suite struct TicketLifeTests {
        private func renew(_ person: VoicePerson, at server: TestServer) async throws -> Int32 {
            let ticket = try server.ticket(person.name)
            return await person.ask("login") {
                person.room.login(
                    sdkAppID: Int32(TestServer.application), userId: person.name, userSig: ticket, callback: $0)
            }
        }

        @Test(
            "A10-C V17-C a ticket that is about to run out is told a minute before; with a newer one by login the seat stays, without one the session ends (6206)"
        )
        func renewal() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server, lifetime: 63)
                let bob = try await VoicePerson.signedIn("bob", at: server, lifetime: 6)
                #expect(await alice.create(701) == 0)
                #expect(await alice.sit(0) == 0)
                #expect(await bob.enter(701) == 0)
                #expect(await bob.sit(1) == 0)
                #expect(try await renew(bob, at: server) == 0)
                let carol = try await VoicePerson.signedIn("carol", at: server, lifetime: 6)
                #expect(await carol.enter(701) == 0)

                #expect(try await alice.notes.line("warning 6206").contains("call login with a newer one"))
                #expect(try await renew(alice, at: server) == 0)
                // Carol's end comes after that of bob's first ticket.
                #expect(try await carol.notes.line("error").hasPrefix("error 6206"))
                #expect(await carol.enter(701) == -1)
                #expect(carol.notes.lines.count { $0.hasPrefix("error") } == 1)

                #expect(await alice.ask("mute") { alice.room.muteSeat(seatIndex: 1, isMute: true, callback: $0) } == 0)
                for person in [alice, bob] {
                    try await person.notes.line("seat 1 mute true")
                    #expect(!person.notes.lines.contains { $0.hasPrefix("stands") || $0.hasPrefix("error") })
                    #expect(person.notes.lines.last { $0.hasPrefix("seats") } == "seats 1alice 1mbob 0")
                }
                // With a ticket of today it is as before.
                #expect(try await renew(carol, at: server) == 0)
                #expect(await carol.enter(701) == 0)
            }
        }

        @Test("A10-C a ticket that ran out while the connection was lost is refused: -100018, and one is logged out")
        func reconnection() async throws {
            let directory = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            let alice = try await VoicePerson.signedIn("alice", at: before, lifetime: 3_600)
            let bob = try await VoicePerson.signedIn("bob", at: before)
            #expect(await alice.create(702) == 0)
            #expect(await alice.sit(0) == 0)
            let port = before.port
            try await before.stop()
            try await alice.notes.line("warning 5101")
            let after = try await TestServer.start(directory: directory, clock: LaterClock(hours: 2)) { $0.port = port }
            #expect(try await alice.notes.line("error").hasPrefix("error -100018"))
            #expect(await alice.enter(702) == -1)
            #expect(alice.notes.lines.count { $0.hasPrefix("error") } == 1)
            // Who has a ticket for the day is back.
            #expect(await bob.enter(702) == 0)
            try await after.stop()
        }

        @Test("V19-C E07-C the chat client tells that its connection is lost, and that it is back")
        func chatReconnects() async throws {
            let directory = NSTemporaryDirectory() + "ovation-façade-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let before = try await TestServer.start(directory: directory)
            OvationServer.address = "http://127.0.0.1:\(before.port)"
            let manager = V2TIMManager()
            manager.initSDK(Int32(TestServer.application))
            let watch = ConnectionWatch()
            manager.addIMSDKListener(listener: watch)
            #expect(await signIn(manager, "alice", before) == 0)
            let port = before.port
            try await before.stop()
            try await watch.notes.line("connecting")
            let after = try await TestServer.start(directory: directory) { $0.port = port }
            try await watch.notes.line("connected")
            #expect(watch.notes.lines == ["connecting", "connected"])
            #expect(await ended { manager.logout($0, fail: $1) } == 0)
            try await after.stop()
        }

        @Test("A10-C E07-C the chat client has one number for a ticket that ran out, at the login and after it: 6206")
        func chat() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let manager = V2TIMManager()
                manager.initSDK(Int32(TestServer.application))
                let (watch, gone) = (ConnectionWatch(), ConnectionWatch())
                manager.addIMSDKListener(listener: watch)
                manager.addIMSDKListener(listener: gone)
                manager.removeIMSDKListener(listener: gone)
                let old = try server.ticket("alice", issuedAt: 1_000)
                #expect(await ended { manager.login("alice", userSig: old, succ: $0, fail: $1) } == 6_206)
                let forged = try server.ticket("alice", key: "another")
                #expect(await ended { manager.login("alice", userSig: forged, succ: $0, fail: $1) } == -100_018)
                let short = try server.ticket("alice", lifetime: 3)
                #expect(await ended { manager.login("alice", userSig: short, succ: $0, fail: $1) } == 0)
                try await watch.notes.line("expired")
                #expect(await ended { manager.joinGroup("703", succ: $0, fail: $1) } == 6_206)
                #expect(manager.getLoginUser() == nil)
                #expect(await signIn(manager, "alice", server) == 0)
                #expect(await ended { manager.joinGroup("703", succ: $0, fail: $1) } == 10_010)
                let elsewhere = try await server.signedIn("alice")
                try await watch.notes.line("kicked")
                #expect(await ended { manager.joinGroup("703", succ: $0, fail: $1) } == 6_208)
                #expect(watch.notes.lines == ["expired", "kicked"] && gone.notes.lines.isEmpty)
                await elsewhere.close()
            }
        }
    }
}

/// Writes down how a chat client's connection does.
private final class ConnectionWatch: V2TIMSDKListener, Sendable {
    let notes = Notes()
    func onConnecting() { notes.write("connecting") }
    func onConnectSuccess() { notes.write("connected") }
    func onKickedOffline() { notes.write("kicked") }
    func onUserSigExpired() { notes.write("expired") }
}
