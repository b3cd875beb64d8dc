import Foundation
import ServerApp
import ServerTestSupport

/// A server with keys of some scopes, and requests to it.
struct RESTHouse {
    let server: TestServer
    let keys: [String: String]

    func send(
        _ method: String, _ path: String, _ body: JSON? = nil, key name: String = "console",
        headers: [String] = []
    ) async throws -> PlainHTTP.Response {
        let text = body?.text ?? ""
        let length =
            body == nil ? [] : ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"]
        let key = keys[name].map { ["Authorization: Bearer \($0)"] } ?? []
        return try await PlainHTTP.send(
            "\(method) /v1/\(path) HTTP/1.1", port: server.port, headers: key + length + headers, body: text)
    }

    /// `status name`, or the status alone.
    func outcome(
        _ method: String, _ path: String, _ body: JSON? = nil, key name: String = "console",
        headers: [String] = []
    ) async throws -> String {
        let response = try await send(method, path, body, key: name, headers: headers)
        let error = response.json["error"]
        return ([String(response.status)] + [error["name"].string, error["reason"].string].compactMap { $0 })
            .joined(separator: " ")
    }

    static func with(
        configure: (inout ServerSettings) -> Void = { _ in }, _ body: (RESTHouse) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "ovation-rest-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await ApplicationAdmin(data: folder).create(name: "Tests", id: TestServer.application)
        _ = try await ApplicationAdmin(data: folder).create(name: "Other", id: 5)
        let admin = OperatorKeyAdmin(data: folder)
        var keys: [String: String] = [:]
        for (name, application, scopes) in [
            ("console", TestServer.application, OperatorKeyAdmin.scopes),
            ("reader", TestServer.application, ["rooms:read"]),
            ("other", UInt32(5), OperatorKeyAdmin.scopes),
            ("writer", TestServer.application, ["messages:write"]),
            ("maker", TestServer.application, ["keys", "rooms:read"]),
        ] {
            keys[name] = try await admin.create(name: name, application: application, scopes: scopes, days: nil)
                .text
        }
        keys["owner"] = try await admin.create(
            name: "owner", application: nil, scopes: OperatorKeyAdmin.scopes, days: nil
        ).text
        keys["brief"] = try await admin.create(
            name: "brief", application: TestServer.application, scopes: ["keys", "rooms:read"], days: 3
        ).text
        keys["all"] = try await admin.create(name: "all", application: nil, scopes: ["rooms:read"], days: 1).text
        let gone = try await admin.create(name: "gone", application: nil, scopes: ["rooms:read"], days: nil)
        keys["gone"] = gone.text
        try await admin.revoke(gone.entry.id)
        keys["forged"] = (keys["console"] ?? "").dropLast() + "x"
        let server = try await TestServer.start(directory: folder, configure: configure)
        do {
            try await body(RESTHouse(server: server, keys: keys))
            try await server.stop()
        } catch {
            try? await server.stop()
            throw error
        }
    }
}
