import NIOCore
import NIOPosix

/// One HTTP request as text over a connection of its own, plain unless told, so that tests say exactly what is on the wire.
package enum PlainHTTP {
    package struct Response: Sendable {
        package var status: Int
        /// Names in lower case.
        package var headers: [String: String]
        package var body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
        package var json: JSON { (try? JSON(parsing: body)) ?? .null }
    }

    package static func get(
        _ path: String, port: Int, headers: [String] = [], tls: TLSTrust? = nil
    ) async throws -> Response {
        try await send("GET \(path) HTTP/1.1", port: port, headers: headers, tls: tls)
    }

    package static func post(
        _ path: String, _ body: JSON, port: Int, headers: [String] = [], tls: TLSTrust? = nil
    ) async throws -> Response {
        let text = body.text
        return try await send(
            "POST \(path) HTTP/1.1", port: port,
            headers: ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"] + headers, body: text,
            tls: tls)
    }

    /// A `Host` among the headers replaces ours.
    package static func send(
        _ line: String, port: Int, headers: [String] = [], body: String = "", tls: TLSTrust? = nil
    ) async throws -> Response {
        try await send(line, port: port, headers: headers, bytes: Array(body.utf8), tls: tls)
    }

    /// - Parameter bytes: the body.
    package static func send(
        _ line: String, port: Int, headers: [String] = [], bytes: [UInt8], tls: TLSTrust? = nil
    ) async throws -> Response {
        let host = headers.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
        let isUpgrade = headers.contains { $0.lowercased().hasPrefix("upgrade:") }
        let connection = isUpgrade ? [] : ["Connection: close"]
        let head = ([line] + host + connection + headers + ["", ""]).joined(separator: "\r\n")
        return try parse(
            try await exchange(Array(head.utf8) + bytes, port: port, untilClosed: !isUpgrade, tls: tls))
    }

    /// Sends raw bytes and gives back what came until the server closed, or, for `untilClosed: false`, the first whole head.
    package static func exchange(
        _ request: String, port: Int, untilClosed: Bool = true, tls: TLSTrust? = nil
    ) async throws -> [UInt8] {
        try await exchange(Array(request.utf8), port: port, untilClosed: untilClosed, tls: tls)
    }

    package static func exchange(
        _ request: [UInt8], port: Int, untilClosed: Bool = true, tls: TLSTrust? = nil
    ) async throws -> [UInt8] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try tls?.add(to: channel)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: request))
            var received: [UInt8] = []
            for try await part in inbound {
                received += Array(part.readableBytesView)
                if !untilClosed, isWhole(received) { break }
            }
            return received
        }
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let response = try? parse(bytes) else { return false }
        return response.body.count >= Int(response.headers["content-length"] ?? "0") ?? 0
    }

    private static func parse(_ bytes: [UInt8]) throws -> Response {
        let end = Array("\r\n\r\n".utf8)
        guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
            throw SignalClient.Failure(
                description: "no HTTP answer: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
        let lines = String(decoding: bytes[..<split], as: UTF8.self).split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
        }
        return Response(status: status, headers: headers, body: Array(bytes[(split + 4)...]))
    }
}
