import HTTP
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomTestSupport
import Testing
import Timing

@testable import Signalling

/// Who is let through to a WebSocket.
@Suite struct AcceptorTests {
    private final class Deaf: InputReceiver {
        func receive(_ input: SocketConnection.Input) async {}
    }

    private func acceptor(_ limits: AdmissionLimits = AdmissionLimits(), clock: VirtualRoomClock = VirtualRoomClock())
        -> SocketAcceptor
    {
        SocketAcceptor(
            origins: OriginRule(origins: []), proxies: TrustedProxies([]), isSecure: false, limits: limits,
            clock: clock,
            receivers: { _ in Deaf() })
    }

    private func head(_ uri: String = SocketAcceptor.path, without: String? = nil, origin: String? = nil)
        -> HTTPRequestHead
    {
        var headers: HTTPHeaders = [
            "Host": "a:8080", "Upgrade": "WebSocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": SocketAcceptor.subprotocol,
        ]
        if let without { headers.remove(name: without) }
        if let origin { headers.add(name: "Origin", value: origin) }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)
    }

    private let peer = try? SocketAddress(ipAddress: "192.0.2.1", port: 1)

    @Test("a request that is no upgrade of ours is refused for what it lacks")
    func lacking() {
        let acceptor = acceptor()
        #expect(acceptor.admission(head(), from: peer) == .admitted)
        #expect(acceptor.admission(head(SocketAcceptor.path + "?x=1"), from: peer) == .admitted)
        #expect(acceptor.admission(head("/v1/other"), from: peer) == .refused(.path))
        for name in ["Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key"] {
            #expect(acceptor.admission(head(without: name), from: peer) == .refused(.notAWebSocket), "\(name)")
        }
        #expect(acceptor.admission(head(without: "Sec-WebSocket-Protocol"), from: peer) == .refused(.subprotocol))
        #expect(acceptor.admission(head(origin: "http://a:8080"), from: peer) == .admitted)
        #expect(acceptor.admission(head(origin: "http://b"), from: peer) == .refused(.origin))
    }

    @Test("R08-S as many are let in as the server takes, and one more when one has gone; none while it drains")
    func full() async throws {
        var limits = AdmissionLimits()
        limits.connections = 2
        let acceptor = acceptor(limits)
        var channels: [NIOAsyncTestingChannel] = []
        for _ in 0..<2 {
            #expect(acceptor.admission(head(), from: peer) == .admitted)
            let channel = NIOAsyncTestingChannel()
            try await channel.testingEventLoop.executeInContext {
                _ = acceptor.connection(head(), on: channel)
            }
            try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
            channels.append(channel)
        }
        #expect(acceptor.admission(head(), from: peer) == .refused(.full))
        try await channels[0].close()
        #expect(acceptor.admission(head(), from: peer) == .admitted)
        #expect(!acceptor.isDraining)
        acceptor.drain()
        #expect(acceptor.isDraining && acceptor.admission(head(), from: peer) == .refused(.draining))
        try await channels[1].close()
    }

    @Test("one address opens so many sockets at once, then at its rate; others are not concerned")
    func frequent() throws {
        var limits = AdmissionLimits()
        limits.connectionsPerAddress = Allowance(burst: 3, perSecond: 1)
        let clock = VirtualRoomClock()
        let acceptor = acceptor(limits, clock: clock)
        let other = try SocketAddress(ipAddress: "192.0.2.2", port: 1)
        for _ in 0..<3 { #expect(acceptor.admission(head(), from: peer) == .admitted) }
        #expect(acceptor.admission(head(), from: peer) == .refused(.tooFrequent))
        #expect(acceptor.admission(head(), from: other) == .admitted)
        clock.advance(by: .seconds(1))
        #expect(acceptor.admission(head(), from: peer) == .admitted)
        #expect(acceptor.admission(head(), from: peer) == .refused(.tooFrequent))
    }
}
