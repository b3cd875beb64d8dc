/// What a person may do in a room. Ordered: a higher role outranks a lower one.
public enum Role: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// Listens, talks from a seat, chats.
    case member
    /// Helps the owner: seats, mutes, requests, settings.
    case admin
    /// Whose room it is.
    case owner

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
    /// There.
    case online
    /// Lost, and waited for.
    case reconnecting
}

/// Somebody in a room, as everybody sees them.
public struct Member: Codable, Hashable, Sendable {
    /// Who it is.
    public var id: UserID
    /// What others read.
    public var name: String
    /// An `https:`, `http:` or relative URL, or empty.
    public var avatar: String
    /// What the person may do here.
    public var role: Role
    /// Index of the seat, if seated.
    public var seat: Int?
    /// The user's own mute; `true` for whoever has no seat.
    public var micMuted: Bool
    /// Whether the person's connection is there.
    public var presence: Presence

    /// That person, as they are here.
    public init(profile: UserProfile, role: Role, seat: Int?, micMuted: Bool, presence: Presence) {
        self.id = profile.id
        self.name = profile.name
        self.avatar = profile.avatar
        self.role = role
        self.seat = seat
        self.micMuted = micMuted
        self.presence = presence
    }

    /// Name and face.
    public var profile: UserProfile { UserProfile(id: id, name: name, avatar: avatar) }
}

/// One page of the people in a room.
public struct MembersPage: Codable, Hashable, Sendable {
    /// Those of this page, in the order asked or in which they came.
    public var members: [Member]
    /// How many are in the room.
    public var count: Int
    /// Give it back to get the next page; absent on the last.
    public var cursor: String?

    /// A page of so many in all.
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
