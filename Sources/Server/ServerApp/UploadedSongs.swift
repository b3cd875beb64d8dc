import Foundation
import PagesAndSongs
package import RoomModel

/// The songs that people uploaded, for the operator's commands. Works beside a running server: a song is one folder, which appears and
/// goes whole.
package struct UploadedSongs: Sendable {
    package struct Song: Sendable, Hashable {
        package var application: ApplicationID
        package var id: String
        package var title: String
        package var by: String
        package var milliseconds: Int64
    }

    private let folder: String

    /// - Parameter data: the server's data directory.
    package init(data: String) { folder = data + "/songs" }

    /// All of them, those of one application together, the newest first.
    package func list() -> [Song] {
        let library = SongLibrary(folder: folder, webRoot: nil)
        return applications().flatMap { application in
            library.uploaded(to: application).map {
                Song(
                    application: application, id: $0.id, title: $0.title, by: $0.by?.rawValue ?? "",
                    milliseconds: $0.durationMs)
            }
        }
    }

    /// - Returns: whether there was such a song.
    package func remove(_ id: String) throws -> Bool {
        guard let song = list().first(where: { $0.id == id }) else { return false }
        try SongLibrary(folder: folder, webRoot: nil).remove(id, from: song.application)
        return true
    }

    private func applications() -> [ApplicationID] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { UInt32($0) }.sorted().map { ApplicationID($0) }
    }
}
