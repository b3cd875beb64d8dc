public import Foundation
public import RoomModel

extension RoomSession {
    /// Something that happened in the room. When an event is delivered, `state` shows it already, and may show later ones too.
    /// What was missed while the connection was lost is told too; who did it may not be known then, and `by` is `nil`.
    @nonexhaustive public enum Event: Sendable, Hashable {
        /// The name, cover, tags, owner or seat rule of the room has changed.
        case infoChanged(RoomInfo)
        /// The complete list of seats. It comes right before the event of the single seat.
        case seatsChanged([Seat])
        /// Somebody has taken a seat. Who enters is told so of everybody seated.
        case seatTaken(SeatTaken)
        /// Somebody has left a seat. `reason` is `nil` if it happened while the connection was lost.
        case seatLeft(Seat, user: UserProfile, reason: SeatLeaveReason?, by: UserID?)
        /// The host has muted or unmuted a seat: `seat.muted` tells which.
        case seatMuted(SeatMuted)
        /// A seat was closed or opened: `seat.state` tells which.
        case seatClosed(SeatClosed)
        /// Somebody seated has muted or unmuted their own microphone.
        case microphoneMuted(MicrophoneMuted)
        /// In a live room, somebody seated is seen from now on, or no longer.
        case cameraChanged(CameraChanged)
        /// In a live room, somebody shares a screen from now on; `user` is `nil` when nobody does.
        case screenChanged(ScreenChanged)
        /// What the app keeps with the room has changed: the new words by name, and the names that are gone.
        case attributesChanged(AttributesChanged)
        /// The stage of a live room is arranged in another way from now on.
        case stageArranged(StageArranged)
        /// In a live room, the links to other rooms or the PK with them have changed.
        case pkChanged(PKChanged)
        /// The points of the PK have changed. At most twice a second for the other room's.
        case pointsChanged(PKPoints)
        /// Something happened to a challenge to a PK. Only the owner of a live room gets it.
        case challengeChanged(ChallengeNews)
        /// The owner has made somebody an admin, or a member again.
        case roleChanged(RoleChanged)
        /// The room has another owner.
        case ownerChanged(OwnerChanged)
        /// The song of a chorus room has changed; `play` is `nil` when nothing is sung any more.
        case songChanged(SongChanged)
        /// A chorus room has changed between singing together and leading.
        case duetChanged(DuetChanged)
        /// The network quality of the singers in a chorus room. Sent when it has changed, at most every two seconds.
        case networkChanged(NetworkReport)
        /// Somebody else has entered.
        case memberEntered(Member)
        /// Somebody else has left, or their connection was lost for good.
        case memberLeft(UserProfile, reason: AudienceLeaveReason)
        /// The number of members. Large rooms send it instead of single entries.
        case memberCountChanged(Int)
        /// Somebody on a seat is reconnecting, or has reconnected. The seat is freed at `until`.
        case presenceChanged(user: UserID, presence: Presence, until: Date?)
        /// The owner is away. At `until` the heir takes over the room; without an heir it ends.
        case ownerAbsent(until: Date, heir: UserID?)
        /// The owner is back.
        case ownerReturned
        /// A message to everybody. The user's own messages come too, with their `id`.
        case message(Message)
        /// The messages with these numbers will not come: the connection was too slow for them, or was lost for too long.
        case messagesMissed(ClosedRange<UInt64>)
        /// The text of a message was removed.
        case messageDeleted(MessageDeleted)
        /// Somebody may not write messages or enter the room for the time being, or may again. Sent to the one concerned, the owner and the
        /// admins.
        case restriction(RestrictionNews)
        /// The user was put out of the room. `gone` follows.
        case removed(Restriction)
        /// The loudness of everybody who speaks, 0…100. Empty once when everybody is silent.
        case levels([UserID: Int])
        /// Gifts were sent and paid for, in the order of their numbers.
        case giftsSent([SentGift])
        /// The coins that the room has been given in all, and who gave most. It comes right after the gifts themselves.
        case giftStandingChanged(GiftStanding)
        /// Likes since the last such event.
        case likes(LikesNews)
        /// An invitation from or to the user: `invitation.state` is `waiting` for a new one, otherwise how it was settled.
        case invitation(InvitationNews)
        /// The room has ended. This is the last event.
        case ended(RoomEnded)
        /// The user was put out of the room, the room could not be entered again after a lost connection, or the session has ended. This is the
        /// last event.
        case gone(OvationError)
        /// The connection is lost. It reconnects automatically.
        case connectionLost
        /// The connection is back and `state` is exact again. What was missed was delivered before this event.
        case resumed
    }
}
