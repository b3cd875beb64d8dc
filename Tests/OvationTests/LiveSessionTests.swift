import Foundation
import NIOCore
import NIOPosix
import RoomModel
import ServerApp
import ServerTestSupport
import Synchronization
import Testing

@testable import Ovation

extension LiveServerTests {
    /// Signing in, and what becomes of a session, against a whole server.
    @Suite struct LiveSessionTests {
        private func temporaryFolder() -> String { NSTemporaryDirectory() + "ovation-client-" + UUID().uuidString }

        @Test("A04-K signing in and out, the own profile, others' profiles")
        func profile() async throws {
            try await TestServer.with { server async throws in
                let alice = try await server.signIn("alice")
                let bob = try await server.signIn("bob")
                #expect(alice.state.phase == .ready && alice.state.user?.name == "Alice")
                #expect(
                    alice.state.limits
                        == ClientState.Limits(textBytes: 12_288, seats: 16, callsAtOnce: 120, callsPerSecond: 40))
                let changed = try await alice.setProfile(name: "앨리스", bio: "sings")
                #expect(changed.name == "앨리스" && alice.state.user?.bio == "sings")
                let found = try await bob.profiles(of: ["nobody", "alice", "bob"])
                #expect(found.map(\.id) == ["alice", "bob"] && found.first?.bio == "sings")
                #expect(await refusal { try await bob.setProfile(name: "") } == "invalid_params")

                let room = try await alice.createRoom(RoomDraft(name: "Salon"))
                let clock = try #require(await alice.changes.first { $0.roundTrip != nil })
                #expect(clock.isSignedIn)
                let reading = try #require(alice.clock.reading)
                let off = abs(reading.date.timeIntervalSinceNow) * 1_000
                #expect(off <= Double(reading.error.components.attoseconds) / 1e15 + 50, "one machine, one clock")
                await alice.signOut()
                #expect(alice.state.phase == .signedOut(OvationError(.signedOut)) && !room.state.isPresent)
                #expect(await refusal { _ = try await alice.rooms() } == "signed_out")
                #expect(await refusal { try await room.takeSeat(0) } == "signed_out")
                // And again.
                try await alice.signIn(
                    app: ApplicationID(TestServer.application), user: "alice", ticket: try server.ticket("alice"))
                #expect(alice.state.user?.name == "앨리스", "the server keeps it")
            }
        }

        @Test("A04-K the same user signs in twice: the older session ends with 6208 and stays ended")
        func replaced() async throws {
            try await TestServer.with { server async throws in
                let first = try await server.signIn("alice")
                let room = try await first.createRoom(RoomDraft(name: "Salon"))
                let second = try await server.signIn("alice")
                let events = try await first.events(replay: .all).upTo {
                    if case .signedOut = $0 { true } else { false }
                }
                guard case .signedOut(let error)? = events.last else { return }
                #expect(error.number == 6_208 && error.code == .sessionReplaced)
                #expect(room.state.phase == .gone(error))
                #expect(await refusal { _ = try await first.rooms() } == "session_replaced")
                let back = try await second.enterRoom(room.id)
                #expect(back.state.me.role == .owner)
            }
        }

        @Test("A10-K tickets: forged, another's, expired and absent ones are refused at once, by their names")
        func tickets() async throws {
            try await TestServer.with { server async throws in
                let client = try server.sdk()
                func signIn(_ ticket: String, app: UInt32 = TestServer.application) async -> String {
                    await refusal {
                        _ = try await client.signIn(app: ApplicationID(app), user: "alice", ticket: ticket)
                    }
                }
                #expect(await signIn("") == "ticket_empty")
                #expect(await signIn("eJxxx") == "ticket_failed")
                #expect(try await signIn(server.ticket("bob")) == "ticket_failed")
                let old = try server.ticket("alice", lifetime: 5, issuedAt: Int64(Date().timeIntervalSince1970) - 60)
                #expect(await signIn(old) == "ticket_expired")
                #expect(try await signIn(server.ticket("alice"), app: 5) == "app_unknown")
                #expect(try await signIn(server.ticket("alice")) == "accepted")
            }
        }

        @Test("A10-K a ticket that runs out is renewed: the session and the seat go on, and nothing is heard twice")
        func renewal() async throws {
            try await TestServer.with { server async throws in
                let renewals = Mutex(0)
                let alice = try await server.signIn("alice", lifetime: 2) {
                    renewals.withLock { $0 += 1 }
                    return try server.ticket("alice")
                }
                let room = try await alice.createRoom(RoomDraft(name: "Salon", seats: 2))
                try await room.takeSeat(1)
                let seq = room.state.seq
                let events = room.events(replay: .all)
                _ = try await alice.events(replay: .all).upTo { $0 == .connectionRestored }
                #expect(renewals.withLock { $0 } == 1 && alice.state.phase == .ready)
                try await room.send("still here")
                #expect(room.state.mySeat == 1 && room.state.seq == seq)
                let heard = try await events.upTo { $0.brief == "message 1" }
                #expect(heard.map(\.brief).suffix(3) == ["lost", "resumed", "message 1"])

                let bob = try await server.signIn("bob", lifetime: 2)
                let ended = try await bob.events(replay: .all).upTo { if case .signedOut = $0 { true } else { false } }
                guard case .signedOut(let error)? = ended.last else { return }
                #expect(error.number == 6_206, "without a new one it is over")
            }
        }

        @Test("no server, no TLS, another server: said at once, by their names")
        func unreachable() async throws {
            // A port that was free a moment ago.
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0).get()
            let port = channel.localAddress?.port ?? 1
            try await channel.close()
            let nobody = OvationClient(server: try ServerAddress("127.0.0.1:\(port)"))
            func signIn(_ client: OvationClient) async -> String {
                await refusal { try await client.signIn(app: ApplicationID(1), user: "alice", ticket: "t") }
            }
            #expect(await signIn(nobody) == "server_unreachable")
            #expect(await refusal { try await nobody.signIn(name: "Alice") } == "server_unreachable")
            guard case .signedOut(let error?) = nobody.state.phase else {
                Issue.record("\(nobody.state.phase)")
                return
            }
            #expect(error.code == .serverUnreachable)
            try await TestServer.with { server async throws in
                #expect(
                    await signIn(OvationClient(server: try ServerAddress("https://127.0.0.1:\(server.port)")))
                        == "server_unreachable")
                let elsewhere = await signIn(
                    OvationClient(server: try ServerAddress("http://127.0.0.1:\(server.port)/else")))
                #expect(elsewhere == "invalid_answer")
                #expect(await refusal { try await server.sdk().signIn(name: "Alice") } == "sign_in_unavailable")
            }
        }

        @Test("A04-K a development server gives tickets by name, one person a name at a time")
        func development() async throws {
            try await TestServer.with(mode: .development) { server async throws in
                let alice = try server.sdk()
                let user = try await alice.signIn(name: "앨리스 7")
                #expect(user.name == "앨리스 7")
                #expect(await refusal { try await server.sdk().signIn(name: "앨리스 7") } == "name_taken")
                await alice.signOut()
                let again = try server.sdk()
                #expect(try await again.signIn(name: "앨리스 7").id == user.id)
            }
        }

        @Test("on the local network: TLS with the server's own certificate, and without trusting it none")
        func localNetwork() async throws {
            try await TestServer.with(mode: .localNetwork) { server async throws in
                let address = try ServerAddress("https://127.0.0.1:\(server.port)")
                let certificate = server.directory + "/lan-certificate.pem"
                let text = try String(contentsOfFile: certificate, encoding: .utf8)
                for (name, roots) in [("Alice", OvationClient.TrustRoots.file(certificate)), ("Anna", .pem(text))] {
                    let client = OvationClient(
                        server: address, configuration: .init(trustRoots: roots, audio: .off))
                    let user = try await client.signIn(name: name)
                    #expect(user.name == name && client.state.phase == .ready)
                    await client.signOut()
                }
                let stranger = OvationClient(server: address)
                #expect(await refusal { try await stranger.signIn(name: "Bob") } == "server_unreachable")
            }
        }

        @Test("cancelling a task ends its wait for a server that says nothing; the client goes on when it speaks again")
        func cancellation() async throws {
            let folder = temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let server = try ServerProcess(data: folder, port: FreePort.take(), mediaPort: FreePort.take())
            let alice = OvationClient(
                server: try ServerAddress("127.0.0.1:\(server.port)"),
                configuration: .init(callTimeout: .seconds(20), audio: .off))
            try await alice.signIn(name: "Alice")
            let room = try await alice.createRoom(RoomDraft(name: "Salon"))
            server.hold()
            for round in 0..<20 {
                let sending = Task { _ = try await room.send("x\(round)") }
                let entering = Task { _ = try await alice.enterRoom(room.id) }
                if round % 2 == 0 { await Task.yield() }
                for task in [sending, entering] {
                    task.cancel()
                    try #require(await refusal { try await task.value } == "cancelled")
                }
            }
            server.goOn()
            try await room.takeSeat(0)
            #expect(room.state.mySeat == 0)
            await alice.signOut()
        }

        @Test(
            "V19-K kill -9 and restart under load: the same seat, the exact gap, nothing twice, nothing acknowledged lost"
        )
        func killed() async throws {
            let folder = temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let ports = try (FreePort.take(), FreePort.take())
            var server = try ServerProcess(
                data: folder, port: ports.0, mediaPort: ports.1, flags: ["--rooms-messages-per-person", "1000"])
            func client(_ name: String) async throws -> OvationClient {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(ports.0)"),
                    configuration: .init(callTimeout: .seconds(60), audio: .off))
                try await client.signIn(name: name)
                return client
            }
            let alice = try await client("Alice")
            let bob = try await client("Bob")
            let owner = try await alice.createRoom(RoomDraft(name: "Storm", seats: 3))
            let guest = try await bob.enterRoom(owner.id)
            try await owner.takeSeat(2)
            let (heard, gone) = (owner.events(replay: .all), guest.events(replay: .all))
            for round in 0..<3 {
                async let restored = alice.events(replay: .all).upTo { $0 == .connectionRestored }
                let sending = Task {
                    var acknowledged: [String] = []
                    for number in 0..<15 {
                        let text = "\(round)-\(number)"
                        try await guest.send(text)
                        acknowledged.append(text)
                    }
                    return acknowledged
                }
                _ = await guest.changes.first { $0.chat >= UInt64(round * 15 + 5) }
                server.kill()
                server = try ServerProcess(
                    data: folder, port: ports.0, mediaPort: ports.1, flags: ["--rooms-messages-per-person", "1000"])
                // Calls under way are repeated by their keys: each is carried out once.
                #expect(try await sending.value.count == 15)
                _ = try await restored
                _ = await owner.changes.first { $0.chat == UInt64(round * 15 + 15) }
            }
            #expect(owner.state.mySeat == 2 && owner.state.me.role == .owner)
            #expect(owner.state.messages.map(\.chat) == Array(1...45))
            #expect(owner.state.messages == guest.state.messages)
            try await owner.leaveSeat()
            let texts = try await heard.upTo { $0.brief.hasPrefix("left 2") }.compactMap { event -> UInt64? in
                if case .message(let message) = event { message.chat } else { nil }
            }
            #expect(texts == Array(1...45), "each once, in order, over three ends of the server")
            _ = gone
            await alice.signOut()
            await bob.signOut()
        }
    }

    @Suite struct ServerAddressTests {
        @Test("addresses as people write them, and what is none")
        func addresses() throws {
            for (text, expected) in [
                ("localhost", "http://localhost:8080"), ("localhost:9000", "http://localhost:9000"),
                (" example.org ", "http://example.org:8080"), ("http://example.org", "http://example.org"),
                ("https://example.org", "https://example.org"), ("ws://a:81/", "http://a:81"),
                ("wss://a/salon/v1/connect", "https://a/salon"), ("HTTPS://a:443", "https://a"),
                ("[::1]:8080", "http://[::1]:8080"), ("http://[2001:db8::1]", "http://[2001:db8::1]"),
                ("10.0.0.7:8443", "http://10.0.0.7:8443"),
            ] {
                #expect(try ServerAddress(text).description == expected, "\(text)")
            }
            for text in ["", "ftp://a", "http://", "a:0", "a:65536", "a:b", "http:///x", "a b"] {
                #expect(throws: OvationError.self, "\(text)") { try ServerAddress(text) }
            }
            #expect(try ServerAddress.fromEnvironment([:]) == .local)
            #expect(try ServerAddress.fromEnvironment(["OVATION_SERVER": "a:1"]).port == 1)
            #expect(try ServerAddress(#require(URL(string: "https://a:8443/x/"))).description == "https://a:8443/x")
        }
    }
}
