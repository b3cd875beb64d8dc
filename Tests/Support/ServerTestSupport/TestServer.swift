import Foundation
import Logging
package import RoomPorts
package import ServerApp
import ServiceLifecycle
import Synchronization
import Timing
import UserSig

/// A whole server in this process: store, rooms, media plane and gateway, on ports that the system chooses.
package struct TestServer: Sendable {
    package static let application: UInt32 = 1_400_000_777

    package let port: Int
    package let readiness: Readiness
    package let directory: String
    /// Secret keys of the application.
    package let keys: [String]
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Runs `body` with a server that is stopped afterwards; its folder is removed.
    package static func with<Result>(
        mode: ServerMode = .production, clock: any TimeSource = ServerClock(),
        consent: ApplicationAdmin.Consent? = nil, secondSession: ApplicationAdmin.SecondSession? = nil,
        roomKeys: ApplicationAdmin.RoomKeys? = nil,
        configure: (inout ServerSettings) -> Void = { _ in }, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let directory = NSTemporaryDirectory() + "ovation-test-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try await start(
            mode: mode, directory: directory, clock: clock, consent: consent, secondSession: secondSession,
            roomKeys: roomKeys, configure: configure)
        do {
            let result = try await body(server)
            try await server.stop()
            return result
        } catch {
            try? await server.stop()
            throw error
        }
    }

    /// Starts on a folder that may hold an earlier server's database.
    package static func start(
        mode: ServerMode = .production, directory: String, clock: any TimeSource = ServerClock(),
        consent: ApplicationAdmin.Consent? = nil, secondSession: ApplicationAdmin.SecondSession? = nil,
        roomKeys: ApplicationAdmin.RoomKeys? = nil, configure: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestServer {
        let admin = ApplicationAdmin(data: directory)
        var application = try await admin.list().first { $0.id == TestServer.application }
        if application == nil { application = try await admin.create(name: "Tests", id: TestServer.application) }
        if consent != nil || secondSession != nil || roomKeys != nil {
            application = try await admin.configure(
                TestServer.application, consent: consent, secondSession: secondSession, roomKeys: roomKeys)
        }

        var settings = ServerSettings()
        settings.host = "127.0.0.1"
        settings.port = 0
        settings.mediaPort = 0
        settings.data = directory
        settings.inspector = ServerProcess.executable.path
        settings.signInApplication = Int(TestServer.application)
        // A busy machine must not free a seat while a test is still on its way.
        settings.roomsSeatGraceSeconds = 300
        configure(&settings)
        var logger = Logger(label: "test")
        logger.logLevel = .critical

        let (ready, report) = AsyncStream.makeStream(of: Readiness.self)
        let server = ServerApplication(settings: settings, mode: mode, logger: logger, clock: clock)
        let group = ServiceGroup(
            services: [Running { try await server.run { report.yield($0) } }], logger: logger)
        let running = Task {
            defer { report.finish() }
            try await group.run()
        }
        for await readiness in ready {
            return TestServer(
                port: readiness.port, readiness: readiness, directory: directory, keys: application?.keys ?? [],
                group: group, running: running)
        }
        try await running.value
        throw ConfigurationFailure("the server ended before it was ready")
    }

    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// A ticket for a user of the application.
    package func ticket(
        _ user: String, key: String? = nil, application: UInt32 = TestServer.application, lifetime: Int64 = 86_400,
        issuedAt: Int64 = Int64(Date().timeIntervalSince1970)
    ) throws -> String {
        try TicketSigner(application: application, key: key ?? keys[0]).ticket(
            user: user, issuedAt: issuedAt, lifetime: lifetime)
    }

    /// A ticket for one room and no more than listening there.
    package func privateMapKey(_ user: String, room: UInt32) throws -> String {
        try TicketSigner(application: Self.application, key: keys[0]).privateMapKey(
            user: user, room: .number(room), privileges: .listen, issuedAt: Int64(Date().timeIntervalSince1970))
    }

    /// A client that has connected.
    package func client(headers: [(String, String)] = []) async throws -> SignalClient {
        try await SignalClient.connect(port: port, headers: headers)
    }

    /// A client that has signed in.
    package func signedIn(_ user: String, resume: String? = nil, lifetime: Int64 = 86_400) async throws -> SignalClient
    {
        let client = try await client()
        try await client.call("session.open", try opening(user, resume: resume, lifetime: lifetime))
        return client
    }

    /// The parameters of `session.open`.
    package func opening(_ user: String, resume: String? = nil, lifetime: Int64 = 86_400) throws -> JSON {
        var fields: [String: JSON] = [
            "version": 1, "app": .number(Double(TestServer.application)), "user": .string(user),
            "ticket": .string(try ticket(user, lifetime: lifetime)), "name": .string(user.capitalized),
        ]
        if let resume { fields["resume"] = .string(resume) }
        return .object(fields)
    }

    private struct Running: Service {
        let body: @Sendable () async throws -> Void
        init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }
        func run() async throws { try await body() }
    }
}
