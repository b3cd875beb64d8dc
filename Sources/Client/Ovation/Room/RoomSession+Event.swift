public import RoomModel

extension RoomSession {
    /// Something that happened in the room. When an event is heard, `state` shows it already; several may have followed.
    public enum Event: Sendable, Hashable {
        /// Name, cover, tags, owner or rule of the room.
        case infoChanged(RoomInfo)
        /// The whole list. It always comes right before the event of the single seat.
        case seatsChanged([Seat])
        /// Somebody sits down. `by` is who did it: oneself, or who picked them.
        case seatTaken(Seat, user: UserProfile, by: UserID?)
        /// Somebody has left a seat, for that reason; without a reason where it happened unseen while the connection was lost.
        case seatLeft(Seat, user: UserProfile, reason: SeatLeaveReason?, by: UserID?)
        /// The host has muted or unmuted a seat: `seat.muted` tells which.
        case seatMuted(Seat, by: UserID?)
        /// A seat was closed or opened: `seat.state` tells which.
        case seatClosed(Seat, by: UserID?)
        /// Somebody seated has muted or unmuted their own microphone.
        case microphoneMuted(user: UserID, muted: Bool, seat: Int)
        /// The owner has made somebody an admin, or a member again.
        case roleChanged(user: UserID, role: Role, by: UserID?)
        /// The room has another owner.
        case ownerChanged(UserProfile, reason: OwnerChangeReason)
        /// What a chorus room sings from now on; nil: nothing. `by` is absent when the song came to its end.
        case songChanged(SongPlay?, SongChange, by: UserID?)
        /// Whether one leads in a chorus room, or all sing at once. `by` chose it, or let the leader's seat become free.
        case duetChanged(DuetMode, by: UserID?)
        /// How the ways of those who sing in a chorus room do; at most every two seconds, and when something has changed.
        case networkChanged(NetworkReport)
        /// Somebody else has entered.
        case memberEntered(Member)
        /// Somebody else has left, or is lost.
        case memberLeft(UserProfile, reason: AudienceLeaveReason)
        /// How many people are here; in big rooms instead of each entry.
        case memberCountChanged(Int)
        /// Somebody seated is reconnecting or back. `until` (milliseconds since 1970) is when the seat will be freed.
        case presenceChanged(user: UserID, presence: Presence, until: Int64?)
        /// The owner is away until then (milliseconds since 1970); then the heir inherits the room, or without one it ends.
        case ownerAbsent(until: Int64, heir: UserID?)
        /// The owner is back.
        case ownerReturned
        /// A message to everybody, one's own among them: it has the `id` that one gave it.
        case message(Message)
        /// Messages of these numbers will not come: this connection was too slow for them, or too many were missed while it was
        /// lost.
        case messagesMissed(ClosedRange<UInt64>)
        /// Loudness 0…100 of whoever speaks; empty once at silence.
        case levels([UserID: Int])
        /// Likes since the last such event.
        case likes(LikesNews)
        /// An invitation that concerns me: `invitation.state` tells whether it came (waiting), or how it was settled.
        case invitation(InvitationNews)
        /// The room has ended. Nothing follows.
        case ended(RoomEndReason, RoomSummary)
        /// The room cannot be entered again after a lost connection, or its session has ended. Nothing follows.
        case gone(OvationError)
        /// The connection is lost. It reconnects automatically.
        case connectionLost
        /// The connection is back and `state` is exact again. What was missed came as events before this one.
        case resumed
    }
}
