import Foundation
import Testing

@testable import PagesAndSongs

@Suite struct PageTests {
    @Test("a card is escaped, and @build and the marker are replaced")
    func cards() {
        let card = PageCard(title: "\"><script>'&", description: "d", url: "https://a/r/1", image: nil)
        let page = HTMLText.page("<head><!--meta--><link href=\"/assets/@build/a.css\">", build: "b1", card: card)
        #expect(page.contains("content=\"&quot;&gt;&lt;script&gt;&#39;&amp;\""))
        #expect(!page.contains("<script>") && page.contains("/assets/b1/a.css") && !page.contains("og:image"))
        #expect(!HTMLText.page("<!--meta-->", build: "b", card: nil).contains("meta"))
    }

    @Test("a QR code has its finder patterns, and its two drawings show the same modules")
    func qrCode() throws {
        let code = try #require(QRCode("https://salon.example/r/48213"))
        #expect(code.width >= 21 && (code.width - 21) % 4 == 0 && code.modules.count == code.width * code.width)
        let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
        for (y, row) in finder.enumerated() {
            for (x, dark) in row.enumerated() {
                #expect(code.modules[y * code.width + x] == (dark == "1"))
                #expect(code.modules[y * code.width + code.width - 1 - x] == (dark == "1"))
                #expect(code.modules[(code.width - 1 - y) * code.width + x] == (dark == "1"))
            }
        }
        let drawn = code.svg.split(separator: "h").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }.reduce(
            0, +)
        #expect(drawn == code.modules.filter { $0 }.count)
        let lines = code.terminal.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count == code.width + 4 })
        #expect(QRCode("") == nil && QRCode(String(repeating: "a", count: 513)) == nil && QRCode("a\u{0}b") == nil)
    }

    @Test("the web root knows only its own files, names its state by their content, and watches if it is told to")
    func webRoot() throws {
        let folder = NSTemporaryDirectory() + "ovation-root-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(WebRoot(folder: folder, watches: false) == nil)
        try FileManager.default.createDirectory(atPath: folder + "/lib", withIntermediateDirectories: true)
        try "<html>".write(toFile: folder + "/index.html", atomically: true, encoding: .utf8)
        try "let a".write(toFile: folder + "/lib/a.js", atomically: true, encoding: .utf8)
        let root = try #require(WebRoot(folder: folder, watches: true))
        let still = try #require(WebRoot(folder: folder, watches: false))
        #expect(root.build == still.build && root.build.count == 12)
        #expect(root.file("lib/a.js")?.contentType == "text/javascript; charset=utf-8")
        for path in ["", "lib", "lib/", "../index.html", "/etc/passwd", "lib/../index.html", "lib/b.js"] {
            #expect(root.file(path) == nil, "\(path)")
        }
        try "let b = 2".write(toFile: folder + "/lib/a.js", atomically: true, encoding: .utf8)
        root.refresh()
        still.refresh()
        #expect(root.build != still.build)
        #expect(root.file("lib/a.js")?.bytes == Array("let b = 2".utf8))
        // Also another name is another state.
        let changed = root.build
        try FileManager.default.moveItem(atPath: folder + "/lib/a.js", toPath: folder + "/lib/b.js")
        root.refresh()
        #expect(root.build != changed && root.file("lib/b.js") != nil && root.file("lib/a.js") == nil)
    }
}
