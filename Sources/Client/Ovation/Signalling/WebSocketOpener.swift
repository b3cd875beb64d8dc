package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket

/// Opens WebSockets to a server: TCP, TLS if asked for, the upgrade with the sub-protocol.
package struct WebSocketOpener: Sendable {
    /// The machine's own patience with TCP is minutes.
    static let connectPatience = TimeAmount.seconds(8)
    /// A snapshot of a large room is some 100 KB; more than this is no server of ours.
    static let largestMessage = 8 << 20

    let server: ServerAddress
    let trustRoots: OvationClient.TrustRoots
    let path: String
    let subprotocol: String

    /// What is not given is as an Ovation server wants it.
    package init(
        server: ServerAddress, trustRoots: OvationClient.TrustRoots = .system, path: String = "/v1/connect",
        subprotocol: String = "ovation.v1"
    ) {
        self.server = server
        self.trustRoots = trustRoots
        self.path = path
        self.subprotocol = subprotocol
    }

    /// Reports on that event loop; of two failures for one reason the first counts.
    package func open(on loop: any EventLoop, _ report: @escaping (SocketEvent) -> Void) {
        let bound = NIOLoopBound(report, eventLoop: loop)
        let security: NIOSSLContext?
        do { security = try server.isSecure ? trustRoots.context() : nil } catch {
            loop.execute { bound.value(.failed(OvationError.unreachable(error))) }
            return
        }
        ClientBootstrap(group: loop)
            .connectTimeout(Self.connectPatience)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try upgrade(channel, security: security, bound).whenComplete { result in
                        switch result {
                        // Not before: while the upgrade is under way nothing can be written.
                        case .success(let socket?): socket.value.begin()
                        // The handler that reads why it was refused reports it.
                        case .success(nil): break
                        case .failure(let error): bound.value(.failed(OvationError.unreachable(error)))
                        }
                    }
                }
            }
            .connect(host: server.host, port: server.port)
            .whenFailure { bound.value(.failed(OvationError.unreachable($0))) }
    }

    private func upgrade(
        _ channel: any Channel, security: NIOSSLContext?, _ report: NIOLoopBound<(SocketEvent) -> Void>
    ) throws -> EventLoopFuture<NIOLoopBound<WebSocketHandler>?> {
        if let security {
            try channel.pipeline.syncOperations.addHandler(server.tlsHandler(security))
        }
        let upgrader = NIOTypedWebSocketClientUpgrader<NIOLoopBound<WebSocketHandler>?>(
            maxFrameSize: Self.largestMessage,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let socket = WebSocketHandler(report.value)
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
                            maxAccumulatedFrameSize: Self.largestMessage), socket,
                    ])
                    return NIOLoopBound(socket, eventLoop: channel.eventLoop)
                }
            })
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: server.path + path)
        head.headers.add(name: "Host", value: server.authority)
        head.headers.add(name: "Content-Length", value: "0")
        head.headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol)
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<NIOLoopBound<WebSocketHandler>?>(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RefusedUpgradeHandler(report.value))
                    return nil
                }
            })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
    }
}

extension ServerAddress {
    /// A certificate of an IP address is checked by the address, which TLS does not put into its greeting (RFC 6066 §3).
    func tlsHandler(_ context: NIOSSLContext) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}

extension OvationClient.TrustRoots {
    func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        switch self {
        case .system: break
        case .file(let path): configuration.trustRoots = .file(path)
        case .pem(let text):
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)))
        }
        return try NIOSSLContext(configuration: configuration)
    }
}

extension OvationError {
    /// Why no connection came about.
    static func unreachable(_ error: any Error) -> OvationError {
        if let error = error as? OvationError { return error }
        return OvationError(.serverUnreachable, "no server answers at this address: \(reason(error))")
    }

    /// In words for people, where the system has some.
    private static func reason(_ error: any Error) -> String {
        var cause = error
        if let error = error as? NIOConnectionError {
            guard let last = error.connectionErrors.last else { return "the name \(error.host) is not known" }
            // A machine may have several addresses: the last one tried says why.
            cause = last.error
        }
        guard let cause = cause as? IOError else { return "\(cause)" }
        return String(cString: strerror(cause.errnoCode))
    }
}

/// The WebSocket of a connection on its event loop.
final class WebSocketHandler: ChannelInboundHandler, SignalSocket {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// How long we wait for the other side's close frame.
    private static let closePatience = TimeAmount.seconds(1)

    private let report: (SocketEvent) -> Void
    private var context: ChannelHandlerContext?
    private var isOver = false

    init(_ report: @escaping (SocketEvent) -> Void) { self.report = report }

    /// A channel that was closed by a write calls itself writable until it is taken apart.
    var isWritable: Bool { !isOver && context?.channel.isWritable ?? false }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// The upgrade is complete: texts can be sent.
    func begin() {
        if !isOver, context != nil { report(.opened(self)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(nil)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(nil)
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, !isOver { report(.writable) }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isOver else { return }
        switch frame.opcode {
        case .text: report(.text(frame.data))
        case .ping:
            write(.pong, frame.data)
            report(.heard)
        case .connectionClose:
            var data = frame.data
            let code = data.readInteger(as: UInt16.self)
            // The echo of the code alone (RFC 6455 §5.5.1).
            var echo = ByteBuffer()
            if let code { echo.writeInteger(code) }
            write(.connectionClose, echo)
            end(code)
            context.close(promise: nil)
        default: report(.heard)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func send(_ text: [UInt8]) { write(.text, ByteBuffer(bytes: text)) }

    func close() {
        guard !isOver, let context else { return }
        isOver = true
        write(.connectionClose, ByteBuffer(bytes: [0x03, 0xe8]))
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.closePatience) { bound.value.close(promise: nil) }
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        guard let context else { return }
        // RFC 6455 §5.3: what a client sends is masked.
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func end(_ code: UInt16?) {
        guard !isOver else { return }
        isOver = true
        report(.closed(code))
    }
}

/// Reads why the server refused the upgrade.
private final class RefusedUpgradeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let report: (SocketEvent) -> Void
    private var answer = HTTPAnswer()
    private var isOver = false

    init(_ report: @escaping (SocketEvent) -> Void) { self.report = report }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if answer.take(unwrapInboundIn(data)) {
            end()
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func end() {
        guard !isOver else { return }
        isOver = true
        let refusal = answer.status == 404 ? nil : answer.refusal
        report(.failed(refusal ?? OvationError(.invalidAnswer, "there is no Ovation server at this address")))
    }
}
