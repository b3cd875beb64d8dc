import HTTP
import Hummingbird
package import Logging
import ServiceLifecycle

/// Metrics on a port of their own, which need not be open to the world.
package struct MetricsServer: Service {
    private let host: String
    private let port: Int
    private let logger: Logger
    private let render: @Sendable () async -> String
    private let onServing: @Sendable (Int) async -> Void

    /// - Parameter render: all figures, made anew for each request.
    package init(
        host: String, port: Int, logger: Logger, render: @escaping @Sendable () async -> String,
        onServing: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.logger = logger
        self.render = render
        self.onServing = onServing
    }

    package func run() async throws {
        let router = Router()
        router.get("metrics") { [render] _, _ in
            HTTPReply.bytes(Array(await render().utf8), type: MetricsText.type)
        }
        router.get("healthz") { _, _ in HTTPReply.bytes(Array("alive\n".utf8), type: "text/plain") }
        var http = logger
        http.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "ovation"),
            onServerRunning: { [onServing] channel in await onServing(channel.localAddress?.port ?? 0) },
            logger: http)
        try await application.run()
    }
}
