import HTTPGrammar
package import HTTPTypes
package import Hummingbird
import NIOCore
import RoomModel
package import SignalProtocol

/// The answers that we give over HTTP.
package enum HTTPReply {
    package static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        bytes(SignalText.encode(value), type: "application/json", status: status, headers: [.cacheControl: "no-store"])
    }

    /// `{"error":{"code","name","message","retryAfterMs"?,"field"?,"reason"?}}`
    package static func failure(_ refusal: Refusal, status: HTTPResponse.Status? = nil) -> Response {
        var response = failure(
            code: refusal.error.code.number, name: refusal.error.code.name, message: refusal.error.message,
            status: status ?? refusal.error.code.status, retryAfterMs: refusal.error.retryAfterMs,
            field: refusal.error.field, reason: refusal.error.reason)
        if let wait = refusal.error.retryAfterMs { response.headers[.retryAfter] = String((wait + 999) / 1000) }
        return response
    }

    package static func failure(
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

    /// For pages of other sites, which must not speak with this server in a visitor's name.
    package static let originRefused = failure(
        code: 20403, name: "origin_refused",
        message: "the page comes from another origin than this server's public_url", status: .forbidden)

    /// Whether the body is stated to be of this type, whatever its parameters (RFC 9110 §8.3.1).
    package static func isType(_ request: Request, _ type: String) -> Bool {
        request.headers[.contentType].flatMap { HeaderParameters($0.utf8) }?.value == type
    }

    package static func bytes(
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
