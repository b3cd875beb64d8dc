package import NIOCore
import NIOHPACK
package import NIOHTTP2
import Texts

/// What HTTP/2 asks of a server and the framework leaves to its user, for one stream: a head that can be read (decision 0037) and names one
/// authority (RFC 9113 §8.3.1), no headers of a connection in answers (§8.2.2), an end to the body of whoever was answered before it came
/// (§8.1), and an answer for those who wait before they send a body (RFC 9110 §10.1.1).
package final class StreamRules: ChannelDuplexHandler {
    package typealias InboundIn = HTTP2Frame.FramePayload
    package typealias InboundOut = HTTP2Frame.FramePayload
    package typealias OutboundIn = HTTP2Frame.FramePayload
    package typealias OutboundOut = HTTP2Frame.FramePayload

    private enum Body {
        /// The head is still to come.
        case none
        /// It may be on the way.
        case awaited
        /// The client holds it back until it is told.
        case heldBack
        case whole
    }

    private var body = Body.none

    package init() {}

    // MARK: What comes

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(var content):
            // Nothing here reads trailers.
            guard case .none = body else {
                body = .whole
                return context.fireChannelRead(wrapInboundOut(.data(Self.end(context))))
            }
            content.headers = RequestText.judged(content.headers)
            body = content.endStream ? .whole : Self.awaitsWord(content.headers) ? .heldBack : .awaited
            context.fireChannelRead(wrapInboundOut(.headers(content)))
        case .data(let content):
            body = content.endStream ? .whole : .awaited
            context.fireChannelRead(data)
        default: context.fireChannelRead(data)
        }
    }

    private static func awaitsWord(_ headers: HPACKHeaders) -> Bool {
        headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    private static func end(_ context: ChannelHandlerContext) -> HTTP2Frame.FramePayload.Data {
        .init(data: .byteBuffer(context.channel.allocator.buffer(capacity: 0)), endStream: true)
    }

    // MARK: What goes

    package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?)
    {
        guard event is MessageRules.BodyIsRead else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if case .heldBack = body {
            body = .awaited
            context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: [":status": "100"]))), promise: nil)
        }
        promise?.succeed()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .headers(var content):
            for name in Self.ofConnections { content.headers.remove(name: name) }
            write(.headers(content), isLast: content.endStream, context, promise)
        case .data(let content): write(.data(content), isLast: content.endStream, context, promise)
        default: context.write(data, promise: promise)
        }
    }

    private static let ofConnections = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

    private func write(
        _ payload: HTTP2Frame.FramePayload, isLast: Bool, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        guard isLast else { return context.write(wrapOutboundOut(payload), promise: promise) }
        let sent = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Only then: a reset drops what waits for the client's window.
        sent.futureResult.whenSuccess { bound.value.0.endBody(bound.value.1) }
        context.write(wrapOutboundOut(payload), promise: sent)
    }

    /// The answer is out. What is not here yet is not wanted any more, without a fault of the client's.
    private func endBody(_ context: ChannelHandlerContext) {
        if case .whole = body { return }
        body = .whole
        context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }
}

extension RequestText {
    /// The head of a stream itself, or one that asks for nothing and is refused by `RefusedText`.
    static func judged(_ headers: HPACKHeaders) -> HPACKHeaders {
        let isSafe = headers.allSatisfy { name, value, _ in
            StreamSafeText.holds(value, in: name == ":path" ? .percentEncoded : .plain)
        }
        guard isSafe else { return refused(.text) }
        // The parser of HTTP/1.1 lets no other bytes through (RFC 3986 §2).
        guard headers[":path"].allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } }) else {
            return refused(.path)
        }
        // The pseudo-header counts, as it does for the web (RFC 9113 §8.3.1).
        let stated = headers[":authority"] + headers["host"]
        guard let authority = stated.first, stated.allSatisfy({ $0 == authority }), isHost(authority) else {
            return refused(.authority)
        }
        guard !headers.contains(name: ":authority") else { return headers }
        var whole: HPACKHeaders = [":authority": authority]
        for (name, value, indexing) in headers { whole.add(name: name, value: value, indexing: indexing) }
        return whole
    }

    private static func refused(_ cause: Cause) -> HPACKHeaders {
        [
            ":method": "GET", ":scheme": "https", ":authority": "localhost", ":path": "/",
            refusalHeader.lowercased(): cause.rawValue,
        ]
    }
}
