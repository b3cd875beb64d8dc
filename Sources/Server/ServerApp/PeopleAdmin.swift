import PagesAndSongs
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import StoreSQLite

/// People of a server that is not running: what `ovation user` does.
package struct PeopleAdmin: Sendable {
    /// What was erased.
    package struct Erased: Sendable {
        /// In what is stored.
        package var rows = 0
        /// Of their own, which have ended.
        package var rooms = 0
        package var songs = 0
        package var faces = 0
        /// Copies of the store that were made earlier.
        package var copies: [String] = []
    }

    private let data: String
    private let application: ApplicationID

    package init(data: String, application: UInt32) {
        self.data = data
        self.application = ApplicationID(application)
    }

    /// Forgets who somebody is and what they wrote, and removes their songs and pictures.
    package func erase(_ user: String) async throws -> Erased {
        guard let id = UserID(user) else { throw ConfigurationFailure("a user's id is 1…32 of A-Z a-z 0-9 _ -") }
        var erased = try await StoppedStore.with(data) { store in
            var erased = Erased()
            erased.rooms = try await end(roomsOf: id, in: store)
            erased.rows = try await store.personalData.erase(id, of: application)
            // Nobody waits for the file: what earlier releases left in it goes too.
            try await store.compact()
            erased.copies = store.personalData.copies()
            CommandTrail(store: store, application: application).note("erasePerson", target: id)
            return erased
        }
        let songs = UploadedSongs(data: data)
        let own = songs.list().filter { $0.application == application && $0.by == user }
        for song in own { _ = try songs.remove(song.id) }
        erased.songs = own.count
        erased.faces = try FaceLibrary(folder: data + "/faces").removeAll(of: id, from: application)
        return erased
    }

    /// As a server that runs ends them.
    private func end(roomsOf user: UserID, in store: SQLiteStore) async throws -> Int {
        var count = 0
        for key in try await store.journal.openRooms() where key.application == application {
            // A room that cannot be read is nobody's.
            guard
                let room = try? await RebuiltRoom.read(key, from: store.journal, store.ledger, chatLimit: 0),
                room.state.owner.id == user
            else { continue }
            store.journal.close(key)
            count += 1
        }
        return count
    }
}
