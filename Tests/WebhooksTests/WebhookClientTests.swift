import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RoomTestSupport
import Synchronization
import Testing
import Timing

@testable import Webhooks

/// Requests to receivers on this machine, at addresses that a test says a name has.
@Suite struct WebhookClientTests {
    /// Answers every request, and counts them.
    private final class Receiver: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let count = Atomic<Int>(0)
        let headers: HTTPHeaders

        init(headers: HTTPHeaders = [:]) { self.headers = headers }

        var requests: Int { count.load(ordering: .relaxed) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            count.add(1, ordering: .relaxed)
            var headers = headers
            headers.add(name: "Content-Length", value: "0")
            let head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    /// - Returns: where it listens.
    private func serve<Result>(
        _ receiver: Receiver, at host: String, port: Int = 0, _ body: (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(receiver)
                }
            }
            .bind(host: host, port: port).get()
        let result = try await body(channel.localAddress?.port ?? 0)
        try await channel.close()
        return result
    }

    /// A listener that takes no connection: it never accepts, and its queue of one is full.
    private final class Deaf {
        private var sockets: [Int32] = []

        init(at host: String, port: Int) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port).bigEndian)
            inet_pton(AF_INET, host, &address.sin_addr)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(listener)
            try withUnsafePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                    try #require(bind(listener, pointer, size) == 0 && listen(listener, 0) == 0)
                    for _ in 0..<3 {
                        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                        _ = fcntl(client, F_SETFL, O_NONBLOCK)
                        _ = connect(client, pointer, size)
                        sockets.append(client)
                    }
                }
            }
        }

        deinit { for socket in sockets { close(socket) } }
    }

    private func client(
        allowPrivate: Bool = true, clock: VirtualRoomClock = VirtualRoomClock(), _ addresses: [String]
    ) -> HTTPWebhookClient {
        HTTPWebhookClient(allowPrivate: allowPrivate, clock: clock) { host in host == "hook.example" ? addresses : [] }
    }

    @Test("R02-S news reach a receiver with several addresses of which the first does not answer, or refuses")
    func addresses() async throws {
        let receiver = Receiver()
        try await serve(receiver, at: "127.0.0.3") { port in
            let deaf = try Deaf(at: "127.0.0.2", port: port)
            // Nobody listens at the last one.
            for addresses in [
                ["127.0.0.2", "127.0.0.3"], ["127.0.0.4", "127.0.0.3"], ["::1", "127.0.0.2", "127.0.0.3"],
            ] {
                let client = client(addresses)
                let answer = await client.post(
                    "http://hook.example:\(port)/", headers: [], body: [1], within: .seconds(20))
                #expect(answer == .answered(status: 503, body: [], retryAfterSeconds: nil), "\(addresses)")
                await client.shutDown()
            }
            withExtendedLifetime(deaf) {}
        }
        #expect(receiver.requests == 3)
    }

    @Test("R02-S no address of a receiver is asked that lies in the operator's own network, whatever the others are")
    func privateAddresses() async throws {
        let receiver = Receiver()
        try await serve(receiver, at: "127.0.0.3") { port in
            let url = "http://hook.example:\(port)/"
            for addresses in [["127.0.0.3"], ["10.0.0.1", "127.0.0.3"], ["fe80::1%lo", "127.0.0.3"]] {
                let client = client(allowPrivate: false, addresses)
                let answer = await client.post(url, headers: [], body: [1], within: .seconds(20))
                guard case .unreachable(let why) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(why.contains("private address \(addresses[0])"), "\(why)")
                await client.shutDown()
            }
            let none = client([])
            let answer = await none.post(url, headers: [], body: [1], within: .seconds(20))
            #expect(answer == .unreachable("hook.example has no address"))
            await none.shutDown()
        }
        #expect(receiver.requests == 0)
        let mixed = ["10.0.0.1", "203.0.112.7", "::1", "2600::1", "fe80::1%lo"]
        #expect(HTTPWebhookClient.usable(mixed, allowPrivate: false) == ["203.0.112.7", "2600::1"])
        #expect(HTTPWebhookClient.usable(mixed, allowPrivate: true) == mixed)
    }

    @Test("R02-S a receiver that fell silent is looked for at its other addresses")
    func moves() async throws {
        let clock = VirtualRoomClock()
        let client = client(clock: clock, ["127.0.0.2", "127.0.0.3"])
        let first = Receiver()
        let port = try await serve(first, at: "127.0.0.2") { port in
            let url = "http://hook.example:\(port)/"
            for _ in 0..<2 {
                let answer = await client.post(url, headers: [("connection", "close")], body: [1], within: .seconds(20))
                #expect(answer == .answered(status: 503, body: [], retryAfterSeconds: nil))
            }
            return port
        }
        let second = Receiver()
        try await serve(second, at: "127.0.0.3", port: port) { port in
            let url = "http://hook.example:\(port)/"
            // The one that was known refuses; the next request finds the other.
            guard case .unreachable = await client.post(url, headers: [], body: [1], within: .seconds(20)) else {
                Issue.record("somebody else answered")
                return
            }
            let answer = await client.post(url, headers: [], body: [1], within: .seconds(20))
            #expect(answer == .answered(status: 503, body: [], retryAfterSeconds: nil))
        }
        #expect(first.requests == 2 && second.requests == 1)
        await client.shutDown()
    }

    @Test("R02-S a receiver that says until when it is away is left alone until then")
    func retryAfter() async throws {
        let clock = VirtualRoomClock()
        for (text, seconds) in [
            ("7", 7), (HTTPDay.text(clock.wallTime.secondsSince1970 + 6), 6), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("soon", nil),
        ] as [(String, Int?)] {
            try await serve(Receiver(headers: ["Retry-After": text]), at: "127.0.0.3") { port in
                let client = client(clock: clock, ["127.0.0.3"])
                let answer = await client.post(
                    "http://hook.example:\(port)/", headers: [], body: [1], within: .seconds(20))
                #expect(answer == .answered(status: 503, body: [], retryAfterSeconds: seconds), "\(text)")
                await client.shutDown()
            }
        }
    }

    @Test("this machine's own name has addresses, and a name that there is not has none")
    func lookUp() async {
        #expect(await HostAddresses.lookUp("127.0.0.1") == ["127.0.0.1"])
        #expect(!(await HostAddresses.lookUp("localhost")).isEmpty)
        #expect(await HostAddresses.lookUp("nobody.invalid").isEmpty)
    }
}

/// As HTTP writes a moment.
private enum HTTPDay {
    static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
