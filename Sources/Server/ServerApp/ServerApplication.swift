import Commerce
import DatagramIO
import Foundation
import Gateway
import HTTP
package import Logging
import MediaNode
import OperatorAPI
import PagesAndSongs
import Playback
package import RoomModel
package import RoomPorts
import RoomRules
import RoomService
import ServiceLifecycle
import Signalling
import StoreSQLite
import Synchronization
import Timing
import Webhooks

/// In which spirit the server runs.
package enum ServerMode: Sendable, Hashable {
    case production
    /// One machine, no accounts: a demo application, and tickets for whoever sits at this machine.
    case development
    /// A trusted local network for the length of one run: own certificate, guests.
    case localNetwork
}

/// What there is to say once the server serves.
package struct Readiness: Sendable, Hashable {
    /// For a browser: the address to open.
    package var url: String
    package var port: Int
    /// One for each media worker.
    package var mediaPorts: [Int]
    package var mediaPort: Int { mediaPorts[0] }
    /// In development: opens the console with a key for this run. A secret: for the terminal alone.
    package var consoleLink: String?
    /// Since the process was started, where the host tells.
    package var milliseconds: Int64?
    package var residentBytes: UInt64
}

/// The whole server: the only place that knows every concrete type.
///
/// Start order: descriptor limit, store (takes the directory's lock), applications, media plane, rooms, and the door last.
/// Closing order, the reverse: the door (clients are told 1001), rooms (what was accepted is stored and answered), media plane, store.
package struct ServerApplication: Sendable {
    /// The application of development and local-network runs.
    package static let demoApplication = ApplicationID(1_400_000_001)
    /// New ones get the next free number from here on: the published range, beside the demo application.
    static let firstApplication = ApplicationID(1_400_000_002)
    package static let version = "0.1.0"

    package var settings: ServerSettings
    package var mode: ServerMode
    private let logger: Logger
    private let clock: any TimeSource
    /// Finds out what strangers' files are, and names the program that reads them.
    let inspector: Inspector

    /// Processors that the system lets this process use.
    package static var processors: Int { HostResources.processors }

    package init(
        settings: ServerSettings, mode: ServerMode, logger: Logger, clock: any TimeSource = ServerClock()
    ) {
        self.settings = settings
        self.mode = mode
        self.logger = logger
        self.clock = clock
        inspector = Inspector(executable: settings.inspector)
    }

    /// Reads a stranger's file, as the process that `Inspector` starts: `ovation inspect`. Gives the process's status.
    package static func inspect(_ arguments: [String]) -> Int32 { Inspection.run(arguments).rawValue }

    /// Runs until graceful shutdown (SIGTERM or SIGINT under `ServiceGroup`).
    package func run(onReady: @escaping @Sendable (Readiness) async -> Void) async throws {
        let descriptors = HostResources.raiseDescriptorLimit()
        logger.debug("open files: at most \(descriptors)")
        // Everything that can be wrong with files is found out before anything is opened.
        var gateway = try gatewaySettings()
        let mediaConfiguration = try mediaConfiguration()

        let store = try openStore()
        do {
            if mode != .production { gateway.webApplication = Self.demoApplication }
            if let application = gateway.webApplication { try await prepare(application, in: store) }
            let media = try await startMedia(mediaConfiguration, mixer: mixer(webRoot: gateway.webRoot))
            do {
                try await serve(gateway, store: store, media: media, onReady: onReady)
            } catch {
                media.stop()
                throw error
            }
            media.stop()
        } catch {
            await store.shutDown()
            throw error
        }
        await store.shutDown()
        logger.info("stopped")
    }

    private func serve(
        _ gatewaySettings: GatewaySettings, store: SQLiteStore, media: MediaPlane,
        onReady: @escaping @Sendable (Readiness) async -> Void
    ) async throws {
        let policies = Mutex<[ApplicationID: RoomPolicy]>([:])
        let catalogues = GiftCatalogues()
        for application in try await store.accounts.applications() {
            policies.withLock { $0[application.id] = policy(of: application.settings) }
            catalogues.set(try await store.gifts.gifts(of: application.id), of: application.id)
        }
        let catalogue: @Sendable (ApplicationID) -> GiftCatalogue = { catalogues.current(of: $0) }
        let wordFile = try wordList()
        defer { wordFile?.stop() }
        let words = ApplicationWords(store: store.words, file: wordFile)
        try await words.load(try await store.accounts.applications().map(\.id))
        let sessions = SessionRegistry(ownsNameOf: TicketIssuer.isOwn)
        let webhooks = webhookService(store)
        try await webhooks.load()
        let rooms = RoomDirectory(
            DirectoryPorts(
                journal: store.journal, ledger: store.ledger, moderation: store.moderation, media: media,
                bus: LocalBus(),
                clock: clock,
                audience: { RoomAudience(ready: $0) },
                policy: { id in policies.withLock { $0[id] } ?? RoomPolicy() }, catalogue: catalogue,
                reach: SessionReach(sessions: sessions, clock: clock), filter: { words.filter(of: $0) },
                webhooks: webhooks.book, review: webhooks.review,
                report: { [reports = RoomReports(logger, clock: clock)] in reports.report($0) }))
        try await rooms.start()
        let runKey = mode == .development ? RunKey(beside: store.operatorKeys, clock: clock) : nil
        var stores = store.operatorStores
        if let runKey { stores.keys = runKey }
        let requests = RequestCounters()
        let history = ServerHistory(clock: clock) {
            let totals = rooms.totals.values
            let counters = await media.counters()
            return ServerHistory.Reading(
                people: totals.reduce(0) { $0 + $1.people }, rooms: totals.reduce(0) { $0 + $1.rooms },
                mediaBytes: counters?.sockets.sentBytes ?? 0, load: counters?.load ?? 0)
        }
        await history.start()
        defer { history.stop() }
        let gateway = GatewayServer(
            gatewaySettings, rooms: rooms, media: media, accounts: store.accounts,
            operators: OperatorSettings(
                stores: stores, catalogues: catalogues, webhooks: webhooks, words: words,
                condition: condition(history, store),
                firstApplication: Self.firstApplication
            ) { application in
                policies.withLock { $0[application.id] = policy(of: application.settings) }
            },
            wallets: WalletSettings(
                ledger: store.ledger, catalogue: catalogue,
                topUpURL: settings.walletTopUpURL.isEmpty ? nil : settings.walletTopUpURL,
                faucet: mode != .production),
            sessions: sessions, requests: requests, filter: { words.filter(of: $0) }, review: webhooks.review,
            clock: clock, logger: logger
        ) { port in
            await onReady(readiness(port: port, media: media, runKey))
        }
        // Ends with the server: what is not delivered by then waits for the next start.
        let delivering = Task { await webhooks.run() }
        func end() async {
            await rooms.shutdown()
            delivering.cancel()
            await delivering.value
        }
        let figures = ServerFigures(
            store: store, rooms: rooms, sessions: sessions, requests: requests, media: media,
            webhooks: webhooks, connections: { gateway.connections })
        let forgetting = Housekeeping(clock: clock, interval: Self.forgettingInterval) { store.forgetOld() }
        do { try await run(gateway, figures, forgetting) } catch {
            await end()
            throw described(error)
        }
        media.drain()
        await end()
    }

    /// How often what has outlived its retention is looked for.
    private static let forgettingInterval = Interval.seconds(3_600)

    /// The gateway, beside it what is done every so often, and the metrics if they are wanted.
    private func run(_ gateway: GatewayServer, _ figures: ServerFigures, _ forgetting: Housekeeping) async throws {
        try await withThrowingTaskGroup { group in
            if settings.metricsPort > 0 { group.addTask { try await serveMetrics(figures) } }
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
        let metrics = MetricsServer(host: settings.metricsHost, port: settings.metricsPort, logger: logger) {
            await figures.text()
        }
        do { try await metrics.run() } catch {
            guard !Task.isCancelled else { throw error }
            throw ConfigurationFailure(
                "metrics.port \(settings.metricsPort) on \(settings.metricsHost) cannot be used: \(error)")
        }
    }

    private func condition(_ history: ServerHistory, _ store: SQLiteStore) -> ServerCondition {
        ServerCondition(
            version: Self.version, history: history,
            disk: { (HostResources.size(of: store.path), HostResources.freeBytes(at: store.path)) },
            certificateEnd: { [settings] in
                settings.tlsCertificate.isEmpty ? nil : try? CertificateSource.end(ofFile: settings.tlsCertificate)
            })
    }

    private func webhookService(_ store: SQLiteStore) -> WebhookService {
        var delivery = DeliverySettings()
        delivery.giveUpAfter = .seconds(Int64(settings.webhooksGiveUpHours) * 3_600)
        let allowPrivate = settings.webhooksAllowPrivate || mode != .production
        return WebhookService(
            store: store.webhooks, client: HTTPWebhookClient(allowPrivate: allowPrivate, clock: clock),
            reviewClient: HTTPWebhookClient(allowPrivate: allowPrivate, clock: clock),
            clock: clock, settings: delivery, logger: logger)
    }

    private func wordList() throws(ConfigurationFailure) -> WordList? {
        guard !settings.moderationWords.isEmpty else { return nil }
        do throws(WordList.Failure) {
            let list = try WordList(path: settings.moderationWords)
            list.watch(by: clock) { [logger] result in
                switch result {
                case .success(let count): logger.info("\(count) words are in use from now on")
                case .failure(let failure): logger.error("the words stay as they were: \(failure)")
                }
            }
            return list
        } catch {
            throw ConfigurationFailure("moderation.words: \(error)")
        }
    }

    private func openStore() throws(ConfigurationFailure) -> SQLiteStore {
        do throws(StoreFailure) {
            return try SQLiteStore(
                directory: settings.data,
                settings: StoreSettings(retention: .seconds(Int64(settings.storeRetentionDays) * 86_400)),
                payloads: ErasedPayloads(), now: { [clock] in clock.wallTime })
        } catch {
            throw ConfigurationFailure("\(error). --data chooses another directory")
        }
    }

    private func startMedia(
        _ configuration: MediaNodeConfiguration, mixer: MixThread
    ) async throws(ConfigurationFailure) -> MediaPlane {
        do throws(MediaNodeError) { return try await MediaPlane.start(configuration, mixer: mixer) } catch {
            let isShared = error.deafPort != nil && error.deafPort == configuration.sharedTCPPort
            throw ConfigurationFailure(
                "\(error). \(isShared ? "--media-tcp-port" : "--media-port") chooses another port")
        }
    }

    /// Makes the mixes of choruses; nothing runs before the first of them.
    private func mixer(webRoot: WebRoot?) -> MixThread {
        let roots = ["\(settings.data)/songs"] + (webRoot.map { ["\($0.folder)/songs"] } ?? [])
        return MixThread(files: ServerSongFiles(roots: roots, publicURL: settings.publicURL), inspector: inspector) {
            [logger] in
            logger.report($0)
        }
    }

    /// Development and local-network runs make their application; others must find it.
    private func prepare(_ id: ApplicationID, in store: SQLiteStore) async throws {
        let accounts = store.accounts
        if mode != .production, try await store.gifts.gifts(of: id).gifts.isEmpty {
            for gift in DemoGifts.all { try await store.gifts.save(gift, of: id) }
        }
        if try await accounts.application(id) != nil { return }
        guard mode != .production else {
            throw ConfigurationFailure(
                "sign_in.application names \(id), which is not in the database (see: ovation app list)")
        }
        try await accounts.save(Application(id: id, name: "Demo", keys: [ApplicationKey.make()]))
    }

    private func described(_ error: any Error) -> any Error {
        // NIO's error of a failed bind says neither which port nor what to do.
        guard
            String(describing: error).contains("bind(") || String(describing: error).contains("Address already in use")
        else {
            return error
        }
        return ConfigurationFailure(
            "port \(settings.port) on \(settings.host) cannot be used: another program uses it, or this user may not open it. "
                + "--port chooses another port")
    }

    private func readiness(port: Int, media: MediaPlane, _ runKey: RunKey?) -> Readiness {
        let started = HostResources.startedNanoseconds
        let url = url(port: port)
        return Readiness(
            url: url, port: port, mediaPorts: media.ports.map(Int.init), consoleLink: runKey?.consoleLink(of: url),
            milliseconds: started.map { (ServerClock().now.nanoseconds - $0) / 1_000_000 },
            residentBytes: HostResources.residentBytes)
    }

    private func url(port: Int) -> String {
        if !settings.publicURL.isEmpty { return settings.publicURL }
        let secure = !settings.tlsCertificate.isEmpty || mode == .localNetwork
        var host = settings.host
        switch mode {
        case .localNetwork: host = HostResources.lanAddresses.first ?? "localhost"
        case .development, .production:
            if ["0.0.0.0", "::", "127.0.0.1", "::1", ""].contains(host) { host = "localhost" }
        }
        return "\(secure ? "https" : "http")://\(host):\(port)"
    }
}
