import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOSSL
import NIOTLS
import Signalling

/// One accepted TCP connection. Without a certificate it speaks HTTP/1.1; with one the two ends choose that or HTTP/2 (RFC 7301).
struct GatewayChannel: HTTPChannelHandler {
    typealias HTTP = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// What both ends speak.
    enum Spoken: Sendable {
        case http1(EventLoopFuture<FirstMessage.Kind>)
        case http2(StreamedRequests.Connection)
    }

    struct Value: ServerChildChannelValue {
        var channel: any Channel
        var spoken: EventLoopFuture<Spoken>
    }

    /// The first request, TLS handshake included, must be in by then; a browser's spare connections just open another.
    static let firstRequestLimit = TimeAmount.seconds(15)
    /// An HTTP connection without a request is closed after this.
    static let idleLimit = TimeAmount.seconds(60)
    /// Headers of a browser behind two proxies stay below 8 KiB.
    static let headerLimit = 32 << 10

    let responder: HTTPChannelHandler.Responder
    let certificates: CertificateSource?
    let socketDoor: SocketAcceptor

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let limit = NIODeadline.now() + Self.firstRequestLimit
            let first = FirstMessage(
                socketDoor: socketDoor, isSecure: certificates != nil, limit: limit, logger: logger)
            guard let certificates else {
                let spoken = Spoken.http1(try first.configure(channel))
                return Value(channel: channel, spoken: channel.eventLoop.makeSucceededFuture(spoken))
            }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context))
            let patience = NIOLoopBound(FirstRequestHandler(until: limit), eventLoop: channel.eventLoop)
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Spoken> { result, channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.pipeline.syncOperations.removeHandler(patience.value, promise: nil)
                    if case .negotiated("h2") = result {
                        return .http2(try StreamedRequests(limit: limit, logger: logger).configure(channel))
                    }
                    return .http1(try first.configure(channel))
                }
            }
            try pipeline.addHandlers(negotiation, patience.value)
            return Value(channel: channel, spoken: negotiation.protocolNegotiationResult)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.spoken.get() {
            case .http1(let kind):
                // A WebSocket lives on its event loop from here on; the server waits for its channel when it shuts down.
                if case .http(let channel) = try await kind.get() {
                    await handleHTTP(asyncChannel: channel, logger: logger)
                }
            case .http2(let connection):
                try await withThrowingDiscardingTaskGroup { group in
                    for try await stream in connection.inbound {
                        group.addTask { await handleHTTP(asyncChannel: stream, logger: logger) }
                    }
                }
            }
        } catch {
            logger.trace("connection ended before its first request: \(error)")
            value.channel.close(promise: nil)
        }
    }
}
