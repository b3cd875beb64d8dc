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

/// Keeps what is logged.
struct Notebook: LogHandler {
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

final class Deaf: InputReceiver {
    func receive(_ input: SocketConnection.Input) async {}
}

struct RunningGateway {
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
func withGateway(
    certificates: CertificateSource? = nil, _ body: @Sendable (RunningGateway) async throws -> Void
) async throws {
    let gateway = RunningGateway(
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
