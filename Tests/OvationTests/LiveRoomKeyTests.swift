import Foundation
import RoomModel
import ServerTestSupport
import Testing

@testable import Ovation

extension LiveServerTests {
    /// privateMapKeys, by the SDK on a real server whose application asks for them.
    @Suite struct LiveRoomKeyTests {
        private struct Failed: Error {}

        private final class House {
            let folder = NSTemporaryDirectory() + "ovation-keys-" + UUID().uuidString
            let ports: (Int, Int)
            var process: ServerProcess
            /// The application's id and its secret key.
            private var application = ("", "")

            init() throws {
                ports = try (FreePort.take(), FreePort.take())
                process = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            }

            func client(_ name: String) async throws -> OvationClient {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(ports.0)"),
                    configuration: .init(callTimeout: .seconds(60), audio: .off))
                try await client.signIn(name: name)
                return client
            }

            /// - Parameter change: what is done while the server does not run.
            func killAndRestart(_ change: () throws -> Void = {}) throws {
                process.kill()
                try change()
                process = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            }

            func requireKeys() throws {
                let listed = try ovation("app", "list", "--keys", "--data", folder).split(
                    whereSeparator: \.isWhitespace)
                guard let id = listed.first(where: { Int($0) != nil }), let secret = listed.last else { throw Failed() }
                application = (String(id), String(secret))
                _ = try ovation("app", "configure", "--app", String(id), "--room-keys", "required", "--data", folder)
            }

            func key(for user: String, in room: Int, _ privileges: Int = 255) throws -> String {
                try ovation(
                    "usersig", "make", "--app", application.0, "--key", application.1, "--user", user, "--room",
                    String(room), "--privileges", String(privileges)
                ).trimmingCharacters(in: .whitespacesAndNewlines)
            }

            private func ovation(_ arguments: String...) throws -> String {
                let (command, output) = (Process(), Pipe())
                command.executableURL = ServerProcess.executable
                command.arguments = arguments
                command.standardOutput = output
                try command.run()
                let said = output.fileHandleForReading.readDataToEndOfFile()
                command.waitUntilExit()
                guard command.terminationStatus == 0 else { throw Failed() }
                return String(decoding: said, as: UTF8.self)
            }

            func end() {
                process.kill()
                try? FileManager.default.removeItem(atPath: folder)
            }
        }

        private func refusal(_ work: () async throws -> Void) async -> String? {
            do {
                try await work()
                return nil
            } catch {
                let error = error as? OvationError
                return "\(error?.code.rawValue ?? "-") \(error?.reason ?? "-")"
            }
        }

        @Test(
            "A03-K a room is created and entered by key; what it does not allow is refused; it opens the room again after a restart"
        )
        func keys() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob) = (try await house.client("Alice"), try await house.client("Bob"))
            let (host, listener) = try (#require(alice.state.user?.id), #require(bob.state.user?.id))
            async let back = alice.events(replay: .all).upTo { $0 == .connectionRestored }
            async let backToo = bob.events(replay: .all).upTo { $0 == .connectionRestored }
            try house.killAndRestart { try house.requireKeys() }
            _ = try await (back, backToo)

            let id = RoomID.number(48_213)
            #expect(
                await refusal { _ = try await alice.createRoom(RoomDraft(name: "Salon", id: id)) }
                    == "room_key_failed missing")
            var draft = RoomDraft(name: "Salon", id: id)
            draft.privateMapKey = try house.key(for: host.rawValue, in: 48_213)
            let owner = try await alice.createRoom(draft)
            #expect(await refusal { _ = try await bob.enterRoom(id) } == "room_key_failed missing")
            let foreign = try house.key(for: listener.rawValue, in: 7)
            #expect(
                await refusal { _ = try await bob.enterRoom(id, privateMapKey: foreign) } == "room_key_failed room")
            let guest = try await bob.enterRoom(
                id, privateMapKey: try house.key(for: listener.rawValue, in: 48_213, 2 + 8 + 32))
            #expect(await refusal { try await guest.takeSeat(0) } == "permission_denied scope")

            // The server begins anew: it has no session that is in the room, so each shows its key again.
            async let again = alice.events.upTo { $0 == .connectionRestored }
            async let againToo = bob.events.upTo { $0 == .connectionRestored }
            try house.killAndRestart()
            _ = try await (again, againToo)
            try await owner.takeSeat(1)
            #expect(
                await refusal { try await guest.takeSeat(0) } == "permission_denied scope", "and what it allows stays")
            #expect(
                try await bob.enterRoom(id, privateMapKey: try house.key(for: listener.rawValue, in: 48_213)) === guest)
            try await guest.takeSeat(0)
        }
    }
}
