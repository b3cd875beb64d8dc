import HTTPTypes
package import Hummingbird

/// Asks proxies for a new connection each time. They keep connections to us and take any of them for the next visitor's request,
/// but only the first request of a connection can become a WebSocket: on a kept one the upgrade would be refused now and then.
package struct ProxyConnections: RouterMiddleware {
    package init() {}

    @concurrent package func handle(
        _ request: Request, context: HTTPRequestContext,
        next: @concurrent (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let marks: [HTTPField.Name] = [.xForwardedFor, .xForwardedProto, .forwarded, .via]
        if marks.contains(where: { request.headers[$0] != nil }) { response.headers[.connection] = "close" }
        return response
    }
}
