import Foundation
package import RoomModel
import SignalProtocol
import Synchronization

/// A song that can be chosen.
package struct SongEntry: Codable, Sendable, Hashable {
    package var id: String
    package var title: String
    package var artist: String?
    package var durationMs: Int64
    /// URLs relative to the server.
    package var accompaniment: String
    package var original: String?
    package var lyrics: String?
    /// A picture; the app draws one where there is none.
    package var cover: String?
    /// Of this server's own; the others were uploaded by somebody.
    package var builtIn: Bool
    /// Who uploaded it.
    package var by: UserID?
}

/// The songs of this server: its own under the web root, and those that people uploaded, one folder each in
/// `<data>/songs/<application>/<id>`. A folder appears whole (by renaming) and is never changed; an operator removes a song
/// by removing its folder.
package struct SongLibrary: Sendable {
    /// How many uploaded songs one application has at most. The list is read as a whole.
    static let songsPerApplication = 200
    /// How many of them one person may have, so that nobody fills the library alone.
    static let songsPerPerson = 40
    static let longest: Int64 = 3_600_000
    private static let description = "song.json"

    let folder: String
    let builtIn: [SongEntry]
    private let erased = Erasures()

    /// How often whom: an upload that began before does not end behind an erasure.
    private final class Erasures: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func note(_ user: UserID, _ application: ApplicationID) {
            counts.withLock { $0["\(application) \(user.rawValue)", default: 0] += 1 }
        }

        func count(_ user: UserID, _ application: ApplicationID) -> Int {
            counts.withLock { $0["\(application) \(user.rawValue)"] ?? 0 }
        }
    }

    /// How often the person's songs were removed since the start.
    func erasures(of user: UserID, in application: ApplicationID) -> Int { erased.count(user, application) }

    /// - Parameters:
    ///   - folder: where uploads are kept; need not exist.
    ///   - webRoot: has the server's own songs under `songs/`.
    package init(folder: String, webRoot: WebRoot?) {
        self.folder = folder
        self.builtIn = (webRoot?.paths(under: "songs/") ?? [])
            .filter { $0.hasSuffix("/" + Self.description) }.sorted()
            .compactMap { path in
                guard let file = webRoot?.file(path),
                    let stored = try? JSONDecoder().decode(Stored.self, from: Data(file.bytes))
                else { return nil }
                return stored.entry(under: "/" + path.dropLast(Self.description.count), builtIn: true)
            }
    }

    /// As it stands in a song's folder, with names of files.
    struct Stored: Codable {
        var id: String
        var title: String
        var artist: String?
        var durationMs: Int64
        var accompaniment: String
        var original: String?
        var lyrics: String?
        var cover: String?
        var by: UserID?
        /// Milliseconds since 1970, for the order of the list.
        var createdAt: Int64?

        func entry(under path: String, builtIn: Bool) -> SongEntry {
            SongEntry(
                id: id, title: title, artist: artist, durationMs: durationMs, accompaniment: path + accompaniment,
                original: original.map { path + $0 }, lyrics: lyrics.map { path + $0 }, cover: cover, builtIn: builtIn,
                by: by)
        }
    }

    /// Those that people of an application uploaded, the newest first.
    package func uploaded(to application: ApplicationID) -> [SongEntry] {
        stored(in: application).sorted { ($0.createdAt ?? 0, $0.id) > ($1.createdAt ?? 0, $1.id) }
            .map { $0.entry(under: "/songs/\(application)/\($0.id)/", builtIn: false) }
    }

    /// How many songs people uploaded, and how many of them this one did.
    func counts(of application: ApplicationID, by user: UserID) -> (all: Int, own: Int) {
        let songs = stored(in: application)
        return (songs.count, songs.count { $0.by == user })
    }

    /// - Returns: `nil` if there is no such song.
    func uploader(of id: String, in application: ApplicationID) -> UserID? {
        Self.isID(id) ? read(id, in: application)?.by : nil
    }

    package func remove(_ id: String, from application: ApplicationID) throws {
        guard Self.isID(id) else { return }
        try FileManager.default.removeItem(atPath: place(of: application) + "/" + id)
    }

    /// All that somebody uploaded.
    /// - Returns: how many there were.
    package func removeAll(of user: UserID, from application: ApplicationID) throws -> Int {
        erased.note(user, application)
        let own = uploaded(to: application).filter { $0.by == user }
        for song in own { try remove(song.id, from: application) }
        return own.count
    }

    /// The file behind `/songs/<application>/<id>/<name>`, if there is one.
    func file(_ path: some StringProtocol) -> (path: String, contentType: String)? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, UInt32(parts[0]) != nil, Self.isID(String(parts[1])) else { return nil }
        let name = parts[2].split(separator: ".", omittingEmptySubsequences: false)
        guard name.count == 2 else { return nil }
        let type: String
        switch name[0] {
        case "accompaniment", "original":
            guard let format = SoundFormat(rawValue: String(name[1])) else { return nil }
            type = format.contentType
        case "lyrics":
            guard let format = LyricsFormat(rawValue: String(name[1])) else { return nil }
            type = format == .vtt ? "text/vtt; charset=utf-8" : "text/plain; charset=utf-8"
        default: return nil
        }
        return ("\(folder)/\(path)", type)
    }

    /// An empty folder to write a song's files to, beside where they will be.
    func makeWorkFolder() throws -> String {
        let path = "\(folder)/.incoming/\(Self.freshID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Makes what stands in a work folder a song.
    func publish(_ stored: Stored, from work: String, in application: ApplicationID) throws {
        let files = FileManager.default
        guard files.createFile(atPath: work + "/" + Self.description, contents: try JSONEncoder().encode(stored)) else {
            throw CocoaError(.fileWriteUnknown)
        }
        try files.createDirectory(atPath: place(of: application), withIntermediateDirectories: true)
        try files.moveItem(atPath: work, toPath: place(of: application) + "/" + stored.id)
    }

    /// What a crash left half written.
    package func sweep() { try? FileManager.default.removeItem(atPath: folder + "/.incoming") }

    /// Cannot be guessed: whoever has the address may hear the song.
    static func freshID() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    static func isID(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private func place(of application: ApplicationID) -> String { "\(folder)/\(application)" }

    private func stored(in application: ApplicationID) -> [Stored] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place(of: application))) ?? []
        return names.filter(Self.isID).compactMap { read($0, in: application) }
    }

    private func read(_ id: String, in application: ApplicationID) -> Stored? {
        FileManager.default.contents(atPath: "\(place(of: application))/\(id)/\(Self.description)")
            .flatMap { try? JSONDecoder().decode(Stored.self, from: $0) }
    }
}
