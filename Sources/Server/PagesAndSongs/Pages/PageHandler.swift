import Foundation
import HTTP
import HTTPGrammar
import HTTPTypes
package import Hummingbird
package import RoomModel
import SignalProtocol

/// Serves the web app over HTTP. Browsers ask for pages anew each time, and keep assets for ever.
package struct PageHandler: Sendable {
    let root: WebRoot
    /// Beside our own, the origins that a page must be able to reach: the operator's ticket server, sites with music.
    let connectOrigins: [String]
    /// Beside our own, the sites whose pictures a page shows.
    let pictureOrigins: [String]
    /// `public_url` without a slash at the end, if the operator gave one.
    let publicURL: String?
    /// For how many days browsers that came by HTTPS use nothing else (HSTS); 0 sends no such header.
    let secureTransportDays: Int
    /// What a link to a room says about it; `nil` if there is none.
    let room: @Sendable (RoomID) async -> RoomInfo?

    package init(
        root: WebRoot, connectOrigins: [String], pictureOrigins: [String], publicURL: String?, secureTransportDays: Int,
        room: @escaping @Sendable (RoomID) async -> RoomInfo?
    ) {
        self.root = root
        self.connectOrigins = connectOrigins
        self.pictureOrigins = pictureOrigins
        self.publicURL = publicURL
        self.secureTransportDays = secureTransportDays
        self.room = room
    }

    private static let assets = "/assets/"
    private static let songs = "/songs/"
    /// How many `scripts/make-pictures` draws.
    private static let drawnCards: UInt32 = 12
    private static let built = "/built/"
    private static let forEver = "public, max-age=31536000, immutable"

    /// - Parameter origin: scheme and host that the client used.
    /// - Returns: `nil` if there is nothing at the path.
    package func response(to request: Request, origin: String) async -> Response? {
        let path = request.uri.path
        if path == "/" || path.hasPrefix("/r/") {
            root.refresh()
            let info = path == "/" ? nil : await roomInfo(path)
            let language = PageLanguage(of: request)
            let place: AnnouncedModules.Place = path == "/" ? .lobby : info?.kind == .live ? .live : .room
            return page(
                "index.html", card: card(of: info, origin: publicURL ?? origin),
                announced: root.announced?.html(for: place, language: language), origin: origin, request: request)
        }
        // As people type it.
        if path == "/console" {
            return page("console/index.html", origin: origin, request: request)
        }
        if root.has(path.dropFirst() + "/index.html") { return toFolder(request) }
        if path.hasSuffix("/") {
            return page(path.dropFirst() + "index.html", origin: origin, request: request)
        }
        if path.hasPrefix(Self.assets) {
            let rest = path.dropFirst(Self.assets.count)
            guard let slash = rest.firstIndex(of: "/") else { return nil }
            // A page from before an update still finds its files, but may not keep them under the old name.
            let isCurrent = rest[..<slash] == root.build
            return asset(
                String(rest[rest.index(after: slash)...]), request: request,
                caching: isCurrent ? Self.forEver : "no-cache")
        }
        if path.hasPrefix(Self.built) {
            return asset(
                String(path.dropFirst()), request: request,
                caching: Self.carriesItsContent(path) ? Self.forEver : "no-cache")
        }
        // Songs keep their address over builds, since rooms remember it: kept for a while, then asked for by tag.
        return asset(
            String(path.dropFirst()), request: request,
            caching: path.hasPrefix(Self.songs) ? "public, max-age=3600" : "no-cache")
    }

    /// As esbuild writes it: `app-2XVYH6QD.js`.
    private static func carriesItsContent(_ path: String) -> Bool {
        guard let name = path.split(separator: "/").last, let dash = name.lastIndex(of: "-") else { return false }
        let digest = name[name.index(after: dash)...].prefix { $0 != "." }
        return digest.utf8.count == 8
            && digest.utf8.allSatisfy { (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) }
    }

    private func page(
        _ path: some StringProtocol, card: PageCard? = nil, announced: String? = nil, origin: String, request: Request
    ) -> Response? {
        guard let source = root.file(String(path)) else { return nil }
        let html = HTMLText.page(
            String(decoding: source.bytes, as: UTF8.self), build: root.build, card: card, announced: announced ?? "")
        var response = serve(WebRoot.file(Array(html.utf8), path: "index.html"), request: request, caching: "no-cache")
        if announced != nil { response.headers[.vary] = "Accept-Encoding, Accept-Language" }
        secure(&response, origin: origin)
        return response
    }

    /// What browsers must know about a page.
    private func secure(_ response: inout Response, origin: String) {
        response.headers[.contentSecurityPolicy] = contentSecurityPolicy(origin: origin)
        // Over plain HTTP a browser ignores it (RFC 6797 §8.1).
        if secureTransportDays > 0, origin.hasPrefix("https://") {
            response.headers[.strictTransportSecurity] = "max-age=\(secureTransportDays * 86_400)"
        }
        response.headers[.referrerPolicy] = "strict-origin-when-cross-origin"
        response.headers[.permissionsPolicy] =
            "microphone=(self), camera=(self), display-capture=(self), autoplay=(self)"
    }

    /// Addresses within a page are told from its folder on.
    private func toFolder(_ request: Request) -> Response {
        let query = request.uri.query.map { "?" + $0 } ?? ""
        return Response(
            status: .permanentRedirect,
            headers: [.location: request.uri.path + "/" + query, .cacheControl: "no-cache"])
    }

    /// Where there is nothing: a page for who looks at one, in their language, with a way home.
    /// - Returns: `nil` for programs.
    package func missing(_ request: Request, origin: String) -> Response? {
        let accepted = request.headers[values: .accept].flatMap { $0.split(separator: ",") }
        let isForReading = accepted.contains { type in
            HeaderParameters(type.utf8).map { $0.value == "text/html" && $0.isTaken } ?? false
        }
        guard isForReading, let source = root.file("missing.html") else { return nil }
        let language = PageLanguage(of: request)
        let html = HTMLText.page(String(decoding: source.bytes, as: UTF8.self), build: root.build, card: nil)
            .replacing("<html lang=\"en\"", with: "<html lang=\"\(language.rawValue)\"", maxReplacements: 1)
        var response = HTTPReply.bytes(
            Array(html.utf8), type: source.contentType, status: .notFound,
            headers: [.cacheControl: "no-cache", .vary: "Accept, Accept-Language"])
        secure(&response, origin: origin)
        return response
    }

    private func asset(_ path: String, request: Request, caching: String) -> Response? {
        // Pages are served by their addresses alone, with what browsers must know about them.
        guard let decoded = path.removingPercentEncoding, !decoded.lowercased().hasSuffix(".html"),
            let file = root.file(decoded)
        else { return nil }
        return serve(file, request: request, caching: caching)
    }

    private func serve(_ file: WebRoot.File, request: Request, caching: String) -> Response {
        let form = file.form(AcceptedCodings(request.headers[values: .acceptEncoding]))
        let bytes = form.bytes
        var headers: HTTPFields = [.cacheControl: caching, .eTag: form.tag]
        if !file.packed.isEmpty { headers[.vary] = "Accept-Encoding" }
        if EntityTags(request, .ifNoneMatch)?.matchesWeakly(form.tag) == true {
            return Response(status: .notModified, headers: headers)
        }
        if let coding = form.coding {
            headers[.contentEncoding] = coding
        } else if file.packed.isEmpty {
            headers[.acceptRanges] = "bytes"
            switch ByteRange(header: request.isFresh(form.tag) ? request.headers[.range] : nil, size: bytes.count) {
            case .whole: break
            case .part(let range):
                headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(bytes.count)"
                return HTTPReply.bytes(
                    Array(bytes[range]), type: file.contentType, status: .partialContent, headers: headers)
            case .unsatisfiable:
                headers[.contentRange] = "bytes */\(bytes.count)"
                return Response(status: .rangeNotSatisfiable, headers: headers)
            }
        }
        return HTTPReply.bytes(bytes, type: file.contentType, headers: headers)
    }

    /// Nothing inline, and nothing from elsewhere but what the operator names. Covers and avatars are addresses that anybody may state:
    /// shown from anywhere, they would tell that host the address of everybody who sees them.
    private func contentSecurityPolicy(origin: String) -> String {
        let connect = ["'self'"] + socketOrigins(origin) + connectOrigins
        return """
            default-src 'self'; script-src 'self'; style-src 'self'; img-src \((
                ["'self'", "data:", "blob:"] + pictureOrigins).joined(separator: " ")); \
            media-src 'self' blob:; connect-src \(connect.joined(separator: " ")); \
            worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
            """
    }

    /// The page's own WebSocket, by name: Safari before 15.4 does not count it as `'self'`.
    private func socketOrigins(_ origin: String) -> [String] {
        let own = OriginRule.socket(origin)
        let stated = publicURL.flatMap(OriginRule.socket)
        return [own, stated == own ? nil : stated].compactMap { $0 }
    }

    private func roomInfo(_ path: String) async -> RoomInfo? {
        guard let id = RoomSlug.room(path.dropFirst(3)) else { return nil }
        return await room(id)
    }

    private func card(of info: RoomInfo?, origin: String) -> PageCard {
        guard let info else {
            return PageCard(
                title: "Ovation",
                description: "Live rooms for voice, duets and video. Come in and listen, or take the stage.",
                url: origin + "/", image: ownCard("ovation.png").map { PageCard.Picture(address: origin + $0) })
        }
        // An empty room has still to begin: that nobody is there is no reason to come.
        let people: String? =
            switch info.memberCount {
            case 0: nil
            case 1: "1 person here"
            default: "\(info.memberCount) people here"
            }
        let owner = info.owner.name.isEmpty ? info.owner.id.rawValue : info.owner.name
        return PageCard(
            title: info.name, description: [owner, people].compactMap(\.self).joined(separator: " · "),
            url: "\(origin)/r/\(RoomSlug.slug(info.room))", image: picture(of: info, origin: origin))
    }

    /// What the room looks like now, its cover, or a drawn background: 1200 × 630, as PNG or JPEG, which messengers show. A cover of another
    /// site is what it is.
    private func picture(of info: RoomInfo, origin: String) -> PageCard.Picture? {
        if let still = info.still {
            return .init(address: "\(origin)/v1/rooms/\(RoomSlug.slug(info.room))/card/\(still).jpg")
        }
        if info.cover.hasPrefix("covers/"), info.cover.hasSuffix(".svg"),
            let own = ownCard("\(info.cover.dropFirst(7).dropLast(4)).jpg")
        {
            return .init(address: origin + own)
        }
        if let elsewhere = absolute(info.cover, origin: origin) { return .init(address: elsewhere, isOfOurSize: false) }
        return drawnCard(of: info.room).map { .init(address: origin + $0) }
    }

    /// The path of one of the drawn backgrounds, the same for a room each time.
    func drawnCard(of room: RoomID) -> String? {
        // FNV-1a, 32 bits.
        let hash = RoomSlug.slug(room).utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return ownCard("drawn-\(hash % Self.drawnCards + 1).png")
    }

    private func ownCard(_ name: String) -> String? {
        root.has("cards/\(name)") ? "\(Self.assets)\(root.build)/cards/\(name)" : nil
    }

    private func absolute(_ link: String, origin: String) -> String? {
        if link.isEmpty { return nil }
        if link.hasPrefix("http:") || link.hasPrefix("https:") { return link }
        return link.hasPrefix("/") ? origin + link : "\(origin)/\(link)"
    }
}

extension HTTPField.Name {
    static let contentSecurityPolicy = HTTPField.Name.known("Content-Security-Policy")
    static let referrerPolicy = HTTPField.Name.known("Referrer-Policy")
    static let permissionsPolicy = HTTPField.Name.known("Permissions-Policy")
}
