import HTTP
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOWebSocket
import Signalling

/// A connection that speaks HTTP/1.1, until its first message decides what it is: requests to the end, or on `/v1/connect` a WebSocket.
struct FirstMessage: Sendable {
    /// What a connection turned out to be.
    enum Kind: Sendable {
        case http(GatewayChannel.HTTP)
        case webSocket
    }

    /// Each WebSocket keeps a buffer to read into. The usual one grows with the largest message and stays that large, which an offer of
    /// media makes 4 KiB; longer messages take a few reads more.
    private static let socketBuffer = 2 << 10

    let socketDoor: SocketAcceptor
    let isSecure: Bool
    /// When it must be in.
    let limit: NIODeadline
    let logger: Logger

    func configure(_ channel: any Channel) throws -> EventLoopFuture<Kind> {
        let pipeline = channel.pipeline.syncOperations
        var decoding = NIOHTTPDecoderLimitConfiguration()
        // All together, so each of them too.
        decoding.maxHeaderListSize = GatewayChannel.headerLimit
        var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Kind>(
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture { .http(try requests(channel)) }
                }))
        configuration.enablePipelining = false  // the async channel does that
        configuration.enableErrorHandling = false  // so does handleHTTP
        configuration.decoderConfiguration = decoding
        let kind = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(UpgradeGate(socketDoor), position: .after(decoder))

        let patience = FirstRequestHandler(until: limit)
        try pipeline.addHandler(patience)
        let bound = NIOLoopBound(patience, eventLoop: channel.eventLoop)
        kind.whenComplete { _ in channel.pipeline.syncOperations.removeHandler(bound.value, promise: nil) }
        return kind
    }

    private var upgrader: NIOTypedWebSocketServerUpgrader<Kind> {
        NIOTypedWebSocketServerUpgrader(
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
                        ConnectionHandler(connection, isSecure: isSecure))
                    return .webSocket
                }
            })
    }

    private func requests(_ channel: any Channel) throws -> GatewayChannel.HTTP {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RequestTextGate())
        try pipeline.addHandler(MessageRules())
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: Duration(GatewayChannel.idleLimit), logger: logger))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
}
