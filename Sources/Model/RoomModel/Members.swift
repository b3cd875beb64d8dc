/// A member's role in a room. A higher role compares greater.
@nonexhaustive public enum Role: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// Listens, chats, and speaks from a seat.
    case member
    /// Helps the owner with seats, mutes, requests and settings.
    case admin
    /// Owns the room.
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

/// Whether a member's connection is there; for members with a seat, also their media path.
@nonexhaustive public enum Presence: String, Codable, Hashable, Sendable, CaseIterable {
    /// Connected.
    case online
    /// Lost; the seat is kept for a grace time.
    case reconnecting
}

/// A member of a room as everybody sees them.
public struct Member: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: UserID
    /// The name that others see.
    public var name: String
    /// An `https:`, `http:` or relative URL, or empty.
    public var avatar: String
    /// The role in this room.
    public var role: Role
    /// The index of the seat, or `nil`.
    public var seat: Int?
    /// Whether the user has muted the microphone; `true` without a seat.
    public var micMuted: Bool
    /// Whether the member is connected.
    public var presence: Presence
    /// Marks that the operator's back end has given the member for this stay, in their order; `nil`: none. Lists of members have them.
    public var marks: [Int]?

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

    /// The member's profile.
    public var profile: UserProfile { UserProfile(id: id, name: name, avatar: avatar) }
}

/// Marks that a back end gives people who are in a room, or takes from them: its own numbers.
package struct MarksChange: Hashable, Sendable {
    /// The published range.
    package static let numbers = 1_000...Int(UInt32.max)
    /// Of one person.
    package static let most = 10

    package var user: UserID
    package var marks: [Int]
    package var adding: Bool

    package init(of user: UserID, _ marks: [Int], adding: Bool) {
        self.user = user
        self.marks = marks
        self.adding = adding
    }
}

/// One page of a room's members.
package struct MembersPage: Codable, Hashable, Sendable {
    /// The members of this page, in the order of the request or of their entry.
    package var members: [Member]
    /// The number of members in the room.
    package var count: Int
    /// Pass it on to get the next page; `nil` on the last one.
    package var cursor: String?

    /// A page of so many in all.
    package init(members: [Member], count: Int, cursor: String? = nil) {
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

/// Why somebody is no longer in the room.
@nonexhaustive public enum AudienceLeaveReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// By their own will.
    case left
    /// Their connection did not come back within the grace time.
    case lost
}

// MARK: - Events

/// Somebody has entered.
package struct AudienceEntered: EventPayload {
    package var member: Member

    package init(_ member: Member) { self.member = member }

    package var type: EventType { .audienceEntered }
    package var wireSize: Int { 2 * WireSize.object + member.profile.wireSize }
}

/// Somebody has left, or is lost.
package struct AudienceLeft: EventPayload {
    package var user: UserID
    package var reason: AudienceLeaveReason

    package init(_ user: UserID, reason: AudienceLeaveReason) {
        self.user = user
        self.reason = reason
    }

    package var type: EventType { .audienceLeft }
}

/// A seated person's connection or media path.
package struct PresenceChanged: EventPayload {
    package var user: UserID
    package var presence: Presence
    /// When the seat will be freed, in milliseconds since 1970.
    package var until: Int64?

    package init(_ user: UserID, _ presence: Presence, until: Int64? = nil) {
        self.user = user
        self.presence = presence
        self.until = until
    }

    package var type: EventType { .presence }
}

/// The owner is away.
package struct OwnerAbsent: EventPayload {
    /// When the room will be inherited, or end, in milliseconds since 1970.
    package var until: Int64
    /// Who would inherit the room if it were so far now; `nil`: it would end.
    package var heir: UserID?

    package init(until: Int64, heir: UserID?) {
        self.until = until
        self.heir = heir
    }

    package var type: EventType { .ownerAbsent }
}

/// The owner is back.
package struct OwnerBack: EventPayload {
    package init() {}

    package var type: EventType { .ownerBack }
}

/// How many people are in the room.
package struct MemberCount: EventPayload {
    package var memberCount: Int

    package init(_ memberCount: Int) { self.memberCount = memberCount }

    package var type: EventType { .count }
}

/// Somebody has become an admin, or a member again.
public struct RoleChanged: StoredPayload, Codable, Hashable, Sendable {
    /// Who.
    public var user: UserID
    /// What they are now.
    public var role: Role
    /// Who did it.
    public var by: UserID?

    /// Somebody has another role.
    public init(_ user: UserID, _ role: Role, by: UserID? = nil) {
        self.user = user
        self.role = role
        self.by = by
    }

    package var type: EventType { .roleChanged }
}
