import HTTP
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomTestSupport
import Signalling
import Testing

@testable import Gateway

/// A connection before its first request, in virtual time.
@Suite struct FirstRequestTests {
    private final class Deaf: InputReceiver {
        func receive(_ input: SocketConnection.Input) async {}
    }

    private func channel() async throws -> NIOAsyncTestingChannel {
        let acceptor = SocketAcceptor(
            origins: OriginRule(origins: []), proxies: TrustedProxies([]), isSecure: false, limits: AdmissionLimits(),
            clock: VirtualRoomClock(), receivers: { _ in Deaf() })
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.executeInContext {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            try pipeline.addHandler(UpgradeGate(acceptor))
            try pipeline.addHandler(
                FirstRequestHandler(until: channel.testingEventLoop.now + GatewayChannel.firstRequestLimit))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
        return channel
    }

    private func sent(_ channel: NIOAsyncTestingChannel) async throws -> String {
        var text = ""
        while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    /// Keeps the events that come so far.
    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = Any
        var heard: [String] = []
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { heard.append("\(event)") }
    }

    @Test("what happens to the connection meanwhile reaches those who serve it")
    func events() async throws {
        let channel = try await channel()
        let heard = try await channel.testingEventLoop.executeInContext {
            let listener = Listener()
            try channel.pipeline.syncOperations.addHandler(listener)
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            return listener.heard
        }
        #expect(heard == ["inputClosed"] && !channel.isActive)
    }

    @Test("R05-S what is no HTTP is answered with 400, and the connection closed")
    func nonsense() async throws {
        let channel = try await channel()
        _ = try? await channel.writeInbound(ByteBuffer(string: "NONSENSE\r\n\r\n"))
        #expect(try await sent(channel).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(!channel.isActive)
    }

    @Test("R05-S a connection on which nothing is asked is closed after 15 s, or when the server shuts down")
    func silence() async throws {
        let silent = try await channel()
        await silent.testingEventLoop.advanceTime(by: .milliseconds(14_999))
        #expect(silent.isActive)
        await silent.testingEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!silent.isActive)
        let other = try await channel()
        try await other.testingEventLoop.executeInContext {
            other.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        #expect(!other.isActive)
        // Taken away once the request has come: nothing is closed any more.
        let served = try await channel()
        try await served.pipeline.removeHandler(
            name: try await served.pipeline.context(handlerType: FirstRequestHandler.self).map(\.name).get()
        ).get()
        await served.testingEventLoop.advanceTime(by: .seconds(15))
        #expect(served.isActive)
    }

    @Test(
        "R08-S an upgrade that is not wanted becomes a plain request that says why; one that is goes through as it came"
    )
    func gate() async throws {
        for (path, refusal) in [(SocketAcceptor.path, nil), ("/other", "path")] as [(String, String?)] {
            let channel = try await channel()
            try await channel.writeInbound(
                ByteBuffer(
                    string: "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Protocol: \(SocketAcceptor.subprotocol)\r\n\r\n"))
            guard case .head(let head) = try await channel.readInbound(as: HTTPServerRequestPart.self) else {
                Issue.record("no head")
                continue
            }
            #expect(head.headers.contains(name: "upgrade") == (refusal == nil))
            #expect(head.headers.first(name: RequestText.refusalHeader) == refusal)
        }
    }
}
