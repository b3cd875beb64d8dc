import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Testing

@testable import HTTP

/// One stream of HTTP/2, without a connection.
@Suite struct StreamRulesTests {
    private typealias Payload = HTTP2Frame.FramePayload

    private let channel: EmbeddedChannel

    init() throws { channel = EmbeddedChannel(handler: StreamRules()) }

    private func asks(_ more: HPACKHeaders = [:], ends: Bool = true) throws -> HPACKHeaders {
        var headers: HPACKHeaders = [":method": "POST", ":scheme": "https", ":path": "/v1/songs"]
        for (name, value, _) in more { headers.add(name: name, value: value) }
        try channel.writeInbound(Payload.headers(.init(headers: headers, endStream: ends)))
        guard case .headers(let content)? = try channel.readInbound(as: Payload.self) else { return [:] }
        return content.headers
    }

    private func answers(_ headers: HPACKHeaders) throws {
        try channel.writeOutbound(Payload.headers(.init(headers: headers)))
        try channel.writeOutbound(Payload.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
    }

    private func sent() throws -> [String] {
        var sent: [String] = []
        while let payload = try channel.readOutbound(as: Payload.self) {
            switch payload {
            case .headers(let content): sent.append(content.headers.first(name: ":status") ?? "trailers")
            case .data(let content): sent.append(content.endStream ? "end" : "data")
            case .rstStream(let code): sent.append("reset \(code.networkCode)")
            default: sent.append("other")
            }
        }
        return sent
    }

    @Test("R12-S a request's authority is what it says once, by either header")
    func authority() throws {
        #expect(try asks([":authority": "a.example"]).first(name: ":authority") == "a.example")
        #expect(try asks(["host": "a.example"]) == [:], "a second head is no head")
        let second = try StreamRulesTests()
        let headers = try second.asks(["host": "b.example:8443"])
        #expect(headers.first(name: ":authority") == "b.example:8443")
        #expect(headers.first(name: ":path") == "/v1/songs")
    }

    @Test(
        "R12-S a request that names two hosts, none, or no host at all is refused",
        arguments: [
            [":authority": "a.example", "host": "b.example"], [:], [":authority": "a.example/@b"],
            ["host": "a.example, b.example"],
        ] as [HPACKHeaders])
    func wrongAuthority(_ headers: HPACKHeaders) throws {
        let judged = try asks(headers)
        #expect(judged.first(name: "x-refused-upgrade") == "wrong_authority")
        #expect(judged.first(name: ":path") == "/" && judged.first(name: ":authority") == "localhost")
    }

    @Test("R12-S runs of marks in a path or a header are refused before anything reads them")
    func marks() throws {
        let run = "e" + String(repeating: "\u{301}", count: 200)
        #expect(
            try asks([":authority": "a.example", "x-name": run]).first(name: "x-refused-upgrade") == "too_many_marks")
        let judged = RequestText.judged([
            ":method": "GET", ":path": "/" + String(repeating: "%CC%81", count: 200), ":authority": "a.example",
        ])
        #expect(judged.first(name: "x-refused-upgrade") == "too_many_marks")
    }

    @Test("R12-S a path is ASCII, as HTTP/1.1 has it", arguments: ["/r/é", "/r/\u{7f}", "/r/a b", "/\u{600}/x"])
    func path(_ path: String) {
        let judged = RequestText.judged([":method": "GET", ":path": path, ":authority": "a.example"])
        #expect(judged.first(name: "x-refused-upgrade") == "wrong_path" && judged.first(name: ":path") == "/")
    }

    @Test("R12-S an answer carries no headers of a connection")
    func connectionHeaders() throws {
        _ = try asks([":authority": "a.example"])
        try channel.writeOutbound(
            Payload.headers(
                .init(headers: [":status": "426", "connection": "upgrade", "upgrade": "websocket", "x-kept": "1"])))
        guard case .headers(let content)? = try channel.readOutbound(as: Payload.self) else {
            Issue.record("no head")
            return
        }
        #expect(content.headers == [":status": "426", "x-kept": "1"])
    }

    @Test("R12-S whoever waits with a body is told to go on when somebody reads it, and only then")
    func heldBack() throws {
        _ = try asks([":authority": "a.example", "expect": "100-continue"], ends: false)
        channel.pipeline.triggerUserOutboundEvent(MessageRules.BodyIsRead(), promise: nil)
        channel.pipeline.triggerUserOutboundEvent(MessageRules.BodyIsRead(), promise: nil)
        #expect(try sent() == ["100"])

        let other = try StreamRulesTests()
        _ = try other.asks([":authority": "a.example"], ends: false)
        other.channel.pipeline.triggerUserOutboundEvent(MessageRules.BodyIsRead(), promise: nil)
        #expect(try other.sent() == [])
    }

    @Test("R12-S who is answered before the body is in is told without a fault that it is not wanted")
    func cutShort() throws {
        _ = try asks([":authority": "a.example"], ends: false)
        try answers([":status": "413"])
        #expect(try sent() == ["413", "end", "reset 0"])

        let whole = try StreamRulesTests()
        _ = try whole.asks([":authority": "a.example"], ends: false)
        try whole.channel.writeInbound(Payload.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
        try whole.answers([":status": "200"])
        #expect(try whole.sent() == ["200", "end"])
    }
}
