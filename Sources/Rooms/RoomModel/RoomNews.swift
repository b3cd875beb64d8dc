/// One notification to the people of a room: what happened, in order.
public struct RoomNews: Hashable, Sendable {
    public var room: RoomID
    public var epoch: UInt64
    public var events: [RoomNewsEvent]

    public init(room: RoomID, epoch: UInt64, events: [RoomNewsEvent]) {
        self.room = room
        self.epoch = epoch
        self.events = events
    }
}

public enum RoomNewsEvent: Hashable, Sendable {
    /// Numbered, and on the disk before anybody hears of it.
    case change(RoomChange)
    /// Numbered by its `chat`.
    case message(Message)
    /// Not numbered, merged, may be lost.
    case passing(PassingNews)
    /// Not numbered, only to whom it concerns.
    case invitation(InvitationNews)
}

/// A durable change with its number.
public struct RoomChange: Hashable, Sendable {
    /// Dense within the room.
    public var seq: UInt64
    /// Milliseconds since 1970.
    public var time: Int64
    public var what: What

    public enum What: Hashable, Sendable {
        case updated(RoomInfo)
        case destroyed(RoomEndReason, RoomSummary)
        case seatTaken(Seat, user: UserProfile, by: UserID?)
        case seatLeft(Seat, user: UserProfile, reason: SeatLeaveReason, by: UserID?)
        case seatMuted(Seat, by: UserID?)
        /// `seat.state` tells whether it was closed or opened.
        case seatClosed(Seat, by: UserID?)
        /// The user's own mute.
        case microphoneMuted(user: UserID, muted: Bool, seat: Int)
        case roleChanged(user: UserID, role: Role, by: UserID?)
        case ownerChanged(user: UserProfile, reason: OwnerChangeReason)
        /// What is sung from now on; `nil`: nothing.
        case songChanged(SongPlay?, SongChange, by: UserID?)
    }

    public init(seq: UInt64, time: Int64, what: What) {
        self.seq = seq
        self.time = time
        self.what = what
    }
}

public enum PassingNews: Hashable, Sendable {
    case audienceEntered(Member)
    case audienceLeft(UserID, reason: AudienceLeaveReason)
    /// A seated person's connection or media path; `until` (milliseconds since 1970) is when the seat will be freed.
    case presence(UserID, Presence, until: Int64?)
    /// The owner is away until then (milliseconds since 1970); `heir` would inherit the room if it were so far now,
    /// absent: it would end.
    case ownerAbsent(until: Int64, heir: UserID?)
    case ownerBack
    /// Loudness 0…100 of whoever speaks; empty once at silence.
    case levels([UserID: Int])
    case likes(LikesNews)
    /// In big rooms instead of single entries.
    case count(memberCount: Int)
}

/// Likes since the last such news.
public struct LikesNews: Codable, Hashable, Sendable {
    /// Of the room's life, exact.
    public var total: UInt64
    public var added: UInt64
    /// Up to three of those who sent them.
    public var users: [UserID]

    public init(total: UInt64, added: UInt64, users: [UserID]) {
        self.total = total
        self.added = added
        self.users = users
    }
}

public enum AudienceLeaveReason: String, Codable, Hashable, Sendable {
    /// By their own will.
    case left
    /// Their connection did not come back within the grace time.
    case lost
}

/// `invitation.state` tells which of the five it is: waiting = received.
public struct InvitationNews: Hashable, Sendable {
    public var invitation: Invitation
    /// Who sent, answered or cancelled it; absent when it timed out.
    public var by: UserID?

    public init(invitation: Invitation, by: UserID?) {
        self.invitation = invitation
        self.by = by
    }
}
