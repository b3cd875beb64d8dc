package import HTTPTypes
package import Hummingbird

/// The routes of the gateway. It knows the methods of each path, and answers the others with them (RFC 9110 §15.5.6).
package final class GatewayRouter: RouterMethods {
    package typealias Context = HTTPRequestContext

    /// Those that some path takes. What is no method here is none anywhere.
    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    /// Known to everybody (RFC 9110 §9.1), and taken by no path here.
    private static let refused: [HTTPRequest.Method] = [.trace, .connect]

    package let router = Router(context: HTTPRequestContext.self, options: [.autoGenerateHeadEndpoints])
    private var paths: [String: (path: RouterPath, methods: Set<HTTPRequest.Method>)] = [:]

    package init() {}

    @discardableResult
    package func on<Responder: HTTPResponder>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self where Responder.Context == HTTPRequestContext {
        paths[path.description, default: (path, [])].methods.insert(method)
        router.on(path, method: method, responder: responder)
        return self
    }

    @discardableResult
    package func add(middleware: any MiddlewareProtocol<Request, Response, HTTPRequestContext>) -> Self {
        router.add(middleware: middleware)
        return self
    }

    /// Answers the other methods of all paths so far.
    package func answerOtherMethods() {
        for (path, taken) in paths.values {
            let allowed = Self.allowed(taken)
            for method in Self.others(taken) {
                router.on(path, method: method) { _, _ in
                    let answer = Self.wrongMethod(allowed)
                    return method == .head ? answer.createHeadResponse() : answer
                }
            }
        }
    }

    /// Pages: each path below `path` that has one. Whether there is one, `page` knows.
    package func pages(
        _ path: RouterPath, page: @escaping @Sendable (Request, HTTPRequestContext) async -> Response
    ) {
        router.get(path) { request, context in await page(request, context) }
        for method in Self.others([.get]) {
            router.on(path, method: method) { request, context in
                let found = await page(request, context)
                return found.status == .notFound ? found : Self.wrongMethod(Self.allowed([.get]))
            }
        }
    }

    static func knows(_ method: HTTPRequest.Method) -> Bool { methods.contains(method) || refused.contains(method) }

    /// `HEAD` comes with `GET`.
    private static func others(_ taken: Set<HTTPRequest.Method>) -> [HTTPRequest.Method] {
        methods.filter { !taken.contains($0) && !($0 == .head && taken.contains(.get)) } + refused
    }

    private static func allowed(_ taken: Set<HTTPRequest.Method>) -> String {
        let others = others(taken)
        return methods.filter { !others.contains($0) }.map(\.rawValue).joined(separator: ", ")
    }

    private static func wrongMethod(_ allowed: String) -> Response {
        var response = HTTPReply.failure(
            code: 405, name: "method_not_allowed", message: "this path takes \(allowed)", status: .methodNotAllowed)
        response.headers[.allow] = allowed
        return response
    }
}

/// Answers what is asked of the server as a whole: what it can do (`OPTIONS *`, RFC 9110 §9.3.7), and that it does not know a method
/// (§15.6.2).
package struct WholeServerRequests: RouterMiddleware {
    package init() {}

    @concurrent package func handle(
        _ request: Request, context: HTTPRequestContext,
        next: @concurrent (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        guard GatewayRouter.knows(request.method) else {
            return HTTPReply.failure(
                code: 501, name: "method_unknown", message: "this server has no such method", status: .notImplemented)
        }
        guard request.method == .options, request.head.path == "*" else { return try await next(request, context) }
        let methods = GatewayRouter.methods.map(\.rawValue).joined(separator: ", ")
        return Response(status: .noContent, headers: [.allow: methods])
    }
}
