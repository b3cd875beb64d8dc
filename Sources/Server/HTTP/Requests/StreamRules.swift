package import NIOCore
import NIOHPACK
package import NIOHTTP2
import Texts

/// What HTTP/2 asks of a server and is left to us, for one stream: a head that can be read (decision 0037), is well formed (RFC 9113 §8.1.1)
/// and names one authority (§8.3.1), a body of the length that was stated, no headers of a connection in answers (§8.2.2), an end to the
/// body of whoever was answered before it came (§8.1), and an answer for those who wait before they send a body (RFC 9110 §10.1.1).
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
        /// Malformed: the stream is reset.
        case refused
    }

    private var body = Body.none
    private var length: StatedLength?

    package init() {}

    // MARK: What comes

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .refused = body { return }
        do throws(MalformedMessage) {
            context.fireChannelRead(wrapInboundOut(try accepted(unwrapInboundIn(data), context)))
        } catch {
            refuse(context, error)
        }
    }

    private func accepted(
        _ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext
    ) throws(MalformedMessage) -> HTTP2Frame.FramePayload {
        switch payload {
        case .headers(var content):
            if case .none = body {
                content.headers = HeaderBlock.withoutBlanks(content.headers)
                try HeaderBlock.checkRequest(content.headers)
                length = try StatedLength(content.headers)
                try length?.take(0, isLast: content.endStream)
                content.headers = RequestText.judged(content.headers)
                body = content.endStream ? .whole : Self.awaitsWord(content.headers) ? .heldBack : .awaited
                return .headers(content)
            }
            try HeaderBlock.checkTrailers(content.headers)
            try length?.take(0, isLast: true)
            body = .whole
            // Nothing here reads trailers.
            return .data(Self.end(context))
        case .data(let content):
            try length?.take(content.data.readableBytes, isLast: content.endStream)
            body = content.endStream ? .whole : .awaited
            return payload
        default: return payload
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ error: MalformedMessage) {
        body = .refused
        context.writeAndFlush(wrapOutboundOut(.rstStream(.protocolError)), promise: nil)
        guard let connection = context.channel.parent else { return }
        // Later: the connection may end by it, and is in the midst of reading.
        context.eventLoop.execute { connection.pipeline.fireUserInboundEventTriggered(error) }
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
            for name in HeaderBlock.ofConnections { content.headers.remove(name: name) }
            write(.headers(content), isLast: content.endStream, context, promise)
        case .data(let content): write(.data(content), isLast: content.endStream, context, promise)
        default: context.write(data, promise: promise)
        }
    }

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
        switch body {
        case .whole, .refused: return
        case .none, .awaited, .heldBack: body = .whole
        }
        context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }
}

extension RequestText {
    /// The head of a stream itself, or one that asks for nothing and is refused by `RefusedText`. It is well formed: names are ASCII.
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
