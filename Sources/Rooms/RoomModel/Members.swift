/// What a person may do in a room. Ordered: a higher role outranks a lower one.
public enum Role: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    case member, admin, owner

    private var rank: Int {
        switch self {
        case .member: 0
        case .admin: 1
        case .owner: 2
        }
    }

    public static func < (a: Role, b: Role) -> Bool { a.rank < b.rank }
}

/// Whether a person's connection (or, for the seated, the way of their sound) is there.
public enum Presence: String, Codable, Hashable, Sendable {
    case online, reconnecting
}

/// Somebody in a room, as everybody sees them.
public struct Member: Codable, Hashable, Sendable {
    public var id: UserID
    public var name: String
    public var avatar: String
    public var role: Role
    /// Index of the seat, if seated.
    public var seat: Int?
    /// The user's own mute; `true` for whoever has no seat.
    public var micMuted: Bool
    public var presence: Presence

    public init(profile: UserProfile, role: Role, seat: Int?, micMuted: Bool, presence: Presence) {
        self.id = profile.id
        self.name = profile.name
        self.avatar = profile.avatar
        self.role = role
        self.seat = seat
        self.micMuted = micMuted
        self.presence = presence
    }

    public var profile: UserProfile { UserProfile(id: id, name: name, avatar: avatar) }
}

/// One page of the people in a room.
public struct MembersPage: Codable, Hashable, Sendable {
    public var members: [Member]
    /// How many are in the room.
    public var count: Int
    /// Give it back to get the next page; absent on the last.
    public var cursor: String?

    public init(members: [Member], count: Int, cursor: String? = nil) {
        self.members = members
        self.count = count
        self.cursor = cursor
    }
}

/// Which people are asked for.
package enum MembersQuery: Hashable, Sendable {
    /// These, in this order; whoever is not in the room is dropped.
    case users([UserID])
    /// Everybody, in the order in which they came.
    case everyone(limit: Int, cursor: String?)
}
