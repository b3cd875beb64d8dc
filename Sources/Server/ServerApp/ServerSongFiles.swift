import Foundation
import RoomPorts

/// Finds the files of songs that this server has itself: its own ones under the web root, and those that were uploaded.
/// Addresses of other servers are not opened: whoever starts a song must not choose what this machine fetches.
package struct ServerSongFiles: SongFiles {
    /// As the room names them: a path of this server.
    private static let prefix = "songs"
    /// What a sound file may be called; anything else was not meant to be heard.
    private static let extensions: Set<String> = ["mp3", "m4a", "aac", "ogg", "opus", "oga", "flac", "wav"]
    /// `<application>/<id>/<file>` is the longest path there is.
    private static let depth = 2...3

    /// Folders that hold songs, without links in their paths.
    private let folders: [String]
    /// What the names of this server's own files may begin with, without a slash at the end; empty: nothing.
    private let publicURL: String

    /// Each of `roots` is a folder with the songs in it; those that do not exist are looked for again each time.
    package init(roots: [String], publicURL: String = "") {
        folders = roots
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    }

    package func location(of file: String) -> String? {
        let isOwn = !publicURL.isEmpty && file.hasPrefix(publicURL + "/")
        let path = isOwn ? file.dropFirst(publicURL.count) : Substring(file)
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.first == "" { parts.removeFirst() }
        guard parts.first == Self.prefix else { return nil }
        parts.removeFirst()
        guard Self.depth.contains(parts.count), parts.allSatisfy(Self.isName), let name = parts.last,
            let dot = name.lastIndex(of: "."), Self.extensions.contains(name[name.index(after: dot)...].lowercased())
        else { return nil }
        return folders.lazy.compactMap { Self.file(parts, in: $0) }.first
    }

    /// Letters that stand for themselves everywhere; no name begins with a dot.
    private static func isName(_ part: String) -> Bool {
        !part.isEmpty && part.utf8.first != UInt8(ascii: ".")
            && part.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            }
    }

    /// The file itself, if it is one, and lies where it seems to.
    private static func file(_ parts: [String], in folder: String) -> String? {
        let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        let path = URL(fileURLWithPath: root + "/" + parts.joined(separator: "/")).resolvingSymlinksInPath().path
        guard path.hasPrefix(root + "/"),
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { return nil }
        return path
    }
}
