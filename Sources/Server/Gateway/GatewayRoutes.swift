import HTTP
import HTTPTypes
import Hummingbird
import OperatorAPI
import PagesAndSongs
import RoomModel
import RoomPorts
import SignalProtocol
import Signalling
import WHIP

/// Everything that is not the WebSocket: who answers at which path.
struct GatewayRoutes: Sendable {
    let acceptor: SocketAcceptor
    let proxies: TrustedProxies
    let isSecure: Bool
    let origins: OriginRule
    let issuer: TicketIssuer?
    let publicConfiguration: PublicConfiguration
    let pages: PageHandler?
    let songs: SongHandler
    let faces: FaceHandler
    let pictures: PictureReadiness
    let httpMedia: HTTPMediaSessions
    let services: CallDependencies
    let cards: ShareCards
    let httpMediaRates: AddressRates
    let operators: OperatorSettings
    let requests: RequestLog
    /// Whether the server can take calls, for load balancers.
    let isReady: @Sendable () -> Bool

    func router() -> Router<HTTPRequestContext> {
        let router = GatewayRouter()
        router.add(middleware: requests)
        router.add(middleware: ProxyConnections())
        router.add(middleware: RefusedText())
        router.add(middleware: AwaitedBodies())
        router.add(middleware: WholeServerRequests())
        router.get("healthz") { _, _ in HTTPReply.bytes(Array("alive\n".utf8), type: "text/plain") }
        router.get("readyz") { _, _ in
            isReady() && !acceptor.isDraining
                ? HTTPReply.bytes(Array("serving\n".utf8), type: "text/plain")
                : HTTPReply.bytes(Array("not serving\n".utf8), type: "text/plain", status: .serviceUnavailable)
        }
        router.get("v1/config") { request, context in
            HTTPReply.json(
                publicConfiguration.stated(
                    ticketsAreServed: issuer?.serves(address(of: request, context)) ?? false,
                    picturesAreRead: await pictures.isPossible))
        }
        TicketHandler(issuer: issuer, origins: origins, address: { address(of: $0, $1) }).addRoutes(to: router)
        QRCodeHandler(origins: origins).addRoutes(to: router)
        StillHandler(rooms: services.rooms, cards: cards, pages: pages).addRoutes(to: router)
        songs.addRoutes(to: router) { address(of: $0, $1) }
        faces.addRoutes(to: router) { address(of: $0, $1) }
        HTTPMediaHandler(
            sessions: httpMedia, services: services, rates: httpMediaRates, address: { address(of: $0, $1) },
            isDraining: { acceptor.isDraining }
        ).addRoutes(to: router)
        addOperatorRoutes(to: router)
        router.get("v1/connect") { request, _ in refusedUpgrade(request) }
        router.get("") { request, context in await page(request, context) }
        router.answerOtherMethods()
        // The last takes what no other route of that branch wants; a branch with routes of its own needs it once more.
        for path: RouterPath in ["v1/**", "**"] {
            router.pages(path) { request, context in await page(request, context) }
        }
        return router.router
    }

    private func addOperatorRoutes(to router: GatewayRouter) {
        let signIn = OperatorSignIn(store: operators.stores.keys, signIn: services.signIn, clock: services.clock)
        let restrictions = OperatorRestrictions(
            store: operators.stores.restrictions, signIn: services.signIn,
            people: PersonSessions(sessions: services.sessions, httpMedia: httpMedia),
            audit: operators.stores.audit, clock: services.clock)
        RESTHandler(
            operators, signIn, services, restrictions: restrictions,
            eraseSongs: { [library = songs.library] in try library.removeAll(of: $0, from: $1) },
            faces: PersonFaces(
                keep: { [faces] (picture, query, user, application) async throws(Refusal) in
                    try await faces.keep(picture, query, of: user, in: application)
                },
                eraseAll: { [library = faces.library] in try library.removeAll(of: $0, from: $1) }),
            address: { address(of: $0, $1) },
            isDraining: { acceptor.isDraining }
        ).addRoutes(to: router)
        // A back end calls both from one address.
        let rates = ProgramRates()
        ChatHandler(services, restrictions: restrictions, rates: rates, address: { address(of: $0, $1) }).addRoutes(
            to: router)
        RoomAPIHandler(signIn, services, rates: rates, address: { address(of: $0, $1) }).addRoutes(to: router)
    }

    private func address(of request: Request, _ context: HTTPRequestContext) -> ClientAddress {
        let forwarded = request.headers[values: .xForwardedFor].joined(separator: ",")
        return proxies.client(
            peer: context.peer, secure: isSecure, forwardedFor: forwarded.isEmpty ? nil : forwarded,
            forwardedProto: request.headers[.xForwardedProto])
    }

    // MARK: the WebSocket's path, when it did not become one

    private func refusedUpgrade(_ request: Request) -> Response {
        let reason = request.headers[.refusedUpgrade].flatMap(SocketAcceptor.Admission.Refusal.init(rawValue:))
        switch reason {
        case .origin: return HTTPReply.originRefused
        case .draining:
            return HTTPReply.failure(
                code: 503, name: "draining", message: "the server is going down", status: .serviceUnavailable)
        case .full:
            return HTTPReply.failure(
                code: 503, name: "full", message: "too many connections", status: .serviceUnavailable)
        case .tooFrequent:
            return HTTPReply.failure(
                Refusal(RoomError(.rateLimited, acceptor.tooManyFromOneAddress, retryAfterMs: 1000)))
        case .subprotocol:
            return HTTPReply.failure(
                code: 400, name: "subprotocol_missing",
                message: "ask for the sub-protocol \(SocketAcceptor.subprotocol)",
                status: .badRequest)
        case .notAWebSocket, .path, nil:
            var response = HTTPReply.failure(
                code: 426, name: "upgrade_required", message: "this path is a WebSocket", status: .upgradeRequired)
            response.headers[.upgrade] = "websocket"
            response.headers[.connection] = "upgrade"
            return response
        }
    }

    // MARK: pages

    private func page(_ request: Request, _ context: HTTPRequestContext) async -> Response {
        if let response = await songs.file(request, context) { return response }
        let address = address(of: request, context)
        let origin = "\(address.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
        if let response = await pages?.response(to: request, origin: origin) { return response }
        if let response = pages?.missing(request, origin: origin) { return response }
        return HTTPReply.failure(
            code: 404, name: "not_found", message: "there is nothing at this path", status: .notFound)
    }
}
