import Foundation
package import HTTP
import HTTPGrammar
import HTTPTypes
package import Hummingbird
import NIOCore
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
package import Signalling
import Texts
package import Timing

/// WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep) over HTTP: who sends an offer to a room's address gets an answer and the address of a
/// session, which takes new ICE credentials by `PATCH` and ends by `DELETE`.
package struct HTTPMediaHandler: Sendable {
    /// An offer of OBS has 3 KB, a browser's 10.
    private static let offerLimit = 64 << 10
    private static let fragmentLimit = 16 << 10
    /// A class of thirty that starts its players at once, and a client that tries again every second.
    package static let allowance = Allowance(burst: 60, perSecond: 2)
    private static let offerType = "application/sdp"
    private static let fragmentType = "application/trickle-ice-sdpfrag"

    let sessions: HTTPMediaSessions
    let services: CallDependencies
    let rates: AddressRates
    let address: @Sendable (Request, HTTPRequestContext) -> ClientAddress
    let isDraining: @Sendable () -> Bool

    package init(
        sessions: HTTPMediaSessions, services: CallDependencies, rates: AddressRates,
        address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress,
        isDraining: @escaping @Sendable () -> Bool
    ) {
        self.sessions = sessions
        self.services = services
        self.rates = rates
        self.address = address
        self.isDraining = isDraining
    }

    package func addRoutes(to router: GatewayRouter) {
        for kind in [HTTPMediaKind.publish, .play] {
            let room: RouterPath = "v1/\(kind.rawValue)/:room"
            let session: RouterPath = "v1/\(kind.rawValue)/:room/:secret"
            router.post(room) { request, context in await open(kind, request, context) }
            router.patch(session) { request, context in await change(kind, request, context) }
            router.delete(session) { request, context in await close(kind, request, context) }
            // Reserved (RFC 9725 §4.2): there is nothing to get.
            for path in [room, session] {
                router.get(path) { _, _ in open(Response(status: .noContent)) }
                router.on(path, method: .options) { _, _ in preflight }
            }
        }
    }

    // MARK: Any page may ask

    /// Who may do something is decided by the ticket in the request, which no browser adds by itself: pages of any site may ask.
    private func open(_ response: Response) -> Response {
        var response = response
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = "Location, ETag, Link, Retry-After"
        return response
    }

    private var preflight: Response {
        open(
            Response(
                status: .noContent,
                headers: [
                    .accessControlAllowMethods: "POST, PATCH, DELETE, OPTIONS",
                    .accessControlAllowHeaders: "Authorization, Content-Type, If-Match",
                    .accessControlMaxAge: "86400",
                    .acceptPost: Self.offerType,
                    .acceptPatch: Self.fragmentType,
                ]))
    }

    private func refused(_ refusal: Refusal) -> Response {
        let response = HTTPReply.failure(refusal, status: Self.status(of: refusal.error))
        return open(response)
    }

    /// As RFC 9725 §4.2 wants them where it says.
    private static func status(of error: RoomError) -> HTTPResponse.Status {
        switch (error.code, error.reason) {
        case (.mediaRefused, "bad_offer"): .unprocessableContent
        case (.mediaRefused, "overloaded"), (.mediaRefused, "stopped"): .serviceUnavailable
        default: error.code.status
        }
    }

    private static func wrongType(_ type: String) -> Refusal {
        Refusal(RoomError(.invalidRequest, "send \(type)"))
    }

    private func body(of request: Request, _ limit: Int) async throws(Refusal) -> String {
        let bytes: [UInt8]
        do throws(BodyFailure) { bytes = try await request.text(upTo: limit, in: .plain) } catch {
            throw error.refusal(upTo: limit)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Refusal(RoomError(.invalidRequest, "the body is no text"))
        }
        return text
    }

    private func admit(_ request: Request, _ context: HTTPRequestContext) throws(Refusal) {
        if isDraining() {
            throw Refusal(RoomError(.unavailable, "the server is going down", retryAfterMs: 5_000))
        }
        if let wait = rates.take(address(request, context), now: services.clock.now) {
            throw Refusal(RoomError(.rateLimited, "too many requests from this address", retryAfterMs: wait))
        }
    }

    // MARK: POST

    private func open(_ kind: HTTPMediaKind, _ request: Request, _ context: HTTPRequestContext) async -> Response {
        do throws(Refusal) {
            try admit(request, context)
            let bearer = try await BearerTicket(request, services.signIn)
            guard HTTPReply.isType(request, Self.offerType) else {
                return open(HTTPReply.failure(Self.wrongType(Self.offerType), status: .unsupportedMediaType))
            }
            guard let room = Self.room(request) else { throw Refusal(RoomError(.roomIDInvalid)) }
            var seat: Int?
            if let asked = request.uri.queryParameters["seat"] {
                guard let number = Int(asked) else { throw Refusal(.invalid("seat", "seat is a number from 0")) }
                seat = number
            }
            let opened = try await sessions.open(
                kind, in: room, seat: seat, offer: try await body(of: request, Self.offerLimit), by: bearer)
            var headers: HTTPFields = [
                .contentType: Self.offerType, .cacheControl: "no-store", .eTag: opened.tag,
                .location: location(of: opened.session, request, context),
                .acceptPatch: Self.fragmentType,
            ]
            for link in links(for: bearer.user) { headers.append(HTTPField(name: .link, value: link)) }
            return open(
                Response(
                    status: .created, headers: headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(string: opened.answer))))
        } catch {
            return refused(error)
        }
    }

    /// Absolute, which every client understands.
    private func location(of session: HTTPMediaSession, _ request: Request, _ context: HTTPRequestContext) -> String {
        let scheme = address(request, context).isSecure ? "https" : "http"
        let path = "/v1/\(session.kind.rawValue)/\(RoomSlug.slug(session.room.key.room))/\(session.secret)"
        return request.head.authority.map { "\(scheme)://\($0)\(path)" } ?? path
    }

    /// RFC 9725 §4.6.
    private func links(for user: UserID) -> [String] {
        services.relays.servers(for: user, at: services.clock.wallTime).flatMap { server in
            server.urls.map { url in
                var link = "<\(url)>; rel=\"ice-server\""
                if let username = server.username, let credential = server.credential {
                    link += "; username=\"\(username)\"; credential=\"\(credential)\"; credential-type=\"password\""
                }
                return link
            }
        }
    }

    // MARK: PATCH

    /// Trickled candidates (RFC 9725 §4.3.2) are not needed: the server answers whoever asks it with the right password. New credentials
    /// (§4.3.3) are.
    private func change(_ kind: HTTPMediaKind, _ request: Request, _ context: HTTPRequestContext) async -> Response {
        do throws(Refusal) {
            try admit(request, context)
            guard let session = try await session(kind, request, context) else { return Self.gone(open) }
            guard HTTPReply.isType(request, Self.fragmentType) else {
                return open(HTTPReply.failure(Self.wrongType(Self.fragmentType), status: .unsupportedMediaType))
            }
            guard request.headers[.ifMatch] != nil else {
                return open(
                    HTTPReply.failure(
                        Refusal(RoomError(.invalidRequest, "If-Match is missing")), status: .preconditionRequired))
            }
            let match = EntityTags(request, .ifMatch)
            guard match?.matchesStrongly(session.tag) == true else { return open(Self.mismatch) }
            let fragment = OfferOutline(try await body(of: request, Self.fragmentLimit))
            let known = OfferOutline(session.offer)
            guard let ufrag = fragment.ufrag, ufrag != known.ufrag else {
                return open(Response(status: .noContent))
            }
            guard match == .any else { return open(Self.mismatch) }
            guard let password = fragment.password else {
                throw Refusal(RoomError(.mediaRefused, "the fragment has no a=ice-pwd", reason: "bad_offer"))
            }
            let changed = try await sessions.restart(session, ufrag: ufrag, password: password)
            let text = Self.fragment(of: OfferOutline(changed.text))
            return open(
                Response(
                    status: .ok,
                    headers: [.contentType: Self.fragmentType, .eTag: changed.tag, .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: text))))
        } catch {
            return refused(error)
        }
    }

    private static let mismatch = HTTPReply.failure(
        Refusal(RoomError(.invalidRequest, "If-Match names other ICE credentials than those in use")),
        status: .preconditionFailed)

    /// The server's side of a restart (RFC 8840 §9).
    private static func fragment(of answer: OfferOutline) -> String {
        let section = answer.sections.first
        var lines = ["a=ice-lite"]
        if let ufrag = answer.ufrag { lines.append("a=ice-ufrag:\(ufrag)") }
        if let password = answer.password { lines.append("a=ice-pwd:\(password)") }
        lines.append("m=\(section?.kind ?? "audio") 9 UDP/TLS/RTP/SAVPF 0")
        if let mid = section?.mid { lines.append("a=mid:\(mid)") }
        lines += answer.candidates + ["a=end-of-candidates"]
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    // MARK: DELETE

    private func close(_ kind: HTTPMediaKind, _ request: Request, _ context: HTTPRequestContext) async -> Response {
        do throws(Refusal) {
            guard let session = try await session(kind, request, context) else { return Self.gone(open) }
            await sessions.end(session)
            return open(Response(status: .ok))
        } catch {
            return refused(error)
        }
    }

    private func session(
        _ kind: HTTPMediaKind, _ request: Request, _ context: HTTPRequestContext
    ) async throws(Refusal) -> HTTPMediaSession? {
        let bearer = try await BearerTicket(request, services.signIn)
        let session = sessions.session(
            context.parameters.get("secret") ?? "", kind, of: bearer.user, in: bearer.application)
        guard let session, Self.room(request) == session.room.key.room else { return nil }
        return session
    }

    /// Written as in a link to the room: `/v1/whip/<room>`.
    private static func room(_ request: Request) -> RoomID? {
        let parts = request.uri.path.split(separator: "/")
        return parts.count > 2 ? RoomSlug.room(parts[2]) : nil
    }

    private static func gone(_ open: (Response) -> Response) -> Response {
        open(
            HTTPReply.failure(
                code: 404, name: "not_found", message: "there is no such session, or it has ended", status: .notFound))
    }
}

extension HTTPField.Name {
    fileprivate static let acceptPost = HTTPField.Name.known("Accept-Post")
    fileprivate static let acceptPatch = HTTPField.Name.known("Accept-Patch")
    fileprivate static let link = HTTPField.Name.known("Link")
}
