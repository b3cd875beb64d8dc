import RoomModel
import RoomPorts

/// The open rooms of those who created them, for `RoomPolicy.maxRoomsPerOwner`.
struct RoomOwners {
    private struct Owner: Hashable {
        var application: ApplicationID
        var user: UserID
    }

    private var rooms: [Owner: Set<RoomKey>] = [:]
    private var owners: [RoomKey: Owner] = [:]

    func count(of user: UserID, in application: ApplicationID) -> Int {
        rooms[Owner(application: application, user: user)]?.count ?? 0
    }

    mutating func note(_ key: RoomKey, of user: UserID) {
        let owner = Owner(application: key.application, user: user)
        rooms[owner, default: []].insert(key)
        owners[key] = owner
    }

    /// The room has ended, or could not be opened.
    mutating func forget(_ key: RoomKey) {
        guard let owner = owners.removeValue(forKey: key), var left = rooms[owner] else { return }
        left.remove(key)
        rooms[owner] = left.isEmpty ? nil : left
    }
}
