import HTTPGrammar
import HTTPTypes
import Hummingbird
import NIOCore
import RoomModel
import SignalProtocol

/// What our handlers know about a request beside the request itself.
struct GatewayRequest: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
        channel = source.channel
    }
}

/// The answers that we give over HTTP.
enum HTTPReply {
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        bytes(SignalText.encode(value), type: "application/json", status: status, headers: [.cacheControl: "no-store"])
    }

    /// `{"error":{"code","name","message","retryAfterMs"?,"field"?,"reason"?}}`
    static func failure(_ refusal: Refusal, status: HTTPResponse.Status? = nil) -> Response {
        var response = failure(
            code: refusal.error.code.number, name: refusal.error.code.name, message: refusal.error.message,
            status: status ?? refusal.error.code.status, retryAfterMs: refusal.error.retryAfterMs,
            field: refusal.error.field, reason: refusal.error.reason)
        if let wait = refusal.error.retryAfterMs { response.headers[.retryAfter] = String((wait + 999) / 1000) }
        return response
    }

    static func failure(
        code: Int, name: String, message: String, status: HTTPResponse.Status, retryAfterMs: Int? = nil,
        field: String? = nil, reason: String? = nil
    ) -> Response {
        struct Body: Encodable {
            struct Failure: Encodable {
                var code: Int
                var name: String
                var message: String
                var retryAfterMs: Int?
                var field: String?
                var reason: String?
            }
            var error: Failure
        }
        return json(
            Body(
                error: .init(
                    code: code, name: name, message: message, retryAfterMs: retryAfterMs, field: field, reason: reason)),
            status: status)
    }

    /// Whether the body is stated to be of this type, whatever its parameters (RFC 9110 §8.3.1).
    static func isType(_ request: Request, _ type: String) -> Bool {
        request.headers[.contentType].flatMap { HeaderParameters($0.utf8) }?.value == type
    }

    static func bytes(
        _ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        headers[.xContentTypeOptions] = "nosniff"
        // RFC 9110 §15.5.2.
        if status == .unauthorized, headers[.wwwAuthenticate] == nil { headers[.wwwAuthenticate] = "Bearer" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
