/// What a person in a room can ask for.
package enum RoomCommand: Hashable, Sendable {
    // seats
    case takeSeat(Int)
    case leaveSeat
    case moveSeat(Int)
    case pickSeat(Int, UserID)
    case kickSeat(Int)
    case muteSeat(Int, muted: Bool)
    case closeSeat(Int, closed: Bool)
    case setMicrophone(muted: Bool)
    // pictures
    case setCamera(on: Bool)
    case allowCamera(Int, allowed: Bool)
    case startScreen
    case stopScreen
    case arrangeStage(StageLayout)
    // invitations
    case sendInvitation(InvitationDraft)
    case acceptInvitation(id: String)
    case rejectInvitation(id: String, reason: String?)
    case cancelInvitation(id: String)
    // chat
    case sendMessage(MessageDraft)
    case sendLikes(Int)
    case sendGift(GiftDraft)
    // moderation
    case deleteMessage(UInt64)
    case setRestriction(RestrictionDraft)
    case liftRestriction(RestrictionKind, of: UserID)
    // songs
    case startSong(SongDraft)
    case pauseSong
    case resumeSong(leadMs: Int64)
    case seekSong(positionMs: Int64, leadMs: Int64)
    case setSongTrack(SongTrack)
    case stopSong
    /// Without a leader whoever sits foremost leads.
    case setDuetMode(DuetMode.Name, leader: UserID?)
    // other rooms
    /// Asks another room's host for a PK, or without terms for a link alone.
    case challenge(RoomID, PKTerms?)
    case cancelChallenge
    case answerChallenge(id: String, agreed: Bool, pause: PKPause?)
    /// The host sees the other one.
    case readyForPK
    /// Ends a link and the PK with it; without an id the only one.
    case quitPK(link: String?)
    case muteLink(String, muted: Bool)
    // membership
    case updateRoom(RoomUpdate)
    case setAttributes(AttributesDraft)
    case setRole(UserID, Role)
    /// Hands the room over.
    case setOwner(UserID)
    case exitRoom
    case destroyRoom

    /// The command without its arguments: a line of the permission table.
    package enum Name: String, CaseIterable, Hashable, Sendable {
        case takeSeat, leaveSeat, moveSeat, pickSeat, kickSeat, muteSeat, closeSeat, setMicrophone
        case setCamera, allowCamera, startScreen, stopScreen, arrangeStage
        case sendInvitation, acceptInvitation, rejectInvitation, cancelInvitation
        case sendMessage, sendLikes, sendGift
        case deleteMessage, setRestriction, liftRestriction
        case startSong, pauseSong, resumeSong, seekSong, setSongTrack, stopSong, setDuetMode
        case challenge, cancelChallenge, answerChallenge, readyForPK, quitPK, muteLink
        case updateRoom, setAttributes, setRole, setOwner, exitRoom, destroyRoom
    }

    package var name: Name {
        switch self {
        case .takeSeat: .takeSeat
        case .leaveSeat: .leaveSeat
        case .moveSeat: .moveSeat
        case .pickSeat: .pickSeat
        case .kickSeat: .kickSeat
        case .muteSeat: .muteSeat
        case .closeSeat: .closeSeat
        case .setMicrophone: .setMicrophone
        case .setCamera: .setCamera
        case .allowCamera: .allowCamera
        case .startScreen: .startScreen
        case .stopScreen: .stopScreen
        case .arrangeStage: .arrangeStage
        case .sendInvitation: .sendInvitation
        case .acceptInvitation: .acceptInvitation
        case .rejectInvitation: .rejectInvitation
        case .cancelInvitation: .cancelInvitation
        case .sendMessage: .sendMessage
        case .sendLikes: .sendLikes
        case .sendGift: .sendGift
        case .deleteMessage: .deleteMessage
        case .setRestriction: .setRestriction
        case .liftRestriction: .liftRestriction
        case .startSong: .startSong
        case .pauseSong: .pauseSong
        case .resumeSong: .resumeSong
        case .seekSong: .seekSong
        case .setSongTrack: .setSongTrack
        case .stopSong: .stopSong
        case .setDuetMode: .setDuetMode
        case .challenge: .challenge
        case .cancelChallenge: .cancelChallenge
        case .answerChallenge: .answerChallenge
        case .readyForPK: .readyForPK
        case .quitPK: .quitPK
        case .muteLink: .muteLink
        case .updateRoom: .updateRoom
        case .setAttributes: .setAttributes
        case .setRole: .setRole
        case .setOwner: .setOwner
        case .exitRoom: .exitRoom
        case .destroyRoom: .destroyRoom
        }
    }
}

/// Changes of the settings; what is absent stays.
package struct RoomUpdate: Hashable, Sendable {
    package var name: String?
    package var cover: String?
    package var tags: [String]?
    package var needsRequest: Bool?
    package var slowSeconds: Int?
    package var hostsOnly: Bool?
    package var noLinks: Bool?

    package init(
        name: String? = nil, cover: String? = nil, tags: [String]? = nil, needsRequest: Bool? = nil,
        slowSeconds: Int? = nil,
        hostsOnly: Bool? = nil, noLinks: Bool? = nil
    ) {
        self.name = name
        self.cover = cover
        self.tags = tags
        self.needsRequest = needsRequest
        self.slowSeconds = slowSeconds
        self.hostsOnly = hostsOnly
        self.noLinks = noLinks
    }
}

/// What somebody wants to create.
package struct RoomCreation: Hashable, Sendable {
    /// `nil`: the server picks a number of 5…7 digits.
    package var room: RoomID?
    package var kind: RoomKind
    package var settings: RoomSettings
    package var seats: [SeatSetup]

    package init(
        room: RoomID? = nil, kind: RoomKind = .voice, settings: RoomSettings,
        seats: [SeatSetup] = Array(repeating: SeatSetup(), count: 8)
    ) {
        self.room = room
        self.kind = kind
        self.settings = settings
        self.seats = seats
    }
}

/// What an accepted command answers.
package enum CommandResult: Hashable, Sendable {
    /// `{}`
    case done
    /// The invitation's id, and its place among the requests that wait for the same person, from 1.
    case invited(id: String, position: Int)
    /// Number and time (milliseconds since 1970) of the message.
    case sent(chat: UInt64, time: Int64)
    /// The room's likes, these included.
    case liked(total: UInt64)
    /// The room time (milliseconds since 1970) at which the song is heard.
    case scheduled(startAt: Int64)
    /// The gift's number, and the coins that its sender had left.
    case gifted(number: Int64, balance: Int64)
}

/// What an accepted command answers, and how far the room has come with it.
package struct CommandOutcome: Hashable, Sendable {
    package var result: CommandResult
    /// Number of the room's last durable change when the command was carried out, its own included: whoever has taken up the
    /// changes up to it sees what the command did. Absent where nothing durable is meant.
    package var seq: UInt64?

    package init(_ result: CommandResult, seq: UInt64? = nil) {
        self.result = result
        self.seq = seq
    }
}

/// A client's name for one attempt to change something, so that it can safely be tried again: 1…64 printable ASCII
/// characters.
package struct IdempotencyKey: Hashable, Sendable {
    package let rawValue: String

    package init?(_ rawValue: String) {
        guard (1...64).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }
}
