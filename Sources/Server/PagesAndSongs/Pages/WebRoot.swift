import CZlib
import Digests
import Foundation
import Synchronization

/// The files of the web app, found once and kept in memory as they are asked for. Only what was found can be asked for,
/// so no request path ever reaches the file system.
package final class WebRoot: Sendable {
    struct File: Sendable {
        var bytes: [UInt8]
        var gzipped: [UInt8]?
        var contentType: String
        /// Of the content, quoted, as `ETag` wants it.
        var tag: String
    }

    private struct Found: Sendable, Hashable {
        var path: String
        var size: Int
        var modified: Date
    }

    private struct State {
        var found: [String: Found] = [:]
        var files: [String: File] = [:]
        var build = ""
    }

    /// A file larger than this is no part of a web app, and would be kept in memory.
    private static let maximumFileBytes = 16 << 20

    package let folder: String
    /// Looks for changed files at each page, for people who write them.
    private let watches: Bool
    private let state: Mutex<State>

    /// - Returns: `nil` if the folder has no `index.html`.
    package init?(folder: String, watches: Bool) {
        self.folder = folder
        self.watches = watches
        let found = Self.find(in: folder)
        guard found["index.html"] != nil else { return nil }
        self.state = Mutex(State(found: found, build: Self.build(of: found, in: folder)))
    }

    /// Names this state of all files; a part of the assets' paths, which may therefore be cached for ever.
    var build: String { state.withLock { $0.build } }

    /// The file at a path inside the folder, such as `styles/app.css`.
    func file(_ path: String) -> File? {
        if let file = state.withLock({ $0.files[path] }) { return file }
        guard let found = state.withLock({ $0.found[path] }), found.size <= Self.maximumFileBytes,
            let data = FileManager.default.contents(atPath: folder + "/" + path)
        else { return nil }
        let file = Self.file(Array(data), path: path)
        state.withLock { $0.files[path] = file }
        return file
    }

    /// The paths of all files in a folder of this root, such as `songs/`.
    func paths(under folder: String) -> [String] {
        state.withLock { state in state.found.keys.filter { $0.hasPrefix(folder) } }
    }

    /// Takes up changed files, if this root watches them.
    func refresh() {
        guard watches else { return }
        let found = Self.find(in: folder)
        guard found["index.html"] != nil, state.withLock({ $0.found != found }) else { return }
        let build = Self.build(of: found, in: folder)
        state.withLock { $0 = State(found: found, build: build) }
    }

    static func file(_ bytes: [UInt8], path: String) -> File {
        let type = contentType(of: path)
        let digest = hex(SHA256.hash(bytes).prefix(12))
        return File(
            bytes: bytes, gzipped: type.isText && bytes.count > 1024 ? gzip(bytes) : nil, contentType: type.name,
            tag: "\"\(digest)\"")
    }

    private static func find(in folder: String) -> [String: Found] {
        guard let paths = FileManager.default.enumerator(atPath: folder) else { return [:] }
        var found: [String: Found] = [:]
        while let path = paths.nextObject() as? String {
            // Hidden files, type definitions and tool settings are for those who write the app.
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") || $0 == "node_modules" }),
                let attributes = paths.fileAttributes, attributes[.type] as? FileAttributeType == .typeRegular,
                let size = attributes[.size] as? Int, let modified = attributes[.modificationDate] as? Date
            else { continue }
            found[path] = Found(path: path, size: size, modified: modified)
        }
        return found
    }

    /// Of paths and contents, so that the same files have the same name on every machine.
    private static func build(of found: [String: Found], in folder: String) -> String {
        var all: [UInt8] = []
        for path in found.keys.sorted() {
            all += SHA256.hash(Array(path.utf8))
            if let found = found[path], found.size <= maximumFileBytes,
                let data = FileManager.default.contents(atPath: folder + "/" + path)
            {
                all += SHA256.hash(Array(data))
            }
        }
        return hex(SHA256.hash(all).prefix(6))
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    private static func contentType(of path: String) -> (name: String, isText: Bool) {
        switch path.split(separator: ".").last {
        case "html": ("text/html; charset=utf-8", true)
        case "js", "mjs": ("text/javascript; charset=utf-8", true)
        case "css": ("text/css; charset=utf-8", true)
        case "json", "map": ("application/json", true)
        case "webmanifest": ("application/manifest+json", true)
        case "svg": ("image/svg+xml", true)
        case "txt", "md", "lrc": ("text/plain; charset=utf-8", true)
        case "png": ("image/png", false)
        case "jpg", "jpeg": ("image/jpeg", false)
        case "webp": ("image/webp", false)
        case "avif": ("image/avif", false)
        case "ico": ("image/x-icon", false)
        case "woff2": ("font/woff2", false)
        case "mp3": ("audio/mpeg", false)
        case "m4a": ("audio/mp4", false)
        case "ogg", "opus": ("audio/ogg", false)
        case "wav": ("audio/wav", false)
        case "wasm": ("application/wasm", false)
        default: ("application/octet-stream", false)
        }
    }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        let capacity = Int(czlib_gzip_bound(UInt(bytes.count)))
        let packed = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = Int(czlib_gzip(buffer.baseAddress, UInt(capacity), bytes, UInt(bytes.count), 6))
        }
        return packed.isEmpty || packed.count >= bytes.count ? nil : packed
    }
}
