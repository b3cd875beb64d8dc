import Foundation
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// What HTTP/1.1 asks of a server whoever the client is.
    @Suite struct MessageRulesTests {
        private static let headEnd = "\r\n\r\n"
        private static let form =
            "--line\r\nContent-Disposition: form-data; name=title\r\n\r\nA song\r\n"
            + "--line\r\nContent-Disposition: form-data; name=audio\r\n\r\n<html>\r\n--line--\r\n"

        private func upload(_ more: [String], by authorization: String) -> String {
            ([
                "POST /v1/songs HTTP/1.1", "Host: a", "Authorization: \(authorization)",
                "Content-Type: multipart/form-data; boundary=line", "Content-Length: \(Self.form.utf8.count)",
            ] + more).joined(separator: "\r\n") + Self.headEnd
        }

        @Test(
            "D05-S L05-S who waits before they send a song or an offer is told to go on, and then answered",
            arguments: [true, false])
        func waits(_ isSong: Bool) async throws {
            try await TestServer.with { server async throws in
                let bearer = "Bearer \(TestServer.application):alice:\(try server.ticket("alice"))"
                let offer = "v=0\r\n"
                let head =
                    isSong
                    ? upload(["Expect: 100-Continue"], by: bearer)
                    : "POST /v1/whip/1 HTTP/1.1\r\nHost: a\r\nAuthorization: \(bearer)\r\nContent-Type: application/sdp\r\n"
                        + "Expect: 100-continue\r\nContent-Length: \(offer.utf8.count)\(Self.headEnd)"
                try await RawLine.with(port: server.port) { line in
                    try await line.send(head)
                    #expect(try await line.read(until: Self.headEnd) == "HTTP/1.1 100 Continue\r\n\r\n")
                    try await line.send(isSong ? Self.form : offer)
                    let answer = try await line.read(until: Self.headEnd)
                    #expect(answer.hasPrefix(isSong ? "HTTP/1.1 415 " : "HTTP/1.1 422 "), "\(answer)")
                    #expect(
                        !answer.lowercased().contains("connection: close"), "the connection serves the next request")
                    _ = try await line.read(until: "}}")
                    try await line.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(try await line.read(until: "alive\n").hasPrefix("HTTP/1.1 200 "))
                }
            }
        }

        @Test("D05-S who waits before they send and is refused is told so at once, and the connection ends")
        func refused() async throws {
            try await TestServer.with { server async throws in
                let bearer = "Bearer \(TestServer.application):alice:\(try server.ticket("alice"))"
                let tooLarge = upload(["Expect: 100-continue"], by: bearer)
                    .replacing("Content-Length: \(Self.form.utf8.count)", with: "Content-Length: 999999999")
                for (head, status) in [(upload(["Expect: 100-continue"], by: "Bearer x"), 401), (tooLarge, 413)] {
                    try await RawLine.with(port: server.port) { line in
                        try await line.send(head)
                        let answer = try await line.readToEnd()
                        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                        #expect(answer.lowercased().contains("connection: close\r\n"))
                    }
                }
            }
        }

        @Test("who says that it waits and sends all the same, or speaks HTTP/1.0, is answered once")
        func doesNotWait() async throws {
            try await TestServer.with { server async throws in
                let bearer = "Bearer \(TestServer.application):alice:\(try server.ticket("alice"))"
                let together = upload(["Expect: 100-continue", "Connection: close"], by: bearer) + Self.form
                let old =
                    upload(["Expect: 100-continue"], by: bearer).replacing("HTTP/1.1", with: "HTTP/1.0") + Self.form
                for text in [together, old] {
                    try await RawLine.with(port: server.port) { line in
                        try await line.send(text)
                        let answer = try await line.readToEnd().replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
                        #expect(answer.hasPrefix("HTTP/1.1 415 ") && answer.hasSuffix("}}"), "\(answer)")
                    }
                }
                try await RawLine.with(port: server.port) { line in
                    try await line.send(old)
                    #expect(!(try await line.readToEnd()).contains("100 Continue"), "HTTP/1.0 knows no interim answers")
                }
            }
        }

        @Test("a connection ends when its client says so, in any spelling, and with an old client's first request")
        func ends() async throws {
            try await TestServer.with { server async throws in
                for (version, options) in [
                    ("1.1", "Connection: Close\r\n"), ("1.1", "Connection: keep-alive, close\r\n"),
                    ("1.1", "Connection: TE\r\nConnection: close\r\n"), ("1.0", ""), ("1.0", "Connection: x\r\n"),
                ] {
                    try await RawLine.with(port: server.port) { line in
                        try await line.send("GET /healthz HTTP/\(version)\r\nHost: a\r\n\(options)\r\n")
                        let answer = try await line.readToEnd()
                        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("alive\n"), "\(answer)")
                        #expect(answer.lowercased().contains("connection: close\r\n"), "\(options): \(answer)")
                    }
                }
                try await RawLine.with(port: server.port) { line in
                    for _ in 0..<2 {
                        try await line.send("GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
                        #expect(try await line.read(until: "alive\n").hasPrefix("HTTP/1.1 200 "))
                    }
                    // Several at once are answered in their order.
                    try await line.send(
                        "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n"
                            + "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    let answers = try await line.readToEnd()
                    let statuses = answers.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
                    #expect(statuses == ["200", "404", "200"], "\(answers)")
                }
            }
        }

        @Test("a request names its host once, or is refused")
        func hosts() async throws {
            try await TestServer.with { server async throws in
                for headers in ["", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/x\r\n", "Host: u@a\r\n"] {
                    try await RawLine.with(port: server.port) { line in
                        try await line.send(
                            "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\n\(headers)\r\n")
                        let answers = try await line.readToEnd()
                        let statuses = answers.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
                        #expect(statuses == ["200", "400"], "\(headers): \(answers)")
                    }
                    try await RawLine.with(port: server.port) { line in
                        try await line.send("GET /healthz HTTP/1.1\r\n\(headers)\r\n")
                        #expect(try await line.readToEnd().hasPrefix("HTTP/1.1 400 "), "\(headers)")
                    }
                }
                for coding in ["gzip, chunked", "gzip", "chunked, identity"] {
                    try await RawLine.with(port: server.port) { line in
                        try await line.send(
                            "POST /v1/tickets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n")
                        #expect(try await line.readToEnd().hasPrefix("HTTP/1.1 400 "), "\(coding)")
                    }
                }
                // The whole address in the first line counts before the header.
                try await RawLine.with(port: server.port) { line in
                    try await line.send(
                        "GET http://b:1/v1/qr.svg?text=http://b:1/r/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    #expect(try await line.readToEnd().hasPrefix("HTTP/1.1 200 "))
                }
            }
        }
    }
}
