package import RoomModel

/// What an accepted command did to a room: the journal's vocabulary. Applying the events again gives the same room.
/// An event of everybody's interest gets a number (`isNumbered`); others are private or silent.
/// Each carries one payload. What it does to the room, who is told of it, and what it keeps of an erased person, its subject says
/// (`RecordedEvent`, in the rules).
package enum RoomEvent: Hashable, Sendable {
    case created(RoomFounding)
    case updated(RoomSettings)
    case attributesChanged(AttributesChange)
    case ended(RoomEnded)
    case seatTaken(Journal.SeatTaken)
    case seatLeft(Journal.SeatLeft)
    case seatMuted(Journal.SeatMuted)
    case seatClosed(Journal.SeatClosed)
    case microphoneMuted(Journal.MicrophoneMuted)
    case cameraChanged(Journal.CameraChanged)
    case screenChanged(ScreenChanged)
    case stageArranged(StageArranged)
    case roleChanged(RoleChanged)
    case ownerChanged(Journal.OwnerChanged)
    case invitationSent(Invitation)
    case invitationSettled(Journal.InvitationSettled)
    case consentLapsed(Journal.ConsentLapsed)
    /// Whole, number and all: a room's last messages are also read without its state.
    case messageSent(Message)
    /// Its text is gone; the number stays.
    case messageDeleted(MessageDeleted)
    /// Replaces one of the same kind and person.
    case restricted(Restriction)
    case restrictionLifted(Journal.RestrictionLifted)
    case liked(Journal.Liked)
    case gifted(Journal.Gifted)
    case songChanged(SongChanged)
    case duetChanged(DuetChanged)
    /// Whole: links to other rooms, and the PK with them.
    case pkChanged(PKChanged)
    case pointsChanged(PKPoints)
    /// `waiting`: from now on; else it is settled.
    case challengeChanged(ChallengeNews)
    case challengesPaused(Journal.ChallengesPaused)
    /// Something is on its way to another room.
    case letterPosted(RoomLetter)
    case lettersDelivered(Journal.LettersDelivered)
    case lettersGivenUp(Journal.LettersGivenUp)
    case letterHeard(Journal.LetterHeard)
    case personErased(Journal.PersonErased)

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

// How events stand in the journal: `{"type":"seat.taken", …}`. A journal outlives the program that wrote it: a type
// that has been written once keeps its meaning; a change of meaning is a new type or a higher `v` (absent = 1), which
// this reader then learns beside the old one. An event of a newer server is an error, never skipped: a room that
// forgets half of its past is worse than none.

extension RoomEvent: Codable {
    /// The words of the journal.
    package enum Word: String, Codable, CaseIterable {
        case created = "room.created"
        case updated = "room.updated"
        case attributesChanged = "attributes.changed"
        case ended = "room.ended"
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
        case invitationSent = "invitation.sent"
        case invitationSettled = "invitation.settled"
        case consentLapsed = "consent.lapsed"
        case messageSent = "message.sent"
        case messageDeleted = "message.deleted"
        case restricted = "restriction.set"
        case restrictionLifted = "restriction.lifted"
        case liked
        case gifted = "gifts.sent"
        case songChanged = "song.changed"
        case duetChanged = "duet.changed"
        case pkChanged = "pk.changed"
        case pointsChanged = "pk.points"
        case challengeChanged = "pk.challenge"
        case challengesPaused = "pk.paused"
        case letterPosted = "letter.posted"
        case lettersDelivered = "letter.delivered"
        case lettersGivenUp = "letter.lost"
        case letterHeard = "letter.heard"
        case personErased = "person.erased"
    }

    /// What stands beside the fields of a payload, the values that stand under a name of their own, and the fields of what the journal alone
    /// has.
    enum CodingKeys: String, CodingKey {
        case type, v
        case founding, settings, attributes, invitation, message, restriction, challenge, letter
        case seat, from, muted, closed, camera, moved, user, owner, reason, id, state, kind, count, users, gifts, until
        case session, step
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let word = try fields.decode(Word.self, forKey: .type)
        let version = try fields.decodeIfPresent(Int.self, forKey: .v) ?? 1
        guard version == 1 else {
            throw DecodingError.dataCorruptedError(
                forKey: .v, in: fields,
                debugDescription: "\(word.rawValue) of version \(version) is from a newer server")
        }
        func read<Payload: Decodable>() throws -> Payload { try Payload(from: decoder) }
        func read<Payload: Decodable>(under key: CodingKeys) throws -> Payload {
            try fields.decode(Payload.self, forKey: key)
        }
        self =
            switch word {
            case .created: .created(try read(under: .founding))
            case .updated: .updated(try read(under: .settings))
            case .attributesChanged: .attributesChanged(try read(under: .attributes))
            case .ended: .ended(try read())
            case .seatTaken: .seatTaken(try read())
            case .seatLeft: .seatLeft(try read())
            case .seatMuted: .seatMuted(try read())
            case .seatClosed: .seatClosed(try read())
            case .microphoneMuted: .microphoneMuted(try read())
            case .cameraChanged: .cameraChanged(try read())
            case .screenChanged: .screenChanged(try read())
            case .stageArranged: .stageArranged(try read())
            case .roleChanged: .roleChanged(try read())
            case .ownerChanged: .ownerChanged(try read())
            case .invitationSent: .invitationSent(try read(under: .invitation))
            case .invitationSettled: .invitationSettled(try read())
            case .consentLapsed: .consentLapsed(try read())
            case .messageSent: .messageSent(try read(under: .message))
            case .messageDeleted: .messageDeleted(try read())
            case .restricted: .restricted(try read(under: .restriction))
            case .restrictionLifted: .restrictionLifted(try read())
            case .liked: .liked(try read())
            case .gifted: .gifted(try read())
            case .songChanged: .songChanged(try read())
            case .duetChanged: .duetChanged(try read())
            case .pkChanged: .pkChanged(try read())
            case .pointsChanged: .pointsChanged(try read())
            case .challengeChanged: .challengeChanged(try read(under: .challenge))
            case .challengesPaused: .challengesPaused(try read())
            case .letterPosted: .letterPosted(try read(under: .letter))
            case .lettersDelivered: .lettersDelivered(try read())
            case .lettersGivenUp: .lettersGivenUp(try read())
            case .letterHeard: .letterHeard(try read())
            case .personErased: .personErased(try read())
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        func write(_ word: Word, _ payload: some Encodable) throws {
            try fields.encode(word, forKey: .type)
            try payload.encode(to: encoder)
        }
        func write(_ word: Word, _ payload: some JournalPayload) throws {
            try fields.encode(word, forKey: .type)
            try payload.write(to: &fields)
        }
        func write(_ word: Word, _ payload: some Encodable, under key: CodingKeys) throws {
            try fields.encode(word, forKey: .type)
            try fields.encode(payload, forKey: key)
        }
        switch self {
        case .created(let founding): try write(.created, founding, under: .founding)
        case .updated(let settings): try write(.updated, settings, under: .settings)
        case .attributesChanged(let change): try write(.attributesChanged, change, under: .attributes)
        case .ended(let event): try write(.ended, event)
        case .seatTaken(let event): try write(.seatTaken, event)
        case .seatLeft(let event): try write(.seatLeft, event)
        case .seatMuted(let event): try write(.seatMuted, event)
        case .seatClosed(let event): try write(.seatClosed, event)
        case .microphoneMuted(let event): try write(.microphoneMuted, event)
        case .cameraChanged(let event): try write(.cameraChanged, event)
        case .screenChanged(let event): try write(.screenChanged, event)
        case .stageArranged(let event): try write(.stageArranged, event)
        case .roleChanged(let event): try write(.roleChanged, event)
        case .ownerChanged(let event): try write(.ownerChanged, event)
        case .invitationSent(let invitation): try write(.invitationSent, invitation, under: .invitation)
        case .invitationSettled(let event): try write(.invitationSettled, event)
        case .consentLapsed(let event): try write(.consentLapsed, event)
        case .messageSent(let message): try write(.messageSent, message, under: .message)
        case .messageDeleted(let event): try write(.messageDeleted, event)
        case .restricted(let restriction): try write(.restricted, restriction, under: .restriction)
        case .restrictionLifted(let event): try write(.restrictionLifted, event)
        case .liked(let event): try write(.liked, event)
        case .gifted(let event): try write(.gifted, event)
        case .songChanged(let event): try write(.songChanged, event)
        case .duetChanged(let event): try write(.duetChanged, event)
        case .pkChanged(let event): try write(.pkChanged, event)
        case .pointsChanged(let event): try write(.pointsChanged, event)
        case .challengeChanged(let news): try write(.challengeChanged, news, under: .challenge)
        case .challengesPaused(let event): try write(.challengesPaused, event)
        case .letterPosted(let letter): try write(.letterPosted, letter, under: .letter)
        case .lettersDelivered(let event): try write(.lettersDelivered, event)
        case .lettersGivenUp(let event): try write(.lettersGivenUp, event)
        case .letterHeard(let event): try write(.letterHeard, event)
        case .personErased(let event): try write(.personErased, event)
        }
    }
}

/// The events that the journal has in other words than people are told them.
package enum Journal {}

/// One of those. It is written beside its word without opening the object again: events are written on the path of
/// each command.
protocol JournalPayload: Codable {
    func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws
}

extension JournalPayload {
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: RoomEvent.CodingKeys.self)
        try write(to: &fields)
    }
}
