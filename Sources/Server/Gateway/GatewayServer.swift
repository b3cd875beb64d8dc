package import HTTP
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
package import OperatorAPI
package import PagesAndSongs
package import RoomModel
package import RoomPorts
package import RoomService
import ServiceLifecycle
import SignalProtocol
package import Signalling
import Timing
import WHIP

/// How the gateway is reached and what it shows.
package struct GatewaySettings: Sendable {
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port = 8080
    package var certificates: CertificateSource?
    package var origins = OriginRule(origins: [])
    package var proxies = TrustedProxies([])
    package var limits = AdmissionLimits()
    package var version = ""
    package var publicURL: String?
    /// Of Strict-Transport-Security (RFC 6797 §6.1.1); 0: not sent.
    package var secureTransportDays = 0
    package var relays = RelayServers.none
    package var webRoot: WebRoot?
    package var ticketsURL: String?
    /// Sites whose sound files pages may fetch, as `OriginRule.site` gives them.
    package var musicOrigins: [String] = []
    /// Sites whose pictures pages show as covers and avatars, as `OriginRule.site` gives them.
    package var pictureOrigins: [String] = []
    /// The application that the web app's people belong to.
    package var webApplication: ApplicationID?
    package var ticketOffice: TicketIssuer.Kind?
    /// Where the songs are kept that people upload; need not exist.
    package var songFolder = "songs"
    /// Finds out what a sound file is. Where no library reads it, the uploader's word counts.
    package var inspectSound: @Sendable (_ path: String) async -> SoundFinding = { _ in .noLibrary }

    /// Reads a stranger's picture and writes it anew. Without it no picture is taken.
    package var rewritePicture: @Sendable (_ bytes: [UInt8], PictureOrder) async -> PictureFinding = { _, _ in
        .unavailable
    }

    /// What keeps pictures from being read; `nil`: nothing.
    package var pictureObstacle: @Sendable () async -> String? = { "nothing here reads pictures" }
    /// Where pictures of people are kept; need not exist.
    package var faceFolder = "faces"

    package init() {}
}

/// The server's acceptor: HTTP and WebSockets on one port.
///
/// Closing order: no new connections (`readyz` says so), open WebSockets are told 1001 and closed, requests under way are finished.
package struct GatewayServer: Service {
    /// How often lost sessions are looked at.
    private static let sessionInterval = Interval.seconds(30)
    /// How often those who came over HTTP are asked whether their tickets still hold.
    private static let ticketInterval = Interval.seconds(1)
    /// How often the certificate's files are looked at: rarely enough to cost nothing, soon enough for somebody who waits for it.
    private static let certificateInterval = Interval.seconds(2)

    /// Connections that the kernel keeps until they are accepted (`net.core.somaxconn` is the limit). After a restart everybody comes at
    /// once, and who finds no place asks again only after seconds: with 256 places the last of 5,000 were back after 15 s.
    private static let connectionsWaiting = 4_096

    private let settings: GatewaySettings
    private let services: CallDependencies
    private let acceptor: SocketAcceptor
    private let issuer: TicketIssuer?
    private let httpMedia: HTTPMediaSessions
    private let accounts: any AccountStore
    private let operators: OperatorSettings
    private let requests: RequestCounters
    private let logger: Logger
    private let onServing: @Sendable (_ port: Int) async -> Void

    /// - Parameter onServing: the port is open.
    package init(
        _ settings: GatewaySettings, rooms: RoomDirectory, media: any MediaControl, accounts: any AccountStore,
        operators: OperatorSettings,
        wallets: WalletSettings, sessions: SessionRegistry = SessionRegistry(ownsNameOf: TicketIssuer.isOwn),
        requests: RequestCounters = RequestCounters(),
        filter: @escaping @Sendable (ApplicationID) -> (any TextFilter)? = { _ in nil },
        review: any MessageReview = NoWebhooks(), clock: any TimeSource,
        logger: Logger,
        onServing: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        let signIn = SignIn(
            accounts: accounts, restrictions: operators.stores.restrictions, clock: clock, filter: filter)
        let messageLimit = MessageLimit(settings.limits.messagesPerAddress, clock: clock)
        let services = CallDependencies(
            signIn: signIn, sessions: sessions, rooms: rooms, media: media, clock: clock,
            lines: LineTests(rooms: rooms, media: media, clock: clock), relays: settings.relays,
            messageLimit: messageLimit, changes: ChangeLimit(settings.limits, rooms: rooms, clock: clock),
            wallets: Wallets(settings: wallets),
            signals: Signals(
                sessions: sessions, restrictions: operators.stores.restrictions, review: review,
                messageLimit: messageLimit, clock: clock, filter: filter),
            stills: SentStills(rewrite: settings.rewritePicture),
            statedLimits: SessionOpened.Limits(
                textBytes: 12 << 10, seats: 16, callsAtOnce: Int(settings.limits.calls.burst),
                callsPerSecond: Int(settings.limits.calls.perSecond)))
        self.settings = settings
        self.services = services
        self.accounts = accounts
        self.operators = operators
        self.requests = requests
        self.logger = logger
        self.onServing = onServing
        self.acceptor = SocketAcceptor(
            origins: settings.origins, proxies: settings.proxies, isSecure: settings.certificates != nil,
            limits: settings.limits, clock: clock,
            receivers: { CallDispatcher($0, services: services) })
        self.httpMedia = HTTPMediaSessions(services)
        self.issuer = settings.ticketOffice.flatMap { kind in
            settings.webApplication.map {
                TicketIssuer(
                    kind: kind, application: $0, signIn: signIn, sessions: services.sessions, clock: clock,
                    limits: settings.limits)
            }
        }
    }

    /// WebSockets that are open.
    package var connections: Int { acceptor.connections }

    package func run() async throws {
        let acceptor = acceptor
        let certificates = settings.certificates
        var http = logger
        // The framework's own lines (each bind, each odd connection) are for whoever debugs the gateway.
        http.logLevel = max(logger.logLevel, .warning)
        var application = Application(
            router: routes.router(),
            server: HTTPServerBuilder {
                GatewayChannel(responder: $0, certificates: certificates, socketDoor: acceptor)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: "ovation",
                backlog: Self.connectionsWaiting),
            onServerRunning: { [onServing] channel in await onServing(channel.localAddress?.port ?? 0) },
            logger: http)
        application.addServices(
            Housekeeping(clock: services.clock, interval: Self.sessionInterval) { expireSessions() })
        application.addServices(
            Housekeeping(clock: services.clock, interval: Self.ticketInterval) {
                await httpMedia.expire(at: services.clock.wallTime)
            })
        if let certificates {
            application.addServices(
                Housekeeping(clock: services.clock, interval: Self.certificateInterval) { await renew(certificates) })
        }
        try await withGracefulShutdownHandler {
            try await application.run()
        } onGracefulShutdown: {
            acceptor.drain()
        }
    }

    private var routes: GatewayRoutes {
        GatewayRoutes(
            acceptor: acceptor, proxies: settings.proxies, isSecure: settings.certificates != nil,
            origins: settings.origins,
            issuer: issuer, publicConfiguration: publicConfiguration, pages: pages, songs: songs, faces: faces,
            pictures: PictureReadiness(clock: services.clock, obstacle: settings.pictureObstacle), httpMedia: httpMedia,
            services: services, cards: ShareCards(rewrite: settings.rewritePicture),
            httpMediaRates: AddressRates(HTTPMediaHandler.allowance),
            operators: operators,
            requests: RequestLog(counters: requests, clock: services.clock, logger: logger), isReady: { true })
    }

    private var publicConfiguration: PublicConfiguration {
        let way: PublicConfiguration.SignInWay =
            issuer.map { .issuer($0.kind) } ?? settings.ticketsURL.map { .url($0) } ?? .none
        return PublicConfiguration(
            version: settings.version, application: settings.webApplication, signIn: way,
            musicOrigins: settings.musicOrigins, pictureOrigins: settings.pictureOrigins)
    }

    private var pages: PageHandler? {
        settings.webRoot.map { root in
            PageHandler(
                root: root,
                connectOrigins: [settings.ticketsURL.flatMap(OriginRule.normalized)].compactMap { $0 }
                    + settings.musicOrigins,
                pictureOrigins: settings.pictureOrigins,
                publicURL: settings.publicURL, secureTransportDays: settings.secureTransportDays
            ) { [application = settings.webApplication, rooms = services.rooms] id in
                guard let application else { return nil }
                return rooms.infos([id], of: application).first
            }
        }
    }

    private var songs: SongHandler {
        let library = SongLibrary(folder: settings.songFolder, webRoot: settings.webRoot)
        library.sweep()
        return SongHandler(
            library: library, signIn: services.signIn, clock: services.clock, inspect: settings.inspectSound)
    }

    private var faces: FaceHandler {
        let library = FaceLibrary(folder: settings.faceFolder)
        library.sweep()
        return FaceHandler(
            library: library, signIn: services.signIn, clock: services.clock, rewrite: settings.rewritePicture)
    }

    private func expireSessions() {
        services.sessions.expire(
            lostBefore: services.clock.now + Interval.seconds(-Int64(settings.limits.resumeSeconds)))
    }

    private func renew(_ certificates: CertificateSource) async {
        do {
            // Files are read where a slow disk holds nobody up.
            let isNew = try await NIOThreadPool.singleton.runIfActive { try certificates.reloadIfChanged() }
            if isNew { logger.info("new TLS certificate in use") }
        } catch {
            logger.error("the TLS certificate was not renewed, the old one stays in use: \(error)")
        }
    }
}
