package import HTTP
import HTTPTypes
import Hummingbird
import RoomModel
import SignalProtocol

/// Draws QR codes over HTTP.
package struct QRCodeHandler: Sendable {
    private let origins: OriginRule

    package init(origins: OriginRule) { self.origins = origins }

    package func addRoutes(to router: GatewayRouter) {
        router.get("v1/qr.svg") { request, _ in answer(request) }
    }

    /// Only of this server's own links: a QR code under our name that leads elsewhere would serve a swindler.
    private func answer(_ request: Request) -> Response {
        guard let text = request.uri.queryParameters["text"].map(String.init),
            origins.allows(origin: text, host: request.head.authority), let code = QRCode(text)
        else {
            return HTTPReply.failure(Refusal(.invalid("text", "text is a URL of this server of at most 512 bytes")))
        }
        return HTTPReply.bytes(
            Array(code.svg.utf8), type: "image/svg+xml", headers: [.cacheControl: "public, max-age=86400"])
    }
}
