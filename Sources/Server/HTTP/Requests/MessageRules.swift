package import NIOCore
package import NIOHTTP1

/// What HTTP/1.1 asks of a server and the framework leaves to its user: one `Host` (RFC 9112 §3.2), bodies that can be read (§6.1), who ends a connection and when
/// (§9.3, §9.6), and an answer for those who wait before they send a body (RFC 9110 §10.1.1).
package final class MessageRules: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// Sent through the pipeline by whoever begins to read the body of the request that is being answered.
    struct BodyIsRead: Sendable {}

    private struct Pending {
        /// Of the request: the answer says so too.
        var endsConnection: Bool
        /// The client holds its body back until it is told.
        var awaitsWord: Bool
        /// It was answered instead, so that nobody knows whether the body still comes.
        var isCutShort = false
    }

    /// Those that are not answered yet, in their order.
    private var pending: [Pending] = []
    private var isRefused = false

    package init() {}

    // MARK: What comes

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            if let authority = Self.authority(ofTarget: head.uri) {
                head.headers.replaceOrAdd(name: "host", value: authority)
            }
            guard Self.hasGoodHost(head), Self.hasKnownCoding(head) else {
                isRefused = true
                // Answered with 400, behind what came before.
                return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            let ends = Self.endsConnection(head)
            // The framework knows it by this spelling.
            if ends { head.headers.replaceOrAdd(name: "connection", value: "close") }
            pending.append(Pending(endsConnection: ends, awaitsWord: Self.awaitsWord(head)))
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body, .end:
            // It did not wait.
            if let last = pending.indices.last { pending[last].awaitsWord = false }
            context.fireChannelRead(data)
        }
    }

    /// The host and port of a target in absolute form, which counts instead of the header (RFC 9112 §3.2.2).
    private static func authority(ofTarget uri: String) -> String? {
        guard let scheme = ["http://", "https://"].first(where: { uri.utf8.starts(with: $0.utf8) }) else { return nil }
        let authority = uri.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        return String(Substring(authority))
    }

    private static func hasGoodHost(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["host"]
        guard hosts.count <= 1, let host = hosts.first else { return hosts.isEmpty && isOld(head) }
        return RequestText.isHost(host)
    }

    /// Whose body is coded otherwise, nobody here could tell where it ends (RFC 9112 §6.1).
    private static func hasKnownCoding(_ head: HTTPRequestHead) -> Bool {
        head.headers[canonicalForm: "transfer-encoding"].allSatisfy { $0.lowercased() == "chunked" }
    }

    /// HTTP/1.0 and before: it knows no interim answers, and ends each connection with its answer.
    private static func isOld(_ head: HTTPRequestHead) -> Bool { head.version.major < 1 || head.version == .http1_0 }

    private static func endsConnection(_ head: HTTPRequestHead) -> Bool {
        let options = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
        return options.contains("close") || isOld(head) && !options.contains("keep-alive")
    }

    private static func awaitsWord(_ head: HTTPRequestHead) -> Bool {
        !isOld(head)
            && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    // MARK: What goes

    package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?)
    {
        guard event is BodyIsRead else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if let first = pending.first, first.awaitsWord {
            pending[0].awaitsWord = false
            let word = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(word)), promise: nil)
        }
        promise?.succeed()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where !pending.isEmpty:
            if pending[0].awaitsWord { pending[0].isCutShort = true }
            if pending[0].endsConnection || pending[0].isCutShort {
                head.headers.replaceOrAdd(name: "connection", value: "close")
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where !pending.isEmpty:
            let answered = pending.removeFirst()
            guard answered.isCutShort else { return context.write(data, promise: promise) }
            isRefused = true
            context.writeAndFlush(data, promise: promise)
            // What the client may still send is read on until it closes, so that the answer reaches it (RFC 9112 §9.6).
            context.close(mode: .output, promise: nil)
        default: context.write(data, promise: promise)
        }
    }
}
