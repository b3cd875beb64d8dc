import HTTP
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2

/// A connection that speaks HTTP/2 (RFC 9113): each request is a stream of its own. WebSockets are not among them: without
/// SETTINGS_ENABLE_CONNECT_PROTOCOL (RFC 8441) browsers open a connection of HTTP/1.1 for each.
struct StreamedRequests: Sendable {
    typealias Connection = NIOHTTP2Handler.AsyncStreamMultiplexer<GatewayChannel.HTTP>

    /// Requests of one connection at a time. The pages ask for some forty files at once.
    private static let mostStreams = 64
    /// How long streams may go on after the connection was told to end.
    private static let closingLimit = TimeAmount.seconds(30)

    /// When the first request must be in.
    let limit: NIODeadline
    let logger: Logger

    func configure(_ channel: any Channel) throws -> Connection {
        let pipeline = channel.pipeline.syncOperations
        let management = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: .init(
                maxIdleTime: GatewayChannel.idleLimit, maxAge: nil, maxGraceTime: Self.closingLimit, keepalive: nil))
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.mostStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: GatewayChannel.headerLimit),
        ]
        // It would compare texts of a stranger's before they are judged (decision 0037): `StreamRules` does both.
        configuration.connection.headerBlockValidation = .disabled
        configuration.connection.contentLengthValidation = .disabled
        let connection = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server, streamDelegate: management.http2StreamDelegate, configuration: configuration
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try requests(stream) }
        }
        try pipeline.addHandler(management)
        try pipeline.addHandler(ConnectionEnd(until: limit))
        return connection
    }

    private func requests(_ stream: any Channel) throws -> GatewayChannel.HTTP {
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(StreamRules())
        try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: Duration(GatewayChannel.idleLimit), logger: logger))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: stream, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
}

/// Ends a connection whose client breaks the protocol, or asks for nothing: who manages connections begins to count idle time with the
/// first stream's end.
private final class ConnectionEnd: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// A client has faults, a flood has many: as many as the library allows of those that it finds itself.
    private static let mostMalformed = 200

    private var deadline: FirstRequestDeadline
    private var malformed = 0

    init(until limit: NIODeadline) { deadline = FirstRequestDeadline(limit) }

    func handlerAdded(context: ChannelHandlerContext) { deadline.begin(context) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline.end() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is NIOHTTP2StreamCreatedEvent { deadline.end() }
        if event is MalformedMessage { count(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func count(_ context: ChannelHandlerContext) {
        malformed += 1
        guard malformed == Self.mostMalformed + 1 else { return }
        let end = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: .maxID, errorCode: .enhanceYourCalm, opaqueData: nil))
        context.writeAndFlush(wrapOutboundOut(end), promise: nil)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An answer that its stream does not take any more.
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}
