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
        let root = try #require(WebRoot(folder: folder, watches: watches))
        try await body(
            folder,
            PageHandler(
                root: root, connectOrigins: ["https://tickets.example"], pictureOrigins: ["https://pictures.example"],
                publicURL: "https://salon.example", secureTransportDays: 2, room: { _ in nil }))
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
