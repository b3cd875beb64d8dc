import HTTP
import NIOCore
import NIOHTTP1
import Signalling

/// Looks at the first request before the upgrade handler does, and turns every upgrade that we do not want into a plain request:
/// NIO's handler forgets the head of a request whose upgrade fails, and with it any chance of an answer
/// (of `Upgrade: h2c`, too, which some clients always send).
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let acceptor: SocketAcceptor

    init(_ acceptor: SocketAcceptor) { self.acceptor = acceptor }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(let raw) = part {
            var head = RequestText.judged(raw)
            if head.headers.contains(name: "upgrade"),
                case .refused(let refusal) = acceptor.admission(head, from: context.channel.remoteAddress)
            {
                head.headers.remove(name: "upgrade")
                head.headers.replaceOrAdd(name: RequestText.refusalHeader, value: refusal.rawValue)
            }
            part = .head(head)
        }
        context.fireChannelRead(wrapInboundOut(part))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

/// Closes a connection whose first request has not come in time.
struct FirstRequestDeadline {
    private let limit: NIODeadline
    private var closing: Scheduled<Void>?

    /// - Parameter limit: when the request must be in.
    init(_ limit: NIODeadline) { self.limit = limit }

    mutating func begin(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        closing = context.eventLoop.scheduleTask(deadline: limit) { bound.value.close(promise: nil) }
    }

    mutating func end() {
        closing?.cancel()
        closing = nil
    }
}

/// Until the first request decides what a connection is, nothing else watches it: answers what is no HTTP, closes it when it takes
/// too long, and when the server shuts down.
final class FirstRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias OutboundOut = HTTPServerResponsePart

    private var deadline: FirstRequestDeadline

    init(until limit: NIODeadline) { deadline = FirstRequestDeadline(limit) }

    func handlerAdded(context: ChannelHandlerContext) { deadline.begin(context) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.close(promise: nil) }
        let head = HTTPResponseHead(
            version: .http1_1, status: .badRequest, headers: ["Connection": "close", "Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}
