import Foundation
import Ovation
import Synchronization

/// Finds the song that `--song` names, brings it if it is a file, and starts it.
struct SongAdmin {
    /// Of the library, so many are named to whoever asks for a song that there is not.
    private static let named = 30

    private let join: Join
    private let client: OvationClient
    private let report: JoinReport

    init(_ join: Join, _ client: OvationClient, _ report: JoinReport) {
        self.join = join
        self.client = client
        self.report = report
    }

    func start(_ wanted: String, in room: RoomSession) async throws {
        let song = Join.isFile(wanted) ? try await upload(wanted) : try find(wanted, among: try await client.songs())
        if join.track == .original, song.original == nil {
            throw OvationError(.invalidParams, "\(song.title) has no original recording")
        }
        try await room.startSong(song, track: join.track.track)
    }

    /// By its id, else by its whole title, else by the beginning of one title alone.
    private func find(_ wanted: String, among songs: [Song]) throws(OvationError) -> Song {
        if let song = songs.first(where: { $0.id == wanted }) { return song }
        let title = wanted.lowercased()
        var found = songs.filter { $0.title.lowercased() == title }
        if found.isEmpty { found = songs.filter { $0.title.lowercased().hasPrefix(title) } }
        if found.count == 1 { return found[0] }
        let there = (found.isEmpty ? songs : found).prefix(Self.named).map { "\($0.id) (\($0.title))" }
        let list = there.isEmpty ? "the library is empty" : "there are: " + there.joined(separator: ", ")
        throw OvationError(
            .songNotFound,
            "\(found.isEmpty ? "no song and no file is called" : "several songs are called") \(wanted); \(list)")
    }

    private func upload(_ path: String) async throws -> Song {
        let file = URL(fileURLWithPath: path)
        let tenth = Mutex(-1)
        let song = try await client.uploadSong(
            title: file.deletingPathExtension().lastPathComponent, audio: file,
            original: join.original.map { URL(fileURLWithPath: $0) },
            lyrics: join.lyrics.map { URL(fileURLWithPath: $0) }
        ) { [report] part in
            let now = Int(part * 10)
            let isNew = tenth.withLock { tenth in
                defer { tenth = max(tenth, now) }
                return now > tenth
            }
            if isNew { report.tell("uploading", ["part": .number(Double(now) / 10)]) }
        }
        report.tell(
            "uploaded", ["song": .text(song.id), "title": .text(song.title)],
            sentence: "\(song.title) is in the library now, as \(song.id).")
        return song
    }
}
