import CZlib
import Digests
import Foundation
import HTTPGrammar
import Synchronization

/// The files of the web app, found once and kept in memory as they are asked for. Only what was found can be asked for,
/// so no request path ever reaches the file system.
package final class WebRoot: Sendable {
    struct File: Sendable {
        var bytes: [UInt8]
        /// By content coding.
        fileprivate(set) var packed: [String: [UInt8]]
        var contentType: String
        /// Of the content.
        fileprivate(set) var digest: String

        /// What is sent to who takes these codings.
        func form(_ accepted: AcceptedCodings) -> Form {
            for coding in WebRoot.codings {
                if let bytes = packed[coding.name], accepted.take(coding.name) {
                    return Form(bytes: bytes, coding: coding.name, tag: "\"\(digest)-\(coding.name)\"")
                }
            }
            return Form(bytes: bytes, coding: nil, tag: "\"\(digest)\"")
        }
    }

    /// One way to send a file, with a tag of its own: the bytes differ (RFC 9110 §8.8.3.3).
    struct Form: Sendable, Hashable {
        var bytes: [UInt8]
        var coding: String?
        /// Quoted, as `ETag` wants it.
        var tag: String
    }

    private struct Found: Sendable, Hashable {
        var path: String
        var size: Int
        var modified: Date
        /// The codings in which it lies beside itself.
        var packed: Set<String> = []
    }

    /// From the one that packs best on; the names of files that were packed when they were built.
    private static let codings = [(name: "br", suffix: ".br"), (name: "gzip", suffix: ".gz")]

    private struct State {
        var found: [String: Found] = [:]
        var files: [String: File] = [:]
        var build = ""
        var announced: AnnouncedModules?
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
        self.state = Mutex(Self.state(found, in: folder))
    }

    /// Names this state of all files; a part of the assets' paths, which may therefore be cached for ever.
    var build: String { state.withLock { $0.build } }

    /// `nil` where pages are served as they were written.
    var announced: AnnouncedModules? { state.withLock { $0.announced } }

    /// The file at a path inside the folder, such as `styles/app.css`.
    func file(_ path: String) -> File? {
        if let file = state.withLock({ $0.files[path] }) { return file }
        guard let found = state.withLock({ $0.found[path] }), found.size <= Self.maximumFileBytes,
            let data = FileManager.default.contents(atPath: folder + "/" + path)
        else { return nil }
        var packed: [String: [UInt8]] = [:]
        for coding in Self.codings where found.packed.contains(coding.name) {
            packed[coding.name] = FileManager.default.contents(atPath: folder + "/" + path + coding.suffix).map(
                Array.init)
        }
        let file = Self.file(Array(data), path: path, packed: packed)
        state.withLock { $0.files[path] = file }
        return file
    }

    func has(_ path: String) -> Bool { state.withLock { $0.found[path] != nil } }

    /// The paths of all files in a folder of this root, such as `songs/`.
    func paths(under folder: String) -> [String] {
        state.withLock { state in state.found.keys.filter { $0.hasPrefix(folder) } }
    }

    /// Takes up changed files, if this root watches them.
    func refresh() {
        guard watches else { return }
        let found = Self.find(in: folder)
        guard found["index.html"] != nil, state.withLock({ $0.found != found }) else { return }
        let fresh = Self.state(found, in: folder)
        state.withLock { $0 = fresh }
    }

    private static func state(_ found: [String: Found], in folder: String) -> State {
        let announced = found[AnnouncedModules.path].flatMap {
            FileManager.default.contents(atPath: folder + "/" + $0.path)
        }
        return State(
            found: found, build: build(of: found, in: folder),
            announced: announced.flatMap { try? JSONDecoder().decode(AnnouncedModules.self, from: $0) })
    }

    /// - Parameter packed: as it lies beside the file; text that does not is packed here.
    static func file(_ bytes: [UInt8], path: String, packed: [String: [UInt8]] = [:]) -> File {
        let type = contentType(of: path)
        var packed = packed
        if packed.isEmpty, type.isText, bytes.count > 1024 { packed["gzip"] = gzip(bytes) }
        return File(
            bytes: bytes, packed: packed, contentType: type.name, digest: hex(SHA256.hash(bytes).prefix(12)))
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
        // What lies packed beside a file is a form of it, and no file of its own.
        for path in found.keys {
            for coding in codings where found[path + coding.suffix] != nil {
                found[path]?.packed.insert(coding.name)
                found[path + coding.suffix] = nil
            }
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

extension WebRoot {
    /// Where the pages are looked for if no setting says where: installed beside the executable, or in a checkout.
    package static var usualPlaces: [String] {
        let installed = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("../share/ovation/web").standardized.path
        return [installed, "Web"]
    }
}
