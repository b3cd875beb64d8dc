import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Testing

@testable import HTTP

/// What one stream of HTTP/2 makes of requests that are malformed (RFC 9113 §8): it alone ends, with PROTOCOL_ERROR.
@Suite struct HeaderBlockTests {
    private typealias Payload = HTTP2Frame.FramePayload
    typealias Fields = [(String, String)]

    private static let get: Fields = [
        (":method", "GET"), (":scheme", "https"), (":path", "/v1/songs"), (":authority", "a.example"),
    ]
    private static let post: Fields = [
        (":method", "POST"), (":scheme", "https"), (":path", "/v1/songs"), (":authority", "a.example"),
    ]
    private static let marks = String(repeating: "\u{301}", count: 200)

    /// What went on to the server, and with which codes the stream was reset.
    struct Outcome: Equatable {
        var parts: [String] = []
        var resets: [Int] = []

        static let malformed = Outcome(resets: [1])
    }

    /// - Parameters:
    ///   - head: nobody's library has looked at it.
    ///   - body: sizes of its pieces.
    private func outcome(
        _ head: Fields, _ body: [Int] = [], trailers: Fields? = nil, endsWithBody: Bool = true
    ) throws -> Outcome {
        let channel = EmbeddedChannel(handler: StreamRules())
        try channel.writeInbound(
            Payload.headers(.init(headers: HPACKHeaders(head), endStream: body.isEmpty && trailers == nil)))
        for (number, size) in body.enumerated() {
            let data = IOData.byteBuffer(ByteBuffer(repeating: 0x78, count: size))
            let isLast = endsWithBody && trailers == nil && number == body.count - 1
            try channel.writeInbound(Payload.data(.init(data: data, endStream: isLast)))
        }
        if let trailers {
            try channel.writeInbound(Payload.headers(.init(headers: HPACKHeaders(trailers), endStream: true)))
        }
        var outcome = Outcome()
        while let part = try channel.readInbound(as: Payload.self) {
            switch part {
            case .headers(let content):
                outcome.parts.append(content.headers.first(name: "x-refused-upgrade") ?? "head")
            case .data(let content): outcome.parts.append(content.endStream ? "end" : "data")
            default: outcome.parts.append("other")
            }
        }
        while let part = try channel.readOutbound(as: Payload.self) {
            if case .rstStream(let code) = part { outcome.resets.append(code.networkCode) }
        }
        return outcome
    }

    private func isMalformed(_ head: Fields) throws -> Bool { try outcome(head) == .malformed }

    private static func without(_ name: String) -> Fields { get.filter { $0.0 != name } }

    @Test("R12-S a request that keeps the rules goes on as it is")
    func wellFormed() throws {
        #expect(try outcome(Self.get + [("te", "trailers"), ("x-empty", "")]) == Outcome(parts: ["head"]))
        let asterisk: Fields = [
            (":method", "OPTIONS"), (":scheme", "https"), (":path", "*"), (":authority", "a.example"),
        ]
        #expect(try outcome(asterisk) == Outcome(parts: ["head"]))
        #expect(try outcome(Self.without(":authority") + [("host", "a.example")]) == Outcome(parts: ["head"]))
        #expect(try outcome([(":method", "CONNECT"), (":authority", "a.example:1")]) == Outcome(parts: ["head"]))
        #expect(
            try outcome(Self.post + [("content-length", "5")], [2, 0, 3])
                == Outcome(parts: ["head", "data", "data", "end"]))
        #expect(try outcome(Self.post, [2, 3]) == Outcome(parts: ["head", "data", "end"]), "no length is stated")
        #expect(
            try outcome(Self.post + [("content-length", "2")], [2], trailers: [("x-sum", "1")])
                == Outcome(parts: ["head", "data", "end"]))
    }

    @Test("R12-S a request has a method, a scheme and a path", arguments: [":method", ":scheme", ":path"])
    func missing(_ name: String) throws {
        #expect(try isMalformed(Self.without(name)))
    }

    @Test(
        "R12-S a pseudo-header field stands once", arguments: [":method", ":scheme", ":path", ":authority"])
    func twice(_ name: String) throws {
        #expect(try isMalformed(Self.get + Self.get.filter { $0.0 == name }))
    }

    @Test("R12-S pseudo-header fields stand before the others", arguments: [":path", ":authority"])
    func behind(_ name: String) throws {
        #expect(try isMalformed(Self.without(name) + [("x-name", "1")] + Self.get.filter { $0.0 == name }))
    }

    @Test("R12-S no other pseudo-header fields are known", arguments: [":status", ":protocol", ":x"])
    func unknown(_ name: String) throws {
        #expect(try isMalformed(Self.get + [(name, "200")]))
    }

    @Test("R12-S CONNECT names an authority and nothing else")
    func connect() throws {
        #expect(try isMalformed([(":method", "CONNECT")]))
        #expect(try isMalformed([(":method", "CONNECT"), (":scheme", "https"), (":authority", "a.example:1")]))
        #expect(try isMalformed([(":method", "CONNECT"), ("host", "a.example:1")]))
        #expect(
            try isMalformed([(":method", "CONNECT"), (":authority", "a.example:1"), (":authority", "a.example:1")]))
    }

    @Test("R12-S a method is a token", arguments: ["", "GE T", "GÉT", marks, "GET" + marks])
    func method(_ method: String) throws {
        #expect(try isMalformed([(":method", method)] + Self.without(":method")))
    }

    @Test(
        "R12-S a path begins with a slash, or stands for the whole server in OPTIONS", arguments: ["", "v1/songs", "*"])
    func path(_ path: String) throws {
        #expect(try isMalformed([(":path", path)] + Self.without(":path")))
    }

    @Test(
        "R12-S a name of a field is a token in small letters",
        arguments: ["X-Name", "x name", "x:name", "", "x-é", "x-" + marks, ":", ":Path", ":path" + marks])
    func name(_ name: String) throws {
        #expect(try isMalformed(Self.get + [(name, "1")]))
        let trailers = try outcome(Self.post, [1], trailers: [(name, "1")])
        #expect(trailers == Outcome(parts: ["head", "data"], resets: [1]))
    }

    @Test(
        "R12-S a value of a field has no ends of lines and no zeros",
        arguments: ["a\nb", "a\rb", "a\r\nb", "a\0b", "a\n", "\0"])
    func value(_ value: String) throws {
        #expect(try isMalformed(Self.get + [("x-name", value)]))
        #expect(try isMalformed([(":scheme", value)] + Self.without(":scheme")))
    }

    @Test(
        "R12-S blanks around a value go, as over HTTP/1.1; only a pseudo-header field is malformed by them",
        arguments: [" a b", "a b ", "\ta b", "a b\t", " \t a b \t "])
    func blanks(_ value: String) throws {
        let channel = EmbeddedChannel(handler: StreamRules())
        let head = Self.get + [("x-name", value), ("te", " trailers "), ("x-empty", " \t")]
        try channel.writeInbound(Payload.headers(.init(headers: HPACKHeaders(head), endStream: true)))
        guard case .headers(let content)? = try channel.readInbound(as: Payload.self) else {
            Issue.record("nothing has gone on")
            return
        }
        #expect(["x-name", "te", "x-empty"].map { content.headers[$0] } == [["a b"], ["trailers"], [""]])
        #expect(try outcome(Self.post + [("content-length", " 1 ")], [1]) == Outcome(parts: ["head", "end"]))
        #expect(try isMalformed([(":scheme", value)] + Self.without(":scheme")))
    }

    @Test(
        "R12-S no field speaks of a connection",
        arguments: ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])
    func ofConnections(_ name: String) throws {
        #expect(try isMalformed(Self.get + [(name, "close")]))
        let trailers = try outcome(Self.post, [1], trailers: [(name, "close")])
        #expect(trailers == Outcome(parts: ["head", "data"], resets: [1]))
    }

    @Test("R12-S what a client takes in answers is trailers", arguments: ["gzip", "trailers, gzip", "", marks])
    func accepted(_ value: String) throws {
        #expect(try isMalformed(Self.get + [("te", value)]))
    }

    @Test(
        "R12-S a length is stated once, in digits",
        arguments: ["-1", "+1", "1.0", "", "1, 1", "x", marks, "99999999999999999999"])
    func length(_ text: String) throws {
        #expect(try outcome(Self.post + [("content-length", text)], [1]) == .malformed)
        #expect(try outcome(Self.post + [("content-length", "1"), ("content-length", "1")], [1]) == .malformed)
    }

    @Test("R12-S a body has the length that was stated")
    func body() throws {
        let five = Self.post + [("content-length", "5")]
        let cut = Outcome(parts: ["head", "data"], resets: [1])
        #expect(try outcome(five) == .malformed, "none comes")
        #expect(try outcome(five, [2, 2]) == cut, "too little")
        #expect(try outcome(five, [2, 4]) == cut, "too much")
        #expect(try outcome(five, [2, 4], endsWithBody: false) == cut, "too much, before it ends")
        #expect(try outcome(five, [2], trailers: []) == cut, "too little, before trailers")
    }

    @Test("R12-S trailers have no pseudo-header fields", arguments: get.map(\.0) + [":status"])
    func trailers(_ name: String) throws {
        let outcome = try outcome(Self.post, [1], trailers: [("x-sum", "1"), (name, "1")])
        #expect(outcome == Outcome(parts: ["head", "data"], resets: [1]))
    }

    @Test("R12-S nothing of a malformed request goes on, nor what comes behind it")
    func silence() throws {
        #expect(try outcome(Self.without(":path"), [1, 2], trailers: [("x-sum", "1")]) == .malformed)
    }

    @Test("R12-S runs of marks in what is well formed are still refused with an answer")
    func marksInValues() throws {
        #expect(try outcome([(":scheme", "a" + Self.marks)] + Self.without(":scheme")).parts == ["too_many_marks"])
        #expect(try outcome(Self.get + [("x-name", Self.marks)]).parts == ["too_many_marks"])
    }
}
