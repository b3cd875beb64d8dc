internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import RoomModel
internal import SignalProtocol

/// Asks a server for its own tickets (`POST /v1/tickets`, Documentation/protocol.md §9).
struct TicketOfficeClient: Sendable {
    let server: ServerAddress
    let trustRoots: OvationClient.TrustRoots

    struct Given: Decodable, Sendable {
        var app: ApplicationID
        var user: UserID
        var name: String
        var ticket: String
    }

    /// A ticket under that name.
    func ticket(for name: String) async throws(OvationError) -> Given { try await post(["name": name]) }

    /// A new ticket for the same user, by the old one.
    func renew(_ user: UserID, ticket: String) async throws(OvationError) -> String {
        try await post(["user": user.rawValue, "ticket": ticket]).ticket
    }

    private func post(_ body: [String: String]) async throws(OvationError) -> Given {
        let answer = try await HTTPExchange(server: server, trustRoots: trustRoots)
            .post("/v1/tickets", SignalText.encode(body))
        // Servers whose tickets come from elsewhere do not have the door.
        if answer.status == 404 { throw OvationError(.signInUnavailable) }
        if let refusal = answer.refusal { throw refusal }
        do { return try JSONDecoder().decode(Given.self, from: Data(answer.body.readableBytesView)) } catch {
            throw OvationError(.invalidAnswer, "the server's ticket cannot be read: \(error)")
        }
    }
}

/// One HTTP request of its own connection.
struct HTTPExchange: Sendable {
    private static let patience = TimeAmount.seconds(10)

    let server: ServerAddress
    let trustRoots: OvationClient.TrustRoots

    func post(_ path: String, _ body: [UInt8]) async throws(OvationError) -> HTTPAnswer {
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: server.path + path)
        head.headers.add(name: "Content-Type", value: "application/json")
        head.headers.add(name: "Content-Length", value: String(body.count))
        return try await perform(head, ByteBuffer(bytes: body))
    }

    func get(_ path: String) async throws(OvationError) -> HTTPAnswer {
        try await perform(HTTPRequestHead(version: .http1_1, method: .GET, uri: server.path + path), ByteBuffer())
    }

    private func perform(_ head: HTTPRequestHead, _ body: ByteBuffer) async throws(OvationError) -> HTTPAnswer {
        var head = head
        head.headers.add(name: "Host", value: server.authority)
        head.headers.add(name: "Connection", value: "close")
        let request = (head, body)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: HTTPAnswer.self)
        do {
            let security = try server.isSecure ? trustRoots.context() : nil
            ClientBootstrap(group: loop).connectTimeout(Self.patience)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let security { try pipeline.addHandler(server.tlsHandler(security)) }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(HTTPExchangeHandler(request, promise))
                    }
                }
                .connect(host: server.host, port: server.port)
                .whenFailure { promise.fail($0) }
        } catch { promise.fail(error) }
        loop.scheduleTask(in: Self.patience) { promise.fail(OvationError(.timeout)) }
        do { return try await promise.futureResult.get() } catch { throw OvationError.unreachable(error) }
    }
}

/// What a server answers to an HTTP request, up to a size.
struct HTTPAnswer: Sendable {
    private static let largest = 1 << 20

    private(set) var status = 0
    private(set) var body = ByteBuffer()

    /// Whether it is whole now.
    mutating func take(_ part: HTTPClientResponsePart) -> Bool {
        switch part {
        case .head(let head):
            status = Int(head.status.code)
            return false
        case .body(var bytes):
            if body.readableBytes + bytes.readableBytes <= Self.largest { body.writeBuffer(&bytes) }
            return false
        case .end: return true
        }
    }

    /// What is wrong; `nil` if it is a success.
    var refusal: OvationError? {
        guard !(200..<300).contains(status) else { return nil }
        struct Refusal: Decodable { var error: ServerRefusal }
        if let said = try? JSONDecoder().decode(Refusal.self, from: Data(body.readableBytesView)) {
            return OvationError(said.error)
        }
        return OvationError(.invalidAnswer, "the server answers \(status)")
    }
}

private final class HTTPExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: (HTTPRequestHead, ByteBuffer)
    private let promise: EventLoopPromise<HTTPAnswer>
    private var answer = HTTPAnswer()

    init(_ request: (HTTPRequestHead, ByteBuffer), _ promise: EventLoopPromise<HTTPAnswer>) {
        self.request = request
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.0)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(request.1))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if answer.take(unwrapInboundIn(data)) {
            promise.succeed(answer)
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(OvationError(.connectionLost))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }
}
