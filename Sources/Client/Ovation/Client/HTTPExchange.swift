internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import SignalProtocol

/// One HTTP request on a connection of its own.
struct HTTPExchange: Sendable {
    /// For what is asked and answered within one packet or a few.
    private static let patience = TimeAmount.seconds(10)
    /// What is long on the way may stand still for so long: no byte goes or comes.
    static let standstill = TimeAmount.seconds(30)
    /// Of a file that is sent, so much at once: several packets, and progress that moves.
    private static let piece = 64 << 10

    let server: ServerAddress
    let trustRoots: OvationClient.TrustRoots
    /// The value of the header of that name, for whoever is signed in.
    var authorization: String?
    /// Without a byte for so long it has failed.
    var standstill = Self.standstill

    /// What is sent, in order.
    enum Part: Sendable {
        case bytes([UInt8])
        /// So many bytes of a file.
        case file(FileHandle, count: Int)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, let count): count
            }
        }
    }

    func post(_ path: String, _ body: [UInt8]) async throws(OvationError) -> HTTPAnswer {
        try await perform(.POST, path, type: "application/json", [.bytes(body)], limit: Self.patience)
    }

    func get(_ path: String) async throws(OvationError) -> HTTPAnswer {
        try await perform(.GET, path, limit: Self.patience)
    }

    func delete(_ path: String) async throws(OvationError) -> HTTPAnswer {
        try await perform(.DELETE, path, limit: Self.patience)
    }

    /// Sends what takes its time. A refusal in the middle of it ends the sending.
    /// - Parameter progress: the part that has been sent, 0…1.
    func upload(
        _ path: String, type: String, _ parts: [Part], progress: @Sendable (Double) -> Void
    ) async throws(OvationError) -> HTTPAnswer {
        try await perform(.POST, path, type: type, parts, progress: progress)
    }

    private func perform(
        _ method: HTTPMethod, _ path: String, type: String? = nil, _ parts: [Part] = [], limit: TimeAmount? = nil,
        progress: @Sendable (Double) -> Void = { _ in }
    ) async throws(OvationError) -> HTTPAnswer {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: server.path + path)
        head.headers.add(name: "Host", value: server.authority)
        head.headers.add(name: "Connection", value: "close")
        if let authorization { head.headers.add(name: "Authorization", value: authorization) }
        if let type {
            head.headers.add(name: "Content-Type", value: type)
            head.headers.add(name: "Content-Length", value: String(parts.reduce(0) { $0 + $1.count }))
        }
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: HTTPAnswer.self)
        let timer = limit.map { limit in
            promise.futureResult.eventLoop.scheduleTask(in: limit) { promise.fail(OvationError(.timeout)) }
        }
        defer { timer?.cancel() }
        do {
            return try await withTaskCancellationHandler {
                let channel = try await connect(promise)
                // However it ends: nothing of it stays open.
                defer { channel.close(promise: nil) }
                do { try await send(head, parts, over: channel, progress) } catch let error as OvationError {
                    throw error
                } catch {
                    // The answer or the loss tells why it could not go on.
                }
                return try await promise.futureResult.get()
            } onCancel: {
                promise.fail(OvationError(.cancelled))
            }
        } catch {
            throw OvationError.unreachable(error)
        }
    }

    private func connect(_ promise: EventLoopPromise<HTTPAnswer>) async throws -> any Channel {
        let security: NIOSSLContext?
        do { security = try server.isSecure ? trustRoots.context() : nil } catch {
            promise.fail(error)
            throw error
        }
        let channel = ClientBootstrap(group: promise.futureResult.eventLoop).connectTimeout(Self.patience)
            .channelInitializer { [server, standstill] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let security { try pipeline.addHandler(server.tlsHandler(security)) }
                    try pipeline.addHandler(IdleStateHandler(allTimeout: standstill))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(HTTPExchangeHandler(promise))
                }
            }
            .connect(host: server.host, port: server.port)
        // Whatever comes first: a limit or a cancellation does not wait for a connection that does not come about.
        let opened = promise.futureResult.eventLoop.makePromise(of: (any Channel).self)
        channel.cascade(to: opened)
        channel.whenFailure { promise.fail($0) }
        promise.futureResult.whenFailure { error in
            opened.fail(error)
            channel.whenSuccess { $0.close(promise: nil) }
        }
        return try await opened.futureResult.get()
    }

    /// Each piece waits until the one before is on its way, so that a slow line fills no memory.
    private func send(
        _ head: HTTPRequestHead, _ parts: [Part], over channel: any Channel, _ progress: @Sendable (Double) -> Void
    ) async throws {
        try await write(.head(head), channel)
        let total = parts.reduce(0) { $0 + $1.count }
        var sent = 0
        for part in parts {
            switch part {
            case .bytes(let bytes):
                try await write(.body(ByteBuffer(bytes: bytes)), channel)
                sent += bytes.count
                progress(Double(sent) / Double(max(total, 1)))
            case .file(let file, let count):
                var left = count
                while left > 0 {
                    let bytes: Data?
                    do { bytes = try file.read(upToCount: min(left, Self.piece)) } catch {
                        throw OvationError(.fileUnreadable, "\(error)")
                    }
                    guard let bytes, !bytes.isEmpty else {
                        throw OvationError(.fileUnreadable, "the file became shorter while it was sent")
                    }
                    try await write(.body(ByteBuffer(bytes: bytes)), channel)
                    left -= bytes.count
                    sent += bytes.count
                    progress(Double(sent) / Double(total))
                }
            }
        }
        try await write(.end, channel)
    }

    private enum Piece: Sendable {
        case head(HTTPRequestHead)
        case body(ByteBuffer)
        case end
    }

    private func write(_ piece: Piece, _ channel: any Channel) async throws {
        try await channel.eventLoop.flatSubmit {
            let part: HTTPClientRequestPart =
                switch piece {
                case .head(let head): .head(head)
                case .body(let bytes): .body(.byteBuffer(bytes))
                case .end: .end(nil)
                }
            return channel.writeAndFlush(part)
        }.get()
    }
}

/// What a server answers to an HTTP request, up to a size.
struct HTTPAnswer: Sendable {
    private static let largest = 1 << 20

    private(set) var status: Int
    private(set) var body: ByteBuffer

    init(status: Int = 0, body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.body = body
    }

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

    private let promise: EventLoopPromise<HTTPAnswer>
    private var answer = HTTPAnswer()

    init(_ promise: EventLoopPromise<HTTPAnswer>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if answer.take(unwrapInboundIn(data)) {
            promise.succeed(answer)
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        promise.fail(OvationError(.timeout, "the transfer stalled"))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(OvationError(.connectionLost))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An end without a goodbye says no more than the end itself; a certificate that is refused says why.
        let isBroken = error is IOError || error is ChannelError
        promise.fail(isBroken ? OvationError(.connectionLost, "\(error)") : error)
        context.close(promise: nil)
    }
}
