import ArgumentParser
import Foundation
import Logging
import NIOCore
import ServerApp
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Settings come from a file, from the environment (OVATION_PORT) and from these flags; later ones win. \
            Configuration/ovation.yml explains each. Ctrl-C or SIGTERM ends the server in order: clients are told, \
            what was accepted is stored.
            """)

    @Flag(
        help: "Development mode for this machine: a demo application, and tickets for anyone who opens the page here.")
    var dev = false
    @Flag(help: "For phones on this network, for this run: a self-signed certificate, and anyone enters as a guest.")
    var lan = false
    @OptionGroup var options: SettingsOptions

    func validate() throws {
        if dev && lan { throw ValidationError("--dev and --lan exclude each other") }
    }

    func run() async throws {
        // Before anything has used them: one event loop for each processor that the server may use.
        NIOSingletons.groupLoopCountSuggestion = min(System.coreCount, ServerApplication.processors)
        let mode: ServerMode = dev ? .development : lan ? .localNetwork : .production
        var base = ServerSettings()
        if mode == .development { base.host = "127.0.0.1" }
        do {
            let settings = try options.settings(over: base)
            var logger = Logger.server(settings.logFormat)
            logger.logLevel = Logger.Level(rawValue: settings.logLevel) ?? .info
            let server = ServerApplication(settings: settings, mode: mode, logger: logger)
            // A service's collector reads JSON alone; whoever tries the server looks for its address on standard output.
            let isRead = mode == .production && Logger.writesJSON(settings.logFormat)
            let announce: @Sendable (Readiness) -> Void = { [logger] in
                if isRead { Self.log($0, to: logger) } else { Self.announce($0, mode: mode) }
            }
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [
                        .init(
                            service: Running { try await server.run(onReady: announce) },
                            successTerminationBehavior: .gracefullyShutdownGroup)
                    ],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet(logger)))
            try await group.run()
        } catch let failure as ConfigurationFailure {
            FileHandle.standardError.write(Data("ovation: \(failure)\n".utf8))
            throw ExitCode(78)  // EX_CONFIG
        }
    }

    /// The group's own lines are of no interest to an operator.
    private func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        return quiet
    }

    /// "port 7882", "ports 7882 to 7885".
    private static func named(_ ports: [Int]) -> String {
        guard ports.count > 1, let last = ports.last else { return "port \(ports.first ?? 0)" }
        let isRow = zip(ports, ports.dropFirst()).allSatisfy { $1 == $0 + 1 }
        return "ports " + (isRow ? "\(ports[0]) to \(last)" : ports.map(String.init).joined(separator: ", "))
    }

    private static func log(_ readiness: Readiness, to logger: Logger) {
        logger.info(
            "ready",
            metadata: [
                "version": "\(ServerApplication.version)", "url": "\(readiness.url)",
                "mediaPorts": "\(readiness.mediaPorts.map(String.init).joined(separator: ","))",
                "milliseconds": "\(readiness.milliseconds ?? 0)", "residentMiB": "\(readiness.residentBytes >> 20)",
            ])
    }

    private static func announce(_ readiness: Readiness, mode: ServerMode) {
        var lines: [String] = []
        switch mode {
        case .development:
            lines.append("DEVELOPMENT MODE: whoever is on this machine gets a ticket. Not for the public.")
        case .localNetwork:
            lines.append("LOCAL NETWORK MODE: whoever is on this network enters as a guest, until this run ends.")
            if let code = QRCodeText.terminal(readiness.url) { lines.append(code) }
            lines.append("The certificate is this server's own: the browser warns once, go on to the page.")
        case .production: break
        }
        let time = readiness.milliseconds.map { "after \($0) ms, " } ?? ""
        lines.append(
            "Ovation \(ServerApplication.version) is ready at \(readiness.url) "
                + "(media on UDP \(Self.named(readiness.mediaPorts)); \(time)\(readiness.residentBytes >> 20) MiB)")
        if let link = readiness.consoleLink {
            // It lets its reader do everything. A file into which the output goes would keep it.
            lines.append(
                isatty(STDOUT_FILENO) == 1
                    ? "Console, with a key for this run: \(link)"
                    : "The console's link has a key for this run, so it is shown on a terminal alone.")
        }
        // The code's colours are the terminal's own.
        Swift.print(lines.joined(separator: "\n"))
        fflush(nil)
    }
}

/// A closure as a service.
private struct Running: Service {
    let body: @Sendable () async throws -> Void
    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }
    func run() async throws { try await body() }
}
