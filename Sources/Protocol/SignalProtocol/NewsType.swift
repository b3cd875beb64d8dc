import RoomModel

extension RoomNewsEvent {
    /// As it is called on the wire.
    package var type: EventType {
        switch self {
        case .change(let change): change.what.type
        case .message: .message
        case .passing(let news): news.type
        case .restriction(let news): news.lifted ? .restrictionLifted : .restrictionSet
        case .invitation(let news):
            switch news.invitation.state {
            case .waiting: .invitationReceived
            case .accepted: .invitationAccepted
            case .rejected: .invitationRejected
            case .cancelled: .invitationCancelled
            case .expired: .invitationExpired
            }
        case .challenge: .pkChallenge
        }
    }
}

extension RoomChange.What {
    fileprivate var type: EventType {
        switch self {
        case .updated: .roomUpdated
        case .attributesChanged: .attributesChanged
        case .destroyed: .roomDestroyed
        case .seatTaken: .seatTaken
        case .seatLeft: .seatLeft
        case .seatMuted: .seatMuted
        case .seatClosed: .seatClosed
        case .microphoneMuted: .microphoneMuted
        case .cameraChanged: .cameraChanged
        case .screenChanged: .screenChanged
        case .stageArranged: .stageArranged
        case .roleChanged: .roleChanged
        case .ownerChanged: .ownerChanged
        case .songChanged: .songChanged
        case .gifted: .giftsSent
        case .messageDeleted: .messageDeleted
        case .duetChanged: .duetChanged
        case .pkChanged: .pkChanged
        }
    }
}

extension PassingNews {
    fileprivate var type: EventType {
        switch self {
        case .audienceEntered: .audienceEntered
        case .audienceLeft: .audienceLeft
        case .presence: .presence
        case .ownerAbsent: .ownerAbsent
        case .ownerBack: .ownerBack
        case .levels: .levels
        case .likes: .likes
        case .count: .count
        case .network: .network
        case .pictures: .mediaPictures
        case .points: .pkPoints
        case .cameraWanted: .mediaWanted
        }
    }
}
