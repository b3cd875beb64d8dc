import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
import Texts

/// Everything that is not the WebSocket: health, what a page must know before it signs in, tickets, QR codes, the page itself.
struct GatewayRoutes: Sendable {
    /// Bodies that we read are a name or a ticket.
    private static let bodyLimit = 16 << 10

    let acceptor: SocketAcceptor
    let proxies: TrustedProxies
    let isSecure: Bool
    let origins: OriginRule
    let issuer: TicketIssuer?
    let publicConfiguration: PublicConfiguration
    let pages: PageHandler?
    let songs: SongHandler
    let httpMedia: HTTPMediaSessions
    let services: GatewayServices
    let cards: ShareCards
    let httpMediaRates: AddressRates
    let operators: OperatorSettings
    let requests: RequestLog
    /// Whether the server can take calls, for load balancers.
    let isReady: @Sendable () -> Bool

    func router() -> Router<GatewayRequest> {
        let router = Router(context: GatewayRequest.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: requests)
        router.add(middleware: ProxyConnections())
        router.add(middleware: RefusedText())
        router.add(middleware: AwaitedBodies())
        router.get("healthz") { _, _ in HTTPReply.bytes(Array("alive\n".utf8), type: "text/plain") }
        router.get("readyz") { _, _ in
            isReady() && !acceptor.isDraining
                ? HTTPReply.bytes(Array("serving\n".utf8), type: "text/plain")
                : HTTPReply.bytes(Array("not serving\n".utf8), type: "text/plain", status: .serviceUnavailable)
        }
        router.get("v1/config") { request, context in
            HTTPReply.json(
                publicConfiguration.stated(ticketsAreServed: issuer?.serves(address(of: request, context)) ?? false))
        }
        router.post("v1/tickets") { request, context in await tickets(request, context) }
        router.get("v1/qr.svg") { request, _ in qrCode(request) }
        router.get("v1/rooms/{room}/still/{file}") { request, _ in still(request) }
        router.get("v1/rooms/{room}/card/{file}") { request, _ in await card(request) }
        songs.addRoutes(to: router)
        HTTPMediaHandler(
            sessions: httpMedia, services: services, rates: httpMediaRates, address: { address(of: $0, $1) },
            isDraining: { acceptor.isDraining }
        ).addRoutes(to: router)
        addOperatorRoutes(to: router)
        router.get("v1/connect") { request, _ in refusedUpgrade(request) }
        // The last takes what no other route of that branch wants; a branch with routes of its own needs it once more.
        for path: RouterPath in ["", "v1/**", "**"] {
            router.get(path) { request, context in await page(request, context) }
        }
        return router
    }

    private func addOperatorRoutes(to router: Router<GatewayRequest>) {
        let signIn = OperatorSignIn(store: operators.stores.keys, signIn: services.signIn, clock: services.clock)
        let restrictions = OperatorRestrictions(
            store: operators.stores.restrictions, signIn: services.signIn,
            people: PersonSessions(sessions: services.sessions, httpMedia: httpMedia),
            audit: operators.stores.audit, clock: services.clock)
        RESTHandler(
            operators, signIn, services, library: songs.library, restrictions: restrictions,
            address: { address(of: $0, $1) },
            isDraining: { acceptor.isDraining }
        ).addRoutes(to: router)
        // A back end calls both from one address.
        let rates = ProgramRates()
        ChatHandler(services, restrictions: restrictions, rates: rates, address: { address(of: $0, $1) }).addRoutes(
            to: router)
        RoomAPIHandler(signIn, services, rates: rates, address: { address(of: $0, $1) }).addRoutes(to: router)
    }

    private func address(of request: Request, _ context: GatewayRequest) -> ClientAddress {
        let forwarded = request.headers[values: .xForwardedFor].joined(separator: ",")
        return proxies.client(
            peer: context.peer, secure: isSecure, forwardedFor: forwarded.isEmpty ? nil : forwarded,
            forwardedProto: request.headers[.xForwardedProto])
    }

    // MARK: tickets

    private struct TicketRequest: Decodable {
        var name: String?
        var user: String?
        var ticket: String?
    }

    private func tickets(_ request: Request, _ context: GatewayRequest) async -> Response {
        let address = address(of: request, context)
        guard let issuer, issuer.serves(address) else {
            return HTTPReply.failure(
                code: 404, name: "not_found", message: "this server makes no tickets here", status: .notFound)
        }
        // A foreign page can send a form here, but not one of this type without asking first (CORS), and not under our origin.
        guard HTTPReply.isType(request, "application/json") else {
            return HTTPReply.failure(
                code: 415, name: "unsupported_media_type", message: "send application/json",
                status: .unsupportedMediaType)
        }
        guard origins.allows(origin: request.headers[.origin], host: request.head.authority) else {
            return Self.originRefused
        }
        let body: [UInt8]
        do throws(BodyFailure) { body = try await request.text(upTo: Self.bodyLimit, in: .json) } catch {
            return HTTPReply.failure(error.refusal(upTo: Self.bodyLimit))
        }
        do throws(Refusal) {
            guard let wanted = try? JSONDecoder().decode(TicketRequest.self, from: Data(body)) else {
                throw Refusal(RoomError(.invalidRequest, "the body is {\"name\"} or {\"user\",\"ticket\"}"))
            }
            if let user = wanted.user, let ticket = wanted.ticket {
                return HTTPReply.json(try await issuer.renew(user: user, ticket: ticket))
            }
            guard let name = wanted.name else { throw Refusal(.invalid("name", "the parameter name is missing")) }
            return HTTPReply.json(try await issuer.issue(name: name, to: address))
        } catch {
            return HTTPReply.failure(error)
        }
    }

    // MARK: the WebSocket's path, when it did not become one

    private func refusedUpgrade(_ request: Request) -> Response {
        let reason = request.headers[.refusedUpgrade].flatMap(SocketAcceptor.Admission.Refusal.init(rawValue:))
        switch reason {
        case .origin: return Self.originRefused
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

    private static let originRefused = HTTPReply.failure(
        code: 20403, name: "origin_refused",
        message: "the page comes from another origin than this server's public_url", status: .forbidden)

    // MARK: QR codes

    /// Only of this server's own links: a QR code under our name that leads elsewhere would serve a swindler.
    private func qrCode(_ request: Request) -> Response {
        guard let text = request.uri.queryParameters["text"].map(String.init),
            origins.allows(origin: text, host: request.head.authority), let code = QRCode(text)
        else {
            return HTTPReply.failure(Refusal(.invalid("text", "text is a URL of this server of at most 512 bytes")))
        }
        return HTTPReply.bytes(
            Array(code.svg.utf8), type: "image/svg+xml", headers: [.cacheControl: "public, max-age=86400"])
    }

    // MARK: stills

    /// What a room looks like now. Who has its number has read the list. It is kept no longer than it may be shown, and its address
    /// never means another picture.
    private func still(_ request: Request) -> Response {
        guard let (still, _, _) = shownStill(request) else { return Self.noStill }
        return picture(still.jpeg)
    }

    /// The same as messengers show it beside the room's link. Who asks too late, or where no picture can be read, gets a drawn one.
    private func card(_ request: Request) async -> Response {
        if let (still, number, room) = shownStill(request),
            let card = await cards.card(of: still, number: number, in: room)
        {
            return picture(card)
        }
        let parts = request.uri.path.split(separator: "/")
        guard let room = RoomSlug.room(parts[2]), let drawn = pages?.drawnCard(of: room) else { return Self.noStill }
        return Response(status: .found, headers: [.location: drawn, .cacheControl: "no-cache"])
    }

    private func shownStill(_ request: Request) -> (StillPicture, Int64, RoomID)? {
        let parts = request.uri.path.split(separator: "/")
        guard parts.count == 5, parts[4].hasSuffix(".jpg"), let number = Int64(parts[4].dropLast(4)),
            let room = RoomSlug.room(parts[2]), let still = services.rooms.still(number, of: room)
        else { return nil }
        return (still, number, room)
    }

    private static let noStill = HTTPReply.failure(
        code: 404, name: "not_found", message: "there is no such still, or it is shown no more", status: .notFound)

    private func picture(_ jpeg: [UInt8]) -> Response {
        HTTPReply.bytes(
            jpeg, type: "image/jpeg",
            headers: [
                .cacheControl: "public, max-age=60, immutable",
                // Apps of other sites show rooms too.
                .accessControlAllowOrigin: "*", .crossOriginResourcePolicy: "cross-origin",
            ])
    }

    // MARK: pages

    private func page(_ request: Request, _ context: GatewayRequest) async -> Response {
        if let response = await songs.file(request, context) { return response }
        let address = address(of: request, context)
        let origin = "\(address.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
        if let response = await pages?.response(to: request, origin: origin) { return response }
        return HTTPReply.failure(
            code: 404, name: "not_found", message: "there is nothing at this path", status: .notFound)
    }
}

/// Asks proxies for a new connection each time. They keep connections to us and take any of them for the next visitor's request,
/// but only the first request of a connection can become a WebSocket: on a kept one the upgrade would be refused now and then.
private struct ProxyConnections: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: GatewayRequest,
        next: @concurrent (Request, GatewayRequest) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let marks: [HTTPField.Name] = [.xForwardedFor, .xForwardedProto, .forwarded, .via]
        if marks.contains(where: { request.headers[$0] != nil }) { response.headers[.connection] = "close" }
        return response
    }
}

extension HTTPField.Name {
    static let forwarded = HTTPField.Name.known("Forwarded")
    static let via = HTTPField.Name.known("Via")
    static let crossOriginResourcePolicy = HTTPField.Name.known("Cross-Origin-Resource-Policy")
    static let xForwardedFor = HTTPField.Name.known("X-Forwarded-For")
    static let refusedUpgrade = HTTPField.Name.known(SocketAcceptor.refusalHeader)
    static let xForwardedProto = HTTPField.Name.known("X-Forwarded-Proto")

    /// For names that are tokens beyond doubt.
    static func known(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("not a header name: \(name)") }
        return field
    }
}
