import Commerce
import RoomEvents
import RoomModel

// How a room stands in a snapshot, written by hand (snapshot version 1). A snapshot outlives the program that wrote it: a key keeps
// its meaning for ever, a key that was added later has a default here, and `Tests/ServerAppTests/Fixtures` has a file of each release.
// A word that this program does not know (a phase, a kind of room) is from a newer server, and an error.

extension DurableRoomState: Codable {
    private enum CodingKeys: String, CodingKey {
        case room, phase, position, seq, chat, kind, settings, owner, admins, seats, invitations, consents, likes, play,
            leader, screen, stage, pk, challenge, challengedAt, pauses, refusals, outbox, sessions, peak, gifts,
            restrictions, attributes
        case createdAt, createdIn, lasts, answers, creation
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(room: try fields.decode(RoomID.self, forKey: .room))
        phase = try fields.decode(Phase.self, forKey: .phase)
        position = try fields.decode(UInt64.self, forKey: .position)
        owner = try fields.decode(UserProfile.self, forKey: .owner)
        seq = try fields.decodeIfPresent(UInt64.self, forKey: .seq) ?? 0
        chat = try fields.decodeIfPresent(UInt64.self, forKey: .chat) ?? 0
        kind = try fields.decodeIfPresent(RoomKind.self, forKey: .kind) ?? .voice
        guard kind.isKnown else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: fields,
                debugDescription: "a room of the kind \(kind.rawValue) is from a newer server")
        }
        settings = try fields.decodeIfPresent(RoomSettings.self, forKey: .settings) ?? RoomSettings(name: "")
        admins = try fields.decodeIfPresent([UserID].self, forKey: .admins) ?? []
        seats = try fields.decodeIfPresent([SeatPlace].self, forKey: .seats) ?? []
        invitations = try fields.decodeIfPresent([Invitation].self, forKey: .invitations) ?? []
        consents = try fields.decodeIfPresent([Consent].self, forKey: .consents) ?? []
        likes = try fields.decodeIfPresent(UInt64.self, forKey: .likes) ?? 0
        gifts = try fields.decodeIfPresent(GiftBook.self, forKey: .gifts) ?? GiftBook()
        restrictions = try fields.decodeIfPresent([Restriction].self, forKey: .restrictions) ?? []
        attributes = try fields.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:]
        play = try fields.decodeIfPresent(SongPlay.self, forKey: .play)
        leader = try fields.decodeIfPresent(UserID.self, forKey: .leader)
        screen = try fields.decodeIfPresent(UserID.self, forKey: .screen)
        stage = try fields.decodeIfPresent(StageLayout.self, forKey: .stage) ?? StageLayout()
        pk = try fields.decodeIfPresent(PKState.self, forKey: .pk) ?? PKState()
        challenge = try fields.decodeIfPresent(PKChallenge.self, forKey: .challenge)
        challengedAt = try fields.decodeIfPresent(Int64.self, forKey: .challengedAt)
        pauses = try fields.decodeIfPresent([ChallengePause].self, forKey: .pauses) ?? []
        refusals = try fields.decodeIfPresent([ChallengePause].self, forKey: .refusals) ?? []
        mail.outbox = try fields.decodeIfPresent([RoomLetter].self, forKey: .outbox) ?? []
        mail.sessions = try fields.decodeIfPresent([RoomMail.Session].self, forKey: .sessions) ?? []
        peak = try fields.decodeIfPresent(Int.self, forKey: .peak) ?? 0
        createdAt = try fields.decodeIfPresent(Int64.self, forKey: .createdAt) ?? 0
        createdIn = try fields.decodeIfPresent(UInt64.self, forKey: .createdIn) ?? 0
        lasts = try fields.decodeIfPresent(Bool.self, forKey: .lasts) ?? false
        answers = try fields.decodeIfPresent(AnswerLedger.self, forKey: .answers) ?? AnswerLedger()
        creation = try fields.decodeIfPresent(KeyedAnswer.self, forKey: .creation)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try fields.encode(phase, forKey: .phase)
        try fields.encode(position, forKey: .position)
        try fields.encode(seq, forKey: .seq)
        try fields.encode(chat, forKey: .chat)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(settings, forKey: .settings)
        try fields.encode(owner, forKey: .owner)
        try fields.encode(admins, forKey: .admins)
        try fields.encode(seats, forKey: .seats)
        try fields.encode(invitations, forKey: .invitations)
        try fields.encode(consents, forKey: .consents)
        try fields.encode(likes, forKey: .likes)
        if !gifts.isEmpty { try fields.encode(gifts, forKey: .gifts) }
        if !restrictions.isEmpty { try fields.encode(restrictions, forKey: .restrictions) }
        if !attributes.isEmpty { try fields.encode(attributes, forKey: .attributes) }
        try fields.encodeIfPresent(play, forKey: .play)
        try fields.encodeIfPresent(leader, forKey: .leader)
        try fields.encodeIfPresent(screen, forKey: .screen)
        if !stage.isUsual { try fields.encode(stage, forKey: .stage) }
        if !pk.isEmpty { try fields.encode(pk, forKey: .pk) }
        try fields.encodeIfPresent(challenge, forKey: .challenge)
        try fields.encodeIfPresent(challengedAt, forKey: .challengedAt)
        if !pauses.isEmpty { try fields.encode(pauses, forKey: .pauses) }
        if !refusals.isEmpty { try fields.encode(refusals, forKey: .refusals) }
        if !mail.outbox.isEmpty { try fields.encode(mail.outbox, forKey: .outbox) }
        if !mail.sessions.isEmpty { try fields.encode(mail.sessions, forKey: .sessions) }
        try fields.encode(peak, forKey: .peak)
        try fields.encode(createdAt, forKey: .createdAt)
        if lasts { try fields.encode(true, forKey: .lasts) }
        try fields.encode(createdIn, forKey: .createdIn)
        try fields.encode(answers, forKey: .answers)
        try fields.encodeIfPresent(creation, forKey: .creation)
    }
}

extension GiftBook: Codable {
    private enum CodingKeys: String, CodingKey { case upTo, coins, supporters }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            upTo: try fields.decode(Int64.self, forKey: .upTo), coins: try fields.decode(Int64.self, forKey: .coins),
            supporters: try fields.decode([Supporter].self, forKey: .supporters))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(upTo, forKey: .upTo)
        try fields.encode(coins, forKey: .coins)
        // In an order, so that the same state gives the same bytes.
        try fields.encode(ranked, forKey: .supporters)
    }
}

extension DurableRoomState.Consent: Codable {
    private enum CodingKeys: String, CodingKey { case user, since }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        user = try fields.decode(UserID.self, forKey: .user)
        since = try fields.decode(Int64.self, forKey: .since)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(user, forKey: .user)
        try fields.encode(since, forKey: .since)
    }
}

extension ChallengePause: Codable {
    private enum CodingKeys: String, CodingKey { case host, until }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        host = try fields.decodeIfPresent(UserID.self, forKey: .host)
        until = try fields.decode(Int64.self, forKey: .until)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(host, forKey: .host)
        try fields.encode(until, forKey: .until)
    }
}

extension RoomMail.Session: Codable {
    private enum CodingKeys: String, CodingKey { case id, sent, heard }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(String.self, forKey: .id)
        sent = try fields.decodeIfPresent(UInt64.self, forKey: .sent) ?? 0
        heard = try fields.decodeIfPresent(UInt64.self, forKey: .heard) ?? 0
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(sent, forKey: .sent)
        try fields.encode(heard, forKey: .heard)
    }
}

extension SeatPlace: Codable {
    private enum CodingKeys: String, CodingKey { case condition, muted, mutedBy }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        condition = try fields.decode(Condition.self, forKey: .condition)
        muted = try fields.decodeIfPresent(Bool.self, forKey: .muted) ?? false
        mutedBy = try fields.decodeIfPresent(UserID.self, forKey: .mutedBy)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(condition, forKey: .condition)
        try fields.encode(muted, forKey: .muted)
        try fields.encodeIfPresent(mutedBy, forKey: .mutedBy)
    }
}

// `{"empty":{}}`, `{"used":{"_0":{…}}}` or `{"closed":{"by":…}}`: the first release's words.
extension SeatPlace.Condition: Codable {
    private enum CodingKeys: String, CodingKey { case empty, used, closed }
    private enum UsedKeys: String, CodingKey { case occupant = "_0" }
    private enum ClosedKeys: String, CodingKey { case by }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if fields.contains(.used) {
            let used = try fields.nestedContainer(keyedBy: UsedKeys.self, forKey: .used)
            self = .used(try used.decode(SeatPlace.Occupant.self, forKey: .occupant))
        } else if fields.contains(.closed) {
            let closed = try fields.nestedContainer(keyedBy: ClosedKeys.self, forKey: .closed)
            self = .closed(by: try closed.decodeIfPresent(UserID.self, forKey: .by))
        } else if fields.contains(.empty) {
            self = .empty
        } else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a seat of a newer server"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .empty: _ = fields.nestedContainer(keyedBy: ClosedKeys.self, forKey: .empty)
        case .used(let occupant):
            var used = fields.nestedContainer(keyedBy: UsedKeys.self, forKey: .used)
            try used.encode(occupant, forKey: .occupant)
        case .closed(let by):
            var closed = fields.nestedContainer(keyedBy: ClosedKeys.self, forKey: .closed)
            try closed.encodeIfPresent(by, forKey: .by)
        }
    }
}

extension SeatPlace.Occupant: Codable {
    private enum CodingKeys: String, CodingKey { case profile, micMuted, camera, movedAt }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        profile = try fields.decode(UserProfile.self, forKey: .profile)
        micMuted = try fields.decodeIfPresent(Bool.self, forKey: .micMuted) ?? false
        camera = try fields.decodeIfPresent(CameraState.self, forKey: .camera) ?? .off
        movedAt = try fields.decodeIfPresent(Int64.self, forKey: .movedAt)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(profile, forKey: .profile)
        try fields.encode(micMuted, forKey: .micMuted)
        try fields.encode(camera, forKey: .camera)
        try fields.encodeIfPresent(movedAt, forKey: .movedAt)
    }
}
