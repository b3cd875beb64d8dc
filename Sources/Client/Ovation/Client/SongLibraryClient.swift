internal import Foundation
internal import MediaDevices
internal import NIOCore
internal import RoomModel

/// The songs that a server keeps for an application's chorus rooms.
struct SongLibraryClient: Sendable {
    let http: ClientHTTP

    /// What is uploaded.
    struct Files: Sendable {
        var title: String
        var artist: String?
        var audio: URL
        var original: URL?
        var lyrics: URL?
    }

    func list(isSignedIn: Bool) async throws(OvationError) -> [LibrarySong] {
        struct List: Decodable { var songs: [LibraryEntry] }
        let answer = try await http.exchange(isSignedIn: isSignedIn).get("/v1/songs")
        return try ClientHTTP.read(List.self, of: answer).songs.map(\.librarySong)
    }

    /// Opens and reads files: not where the caller is, which may be an app's main thread.
    @concurrent func upload(
        _ files: Files, standstill: TimeAmount, progress: @escaping @Sendable (Double) -> Void
    ) async throws(OvationError) -> Song {
        struct Made: Decodable { var song: LibraryEntry }
        var form = MultipartForm()
        form.add("title", files.title)
        if let artist = files.artist { form.add("artist", artist) }
        // It counts where the server cannot read how long the song is.
        if let seconds = Self.duration(of: files.audio) { form.add("durationMs", String(Int64(seconds * 1_000))) }
        if let lyrics = files.lyrics { try form.add("lyrics", file: lyrics, atMost: OvationClient.lyricsBytesMost) }
        try form.add("audio", file: files.audio, atMost: OvationClient.songBytesMost)
        if let original = files.original {
            try form.add("original", file: original, atMost: OvationClient.songBytesMost)
        }
        var exchange = try await http.exchange()
        exchange.standstill = standstill
        let answer = try await exchange.upload(
            "/v1/songs", type: form.contentType, form.finished, progress: progress)
        return try ClientHTTP.read(Made.self, of: answer).song.librarySong.song
    }

    /// Of any address that a song names.
    func lyrics(of song: Song) async throws(OvationError) -> Lyrics? {
        guard let address = song.lyrics, var parts = URLComponents(string: http.server.resolve(address)) else {
            return nil
        }
        let path =
            (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
            + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        guard let origin = parts.string else { throw OvationError(.invalidAddress, "\(address) is no address") }
        let answer = try await HTTPExchange(server: try ServerAddress(origin), trustRoots: http.trustRoots).get(path)
        if let refusal = answer.refusal { throw refusal }
        return Lyrics(String(buffer: answer.body))
    }

    func delete(_ id: String) async throws(OvationError) {
        try await http.delete(id, under: "/v1/songs", missing: .songNotFound)
    }

    /// As far as FFmpeg is there and can tell.
    private static func duration(of file: URL) -> Double? { try? FileInput(file.path).duration }
}

/// A song of the library as it stands on the wire.
private struct LibraryEntry: Decodable {
    private enum Key: String, CodingKey { case cover, builtIn, by }

    let librarySong: LibrarySong

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        librarySong = LibrarySong(
            song: try Song(from: decoder), cover: try fields.decodeIfPresent(String.self, forKey: .cover),
            isBuiltIn: try fields.decodeIfPresent(Bool.self, forKey: .builtIn) ?? false,
            by: try fields.decodeIfPresent(UserID.self, forKey: .by))
    }
}

/// A form with files (RFC 7578), which are read while they are sent.
private struct MultipartForm {
    private let boundary = "ovation-" + String(UInt64.random(in: .min ... .max), radix: 36)
    private var parts: [HTTPExchange.Part] = []

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    var finished: [HTTPExchange.Part] { parts + [.bytes(Array("--\(boundary)--\r\n".utf8))] }

    mutating func add(_ name: String, _ text: String) {
        parts.append(.bytes(head(name) + Array(text.utf8) + Array("\r\n".utf8)))
    }

    /// - Throws: `song_too_large`: said before anything is sent, not after 100 MB.
    mutating func add(_ name: String, file: URL, atMost limit: Int) throws(OvationError) {
        let handle: FileHandle
        let count: Int
        do {
            handle = try FileHandle(forReadingFrom: file)
            count = Int(clamping: try handle.seekToEnd())
            try handle.seek(toOffset: 0)
        } catch {
            throw OvationError(.fileUnreadable, "\(file.path) cannot be read: \(error.localizedDescription)")
        }
        guard count <= limit else {
            throw OvationError(.songTooLarge, "\(file.lastPathComponent) has \(count) bytes, \(limit) are allowed")
        }
        parts += [.bytes(head(name)), .file(handle, count: count), .bytes(Array("\r\n".utf8))]
    }

    private func head(_ name: String) -> [UInt8] {
        Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
    }
}
