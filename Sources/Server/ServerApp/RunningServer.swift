import DatagramIO
import Foundation
import Gateway
import HTTP
import Logging
import MediaNode
import OperatorAPI
import PagesAndSongs
import RoomModel
import RoomPorts
import RoomService
import ServiceLifecycle
import Signalling
import StoreSQLite
import Timing
import Webhooks

/// A server between its store and its door: what it knows of applications, its rooms and whoever is signed in. The store and the media plane
/// are there before it and are closed after it.
struct RunningServer: Sendable {
    /// How often what has outlived its retention is looked for.
    private static let forgettingInterval = Interval.seconds(3_600)

    private let configuration: ServerConfiguration
    private let store: SQLiteStore
    private let media: MediaPlane
    private let clock: any TimeSource
    private let logger: Logger
    private let policies: RoomPolicies
    private let catalogues = GiftCatalogues()
    private let words: ApplicationWords
    private let wordFile: WordList?
    private let webhooks: WebhookService
    private let sessions = SessionRegistry(ownsNameOf: TicketIssuer.isOwn)
    private let rooms: RoomDirectory
    private let requests = RequestCounters()
    private let history: ServerHistory
    private let runKey: RunKey?

    /// Reads what is known of all applications.
    init(
        _ configuration: ServerConfiguration, store: SQLiteStore, media: MediaPlane, clock: any TimeSource,
        logger: Logger
    ) async throws {
        self.configuration = configuration
        self.store = store
        self.media = media
        self.clock = clock
        self.logger = logger
        let policies = RoomPolicies(configuration)
        let applications = try await store.accounts.applications()
        for application in applications {
            policies.set(application)
            catalogues.set(try await store.gifts.gifts(of: application.id), of: application.id)
        }
        self.policies = policies
        wordFile = try configuration.wordList()
        let words = ApplicationWords(store: store.words, file: wordFile)
        try await words.load(applications.map(\.id))
        self.words = words
        webhooks = WebhookService(
            store: store.webhooks,
            client: HTTPWebhookClient(allowPrivate: configuration.allowsPrivateWebhooks, clock: clock),
            reviewClient: HTTPWebhookClient(allowPrivate: configuration.allowsPrivateWebhooks, clock: clock),
            clock: clock, settings: configuration.delivery, logger: logger)
        try await webhooks.load()
        let rooms = RoomDirectory(
            DirectoryPorts(
                journal: store.journal, ledger: store.ledger, moderation: store.moderation, media: media,
                bus: LocalBus(), clock: clock, audience: { RoomAudience(ready: $0) },
                policy: { policies.current(of: $0) }, catalogue: { [catalogues] in catalogues.current(of: $0) },
                reach: SessionReach(sessions: sessions, clock: clock), filter: { words.filter(of: $0) },
                webhooks: webhooks.book, review: webhooks.review,
                report: { [reports = RoomReports(logger, clock: clock)] in reports.report($0) }))
        self.rooms = rooms
        runKey = configuration.mode == .development ? RunKey(beside: store.operatorKeys, clock: clock) : nil
        history = ServerHistory(clock: clock) {
            let totals = rooms.totals.values
            let counters = await media.counters()
            return ServerHistory.Reading(
                people: totals.reduce(0) { $0 + $1.people }, rooms: totals.reduce(0) { $0 + $1.rooms },
                mediaBytes: counters?.sockets.sentBytes ?? 0, load: counters?.load ?? 0)
        }
    }

    /// Opens the door, and closes it at graceful shutdown. Returns when what was accepted is stored and answered.
    func serve(
        _ settings: GatewaySettings, onReady: @escaping @Sendable (Readiness) async -> Void
    ) async throws {
        watchWords()
        defer { wordFile?.stop() }
        try await rooms.start()
        await history.start()
        defer { history.stop() }
        let gateway = gateway(settings, onReady)
        // Ends with the server: what is not delivered by then waits for the next start.
        let delivering = Task { [webhooks] in await webhooks.run() }
        func end() async {
            await rooms.shutdown()
            delivering.cancel()
            await delivering.value
        }
        do { try await run(gateway) } catch {
            await end()
            throw described(error)
        }
        media.drain()
        await end()
    }

    private func gateway(
        _ settings: GatewaySettings, _ onReady: @escaping @Sendable (Readiness) async -> Void
    ) -> GatewayServer {
        var stores = store.operatorStores
        if let runKey { stores.keys = runKey }
        let topUpURL = configuration.settings.walletTopUpURL
        return GatewayServer(
            settings, rooms: rooms, media: media, accounts: store.accounts,
            operators: OperatorSettings(
                stores: stores, catalogues: catalogues, webhooks: webhooks, words: words,
                condition: condition, firstApplication: ServerApplication.firstApplication
            ) { [policies] in policies.set($0) },
            wallets: WalletSettings(
                ledger: store.ledger, catalogue: { [catalogues] in catalogues.current(of: $0) },
                topUpURL: topUpURL.isEmpty ? nil : topUpURL, faucet: configuration.mode != .production),
            sessions: sessions, requests: requests, filter: { [words] in words.filter(of: $0) },
            review: webhooks.review, clock: clock, logger: logger
        ) { port in
            await onReady(readiness(port: port))
        }
    }

    /// The gateway, beside it what is done every so often, and the metrics if they are wanted.
    private func run(_ gateway: GatewayServer) async throws {
        let figures = ServerFigures(
            store: store, rooms: rooms, sessions: sessions, requests: requests, media: media, webhooks: webhooks,
            connections: { gateway.connections })
        let forgetting = Housekeeping(clock: clock, interval: Self.forgettingInterval) { [store] in store.forgetOld() }
        try await withThrowingTaskGroup { group in
            if configuration.settings.metricsPort > 0 { group.addTask { try await serveMetrics(figures) } }
            group.addTask { try await forgetting.run() }
            group.addTask { try await gateway.run() }
            // All end with the server's graceful shutdown; if one fails, the others end with it.
            do { for try await _ in group {} } catch {
                group.cancelAll()
                throw error
            }
        }
    }

    private func serveMetrics(_ figures: ServerFigures) async throws {
        let (host, port) = (configuration.settings.metricsHost, configuration.settings.metricsPort)
        let metrics = MetricsServer(host: host, port: port, logger: logger) { await figures.text() }
        do { try await metrics.run() } catch {
            guard !Task.isCancelled else { throw error }
            throw ConfigurationFailure("metrics.port \(port) on \(host) cannot be used: \(error)")
        }
    }

    private var condition: ServerCondition {
        ServerCondition(
            version: ServerApplication.version, history: history,
            disk: { [store] in (HostResources.size(of: store.path), HostResources.freeBytes(at: store.path)) },
            certificateEnd: { [settings = configuration.settings] in
                settings.tlsCertificate.isEmpty ? nil : try? CertificateSource.end(ofFile: settings.tlsCertificate)
            })
    }

    private func watchWords() {
        wordFile?.watch(by: clock) { [logger] result in
            switch result {
            case .success(let count): logger.info("\(count) words are in use from now on")
            case .failure(let failure): logger.error("the words stay as they were: \(failure)")
            }
        }
    }

    private func described(_ error: any Error) -> any Error {
        // NIO's error of a failed bind says neither which port nor what to do.
        guard
            String(describing: error).contains("bind(") || String(describing: error).contains("Address already in use")
        else {
            return error
        }
        return ConfigurationFailure(
            "port \(configuration.settings.port) on \(configuration.settings.host) cannot be used: another program uses it, or this user may not open it. "
                + "--port chooses another port")
    }

    private func readiness(port: Int) -> Readiness {
        let started = HostResources.startedNanoseconds
        let url = configuration.url(port: port)
        return Readiness(
            url: url, port: port, mediaPorts: media.ports.map(Int.init), consoleLink: runKey?.consoleLink(of: url),
            milliseconds: started.map { (ServerClock().now.nanoseconds - $0) / 1_000_000 },
            residentBytes: HostResources.residentBytes)
    }
}
