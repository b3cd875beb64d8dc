package import HTTP
import HTTPTypes
package import Hummingbird
package import Logging
package import RoomPorts
import Timing

/// Gives each request a number, by which the operator finds it in the log, counts it and says what became of it. Queries, bodies and
/// headers are not logged: they have tickets, keys and what people write.
package struct RequestLog: RouterMiddleware {
    static let header = HTTPField.Name.known("X-Request-Id")
    private static let idLength = 1...64

    let counters: RequestCounters
    let clock: any TimeSource
    let logger: Logger

    package init(
        counters: RequestCounters, clock: any TimeSource, logger: Logger
    ) {
        self.counters = counters
        self.clock = clock
        self.logger = logger
    }

    @concurrent package func handle(
        _ request: Request, context: HTTPRequestContext,
        next: @concurrent (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = clock.now
        let id = Self.id(request)
        let path = request.uri.path
        do {
            var response = try await next(request, context)
            response.headers[Self.header] = id
            note(request, path, response.status.code, id, since: start)
            return response
        } catch {
            note(request, path, (error as? any HTTPResponseError)?.status.code ?? 500, id, since: start)
            throw error
        }
    }

    private func note(_ request: Request, _ path: String, _ status: Int, _ id: String, since start: Instant) {
        let took = clock.now - start
        counters.note(Self.area(path), status: status, took: took)
        logger.log(
            level: status >= 500 ? .warning : .debug, "\(request.method.rawValue) \(path.prefix(200))",
            metadata: ["request": "\(id)", "status": "\(status)", "ms": "\(took.milliseconds)"])
    }

    static func area(_ path: String) -> RequestCounters.Area {
        if path.hasPrefix("/v4/") { return .compatible }
        if path.hasPrefix("/v1/whip") || path.hasPrefix("/v1/whep") { return .media }
        if path.hasPrefix("/v1/songs") || path.hasPrefix("/songs/") { return .songs }
        return path.hasPrefix("/v1/") ? .rest : .pages
    }

    /// A proxy's own, so that both logs name it alike; else a new one.
    private static func id(_ request: Request) -> String {
        if let given = request.headers[header], idLength.contains(given.utf8.count),
            given.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") })
        {
            return given
        }
        return String(UInt64.random(in: .min ... .max), radix: 16)
    }
}
