package import RoomModel
package import RoomPorts
import Synchronization

/// Bans of a test, without a disk.
package final class MemoryHostBans: HostBans {
    private let list = Mutex(HostBanList())
    package init() {}

    package func ban(of user: UserID, from host: UserID, in application: ApplicationID) -> Restriction? {
        list.withLock { $0[HostBanKey(application: application, host: host, user: user)] }
    }

    package func count(of host: UserID, in application: ApplicationID, at time: Int64) -> Int {
        list.withLock { $0.count(of: host, in: application, at: time) }
    }

    package func set(_ ban: Restriction, from host: UserID, in application: ApplicationID) {
        list.withLock { $0[HostBanKey(application: application, host: host, user: ban.user)] = ban }
    }

    package func lift(_ user: UserID, from host: UserID, in application: ApplicationID) {
        list.withLock { $0[HostBanKey(application: application, host: host, user: user)] = nil }
    }
}
