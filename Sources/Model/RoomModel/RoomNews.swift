/// One notification to the people of a room: what happened, in order.
package struct RoomNews: Hashable, Sendable {
    /// Where it happened.
    package var room: RoomID
    /// Grows when the room was read anew from the disk.
    package var epoch: UInt64
    /// In the order in which they happened.
    package var events: [RoomNewsEvent]

    /// So much of that room.
    package init(room: RoomID, epoch: UInt64, events: [RoomNewsEvent]) {
        self.room = room
        self.epoch = epoch
        self.events = events
    }
}

/// Something that happened in a room, by how it is numbered and kept.
package enum RoomNewsEvent: Hashable, Sendable {
    /// Numbered, and on the disk before anybody hears of it.
    case change(RoomChange)
    /// Numbered by its `chat`.
    case message(Message)
    /// Not numbered, merged, may be lost.
    case passing(PassingNews)
    /// Not numbered, only to whom it concerns.
    case invitation(InvitationNews)
    /// Not numbered, to the owner alone.
    case challenge(ChallengeNews)
    /// Not numbered, to the one concerned and to those who run the room.
    case restriction(RestrictionNews)
}

extension RoomNewsEvent {
    /// The room has ended: nothing of it comes after this.
    package var isEnd: Bool {
        if case .change(let change) = self, case .destroyed = change.what { true } else { false }
    }
}

/// A durable change with its number.
package struct RoomChange: Hashable, Sendable {
    /// Dense within the room.
    package var seq: UInt64
    /// Milliseconds since 1970.
    package var time: Int64
    /// What has changed.
    package var what: What

    /// What a numbered change is about.
    package enum What: Hashable, Sendable {
        /// Name, cover, tags, or rule.
        case updated(RoomInfo)
        /// What the app keeps with the room. `by` changed it.
        case attributesChanged(AttributesChange, by: UserID?)
        /// The room has ended.
        case destroyed(RoomEndReason, RoomSummary)
        /// Somebody sits down; `by` is who did it.
        case seatTaken(Seat, user: UserProfile, by: UserID?)
        /// Somebody has left a seat.
        case seatLeft(Seat, user: UserProfile, reason: SeatLeaveReason, by: UserID?)
        /// The host has muted or unmuted a seat: `seat.muted` tells which.
        case seatMuted(Seat, by: UserID?)
        /// `seat.state` tells whether it was closed or opened.
        case seatClosed(Seat, by: UserID?)
        /// The user's own mute.
        case microphoneMuted(user: UserID, muted: Bool, seat: Int)
        /// Whether somebody's camera is seen. `by` is who changed it.
        case cameraChanged(user: UserID, camera: CameraState, seat: Int, by: UserID?)
        /// Whose screen is seen from now on; `nil`: nobody's. `by` is who changed it.
        case screenChanged(user: UserID?, by: UserID?)
        /// The host, or an admin, arranged the stage of a live room.
        case stageArranged(StageLayout, by: UserID?)
        /// Somebody became an admin, or a member again.
        case roleChanged(user: UserID, role: Role, by: UserID?)
        /// The room has another owner.
        case ownerChanged(user: UserProfile, reason: OwnerChangeReason)
        /// What is sung from now on; `nil`: nothing.
        case songChanged(SongPlay?, SongChange, by: UserID?)
        /// Whether one leads, or all sing at once. `by` chose it, or let the leader's seat become free.
        case duetChanged(DuetMode, by: UserID?)
        /// Links to other rooms and the PK with them, whole. `by` is who changed it, in this room.
        case pkChanged(PKState, PKCause, by: UserID?)
        /// Gifts were sent; what the room has been given with them.
        case gifted([SentGift], GiftStanding)
        /// A message's text is gone. `by` removed it.
        case messageDeleted(chat: UInt64, by: UserID?)
    }

    /// The change of that number.
    package init(seq: UInt64, time: Int64, what: What) {
        self.seq = seq
        self.time = time
        self.what = what
    }
}

/// What is told without a number.
package enum PassingNews: Hashable, Sendable {
    /// Somebody has entered.
    case audienceEntered(Member)
    /// Somebody has left, or is lost.
    case audienceLeft(UserID, reason: AudienceLeaveReason)
    /// A seated person's connection or media path; `until` (milliseconds since 1970) is when the seat will be freed.
    case presence(UserID, Presence, until: Int64?)
    /// The owner is away until then (milliseconds since 1970); `heir` would inherit the room if it were so far now,
    /// absent: it would end.
    case ownerAbsent(until: Int64, heir: UserID?)
    /// The owner is back.
    case ownerBack
    /// Loudness 0…100 of whoever speaks; empty once at silence.
    case levels([UserID: Int])
    /// Likes since the last such news.
    case likes(LikesNews)
    /// In big rooms instead of single entries.
    case count(memberCount: Int)
    /// How the ways of those who sing do, when something has changed.
    case network(NetworkReport)
    /// What one gets of the pictures of a live room, of all that say something: to the one alone, when it has changed.
    case pictures([PictureNews])
    /// How the points of the PK stand.
    case points(PKPoints)
    /// How large somebody wants one's camera, and whether anybody wants it in VP8 since they cannot show the room's format: to the one
    /// alone.
    case cameraWanted(PictureSize, spare: Bool)
}

/// Likes since the last such news.
public struct LikesNews: Codable, Hashable, Sendable {
    /// Of the room's life, exact.
    public var total: UInt64
    /// Since the last such news.
    public var added: UInt64
    /// Up to three of those who sent them.
    public var users: [UserID]

    /// Creates the value from its parts.
    public init(total: UInt64, added: UInt64, users: [UserID]) {
        self.total = total
        self.added = added
        self.users = users
    }
}

/// Why somebody is no longer in the room.
@nonexhaustive public enum AudienceLeaveReason: String, Codable, Hashable, Sendable {
    /// By their own will.
    case left
    /// Their connection did not come back within the grace time.
    case lost
}

/// `invitation.state` tells which of the five it is: waiting = received.
public struct InvitationNews: Codable, Hashable, Sendable {
    /// The invitation as it stands now.
    public var invitation: Invitation
    /// Who sent, answered or cancelled it; absent when it timed out.
    public var by: UserID?

    /// News of it, and who caused them.
    public init(invitation: Invitation, by: UserID?) {
        self.invitation = invitation
        self.by = by
    }
}
