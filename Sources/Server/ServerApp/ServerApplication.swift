import Commerce
import Gateway
import HTTP
package import Logging
import MediaNode
import OperatorAPI
import PagesAndSongs
import Playback
package import RoomModel
package import RoomPorts
import StoreSQLite
import Timing

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

    private let configuration: ServerConfiguration
    private let logger: Logger
    private let clock: any TimeSource
    /// Finds out what strangers' files are, and names the program that reads them.
    private let inspector: Inspector

    /// Processors that the system lets this process use.
    package static var processors: Int { HostResources.processors }

    package init(
        settings: ServerSettings, mode: ServerMode, logger: Logger, clock: any TimeSource = ServerClock()
    ) {
        configuration = ServerConfiguration(settings: settings, mode: mode)
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
        var gateway = try configuration.gatewaySettings(inspector: inspector)
        let mediaConfiguration = try configuration.mediaConfiguration()

        let store = try openStore()
        do {
            if configuration.mode != .production { gateway.webApplication = Self.demoApplication }
            if let application = gateway.webApplication { try await prepare(application, in: store) }
            let media = try await startMedia(mediaConfiguration, mixer: mixer(webRoot: gateway.webRoot))
            do {
                let server = try await RunningServer(
                    configuration, store: store, media: media, clock: clock, logger: logger)
                try await server.serve(gateway, onReady: onReady)
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

    private func openStore() throws(ConfigurationFailure) -> SQLiteStore {
        do throws(StoreFailure) {
            return try SQLiteStore(
                directory: configuration.settings.data,
                settings: StoreSettings(retention: .seconds(Int64(configuration.settings.storeRetentionDays) * 86_400)),
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
        let roots = ["\(configuration.settings.data)/songs"] + (webRoot.map { ["\($0.folder)/songs"] } ?? [])
        return MixThread(
            files: ServerSongFiles(roots: roots, publicURL: configuration.settings.publicURL), inspector: inspector
        ) {
            [logger] in
            logger.report($0)
        }
    }

    /// Development and local-network runs make their application; others must find it.
    private func prepare(_ id: ApplicationID, in store: SQLiteStore) async throws {
        let accounts = store.accounts
        if configuration.mode != .production, try await store.gifts.gifts(of: id).gifts.isEmpty {
            for gift in DemoGifts.all { try await store.gifts.save(gift, of: id) }
        }
        if try await accounts.application(id) != nil { return }
        guard configuration.mode != .production else {
            throw ConfigurationFailure(
                "sign_in.application names \(id), which is not in the database (see: ovation app list)")
        }
        try await accounts.save(Application(id: id, name: "Demo", keys: [ApplicationKey.make()]))
    }
}
