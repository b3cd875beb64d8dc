package import RoomModel

/// Those whom hosts keep out of all their rooms. Rooms ask in their turns, so all of it is in memory.
package protocol HostBans: Sendable {
    /// The ban of that person, whether its time is over or not.
    func ban(of user: UserID, from host: UserID, in application: ApplicationID) -> Restriction?
    /// How many bans of that host hold at that time, in milliseconds since 1970.
    func count(of host: UserID, in application: ApplicationID, at time: Int64) -> Int
    /// Takes a ban up in the place of an earlier one. It holds at once; it is on the disk before whatever the room submits to its journal
    /// afterwards. Should the disk refuse it, it holds no more.
    func set(_ ban: Restriction, from host: UserID, in application: ApplicationID)
    /// The same of its end.
    func lift(_ user: UserID, from host: UserID, in application: ApplicationID)
}

/// Whose rooms, and who is kept out of them.
package struct HostBanKey: Hashable, Sendable {
    package var application: ApplicationID
    package var host: UserID
    package var user: UserID

    package init(application: ApplicationID, host: UserID, user: UserID) {
        self.application = application
        self.host = host
        self.user = user
    }
}

/// The bans as they are held in memory.
package struct HostBanList: Sendable, Equatable {
    private struct Host: Hashable {
        var application: ApplicationID
        var host: UserID
    }

    private var bans: [Host: [UserID: Restriction]] = [:]

    package init() {}

    package subscript(key: HostBanKey) -> Restriction? {
        get { bans[Host(application: key.application, host: key.host)]?[key.user] }
        set {
            let host = Host(application: key.application, host: key.host)
            var held = bans[host] ?? [:]
            held[key.user] = newValue
            bans[host] = held.isEmpty ? nil : held
        }
    }

    package func count(of host: UserID, in application: ApplicationID, at time: Int64) -> Int {
        bans[Host(application: application, host: host)]?.values.count { $0.holds(at: time) } ?? 0
    }

    /// Forgets those of a host whose time is over.
    package mutating func forgetOver(of host: UserID, in application: ApplicationID, at time: Int64) {
        bans[Host(application: application, host: host)]?.removeAll { !$0.holds(at: time) }
    }
}

extension Dictionary {
    fileprivate mutating func removeAll(where isOver: (Value) -> Bool) { self = filter { !isOver($0.value) } }
}
