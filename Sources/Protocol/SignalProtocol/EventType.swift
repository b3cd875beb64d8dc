/// The types of events in `room.events`, as they stand on the wire. Server and clients read them from here; the manual explains each.
package enum EventType: String, Sendable, Hashable, CaseIterable, Codable {
    // Durable: they carry the room's next number.
    case roomUpdated = "room.updated"
    case attributesChanged = "attributes.changed"
    case roomDestroyed = "room.destroyed"
    case seatTaken = "seat.taken"
    case seatLeft = "seat.left"
    case seatMuted = "seat.muted"
    case seatClosed = "seat.closed"
    case microphoneMuted = "microphone.muted"
    case cameraChanged = "camera.changed"
    case screenChanged = "screen.changed"
    case stageArranged = "stage.arranged"
    case roleChanged = "role.changed"
    case ownerChanged = "owner.changed"
    case songChanged = "song.changed"
    case duetChanged = "duet.changed"
    case pkChanged = "pk.changed"
    case giftsSent = "gifts.sent"
    case messageDeleted = "message.deleted"

    // Chat, which has numbers of its own.
    case message
    case dropped

    // For those whom an invitation concerns.
    case invitationReceived = "invitation.received"
    case invitationAccepted = "invitation.accepted"
    case invitationRejected = "invitation.rejected"
    case invitationCancelled = "invitation.cancelled"
    case invitationExpired = "invitation.expired"

    // For the one whom a restriction concerns, and those who run the room.
    case restrictionSet = "restriction.set"
    case restrictionLifted = "restriction.lifted"

    // For the owner, whom a challenge to a PK concerns.
    case pkChallenge = "pk.challenge"

    // In passing: without a number.
    case audienceEntered = "audience.entered"
    case audienceLeft = "audience.left"
    case presence
    case ownerAbsent = "owner.absent"
    case ownerBack = "owner.back"
    case levels
    case likes
    case count
    case network
    case pkPoints = "pk.points"
    case mediaPictures = "media.pictures"
    case mediaWanted = "media.wanted"
}
