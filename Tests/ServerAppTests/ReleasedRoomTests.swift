import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// The rooms of each release are read by every later one. `Fixtures/<release>` holds what a server of that release left behind, and
    /// what it said of it itself after a restart (`Tests/EndToEnd/record_release.py`).
    @Suite struct ReleasedRoomTests {
        private static let releases = ["release-1", "release-2"]

        private func folder(_ release: String) throws -> URL {
            try #require(Bundle.module.url(forResource: release, withExtension: nil, subdirectory: "Fixtures"))
        }

        /// What depends on who is connected just now and on when it is asked.
        private static let passing: Set<String> = [
            "epoch", "mediaEpoch", "memberCount", "members", "me", "ownerAbsentUntil", "heir", "presence", "speaking",
            "faucet",
        ]

        private func lasting(_ value: JSON) -> JSON {
            switch value {
            case .object(let fields):
                .object(fields.filter { !Self.passing.contains($0.key) }.mapValues(lasting))
            case .array(let items): .array(items.map(lasting))
            case .null, .bool, .number, .string: value
            }
        }

        /// Where the two are not alike, with both.
        private func differences(_ now: JSON, _ before: JSON, at path: String) -> [String] {
            switch (lasting(now), lasting(before)) {
            case (.object(let one), .object(let other)):
                Set(one.keys).union(other.keys).sorted().flatMap {
                    differences(one[$0] ?? .null, other[$0] ?? .null, at: "\(path).\($0)")
                }
            case (.array(let one), .array(let other)) where one.count == other.count:
                one.indices.flatMap { differences(one[$0], other[$0], at: "\(path)[\($0)]") }
            case (let one, let other): one == other ? [] : ["\(path): \(one), was \(other)"]
            }
        }

        @Test("R09-S rooms of a released server are there, to the last seat, word and number", arguments: releases)
        func rooms(release: String) async throws {
            let source = try folder(release)
            let directory = NSTemporaryDirectory() + "ovation-released-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            try FileManager.default.copyItem(
                atPath: source.appending(path: "ovation.sqlite").path, toPath: directory + "/ovation.sqlite")
            let told = try JSON(parsing: Data(contentsOf: source.appending(path: "answers.json")))
            let applications = try await ApplicationAdmin(data: directory).list()
            let application = try #require(applications.first)

            let server = try await TestServer.start(
                directory: directory,
                configure: {
                    // As many as the released server told.
                    $0.roomsMessagesOnEntry = 50
                })
            func signIn(_ user: String) async throws -> SignalClient {
                let client = try await server.client()
                let ticket = try server.ticket(user, key: application.keys[0], application: application.id)
                let opening: JSON = [
                    "version": 1, "app": .number(Double(application.id)), "user": .string(user),
                    "ticket": .string(ticket),
                ]
                try await client.call("session.open", opening)
                return client
            }
            // First what people are told alone: of money, of moderation, of what waits for them.
            for asked in told["asked"].array {
                let person = try await signIn(asked["user"].string ?? "")
                if asked["params"]["room"] != .null {
                    try await person.call("room.enter", ["room": asked["params"]["room"]])
                }
                let method = asked["method"].string ?? ""
                let now = try await person.call(method, asked["params"])
                #expect(differences(now, asked["answer"], at: "\(asked["user"]) \(method)") == [])
                await person.close()
            }
            let reader = try await signIn("reader")
            for name in ["salon", "chorus", "heirloom", "bazaar", "show"] where told[name] != .null {
                let before = told[name]
                let now = try await reader.call("room.enter", ["room": before["room"]])["snapshot"]
                #expect(differences(now, before, at: name) == [])
                // What was recorded after the restart of its own server is a new epoch there too.
                #expect((now["epoch"].int ?? 0) >= (before["epoch"].int ?? 0))
                // And the room goes on from there.
                let sent = try await reader.call("message.send", ["room": before["room"], "text": "after the upgrade"])
                #expect(sent["chat"].int == (before["chat"].int ?? 0) + 1)
                try await reader.call("room.exit", ["room": before["room"]])
            }
            #expect(try await reader.call("room.list")["rooms"].array.count == told["rooms"].array.count)
            #expect(try await reader.refusal("room.enter", ["room": 7]) == "room_closed")
            try await server.stop()
        }
    }
}
