/// The types of events in `room.events`, as they stand on the wire. The manual explains each. A new event is a line in each of the lists of
/// this file, and its payload beside the values of its subject.
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

extension EventType {
    /// How an event of the type is read.
    package var form: EventForm {
        switch self {
        case .roomUpdated: .change(RoomChange.What.updated)
        case .attributesChanged: .change(RoomChange.What.attributesChanged)
        case .roomDestroyed: .change(RoomChange.What.ended)
        case .seatTaken: .change(RoomChange.What.seatTaken)
        case .seatLeft: .change(RoomChange.What.seatLeft)
        case .seatMuted: .change(RoomChange.What.seatMuted)
        case .seatClosed: .change(RoomChange.What.seatClosed)
        case .microphoneMuted: .change(RoomChange.What.microphoneMuted)
        case .cameraChanged: .change(RoomChange.What.cameraChanged)
        case .screenChanged: .change(RoomChange.What.screenChanged)
        case .stageArranged: .change(RoomChange.What.stageArranged)
        case .roleChanged: .change(RoomChange.What.roleChanged)
        case .ownerChanged: .change(RoomChange.What.ownerChanged)
        case .songChanged: .change(RoomChange.What.songChanged)
        case .duetChanged: .change(RoomChange.What.duetChanged)
        case .pkChanged: .change(RoomChange.What.pkChanged)
        case .giftsSent: .change(RoomChange.What.giftsSent)
        case .messageDeleted: .change(RoomChange.What.messageDeleted)

        case .message: .news(RoomNewsEvent.message)
        case .invitationReceived, .invitationAccepted, .invitationRejected, .invitationCancelled, .invitationExpired:
            .news(RoomNewsEvent.invitation)
        case .restrictionSet, .restrictionLifted: .news(RoomNewsEvent.restriction)
        case .pkChallenge: .news(RoomNewsEvent.challenge)

        case .dropped: .passing(PassingNews.dropped)
        case .audienceEntered: .passing(PassingNews.audienceEntered)
        case .audienceLeft: .passing(PassingNews.audienceLeft)
        case .presence: .passing(PassingNews.presence)
        case .ownerAbsent: .passing(PassingNews.ownerAbsent)
        case .ownerBack: .passing(PassingNews.ownerBack)
        case .levels: .passing(PassingNews.levels)
        case .likes: .passing(PassingNews.likes)
        case .count: .passing(PassingNews.count)
        case .network: .passing(PassingNews.network)
        case .pkPoints: .passing(PassingNews.points)
        case .mediaPictures: .passing(PassingNews.pictures)
        case .mediaWanted: .passing(PassingNews.cameraWanted)
        }
    }
}

extension RoomChange {
    /// What a numbered change is about.
    package enum What: Hashable, Sendable {
        case updated(RoomUpdated)
        case attributesChanged(AttributesChanged)
        case ended(RoomEnded)
        case seatTaken(SeatTaken)
        case seatLeft(SeatLeft)
        case seatMuted(SeatMuted)
        case seatClosed(SeatClosed)
        case microphoneMuted(MicrophoneMuted)
        case cameraChanged(CameraChanged)
        case screenChanged(ScreenChanged)
        case stageArranged(StageArranged)
        case roleChanged(RoleChanged)
        case ownerChanged(OwnerChanged)
        case songChanged(SongChanged)
        case duetChanged(DuetChanged)
        case pkChanged(PKChanged)
        case giftsSent(GiftsSent)
        case messageDeleted(MessageDeleted)

        package var payload: any EventPayload {
            switch self {
            case .updated(let payload): payload
            case .attributesChanged(let payload): payload
            case .ended(let payload): payload
            case .seatTaken(let payload): payload
            case .seatLeft(let payload): payload
            case .seatMuted(let payload): payload
            case .seatClosed(let payload): payload
            case .microphoneMuted(let payload): payload
            case .cameraChanged(let payload): payload
            case .screenChanged(let payload): payload
            case .stageArranged(let payload): payload
            case .roleChanged(let payload): payload
            case .ownerChanged(let payload): payload
            case .songChanged(let payload): payload
            case .duetChanged(let payload): payload
            case .pkChanged(let payload): payload
            case .giftsSent(let payload): payload
            case .messageDeleted(let payload): payload
            }
        }
    }
}

/// What is told without a number.
package enum PassingNews: Hashable, Sendable {
    case audienceEntered(AudienceEntered)
    case audienceLeft(AudienceLeft)
    case presence(PresenceChanged)
    case ownerAbsent(OwnerAbsent)
    case ownerBack(OwnerBack)
    case levels(SpeakingLevels)
    case likes(LikesNews)
    /// In big rooms instead of single entries.
    case count(MemberCount)
    /// When something has changed.
    case network(NetworkReport)
    /// To the one alone whose pictures they are.
    case pictures(PicturesChanged)
    case points(PKPoints)
    /// To the one alone whose camera it is.
    case cameraWanted(CameraWanted)
    /// To one connection alone, by what writes to it.
    case dropped(MessagesDropped)

    package var payload: any EventPayload {
        switch self {
        case .audienceEntered(let payload): payload
        case .audienceLeft(let payload): payload
        case .presence(let payload): payload
        case .ownerAbsent(let payload): payload
        case .ownerBack(let payload): payload
        case .levels(let payload): payload
        case .likes(let payload): payload
        case .count(let payload): payload
        case .network(let payload): payload
        case .pictures(let payload): payload
        case .points(let payload): payload
        case .cameraWanted(let payload): payload
        case .dropped(let payload): payload
        }
    }
}
