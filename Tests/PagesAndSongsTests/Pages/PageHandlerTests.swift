import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RoomModel
import Testing

@testable import PagesAndSongs

/// The web app as it is served, without sockets.
@Suite struct PageHandlerTests {
    private static let policyField = HTTPField.Name("Content-Security-Policy") ?? .contentType
    private static let script = String(repeating: "let a = 1\n", count: 200)

    private func with(watches: Bool = false, _ body: (String, PageHandler) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "ovation-pages-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/songs", withIntermediateDirectories: true)
        for (name, text) in [
            ("index.html", "<!--meta--><script src=/assets/@build/a.js>"), ("a.js", Self.script),
            ("b.png", "0123456789"),
            ("songs/c.ogg", "9876543210"),
        ] {
            try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
        }
        try await body(folder, Self.handler(folder, watches: watches))
    }

    private static func handler(_ folder: String, watches: Bool = false, room: RoomInfo? = nil) throws -> PageHandler {
        PageHandler(
            root: try #require(WebRoot(folder: folder, watches: watches)), connectOrigins: ["https://tickets.example"],
            pictureOrigins: ["https://pictures.example"], publicURL: "https://salon.example", secureTransportDays: 2,
            room: { _ in room })
    }

    private func get(
        _ path: String, _ headers: HTTPFields = [:], from handler: PageHandler, origin: String = "https://salon.example"
    ) async -> Response? {
        await handler.response(
            to: Request(
                head: HTTPRequest(method: .get, scheme: "https", authority: "a", path: path, headerFields: headers),
                body: .init(buffer: ByteBuffer())), origin: origin)
    }

    private func text(_ response: Response?) async throws -> String {
        final class Kept: ResponseBodyWriter {
            var bytes = ByteBuffer()
            func write(_ buffer: ByteBuffer) async throws {
                var buffer = buffer
                bytes.writeBuffer(&buffer)
            }
            consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }
        let kept = Kept()
        try await response?.body.write(kept)
        return String(buffer: kept.bytes)
    }

    @Test("R05-S whoever works on the pages sees a change with the next page, and its assets under a new name")
    func watched() async throws {
        for watches in [true, false] {
            try await with(watches: watches) { folder, handler in
                let before = try await text(await get("/", from: handler))
                try "let b = 2".write(toFile: folder + "/a.js", atomically: true, encoding: .utf8)
                let after = try await text(await get("/r/11111", from: handler))
                #expect((before != after) == watches, "\(before) \(after)")
            }
        }
    }

    @Test(
        "R05-S a page is asked for anew, an asset of its build is kept for ever, one of an older build is not, a song for an hour"
    )
    func caching() async throws {
        try await with { _, handler in
            let build = handler.root.build
            for (path, caching) in [
                ("/", "no-cache"), ("/assets/\(build)/a.js", "public, max-age=31536000, immutable"),
                ("/assets/older/a.js", "no-cache"), ("/songs/c.ogg", "public, max-age=3600"), ("/b.png", "no-cache"),
            ] {
                #expect(await get(path, from: handler)?.headers[.cacheControl] == caching, "\(path)")
            }
            for path in ["/assets/\(build)", "/assets/\(build)/index.html", "/index.html", "/none.js", "/songs/"] {
                #expect(await get(path, from: handler) == nil, "\(path)")
            }
        }
    }

    @Test("A09-S who mistypes an address reads so in their language, with a way home; a program gets what it can read")
    func missing() async throws {
        try await with { folder, _ in
            try #"<html lang="en"><script src=/assets/@build/a.js><section lang="en">"#
                .write(toFile: folder + "/missing.html", atomically: true, encoding: .utf8)
            let handler = try Self.handler(folder)
            func missing(_ headers: HTTPFields) -> Response? {
                handler.missing(
                    Request(
                        head: HTTPRequest(
                            method: .get, scheme: "https", authority: "a", path: "/rom/1", headerFields: headers),
                        body: .init(buffer: ByteBuffer())), origin: "https://salon.example")
            }
            for (languages, shown) in [
                ("ko-KR,ko;q=0.9,en;q=0.8", "ko"), ("zh-TW", "zh-Hans"), ("de, en-US", "en"), ("de", "en"), ("", "en"),
            ] {
                let page = missing([.accept: "application/xml, TEXT/HTML;q=0.9", .acceptLanguage: languages])
                #expect(page?.status == .notFound && page?.headers[.vary] == "Accept, Accept-Language")
                #expect(page?.headers[Self.policyField] != nil && page?.headers[.cacheControl] == "no-cache")
                let text = try await text(page)
                #expect(
                    text.hasPrefix("<html lang=\"\(shown)\">") && text.hasSuffix("<section lang=\"en\">"), "\(text)")
                #expect(text.contains("/assets/\(handler.root.build)/a.js"))
            }
            for accepted in [
                "*/*", "application/json", "image/avif,image/*", "", "text/html;q=0", "*/*, text/html ; Q=0.0",
            ] {
                #expect(missing([.accept: accepted]) == nil, "\(accepted)")
            }
            #expect(await get("/missing.html", from: handler) == nil, "it has no address of its own")
        }
    }

    @Test("A09-S a page in a folder is found without the slash at its end too, with what was asked of it")
    func folders() async throws {
        try await with { folder, _ in
            try FileManager.default.createDirectory(atPath: folder + "/example", withIntermediateDirectories: true)
            try "hello".write(toFile: folder + "/example/index.html", atomically: true, encoding: .utf8)
            let handler = try Self.handler(folder)
            for (path, place) in [("/example", "/example/"), ("/example?room=7", "/example/?room=7")] {
                let answer = await get(path, from: handler)
                #expect(answer?.status == .permanentRedirect && answer?.headers[.location] == place)
                // A browser keeps it for ever if nothing is said: the folder may be gone with the next build.
                #expect(answer?.headers[.cacheControl] == "no-cache")
            }
            #expect(await get("/example/", from: handler)?.status == .ok)
            for path in ["/songs", "/example/index.html/", "//example", "/exampl"] {
                #expect(await get(path, from: handler) == nil, "\(path)")
            }
        }
    }

    @Test("R05-S who has a file already is told so; text goes out packed to who can read that, the rest in parts")
    func forms() async throws {
        try await with { _, handler in
            let tag = try #require(await get("/b.png", from: handler)?.headers[.eTag])
            for known in [tag, "W/" + tag, "\"x\", \(tag)", "*"] {
                #expect(await get("/b.png", [.ifNoneMatch: known], from: handler)?.status == .notModified, "\(known)")
            }
            #expect(await get("/b.png", [.ifNoneMatch: "\"x\""], from: handler)?.status == .ok)
            let packed = await get("/a.js", [.acceptEncoding: "br, gzip"], from: handler)
            #expect(packed?.headers[.contentEncoding] == "gzip" && packed?.headers[.vary] == "Accept-Encoding")
            let plain = await get("/a.js", from: handler)
            #expect(plain?.headers[.contentEncoding] == nil && plain?.headers[.vary] == "Accept-Encoding")
            #expect(try await text(plain) == Self.script)
            let part = await get("/b.png", [.range: "bytes=2-4"], from: handler)
            #expect(part?.status == .partialContent && part?.headers[.contentRange] == "bytes 2-4/10")
            #expect(try await text(part) == "234")
            #expect(
                await get("/b.png", [.range: "bytes=2-4", .ifRange: tag], from: handler)?.status == .partialContent)
            #expect(await get("/b.png", [.range: "bytes=2-4", .ifRange: "\"x\""], from: handler)?.status == .ok)
            let beyond = await get("/b.png", [.range: "bytes=10-"], from: handler)
            #expect(beyond?.status == .rangeNotSatisfiable && beyond?.headers[.contentRange] == "bytes */10")
        }
    }

    @Test(
        "R12-S what was packed when it was built goes out so to who takes it, each form under a tag of its own, and is no file by itself"
    )
    func packed() async throws {
        try await with { folder, _ in
            for (suffix, text) in [("", Self.script), (".br", "by brotli"), (".gz", "by gzip")] {
                try text.write(toFile: folder + "/c.js" + suffix, atomically: true, encoding: .utf8)
            }
            let handler = try Self.handler(folder)
            var tags: Set<String> = []
            for (accepted, coding, sent) in [
                ("gzip, deflate, br, zstd", "br", "by brotli"), ("gzip", "gzip", "by gzip"),
                ("br;q=0, gzip", "gzip", "by gzip"), ("identity", nil, Self.script),
            ] {
                let response = await get("/c.js", [.acceptEncoding: accepted], from: handler)
                #expect(response?.headers[.contentEncoding] == coding && response?.headers[.vary] == "Accept-Encoding")
                #expect(try await text(response) == sent)
                let tag = try #require(response?.headers[.eTag])
                tags.insert(tag)
                let again = await get("/c.js", [.acceptEncoding: accepted, .ifNoneMatch: tag], from: handler)
                #expect(again?.status == .notModified, "\(accepted)")
                let other = await get("/c.js", [.acceptEncoding: "zstd", .ifNoneMatch: tag], from: handler)
                #expect(other?.status == (coding == nil ? .notModified : .ok), "\(accepted)")
            }
            #expect(tags.count == 3)
            for path in ["/c.js.br", "/c.js.gz"] { #expect(await get(path, from: handler) == nil) }
        }
    }

    @Test(
        "R12-S a bundle whose name carries its content is kept for ever, whatever the build; what has a plain name is asked for anew"
    )
    func bundles() async throws {
        try await with { folder, _ in
            try FileManager.default.createDirectory(
                atPath: folder + "/built/worklets", withIntermediateDirectories: true)
            for name in ["app-2XVYH6QD.js", "worklets/voice.js", "routes.json", "app-small.js"] {
                try "{}".write(toFile: folder + "/built/" + name, atomically: true, encoding: .utf8)
            }
            let handler = try Self.handler(folder)
            for (name, caching) in [
                ("app-2XVYH6QD.js", "public, max-age=31536000, immutable"), ("worklets/voice.js", "no-cache"),
                ("routes.json", "no-cache"), ("app-small.js", "no-cache"),
            ] {
                #expect(await get("/built/" + name, from: handler)?.headers[.cacheControl] == caching, "\(name)")
            }
            #expect(await get("/built/app-ZZZZZZZZ.js", from: handler) == nil, "one of another build")
        }
    }

    @Test("R12-S a released page names what its language and its place will load, by what the browser says it reads")
    func announced() async throws {
        try await with { folder, plain in
            #expect(try await !text(await get("/", from: plain)).contains("modulepreload"))
            #expect(await get("/", from: plain)?.headers[.vary] == nil)
            try FileManager.default.createDirectory(atPath: folder + "/built", withIntermediateDirectories: true)
            try "<!--preload-->".write(toFile: folder + "/index.html", atomically: true, encoding: .utf8)
            try
                #"{"languages":{"en":["built/en.js"],"ko":["built/ko.js"],"zh-Hans":["built/zh.js"]},"pages":{"lobby":["built/l.js"],"room":["built/r.js"],"live":["built/r.js","built/s.js"]}}"#
                .write(toFile: folder + "/built/routes.json", atomically: true, encoding: .utf8)
            let handler = try Self.handler(folder)
            for (path, wishes, files) in [
                ("/", "ko-KR,ko;q=0.9,en;q=0.8", ["ko", "l"]), ("/r/11111", "fr, zh-TW;q=0.5", ["zh", "r"]),
                ("/", "", ["en", "l"]),
                ("/r/11111", "fr", ["en", "r"]),
            ] {
                let page = await get(path, [.acceptLanguage: wishes], from: handler)
                let named = try await text(page).matches(of: /href="\/built\/(\w+)\.js"/).map { String($0.1) }
                #expect(named == files, "\(path) \(wishes)")
                #expect(page?.headers[.vary] == "Accept-Encoding, Accept-Language")
            }
            // Viewers of a live room pass no green room.
            let settings = RoomSettings(name: "Evening")
            let live = RoomInfo(
                room: .number(11_111), kind: .live, settings: settings,
                owner: UserProfile(id: try #require(UserID("kay")), name: "Kay"),
                seats: 9, seated: 0, memberCount: 1, createdAt: 0, speaking: false)
            let page = try await text(await get("/r/11111", from: Self.handler(folder, room: live)))
            #expect(page.matches(of: /href="\/built\/(\w+)\.js"/).map { String($0.1) } == ["en", "r", "s"])
        }
    }

    @Test("R05-S the policy of a page names its own sockets and what the operator names, and nothing else")
    func policy() async throws {
        try await with { _, handler in
            let page = await get("/", from: handler, origin: "http://10.0.0.1:8080")
            let policy = page?.headers[Self.policyField] ?? ""
            #expect(
                policy.contains("connect-src 'self' ws://10.0.0.1:8080 wss://salon.example https://tickets.example;"))
            #expect(policy.contains("img-src 'self' data: blob: https://pictures.example;"))
            #expect(page?.headers[.strictTransportSecurity] == nil, "not over plain HTTP")
            let secure = await get("/", from: handler)
            for (name, value) in [
                ("Referrer-Policy", "strict-origin-when-cross-origin"), ("X-Content-Type-Options", "nosniff"),
                ("Permissions-Policy", "microphone=(self), camera=(self), display-capture=(self), autoplay=(self)"),
            ] {
                let field = try #require(HTTPField.Name(name))
                #expect(secure?.headers[field] == value, "\(name)")
            }
            #expect(secure?.headers[.strictTransportSecurity] == "max-age=172800")
            #expect(
                secure?.headers[Self.policyField]?.contains("connect-src 'self' wss://salon.example https:") == true)
        }
    }
}
