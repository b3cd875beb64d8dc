import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL
import NIOWebSocket
import Signalling

/// One accepted TCP connection: TLS if there is a certificate, then HTTP/1.1, and on `/v1/connect` a WebSocket.
struct GatewayChannel: HTTPChannelHandler {
    typealias HTTP = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// What a connection turned out to be.
    enum Kind: Sendable {
        case http(HTTP)
        case webSocket
    }

    struct Value: ServerChildChannelValue {
        var channel: any Channel
        var kind: EventLoopFuture<Kind>
    }

    /// The first request, TLS handshake included, must be in by then; a browser's spare connections just open another.
    static let firstRequestLimit = TimeAmount.seconds(15)
    /// An HTTP connection without a request is closed after this.
    static let idleLimit = TimeAmount.seconds(60)
    /// Headers of a browser behind two proxies stay below 8 KiB.
    static let headerLimit = 32 << 10

    /// Each WebSocket keeps a buffer to read into. The usual one grows with the largest message and stays that large, which an offer of
    /// media makes 4 KiB; longer messages take a few reads more.
    static let socketBuffer = 2 << 10

    let responder: HTTPChannelHandler.Responder
    let certificates: CertificateSource?
    let socketDoor: SocketAcceptor

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let certificates { try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context)) }

            let upgrader = NIOTypedWebSocketServerUpgrader<Kind>(
                maxFrameSize: ConnectionHandler.messageLimit,
                enableAutomaticErrorHandling: false,
                // Whoever is not admitted does not come so far: see UpgradeGate.
                shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(SocketAcceptor.responseHeaders) },
                upgradePipelineHandler: { channel, head in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.syncOptions?.setOption(
                            .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.socketBuffer))
                        let connection = socketDoor.connection(head, on: channel)
                        try channel.pipeline.syncOperations.addHandler(
                            ConnectionHandler(connection, isSecure: certificates != nil))
                        return .webSocket
                    }
                })

            var decoding = NIOHTTPDecoderLimitConfiguration()
            // All together, so each of them too.
            decoding.maxHeaderListSize = Self.headerLimit
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Kind>(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                    upgraders: [upgrader],
                    notUpgradingCompletionHandler: { channel in
                        channel.eventLoop.makeCompletedFuture { .http(try wrapHTTP(channel, logger: logger)) }
                    }))
            configuration.enablePipelining = false  // the async channel does that
            configuration.enableErrorHandling = false  // so does handleHTTP
            configuration.decoderConfiguration = decoding
            let kind = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(UpgradeGate(socketDoor), position: .after(decoder))

            let patience = FirstRequestHandler()
            try pipeline.addHandler(patience)
            let bound = NIOLoopBound(patience, eventLoop: channel.eventLoop)
            kind.whenComplete { _ in
                channel.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
            }
            return Value(channel: channel, kind: kind)
        }
    }

    private func wrapHTTP(_ channel: any Channel, logger: Logger) throws -> HTTP {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RequestTextGate())
        try pipeline.addHandler(MessageRules())
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: certificates != nil))
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: Duration(Self.idleLimit), logger: logger))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: Value, logger: Logger) async {
        do {
            // A WebSocket lives on its event loop from here on; the server waits for its channel when it shuts down.
            if case .http(let channel) = try await value.kind.get() {
                await handleHTTP(asyncChannel: channel, logger: logger)
            }
        } catch {
            logger.trace("connection ended before its first request: \(error)")
            value.channel.close(promise: nil)
        }
    }
}
