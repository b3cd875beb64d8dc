public import Foundation
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
        try await SongLibraryClient(http: http).list(isSignedIn: state.isSignedIn)
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
        try await SongLibraryClient(http: http).upload(
            SongLibraryClient.Files(title: title, artist: artist, audio: audio, original: original, lyrics: lyrics),
            standstill: HTTPExchange.standstill, progress: progress)
    }

    /// Returns the lyrics of a song with their times, from its LRC or WebVTT file; `nil` for a song without lyrics.
    public func lyrics(of song: Song) async throws(OvationError) -> Lyrics? {
        try await SongLibraryClient(http: http).lyrics(of: song)
    }

    /// Deletes a song that the user uploaded. Clients that are playing it already continue.
    /// - Throws: `song_not_found`, `permission_denied` for another's song and the server's own.
    public func deleteSong(_ id: String) async throws(OvationError) {
        try await SongLibraryClient(http: http).delete(id)
    }
}

extension ServerAddress {
    /// The whole address of what a song, a profile or a room names: paths are relative to the server, other addresses stay.
    public func resolve(_ address: String) -> String {
        if address.contains("://") { return address }
        return description + (address.hasPrefix("/") ? "" : "/") + address
    }
}
