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

    /// Why a head is refused; said by the header from here to the router. Whoever sends it is refused.
    enum Cause: String {
        case text = "too_many_marks"
        case authority = "wrong_authority"
        case path = "wrong_path"
    }

    /// The head itself, or one that asks for nothing and is refused by `RefusedText`: in its place, so that what was asked for before on
    /// the same connection is answered first.
    package static func judged(_ head: HTTPRequestHead) -> HTTPRequestHead {
        let isSafe =
            StreamSafeText.holds(head.uri, in: .percentEncoded)
            && head.headers.allSatisfy { StreamSafeText.holds($0.name) && StreamSafeText.holds($0.value) }
        if isSafe { return head }
        return HTTPRequestHead(
            version: head.version, method: .GET, uri: "/",
            headers: ["Host": "localhost", refusalHeader: Cause.text.rawValue, "Connection": "close"])
    }

    /// Whether this is a host with or without a port, as `Host` states it (RFC 9110 §7.2), and nothing that would lead elsewhere in a link.
    static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/?#@\\\"<>,".utf8.contains($0) }
    }

    fileprivate static func cause(_ request: Request) -> Cause? {
        request.headers[.refusedUpgrade].flatMap(Cause.init(rawValue:))
    }

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
        _ request: Request, context: HTTPRequestContext,
        next: @concurrent (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let cause = RequestText.cause(request) else { return try await next(request, context) }
        let refusal =
            switch cause {
            case .text: RequestText.refusal
            case .authority: Refusal(RoomError(.invalidRequest, "a request names one host"))
            case .path: Refusal(RoomError(.invalidRequest, "a path is ASCII, with percent signs for all else"))
            }
        var response = HTTPReply.failure(refusal)
        response.headers[.connection] = "close"
        return response
    }
}

/// Why a body is not read.
package enum BodyFailure: Error {
    case tooLarge
    case tooManyMarks
    /// JSON in another encoding.
    case notUTF8

    /// - Parameter limit: in bytes.
    package func refusal(upTo limit: Int) -> Refusal {
        switch self {
        case .tooLarge: Refusal(RoomError(.messageTooLarge, "a body has at most \(limit) bytes"))
        case .tooManyMarks: RequestText.refusal
        case .notUTF8: Refusal(RoomError(.parseError, "the body is no JSON in UTF-8"))
        }
    }
}

extension Request {
    /// The whole body, fit to be decoded.
    /// - Parameter notation: of what is inside.
    package func text(upTo limit: Int, in notation: StreamSafeText.Notation) async throws(BodyFailure) -> [UInt8] {
        let bytes: ByteBuffer
        do { bytes = try await body.collect(upTo: limit) } catch { throw .tooLarge }
        if case .json = notation {
            guard StreamSafeText.isJSONText(bytes.readableBytesView),
                String(validating: bytes.readableBytesView, as: UTF8.self) != nil
            else { throw .notUTF8 }
        }
        guard StreamSafeText.holds(bytes.readableBytesView, in: notation) else { throw .tooManyMarks }
        return Array(bytes.readableBytesView)
    }
}
