import Foundation
import Logging
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// Starting, stopping, starting again.
    @Suite struct LifetimeTests {
        private func temporaryFolder() -> String { NSTemporaryDirectory() + "ovation-test-" + UUID().uuidString }

        @Test(
            "V03-S after a restart the room, its seats and its messages are there, and clients come back to their seats"
        )
        func restart() async throws {
            let directory = temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: directory) }
            var server = try await TestServer.start(directory: directory)
            let alice = try await server.signedIn("alice")
            let room = try await alice.call("room.create", ["name": "Salon", "seats": 3])["room"]
            try await alice.call("seat.take", ["room": room, "seat": 1])
            let sent = try await alice.call("message.send", ["room": room, "text": "before"])
            let before = try await alice.call("room.enter", ["room": room])["snapshot"]
            try await server.stop()
            // Told in order, so that the client reconnects at once.
            #expect(try await alice.closeCode() == 1001)

            server = try await TestServer.start(directory: directory)
            let back = try await server.signedIn("alice", resume: "a secret of the earlier process")
            let entered = try await back.call(
                "room.enter",
                ["room": room, "since": ["epoch": before["epoch"], "seq": before["seq"], "chat": before["chat"]]])
            let after = entered["snapshot"]
            #expect(entered["resumed"] == true || (after["epoch"].int ?? 0) > (before["epoch"].int ?? 0))
            let again = try await back.call("room.enter", ["room": room])["snapshot"]
            #expect(again["seats"][1]["user"] == "alice" && again["me"]["role"] == "owner")
            #expect(again["messages"].array.map { $0["text"].string } == ["before"])
            #expect(again["chat"] == sent["chat"])
            #expect(again["mediaEpoch"] != before["mediaEpoch"])
            #expect(try await back.call("room.list")["rooms"][0]["room"] == room)
            try await server.stop()
        }

        @Test("R05-S while it drains the server lets nobody in, and stops although sockets are open")
        func drain() async throws {
            let directory = temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let server = try await TestServer.start(directory: directory)
            let silent = try await server.client()
            let signedIn = try await server.signedIn("alice")
            try await server.stop()
            #expect(try await silent.closeCode() == 1001)
            #expect(try await signedIn.closeCode() == 1001)
            await #expect(throws: (any Error).self) { try await PlainHTTP.get("/healthz", port: server.port) }
        }

        @Test("R09-S a second server on the same folder, a taken port and a missing application are said in words")
        func refusals() async throws {
            try await TestServer.with { server async throws in
                var settings = ServerSettings()
                settings.data = server.directory
                let second = ServerApplication(
                    settings: settings, mode: .production,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                let refusal = await #expect(throws: ConfigurationFailure.self) { try await second.run { _ in } }
                #expect(refusal?.description.contains("is using the data directory") == true)
                #expect(refusal?.description.contains("--data") == true)
                let command = await #expect(throws: ConfigurationFailure.self) {
                    _ = try await ApplicationAdmin(data: server.directory).list()
                }
                #expect(command?.description.contains("is using the data folder") == true)
                #expect(command?.description.contains("stop it first, or use the REST API or the console") == true)
                let directory = temporaryFolder()
                defer { try? FileManager.default.removeItem(atPath: directory) }
                let port = await failure(directory: directory) { $0.port = server.port }
                #expect(port.contains("port \(server.port)") && port.contains("--port"), "\(port)")
                let media = await failure(directory: directory) { $0.mediaPort = server.readiness.mediaPort }
                #expect(media.contains("--media-port"), "\(media)")
                let shared = await failure(directory: directory) {
                    $0.mediaTCPPort = server.readiness.mediaPort
                }
                #expect(shared.contains("--media-tcp-port"), "\(shared)")
                let application = await failure(directory: directory) { $0.signInApplication = 77 }
                #expect(application.contains("77") && application.contains("ovation app list"))
            }
        }

        private func failure(directory: String, _ configure: (inout ServerSettings) -> Void) async -> String {
            do {
                let server = try await TestServer.start(directory: directory, configure: configure)
                try await server.stop()
                return "it started"
            } catch {
                return "\(error)"
            }
        }

        @Test("A01-S applications are isolated: another's users, tickets and rooms are unknown")
        func isolation() async throws {
            let directory = temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let other = try await ApplicationAdmin(data: directory).create(name: "Other", id: nil)
            #expect(other.keys.first?.count == 64)
            let server = try await TestServer.start(directory: directory)
            let alice = try await server.signedIn("alice")
            let room = try await alice.call("room.create", ["room": 555, "name": "Ours"])["room"]

            let stranger = try await server.client()
            let ticket = try server.ticket("alice", key: other.keys[0], application: other.id)
            try await stranger.call(
                "session.open",
                ["version": 1, "app": .number(Double(other.id)), "user": "alice", "ticket": .string(ticket)])
            // A ticket of one application opens nothing in the other, under the same user id.
            let ours = TestServer.application
            for (key, signedFor, application) in [
                (server.keys[0], ours, other.id), (other.keys[0], ours, ours), (other.keys[0], other.id, ours),
            ] {
                let forged = try server.ticket("alice", key: key, application: signedFor)
                #expect(
                    try await server.client().refusal(
                        "session.open",
                        ["version": 1, "app": .number(Double(application)), "user": "alice", "ticket": .string(forged)])
                        == "ticket_failed")
            }
            #expect(try await stranger.call("room.list")["rooms"] == [])
            #expect(try await stranger.call("room.get", ["rooms": [555]])["rooms"] == [])
            #expect(try await stranger.refusal("room.members", ["room": room]) == "room_not_found")
            #expect(try await stranger.refusal("message.send", ["room": room, "text": "hello"]) == "room_not_found")
            #expect(try await stranger.refusal("room.enter", ["room": room]) == "room_not_found")
            #expect(try await stranger.call("profile.get", ["users": ["alice"]])["users"] == [])
            #expect(try await stranger.call("room.create", ["room": 555, "name": "Theirs"])["room"] == 555)
            #expect(try await stranger.call("room.get", ["rooms": [555]])["rooms"][0]["name"] == "Theirs")
            try await stranger.call("profile.set", ["name": "Stranger"])
            // The same user id there has not replaced ours, and what is said there is not heard here.
            try await stranger.call("message.send", ["room": 555, "text": "there"])
            #expect(try await alice.call("room.get", ["rooms": [555]])["rooms"][0]["name"] == "Ours")
            try await alice.call("message.send", ["room": 555, "text": "here"])
            try await alice.event("message") { $0["text"] == "here" }
            #expect(!alice.events.contains { $0["text"] == "there" })
            #expect(try await alice.call("profile.get", ["users": ["alice"]])["users"][0]["name"] != "Stranger")
            try await stranger.call("room.destroy", ["room": 555])
            #expect(try await alice.call("room.list")["rooms"][0]["name"] == "Ours")
            try await server.stop()
        }
    }
}
