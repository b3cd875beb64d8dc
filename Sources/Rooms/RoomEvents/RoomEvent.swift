package import RoomModel

/// What an accepted command did to a room: the journal's vocabulary. Applying the events again gives the same room.
/// An event of everybody's interest gets a number (`isNumbered`); others are private or silent.
package enum RoomEvent: Hashable, Sendable {
    case created(RoomFounding)
    case updated(RoomSettings)
    case attributesChanged(AttributesChange)
    case ended(RoomEnded)
    /// `moved`: from another seat, in the same command; the user's own mute and the camera come along.
    case seatTaken(Int, user: UserProfile, micMuted: Bool, camera: CameraState = .off, moved: Bool)
    case seatLeft(Int, user: UserProfile, reason: SeatLeaveReason)
    case seatMuted(Int, muted: Bool)
    case seatClosed(Int, closed: Bool)
    /// The user's own mute.
    case microphoneMuted(UserID, muted: Bool)
    /// By its user, or by the host.
    case cameraChanged(UserID, CameraState)
    case screenChanged(ScreenChanged)
    case stageArranged(StageArranged)
    case roleChanged(RoleChanged)
    case ownerChanged(UserProfile, OwnerChangeReason)
    case invitationSent(Invitation)
    case invitationSettled(id: String, InvitationState, reason: String?)
    /// The time in which an accepted invitation lets somebody sit down is over.
    case consentLapsed(UserID)
    /// Whole, number and all: a room's last messages are also read without its state.
    case messageSent(Message)
    /// Its text is gone; the number stays.
    case messageDeleted(MessageDeleted)
    /// Replaces one of the same kind and person.
    case restricted(Restriction)
    case restrictionLifted(RestrictionKind, of: UserID)
    /// Merged: `users` are up to three of those who sent them.
    case liked(count: UInt64, users: [UserID])
    /// Paid in the ledger before; in the order of their numbers.
    case gifted([SentGift])
    case songChanged(SongChanged)
    case duetChanged(DuetChanged)
    /// Whole: links to other rooms, and the PK with them.
    case pkChanged(PKChanged)
    case pointsChanged(PKPoints)
    /// `waiting`: from now on; else it is settled.
    case challengeChanged(ChallengeNews)
    /// The host takes no challenges until then, by that host or by anybody; `nil`: takes them again.
    case challengesPaused(by: UserID?, until: Int64?)
    /// Something is on its way to another room.
    case letterPosted(RoomLetter)
    /// The other room has stored all letters of the session up to that one.
    case lettersDelivered(session: String, step: UInt64)
    /// There is nobody any more who would read the session's letters.
    case lettersGivenUp(session: String)
    case letterHeard(session: String, step: UInt64)
    /// The operator has erased a person: the room knows neither name nor words of theirs any more.
    case personErased(UserID)

    /// Whether the event has a `seq`, which everybody in the room sees.
    package var isNumbered: Bool {
        switch self {
        case .created, .updated, .attributesChanged, .ended, .seatTaken, .seatLeft, .seatMuted, .seatClosed,
            .microphoneMuted, .roleChanged,
            .ownerChanged, .songChanged, .duetChanged, .cameraChanged, .screenChanged, .stageArranged,
            .pkChanged, .gifted, .messageDeleted:
            true
        case .invitationSent, .invitationSettled, .consentLapsed, .messageSent, .restricted, .restrictionLifted, .liked,
            .pointsChanged, .challengeChanged, .challengesPaused, .letterPosted, .lettersDelivered, .lettersGivenUp,
            .letterHeard, .personErased:
            false
        }
    }
}

extension RoomEvent {
    /// What everybody is told of it, if that is what is stored, and who did it.
    package func told(by author: UserID?) -> RoomChange.What? {
        switch self {
        case .ended(let end): .ended(end)
        case .screenChanged(let change): .screenChanged(change.done(by: author))
        case .stageArranged(let change): .stageArranged(change.done(by: author))
        case .roleChanged(let change): .roleChanged(change.done(by: author))
        case .songChanged(let change): .songChanged(change.done(by: author))
        case .duetChanged(let change): .duetChanged(change.done(by: author))
        case .pkChanged(let change): .pkChanged(change.done(by: author))
        case .messageDeleted(let deletion): .messageDeleted(deletion.done(by: author))
        case .created, .updated, .attributesChanged, .seatTaken, .seatLeft, .seatMuted, .seatClosed, .microphoneMuted,
            .cameraChanged, .ownerChanged, .invitationSent, .invitationSettled, .consentLapsed, .messageSent,
            .restricted, .restrictionLifted, .liked, .gifted, .pointsChanged, .challengeChanged, .challengesPaused,
            .letterPosted, .lettersDelivered, .lettersGivenUp, .letterHeard, .personErased:
            nil
        }
    }
}

/// How a room begins.
package struct RoomFounding: Hashable, Sendable, Codable {
    package var kind: RoomKind
    package var settings: RoomSettings
    package var owner: UserProfile
    package var seats: [SeatSetup]
    /// The epoch in which the room begins. Numbers from before it are of a former room of the same id.
    package var epoch: UInt64
    /// Whether it goes on while its owner is away: an operator created it, and ends it.
    package var lasts: Bool

    package init(
        kind: RoomKind, settings: RoomSettings, owner: UserProfile, seats: [SeatSetup], epoch: UInt64,
        lasts: Bool = false
    ) {
        self.epoch = epoch
        self.lasts = lasts
        self.kind = kind
        self.settings = settings
        self.owner = owner
        self.seats = seats
    }

    private enum CodingKeys: String, CodingKey { case kind, settings, owner, seats, epoch, lasts }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try fields.decodeIfPresent(RoomKind.self, forKey: .kind) ?? .voice,
            settings: try fields.decode(RoomSettings.self, forKey: .settings),
            owner: try fields.decode(UserProfile.self, forKey: .owner),
            seats: try fields.decode([SeatSetup].self, forKey: .seats),
            epoch: try fields.decode(UInt64.self, forKey: .epoch),
            lasts: try fields.decodeIfPresent(Bool.self, forKey: .lasts) ?? false)
        guard kind.isKnown else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: fields,
                debugDescription: "a room of the kind \(kind.rawValue) is from a newer server")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(settings, forKey: .settings)
        try fields.encode(owner, forKey: .owner)
        try fields.encode(seats, forKey: .seats)
        try fields.encode(epoch, forKey: .epoch)
        if lasts { try fields.encode(true, forKey: .lasts) }
    }
}

/// One accepted command: what is stored whole or not at all, and applied whole.
package struct AcceptedCommand: Hashable, Sendable, Codable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// Who asked; `nil` for the server itself.
    package var by: UserID?
    package var events: [RoomEvent]
    /// The answer, if the command came with an idempotency key.
    package var answer: KeyedAnswer?
    /// Most people at once so far, when it has risen since the last entry.
    package var peak: Int?

    package init(time: Int64, by: UserID?, events: [RoomEvent], answer: KeyedAnswer? = nil, peak: Int? = nil) {
        self.time = time
        self.by = by
        self.events = events
        self.answer = answer
        self.peak = peak
    }

    private enum CodingKeys: String, CodingKey { case time, by, events, answer, peak }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            time: try fields.decode(Int64.self, forKey: .time),
            by: try fields.decodeIfPresent(UserID.self, forKey: .by),
            events: try fields.decode([RoomEvent].self, forKey: .events),
            answer: try fields.decodeIfPresent(KeyedAnswer.self, forKey: .answer),
            peak: try fields.decodeIfPresent(Int.self, forKey: .peak))
    }
}

/// The first accepted answer to an idempotency key.
package struct KeyedAnswer: Hashable, Sendable, Codable {
    package var user: UserID
    package var key: String
    /// Of the command's body: the same key with another body is an error.
    package var fingerprint: UInt64
    package var result: CommandResult
    /// Of an earlier release, in which a program had the keys of the person of its name.
    package private(set) var isShared = false

    package init(user: UserID, key: String, fingerprint: UInt64, result: CommandResult) {
        self.user = user
        self.key = key
        self.fingerprint = fingerprint
        self.result = result
    }

    private enum CodingKeys: String, CodingKey { case user, key, fingerprint, result, v }
    private static let version = 2

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            user: try fields.decode(UserID.self, forKey: .user), key: try fields.decode(String.self, forKey: .key),
            fingerprint: try fields.decode(UInt64.self, forKey: .fingerprint),
            result: try fields.decodeIfPresent(CommandResult.self, forKey: .result) ?? .done)
        isShared = try fields.decodeIfPresent(Int.self, forKey: .v) ?? 1 < Self.version
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(user, forKey: .user)
        try fields.encode(key, forKey: .key)
        try fields.encode(fingerprint, forKey: .fingerprint)
        try fields.encode(result, forKey: .result)
        if !isShared { try fields.encode(Self.version, forKey: .v) }
    }
}
