public import Foundation
internal import MediaDevices
internal import NIOCore
public import RoomModel

/// A song of the server's library.
public struct LibrarySong: Sendable, Hashable, Identifiable {
    /// The song, for `RoomSession.startSong`.
    public let song: Song
    /// The URL of a picture, if the song has one.
    public let cover: String?
    /// Whether the song came with the server. Other songs were uploaded by the application's users.
    public let isBuiltIn: Bool
    /// The user who uploaded it, and who can delete it.
    public let by: UserID?

    /// The song's id.
    public var id: String { song.id }
}

extension OvationClient {
    /// The largest size of a sound file, in bytes (Documentation/build/protocol.md §9).
    public static let songBytesMost = 30 << 20
    /// The largest size of a lyrics file, in bytes.
    public static let lyricsBytesMost = 256 << 10

    /// Returns the songs for chorus rooms: those that came with the server, and, for signed-in users, those that the application's
    /// users uploaded, newest first.
    public func songs() async throws(OvationError) -> [Song] { try await songLibrary().map(\.song) }

    /// Returns the same songs, each with who uploaded it.
    public func songLibrary() async throws(OvationError) -> [LibrarySong] {
        struct List: Decodable { var songs: [LibraryEntry] }
        var exchange = HTTPExchange(server: server, trustRoots: configuration.trustRoots)
        if state.isSignedIn { exchange.authorization = try await authorization() }
        let answer = try await exchange.get("/v1/songs")
        if let refusal = answer.refusal { throw refusal }
        return try Self.decode(List.self, answer).songs.map(\.librarySong)
    }

    /// Uploads a song to the application's library, for all its users. It stays there until it is deleted.
    ///
    /// There is no limit on the duration; the upload fails with `timeout` when no byte has moved for 30 seconds. Cancelling the task
    /// cancels it.
    /// - Parameters:
    ///   - title: 1…100 characters.
    ///   - audio: a local file: MP3, M4A, Ogg, FLAC or WAV, up to `songBytesMost`.
    ///   - original: the same song with the original singer's voice.
    ///   - lyrics: a lyrics file with times, LRC or WebVTT in UTF-8, up to `lyricsBytesMost`.
    ///   - progress: called with the fraction that has been sent, 0…1, on any thread.
    /// - Throws: `song_too_large`, `song_format`, `song_library_full`, `lyrics_invalid`, `invalid_params` (with the `field`),
    ///   `file_unreadable`, `not_signed_in` and what any call throws.
    @concurrent @discardableResult
    public func uploadSong(
        title: String, artist: String? = nil, audio: URL, original: URL? = nil, lyrics: URL? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(OvationError) -> Song {
        try await uploadSong(
            title: title, artist: artist, audio: audio, original: original, lyrics: lyrics,
            standstill: HTTPExchange.standstill, progress: progress)
    }

    /// Opens and reads files: not where the caller is, which may be an app's main thread.
    @concurrent func uploadSong(
        title: String, artist: String?, audio: URL, original: URL?, lyrics: URL?, standstill: TimeAmount,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws(OvationError) -> Song {
        struct Made: Decodable { var song: LibraryEntry }
        var form = MultipartForm()
        form.add("title", title)
        if let artist { form.add("artist", artist) }
        // It counts where the server cannot read how long the song is.
        if let seconds = Self.duration(of: audio) { form.add("durationMs", String(Int64(seconds * 1_000))) }
        if let lyrics { try form.add("lyrics", file: lyrics, atMost: Self.lyricsBytesMost) }
        try form.add("audio", file: audio, atMost: Self.songBytesMost)
        if let original { try form.add("original", file: original, atMost: Self.songBytesMost) }
        var exchange = HTTPExchange(server: server, trustRoots: configuration.trustRoots)
        exchange.authorization = try await authorization()
        exchange.standstill = standstill
        let answer = try await exchange.upload(
            "/v1/songs", type: form.contentType, form.finished, progress: progress)
        if let refusal = answer.refusal { throw refusal }
        return try Self.decode(Made.self, answer).song.librarySong.song
    }

    /// Returns the lyrics of a song with their times, from its LRC or WebVTT file; `nil` for a song without lyrics.
    public func lyrics(of song: Song) async throws(OvationError) -> Lyrics? {
        guard let address = song.lyrics, var parts = URLComponents(string: server.resolve(address)) else { return nil }
        let path =
            (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
            + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        guard let origin = parts.string else { throw OvationError(.invalidAddress, "\(address) is no address") }
        let exchange = HTTPExchange(server: try ServerAddress(origin), trustRoots: configuration.trustRoots)
        let answer = try await exchange.get(path)
        if let refusal = answer.refusal { throw refusal }
        return Lyrics(String(buffer: answer.body))
    }

    /// Deletes a song that the user uploaded. Clients that are playing it already continue.
    /// - Throws: `song_not_found`, `permission_denied` for another's song and the server's own.
    public func deleteSong(_ id: String) async throws(OvationError) {
        var exchange = HTTPExchange(server: server, trustRoots: configuration.trustRoots)
        exchange.authorization = try await authorization()
        let name = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard !name.isEmpty else { throw OvationError(.songNotFound) }
        if let refusal = try await exchange.delete("/v1/songs/\(name)").refusal { throw refusal }
    }

    func authorization() async throws(OvationError) -> String {
        try await signedInLine().ask { connection, _, completion in
            completion(.success(connection.authorization))
        }
    }

    static func decode<Value: Decodable>(_: Value.Type, _ answer: HTTPAnswer) throws(OvationError) -> Value {
        do { return try JSONDecoder().decode(Value.self, from: Data(answer.body.readableBytesView)) } catch {
            throw OvationError(.invalidAnswer, "what the server says cannot be read: \(error)")
        }
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

extension ServerAddress {
    /// The whole address of what a song, a profile or a room names: paths are relative to the server, other addresses stay.
    public func resolve(_ address: String) -> String {
        if address.contains("://") { return address }
        return description + (address.hasPrefix("/") ? "" : "/") + address
    }
}
