import Foundation
import Gateway
import OperatorAPI
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// The operator's key of a run in development, which is in the console's link and nowhere else.
    @Suite struct RunKeyTests {
        private func key(_ server: TestServer) throws -> String {
            let link = try #require(server.readiness.consoleLink)
            let parts = link.components(separatedBy: "/console/#key=")
            try #require(parts.count == 2 && parts[0] == server.readiness.url, "\(link)")
            return parts[1]
        }

        private func status(_ server: TestServer, _ key: String, _ headers: [String] = []) async throws -> Int {
            try await PlainHTTP.get(
                "/v1/key", port: server.port, headers: ["Authorization: Bearer \(key)"] + headers
            ).status
        }

        @Test(
            "R14-S the link of a run in development has a key for everything in all applications, until it is revoked"
        )
        func opensEverything() async throws {
            try await TestServer.with(mode: .development) { server in
                let key = try key(server)
                func ask(_ line: String, _ body: String = "") async throws -> PlainHTTP.Response {
                    try await PlainHTTP.send(
                        "\(line) HTTP/1.1", port: server.port,
                        headers: [
                            "Authorization: Bearer \(key)", "Content-Type: application/json",
                            "Content-Length: \(body.utf8.count)",
                        ], body: body)
                }
                let own = try await ask("GET /v1/key").json
                #expect(own["scopes"].array.compactMap(\.string) == OperatorKeyAdmin.scopes.sorted())
                #expect(own["app"] == .null && own["expiresAt"] == .null)
                let applications = try await ask("GET /v1/applications").json["applications"].array
                #expect(applications.compactMap { $0["app"].int } == [1_400_000_001, Int(TestServer.application)])
                #expect(try await ask("PUT /v1/gifts/tea?app=1400000001", #"{"name":"Tea","price":3}"#).status == 200)
                let trail = try await ask("GET /v1/audit?app=1400000001&user=@dev").json["lines"]
                #expect(trail[0]["action"].string == "setGift")
                #expect(try await status(server, String(key.dropLast()) + (key.hasSuffix("0") ? "1" : "0")) == 401)
                let id = try #require(own["id"].string)
                #expect(try await ask("DELETE /v1/keys/\(id)").status == 200)
                #expect(try await status(server, key) == 401)
            }
        }

        @Test(
            "R14-S the key of a run opens nothing to whoever comes from another machine, also through a proxy on this one"
        )
        func thisMachineAlone() async throws {
            try await TestServer.with(mode: .development, configure: { $0.proxiesTrusted = ["127.0.0.1"] }) { server in
                let key = try key(server)
                #expect(try await status(server, key) == 200)
                #expect(try await status(server, key, ["X-Forwarded-For: 203.0.113.7"]) == 401)
            }
        }

        @Test("R14-S no file keeps the key of a run: the next run has another one, and a run in production has none")
        func endsWithTheRun() async throws {
            let folder = NSTemporaryDirectory() + "ovation-run-key-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var server = try await TestServer.start(mode: .development, directory: folder)
            let former = try key(server)
            let made = try await PlainHTTP.post(
                "/v1/keys", ["name": "kept", "scopes": ["rooms:read"]], port: server.port,
                headers: ["Authorization: Bearer \(former)"])
            #expect(made.status == 201)
            let text = try #require(OperatorKeyText(former))
            let traces = [Data(text.secret.utf8), Data(text.id.utf8), Data(text.digest)]
            let stated = try #require(made.json["key"].string)
            let kept = try #require(OperatorKeyText(stated))
            try await server.stop()
            var contents = Data()
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                contents += FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
            }
            #expect(contents.range(of: Data(kept.digest)) != nil, "a key that was made is there")
            for trace in traces { #expect(contents.range(of: trace) == nil) }

            server = try await TestServer.start(mode: .development, directory: folder)
            #expect(try await status(server, former) == 401)
            let next = try key(server)
            #expect(next != former)
            #expect(try await status(server, next) == 200)
            #expect(try await status(server, kept.text) == 200)
            try await server.stop()
            for mode in [ServerMode.production, .localNetwork] {
                server = try await TestServer.start(mode: mode, directory: folder)
                #expect(server.readiness.consoleLink == nil)
                try await server.stop()
            }
        }
    }
}
