package import RoomModel

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

    private enum CodingKeys: String, CodingKey {
        case type, v, founding, settings, reason, seat, user, muted, closed, invitation, id, state
        case message, from, count, users, owner, moved, camera, challenge, until, letter, session, step, gifts
        case restriction, kind, attributes
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try fields.decode(Word.self, forKey: .type)
        let version = try fields.decodeIfPresent(Int.self, forKey: .v) ?? 1
        guard version == 1 else {
            throw DecodingError.dataCorruptedError(
                forKey: .v, in: fields,
                debugDescription: "\(kind.rawValue) of version \(version) is from a newer server")
        }
        switch kind {
        case .created: self = .created(try fields.decode(RoomFounding.self, forKey: .founding))
        case .updated: self = .updated(try fields.decode(RoomSettings.self, forKey: .settings))
        case .attributesChanged:
            self = .attributesChanged(try fields.decode(AttributesChange.self, forKey: .attributes))
        case .ended:
            self = .ended(try RoomEnded(from: decoder))
        case .seatTaken:
            self = .seatTaken(
                try fields.decode(Int.self, forKey: .seat), user: try fields.decode(UserProfile.self, forKey: .from),
                micMuted: try fields.decodeIfPresent(Bool.self, forKey: .muted) ?? false,
                camera: try fields.decodeIfPresent(CameraState.self, forKey: .camera) ?? .off,
                moved: try fields.decodeIfPresent(Bool.self, forKey: .moved) ?? false)
        case .seatLeft:
            self = .seatLeft(
                try fields.decode(Int.self, forKey: .seat), user: try fields.decode(UserProfile.self, forKey: .from),
                reason: try fields.decode(SeatLeaveReason.self, forKey: .reason))
        case .seatMuted:
            self = .seatMuted(
                try fields.decode(Int.self, forKey: .seat), muted: try fields.decode(Bool.self, forKey: .muted))
        case .seatClosed:
            self = .seatClosed(
                try fields.decode(Int.self, forKey: .seat), closed: try fields.decode(Bool.self, forKey: .closed))
        case .microphoneMuted:
            self = .microphoneMuted(
                try fields.decode(UserID.self, forKey: .user), muted: try fields.decode(Bool.self, forKey: .muted))
        case .cameraChanged:
            self = .cameraChanged(
                try fields.decode(UserID.self, forKey: .user), try fields.decode(CameraState.self, forKey: .camera))
        case .screenChanged: self = .screenChanged(try ScreenChanged(from: decoder))
        case .stageArranged: self = .stageArranged(try StageArranged(from: decoder))
        case .roleChanged: self = .roleChanged(try RoleChanged(from: decoder))
        case .ownerChanged:
            self = .ownerChanged(
                try fields.decode(UserProfile.self, forKey: .owner),
                try fields.decode(OwnerChangeReason.self, forKey: .reason))
        case .invitationSent: self = .invitationSent(try fields.decode(Invitation.self, forKey: .invitation))
        case .invitationSettled:
            self = .invitationSettled(
                id: try fields.decode(String.self, forKey: .id),
                try fields.decode(InvitationState.self, forKey: .state),
                reason: try fields.decodeIfPresent(String.self, forKey: .reason))
        case .consentLapsed: self = .consentLapsed(try fields.decode(UserID.self, forKey: .user))
        case .messageSent: self = .messageSent(try fields.decode(Message.self, forKey: .message))
        case .messageDeleted: self = .messageDeleted(try MessageDeleted(from: decoder))
        case .restricted: self = .restricted(try fields.decode(Restriction.self, forKey: .restriction))
        case .restrictionLifted:
            self = .restrictionLifted(
                try fields.decode(RestrictionKind.self, forKey: .kind),
                of: try fields.decode(UserID.self, forKey: .user))
        case .gifted: self = .gifted(try fields.decode([SentGift].self, forKey: .gifts))
        case .liked:
            self = .liked(
                count: try fields.decode(UInt64.self, forKey: .count),
                users: try fields.decode([UserID].self, forKey: .users))
        case .songChanged: self = .songChanged(try SongChanged(from: decoder))
        case .duetChanged: self = .duetChanged(try DuetChanged(from: decoder))
        case .pkChanged: self = .pkChanged(try PKChanged(from: decoder))
        case .pointsChanged: self = .pointsChanged(try PKPoints(from: decoder))
        case .challengeChanged:
            self = .challengeChanged(try fields.decode(ChallengeNews.self, forKey: .challenge))
        case .challengesPaused:
            self = .challengesPaused(
                by: try fields.decodeIfPresent(UserID.self, forKey: .user),
                until: try fields.decodeIfPresent(Int64.self, forKey: .until))
        case .letterPosted: self = .letterPosted(try fields.decode(RoomLetter.self, forKey: .letter))
        case .lettersDelivered:
            self = .lettersDelivered(
                session: try fields.decode(String.self, forKey: .session),
                step: try fields.decode(UInt64.self, forKey: .step))
        case .lettersGivenUp: self = .lettersGivenUp(session: try fields.decode(String.self, forKey: .session))
        case .letterHeard:
            self = .letterHeard(
                session: try fields.decode(String.self, forKey: .session),
                step: try fields.decode(UInt64.self, forKey: .step))
        case .personErased: self = .personErased(try fields.decode(UserID.self, forKey: .user))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        func type(_ word: Word) throws { try fields.encode(word, forKey: .type) }
        // What is stored as it is told. Who did it stands beside the events.
        func write(_ word: Word, _ payload: some EventPayload) throws {
            try type(word)
            try payload.encode(to: encoder)
        }
        switch self {
        case .created(let founding):
            try type(.created)
            try fields.encode(founding, forKey: .founding)
        case .updated(let settings):
            try type(.updated)
            try fields.encode(settings, forKey: .settings)
        case .attributesChanged(let change):
            try type(.attributesChanged)
            try fields.encode(change, forKey: .attributes)
        case .ended(let end): try write(.ended, end)
        case .seatTaken(let seat, let user, let micMuted, let camera, let moved):
            try type(.seatTaken)
            try fields.encode(seat, forKey: .seat)
            try fields.encode(user, forKey: .from)
            if micMuted { try fields.encode(true, forKey: .muted) }
            if camera != .off { try fields.encode(camera, forKey: .camera) }
            if moved { try fields.encode(true, forKey: .moved) }
        case .seatLeft(let seat, let user, let reason):
            try type(.seatLeft)
            try fields.encode(seat, forKey: .seat)
            try fields.encode(user, forKey: .from)
            try fields.encode(reason, forKey: .reason)
        case .seatMuted(let seat, let muted):
            try type(.seatMuted)
            try fields.encode(seat, forKey: .seat)
            try fields.encode(muted, forKey: .muted)
        case .seatClosed(let seat, let closed):
            try type(.seatClosed)
            try fields.encode(seat, forKey: .seat)
            try fields.encode(closed, forKey: .closed)
        case .microphoneMuted(let user, let muted):
            try type(.microphoneMuted)
            try fields.encode(user, forKey: .user)
            try fields.encode(muted, forKey: .muted)
        case .cameraChanged(let user, let camera):
            try type(.cameraChanged)
            try fields.encode(user, forKey: .user)
            try fields.encode(camera, forKey: .camera)
        case .screenChanged(let change): try write(.screenChanged, change)
        case .stageArranged(let change): try write(.stageArranged, change)
        case .roleChanged(let change): try write(.roleChanged, change)
        case .ownerChanged(let owner, let reason):
            try type(.ownerChanged)
            try fields.encode(owner, forKey: .owner)
            try fields.encode(reason, forKey: .reason)
        case .invitationSent(let invitation):
            try type(.invitationSent)
            try fields.encode(invitation, forKey: .invitation)
        case .invitationSettled(let id, let state, let reason):
            try type(.invitationSettled)
            try fields.encode(id, forKey: .id)
            try fields.encode(state, forKey: .state)
            try fields.encodeIfPresent(reason, forKey: .reason)
        case .consentLapsed(let user):
            try type(.consentLapsed)
            try fields.encode(user, forKey: .user)
        case .messageSent(let message):
            try type(.messageSent)
            try fields.encode(message, forKey: .message)
        case .messageDeleted(let deletion): try write(.messageDeleted, deletion)
        case .restricted(let restriction):
            try type(.restricted)
            try fields.encode(restriction, forKey: .restriction)
        case .restrictionLifted(let kind, let user):
            try type(.restrictionLifted)
            try fields.encode(kind, forKey: .kind)
            try fields.encode(user, forKey: .user)
        case .liked(let count, let users):
            try type(.liked)
            try fields.encode(count, forKey: .count)
            try fields.encode(users, forKey: .users)
        case .gifted(let gifts):
            try type(.gifted)
            try fields.encode(gifts, forKey: .gifts)
        case .songChanged(let change): try write(.songChanged, change)
        case .duetChanged(let change): try write(.duetChanged, change)
        case .pkChanged(let change): try write(.pkChanged, change)
        case .pointsChanged(let points): try write(.pointsChanged, points)
        case .challengeChanged(let news):
            try type(.challengeChanged)
            try fields.encode(news, forKey: .challenge)
        case .challengesPaused(let host, let until):
            try type(.challengesPaused)
            try fields.encodeIfPresent(host, forKey: .user)
            try fields.encodeIfPresent(until, forKey: .until)
        case .letterPosted(let letter):
            try type(.letterPosted)
            try fields.encode(letter, forKey: .letter)
        case .lettersDelivered(let session, let step):
            try type(.lettersDelivered)
            try fields.encode(session, forKey: .session)
            try fields.encode(step, forKey: .step)
        case .lettersGivenUp(let session):
            try type(.lettersGivenUp)
            try fields.encode(session, forKey: .session)
        case .letterHeard(let session, let step):
            try type(.letterHeard)
            try fields.encode(session, forKey: .session)
            try fields.encode(step, forKey: .step)
        case .personErased(let user):
            try type(.personErased)
            try fields.encode(user, forKey: .user)
        }
    }
}

extension CommandResult: Codable {
    private enum CodingKeys: String, CodingKey { case invitation, position, chat, time, total, startAt, gift, balance }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let id = try fields.decodeIfPresent(String.self, forKey: .invitation) {
            self = .invited(id: id, position: try fields.decode(Int.self, forKey: .position))
        } else if let chat = try fields.decodeIfPresent(UInt64.self, forKey: .chat) {
            self = .sent(chat: chat, time: try fields.decode(Int64.self, forKey: .time))
        } else if let total = try fields.decodeIfPresent(UInt64.self, forKey: .total) {
            self = .liked(total: total)
        } else if let startAt = try fields.decodeIfPresent(Int64.self, forKey: .startAt) {
            self = .scheduled(startAt: startAt)
        } else if let number = try fields.decodeIfPresent(Int64.self, forKey: .gift) {
            self = .gifted(number: number, balance: try fields.decode(Int64.self, forKey: .balance))
        } else {
            self = .done
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .done: break
        case .invited(let id, let position):
            try fields.encode(id, forKey: .invitation)
            try fields.encode(position, forKey: .position)
        case .sent(let chat, let time):
            try fields.encode(chat, forKey: .chat)
            try fields.encode(time, forKey: .time)
        case .liked(let total): try fields.encode(total, forKey: .total)
        case .scheduled(let startAt): try fields.encode(startAt, forKey: .startAt)
        case .gifted(let number, let balance):
            try fields.encode(number, forKey: .gift)
            try fields.encode(balance, forKey: .balance)
        }
    }
}
