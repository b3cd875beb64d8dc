import HTTPTypes
package import Hummingbird
package import NIOCore
package import NIOHTTP1
import RoomModel
package import SignalProtocol
package import Texts

/// Whether a request can be read at a cost that grows with its length, judged by its bytes (decision 0037): its head before any header is
/// compared, its body before it is decoded.
package enum RequestText {
    /// Carries why a request is refused, from where its head is read to the route that answers. A client that sends this header itself only
    /// gets that answer.
    package static let refusalHeader = "X-Refused-Upgrade"

    /// Whoever sends this is refused; that the request was refused for its text is said by it from here to the router.
    private static let mark = "too_many_marks"

    /// The head itself, or one that asks for nothing and is refused by `RefusedText`: in its place, so that what was asked for before on
    /// the same connection is answered first.
    package static func judged(_ head: HTTPRequestHead) -> HTTPRequestHead {
        let isSafe =
            StreamSafeText.holds(head.uri, in: .percentEncoded)
            && head.headers.allSatisfy { StreamSafeText.holds($0.name) && StreamSafeText.holds($0.value) }
        if isSafe { return head }
        return HTTPRequestHead(
            version: head.version, method: .GET, uri: "/",
            headers: ["Host": "localhost", refusalHeader: mark, "Connection": "close"])
    }

    fileprivate static func isRefused(_ request: Request) -> Bool { request.headers[.refusedUpgrade] == mark }

    package static let refusal = Refusal(RoomError(.tooManyMarks))
}

/// Judges each head of a connection.
package final class RequestTextGate: ChannelInboundHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part: HTTPServerRequestPart =
            switch unwrapInboundIn(data) {
            case .head(let head): .head(RequestText.judged(head))
            // Nothing here reads trailers.
            case .end: .end(nil)
            case let body: body
            }
        context.fireChannelRead(wrapInboundOut(part))
    }
}

/// Answers the requests whose heads were not fit to be read.
package struct RefusedText: RouterMiddleware {
    package init() {}

    @concurrent package func handle(
        _ request: Request, context: GatewayRequest,
        next: @concurrent (Request, GatewayRequest) async throws -> Response
    ) async throws -> Response {
        guard RequestText.isRefused(request) else { return try await next(request, context) }
        var response = HTTPReply.failure(RequestText.refusal)
        response.headers[.connection] = "close"
        return response
    }
}

/// Why a body is not read.
package enum BodyFailure: Error {
    case tooLarge
    case tooManyMarks

    /// - Parameter limit: in bytes.
    package func refusal(upTo limit: Int) -> Refusal {
        switch self {
        case .tooLarge: Refusal(RoomError(.messageTooLarge, "a body has at most \(limit) bytes"))
        case .tooManyMarks: RequestText.refusal
        }
    }
}

extension Request {
    /// The whole body, fit to be decoded.
    /// - Parameter notation: of what is inside.
    package func text(upTo limit: Int, in notation: StreamSafeText.Notation) async throws(BodyFailure) -> [UInt8] {
        let bytes: ByteBuffer
        do { bytes = try await body.collect(upTo: limit) } catch { throw .tooLarge }
        guard StreamSafeText.holds(bytes.readableBytesView, in: notation) else { throw .tooManyMarks }
        return Array(bytes.readableBytesView)
    }
}
