import RoomModel
import StoreSQLite

/// People of a server that is not running: what `ovation user` does.
package struct PeopleAdmin: Sendable {
    private let data: String
    private let application: ApplicationID

    package init(data: String, application: UInt32) {
        self.data = data
        self.application = ApplicationID(application)
    }

    /// Forgets who somebody is, and removes their songs. What they wrote in open rooms stays: those are read by a server that runs.
    /// - Returns: rows that were changed, and songs that were removed.
    package func erase(_ user: String) async throws -> (rows: Int, songs: Int) {
        guard let id = UserID(user) else { throw ConfigurationFailure("a user's id is 1…32 of A-Z a-z 0-9 _ -") }
        let rows = try await StoppedStore.with(data) { store in
            let rows = try await store.personalData.erase(id, of: application)
            CommandTrail(store: store, application: application).note("erasePerson", target: id)
            return rows
        }
        let songs = UploadedSongs(data: data)
        let own = songs.list().filter { $0.application == application && $0.by == user }
        for song in own { _ = try songs.remove(song.id) }
        return (rows, own.count)
    }
}
