import Commerce
import HTTP
import Logging
import NIOCore
import NIOEmbedded
import OperatorAPI
import PagesAndSongs
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import ServiceLifecycle
import Synchronization
import TLSTestSupport
import Testing
import Timing

@testable import Gateway
@testable import Signalling

/// What a running gateway looks after by itself, while a test moves its clock.
@Suite(.timeLimit(.minutes(1))) struct HousekeepingTests {
    /// Keeps what is logged.
    private struct Notebook: LogHandler {
        final class Lines: Sendable {
            private let lines = Mutex<[String]>([])
            var all: [String] { lines.withLock { $0 } }
            func add(_ line: String) { lines.withLock { $0.append(line) } }
        }

        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        init(_ lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
    }

    private final class Deaf: InputReceiver {
        func receive(_ input: SocketConnection.Input) async {}
    }

    private struct Gateway {
        let clock: VirtualRoomClock
        let sessions: SessionRegistry
        let log: Notebook.Lines

        /// Lets time pass until it is so.
        func wait(until isSo: () -> Bool) async {
            while !isSo() {
                clock.advance(by: .milliseconds(500))
                await Task.yield()
            }
        }
    }

    /// A gateway on a port of its own, which is stopped afterwards.
    private func withGateway(
        certificates: CertificateSource? = nil, _ body: @Sendable (Gateway) async throws -> Void
    ) async throws {
        let gateway = Gateway(
            clock: VirtualRoomClock(), sessions: SessionRegistry(ownsNameOf: TicketIssuer.isOwn), log: Notebook.Lines())
        let rooms = RoomDirectory(
            DirectoryPorts(
                journal: MemoryJournal(), ledger: MemoryLedger(), moderation: .inMemory(), media: RecordingMedia(),
                bus: RecordingBus(),
                clock: gateway.clock,
                audience: { RoomAudience(ready: $0) }))
        try await rooms.start()
        var settings = GatewaySettings()
        settings.port = 0
        settings.certificates = certificates
        settings.limits.resumeSeconds = 300
        let logger = Logger(label: "test") { [log = gateway.log] _ in Notebook(log) }
        let (serving, isServing) = AsyncStream.makeStream(of: Void.self)
        let server = GatewayServer(
            settings, rooms: rooms, media: RecordingMedia(), accounts: MemoryAccounts(),
            operators: OperatorSettings(
                stores: .inMemory(), catalogues: GiftCatalogues(), webhooks: NoWebhookControl(), words: NoWords(),
                condition: ServerCondition(
                    version: "0",
                    history: ServerHistory(clock: gateway.clock) {
                        .init(people: 0, rooms: 0, mediaBytes: 0, load: 0)
                    }, disk: { (0, 0) }, certificateEnd: { nil }),
                firstApplication: ApplicationID(1),
                applicationChanged: { _ in }),
            wallets: WalletSettings(ledger: MemoryLedger(), catalogue: { _ in GiftCatalogue() }),
            sessions: gateway.sessions,
            clock: gateway.clock, logger: logger
        ) { _ in isServing.yield() }
        let group = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            _ = await serving.first { true }
            do { try await body(gateway) } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await rooms.shutdown()
    }

    @Test("a session that lost its connection is forgotten after the time in which it can be resumed, not before")
    func sessions() async throws {
        try await withGateway { gateway in
            let loop = NIOAsyncTestingEventLoop()
            let connection = try await loop.executeInContext {
                SocketConnection(
                    address: ClientAddress(text: "192.0.2.1"), loop: loop, clock: gateway.clock,
                    receiver: { _ in Deaf() })
            }
            let alice = UserProfile(id: try #require(UserID("alice")), name: "Alice")
            let session = gateway.sessions.open(
                application: Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"]),
                profile: alice, resume: nil, connection: connection
            ).session
            let start = gateway.clock.now
            await gateway.wait { gateway.clock.now - start > .seconds(600) }
            #expect(gateway.sessions.count == 1, "its connection stands")
            let loss = gateway.clock.now
            #expect(gateway.sessions.lose(session, connection: connection, now: loss))
            await gateway.wait { gateway.sessions.count == 0 }
            #expect(gateway.clock.now - loss > .seconds(300))
        }
    }

    @Test("the log has the gateway's own lines: the framework's are there only as warnings and errors")
    func quiet() async throws {
        try await withGateway { gateway in #expect(gateway.log.all == []) }
    }

    @Test("R08-S a replaced certificate is taken into use while the server runs; one that does not do is logged, once")
    func certificates() async throws {
        let folder = try CertificateFolder()
        defer { folder.remove() }
        try folder.make("one")
        try folder.make("two")
        try folder.install("one", "one", at: 1_000)
        let source = try CertificateSource(folder.live)
        let first = source.context
        try await withGateway(certificates: source) { gateway in
            func complaints() -> [String] {
                gateway.log.all.filter { $0.contains("not renewed") && $0.contains("cannot read") }
            }
            try folder.spoil()
            await gateway.wait { !complaints().isEmpty }
            #expect(source.context === first)
            try folder.install("two", "two", at: 3_000)
            await gateway.wait { gateway.log.all.contains("info new TLS certificate in use") }
            #expect(source.context !== first)
            #expect(complaints().count == 1)
            let renewal = gateway.clock.now
            await gateway.wait { gateway.clock.now - renewal > .seconds(600) }
            #expect(gateway.log.all.count { $0.contains("new TLS certificate in use") } == 1)
        }
    }
}
