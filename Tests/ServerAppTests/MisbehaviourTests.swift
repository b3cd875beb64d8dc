import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// Clients that are broken or malicious: a coded error, then a clean close; never anybody else's problem.
    @Suite struct MisbehaviourTests {
        /// Somebody who is in the middle of something, and must not notice anything.
        private func bystander(_ server: TestServer) async throws -> SignalClient {
            let client = try await server.signedIn("bystander")
            try await client.call("room.create", ["name": "Calm"])
            return client
        }

        @Test("R05-S frames that break the protocol close that connection with their code, and nobody else's")
        func frames() async throws {
            try await TestServer.with { server async throws in
                let calm = try await bystander(server)
                let cases: [(String, UInt16, @Sendable (SignalClient) -> Void)] = [
                    ("binary", 1003, { $0.send(frame: .binary, [1, 2, 3]) }),
                    ("not UTF-8", 1007, { $0.send(frame: .text, [0x22, 0xc3, 0x28, 0x22]) }),
                    ("not JSON", 1007, { $0.send(text: "hello") }),
                    ("JSON in UTF-16", 1007, { $0.send(frame: .text, UTF16Text.bytes(#"{"jsonrpc":"2.0"}"#)) }),
                    ("unmasked", 1002, { $0.send(frame: .text, Array("{}".utf8), masked: false) }),
                    ("continuation of nothing", 1002, { $0.send(frame: .continuation, [0x7b]) }),
                    ("reserved opcode", 1002, { $0.send(frame: .reserved, []) }),
                    (
                        "text inside a fragmented text", 1002,
                        {
                            $0.send(frame: .text, [0x7b], final: false)
                            $0.send(frame: .text, [0x7d])
                        }
                    ),
                    (
                        "too large a frame", 1009,
                        { $0.send(frame: .text, [UInt8](repeating: 0x20, count: (256 << 10) + 1)) }
                    ),
                    (
                        "too large in fragments", 1009,
                        {
                            for index in 0..<9 {
                                $0.send(
                                    frame: index == 0 ? .text : .continuation,
                                    [UInt8](repeating: 0x20, count: 32 << 10), final: false)
                            }
                        }
                    ),
                    (
                        "endless small fragments", 1009,
                        {
                            for index in 0..<70 {
                                $0.send(frame: index == 0 ? .text : .continuation, [0x20], final: false)
                            }
                        }
                    ),
                    (
                        "too large a call", 1009,
                        {
                            let padding = String(repeating: "x", count: 65 << 10)
                            $0.send(
                                text:
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"room.list\",\"params\":{\"query\":\"\(padding)\"}}"
                            )
                        }
                    ),
                ]
                for (index, (name, code, misbehave)) in cases.enumerated() {
                    let client = try await server.signedIn("user-\(index)")
                    misbehave(client)
                    #expect(try await client.closeCode() == code, "\(name)")
                }
                #expect(try await calm.call("room.list")["rooms"].array.count == 1)
            }
        }

        @Test("R05-S before the session is open a connection may send what a sign-in takes, in one piece or many")
        func strangers() async throws {
            try await TestServer.with { server async throws in
                let calm = try await bystander(server)
                let large = [UInt8](repeating: 0x20, count: 17 << 10)
                let cases: [@Sendable (SignalClient) -> Void] = [
                    { $0.send(frame: .text, large) },
                    {
                        for index in 0..<9 {
                            $0.send(frame: index == 0 ? .text : .continuation, Array(large[..<2048]), final: false)
                        }
                    },
                    { for _ in 0..<90 { $0.send(text: String(repeating: " ", count: 200) + "{}") } },
                    { for _ in 0..<20 { $0.send(text: "{\"a\":\"" + String(repeating: "x", count: 1000) + "\"}") } },
                ]
                for misbehave in cases {
                    let client = try await server.client()
                    misbehave(client)
                    #expect(try await client.closeCode() == 1009)
                }
                // Whoever has signed in may send what the protocol says.
                let text = String(repeating: "a", count: 12 << 10)
                let room = try await calm.call("room.list")["rooms"][0]["room"]
                for _ in 0..<3 { try await calm.call("message.send", ["room": room, "text": .string(text)]) }
            }
        }

        @Test("R05-S a call in fragments, with pings between them, is one call")
        func fragments() async throws {
            try await TestServer.with { server async throws in
                let client = try await bystander(server)
                let text = Array("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"clock.read\"}".utf8)
                client.send(frame: .text, Array(text[..<10]), final: false)
                client.send(frame: .ping, [1])
                client.send(frame: .continuation, Array(text[10..<20]), final: false)
                client.send(frame: .continuation, Array(text[20...]))
                let answer = try await client.first("answer") { $0["id"] == "a" }
                #expect((answer["result"]["monotonicUs"].int ?? 0) > 0)
            }
        }

        @Test("R05-S what is JSON but no call is answered with its code and the connection goes on")
        func calls() async throws {
            try await TestServer.with { server async throws in
                let client = try await bystander(server)
                let cases: [(String, Int)] = [
                    ("[]", -32600), ("42", -32600), ("{}", -32600), ("{\"id\":7}", -32600),
                    ("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"clock.read\"}", -32600),
                    ("[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"clock.read\"}]", -32600),
                    ("{\"jsonrpc\":\"2.0\",\"method\":\"clock.read\"}", -32600),
                    ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"clock.read\"}", -32600),
                    ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"room.explode\"}", -32601),
                    ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"seat.take\",\"params\":[1]}", -32602),
                    (
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"seat.take\",\"params\":{\"room\":1,\"seat\":\"x\"}}",
                        -32602
                    ),
                    (
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"seat.take\",\"params\":{\"room\":1,\"seat\":-1}}",
                        -32602
                    ),
                ]
                for (index, (text, code)) in cases.enumerated() {
                    client.send(text: text)
                    let found = try await client.errors(index + 1)
                    #expect(found[index]["error"]["code"].int == code, "\(text)")
                    #expect(
                        found[index]["id"] == (text.hasPrefix("{") && text.contains("\"id\":7") ? 7 : nil), "\(text)")
                }
                try await client.call("clock.read")
            }
        }

        @Test(
            "R05-S a flood of calls is refused with the time to wait, then cut off with 4004, and nobody else notices")
        func flood() async throws {
            try await TestServer.with { server async throws in
                let calm = try await bystander(server)
                let client = try await server.signedIn("flooder")
                // A few too many at once: each of these is answered.
                for _ in 0..<140 { _ = client.send("clock.read") }
                let refusals = try await client.errors(1)
                #expect(refusals.allSatisfy { $0["error"]["data"]["name"] == "rate_limited" })
                for _ in 0..<1000 { _ = client.send("clock.read") }
                #expect(try await client.closeCode() == 4004)
                #expect(refusals.allSatisfy { ($0["error"]["data"]["retryAfterMs"].int ?? 0) > 0 })
                #expect(client.heard.contains { $0["method"] == "session.closed" && $0["params"]["code"] == 10006 })
                try await calm.call("clock.read")
            }
        }

        @Test("R08-S a page of another origin gets no connection, with its own word; programs and our own page do")
        func origin() async throws {
            try await TestServer.with(configure: { $0.publicURL = "https://salon.example" }) { server async throws in
                let upgrade = [
                    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ]
                func status(_ headers: [String]) async throws -> (Int, String?) {
                    let response = try await PlainHTTP.get("/v1/connect", port: server.port, headers: upgrade + headers)
                    return (response.status, response.json["error"]["name"].string)
                }
                let protocols = ["Sec-WebSocket-Protocol: ovation.v1"]
                #expect(try await status(protocols + ["Origin: https://evil.example"]) == (403, "origin_refused"))
                #expect(try await status(protocols + ["Origin: null"]) == (403, "origin_refused"))
                #expect(try await status(protocols + ["Origin: http://salon.example"]) == (403, "origin_refused"))
                #expect(try await status([]) == (400, "subprotocol_missing"))
                #expect(try await status(protocols + ["Origin: https://salon.example"]).0 == 101)
                #expect(try await status(protocols + ["Origin: https://salon.example:443"]).0 == 101)
                #expect(try await status(protocols).0 == 101)
                // RFC 9110 §15.5.22: it says to what.
                let plain = try await PlainHTTP.get("/v1/connect", port: server.port)
                #expect(plain.status == 426 && plain.headers["upgrade"] == "websocket")
                // What some clients always offer must not cost them the answer.
                let offered = [
                    "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__",
                ]
                #expect(try await PlainHTTP.get("/healthz", port: server.port, headers: offered).status == 200)
            }
        }
    }
}
