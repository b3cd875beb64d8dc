/// All that somebody who enters a room needs to see.
package struct RoomSnapshot: Codable, Hashable, Sendable {
    /// Its id.
    package var room: RoomID
    /// Grows when the room was read anew from the disk.
    package var epoch: UInt64
    /// Number of the last durable change that is included.
    package var seq: UInt64
    /// Number of the last message that is included.
    package var chat: UInt64
    /// Name, cover, tags, owner, rule, counts.
    package var info: RoomInfo
    /// By index.
    package var seats: [Seat]
    /// The reader.
    package var me: Member
    /// The owner, the admins and the seated who are here, then others in the order in which they came, 50 at first.
    package var members: [Member]
    /// How many people are in the room.
    package var memberCount: Int
    /// Milliseconds since 1970; present while the owner is away.
    package var ownerAbsentUntil: Int64?
    /// Who would inherit the room now, while the owner is away.
    package var heir: UserID?
    /// Waiting ones that concern the reader, oldest first, as many as fit.
    package var invitations: [Invitation]
    /// Where the page after those begins; absent if they are all.
    package var moreInvitations: String?
    /// The last ones, oldest first.
    package var messages: [Message]
    /// Of the room's whole life.
    package var likes: UInt64
    /// What is sung; absent while nothing is.
    package var play: SongPlay?
    /// How those who sit sing; absent while all sing at once.
    package var duet: DuetMode?
    /// Who shares a screen; absent while nobody does.
    package var screen: UserID?
    /// How the host has arranged the stage; absent as long as nobody has.
    package var stage: StageLayout?
    /// Links to other rooms and the PK with them; absent while there is neither.
    package var pk: PKState?
    /// The challenge that waits; for the owner alone.
    package var challenge: PKChallenge?
    /// Keeps the reader from writing; absent while nothing does.
    package var chatMute: Restriction?
    /// What the room has been given; absent while nothing was.
    package var gifts: GiftStanding?
    /// What the app keeps with the room, by name; absent while it keeps nothing.
    package var attributes: [String: String]?
    /// If it differs from the last one seen, the media path is gone: offer anew.
    package var mediaEpoch: UInt64
    /// Written once for everybody who enters while nothing happens.
    @Carried package var sharedText: (any SharedText)? = nil

    /// Creates the value from its parts.
    package init(
        room: RoomID, epoch: UInt64, seq: UInt64, chat: UInt64, info: RoomInfo, seats: [Seat], me: Member,
        members: [Member], memberCount: Int, ownerAbsentUntil: Int64?, heir: UserID?, invitations: [Invitation],
        moreInvitations: String? = nil, messages: [Message], likes: UInt64, play: SongPlay? = nil,
        duet: DuetMode? = nil, screen: UserID? = nil, stage: StageLayout? = nil, pk: PKState? = nil,
        challenge: PKChallenge? = nil, chatMute: Restriction? = nil, gifts: GiftStanding? = nil,
        attributes: [String: String]? = nil, mediaEpoch: UInt64
    ) {
        self.gifts = gifts
        self.attributes = attributes
        self.chatMute = chatMute
        self.room = room
        self.epoch = epoch
        self.seq = seq
        self.chat = chat
        self.info = info
        self.seats = seats
        self.me = me
        self.members = members
        self.memberCount = memberCount
        self.ownerAbsentUntil = ownerAbsentUntil
        self.heir = heir
        self.invitations = invitations
        self.moreInvitations = moreInvitations
        self.messages = messages
        self.likes = likes
        self.play = play
        self.duet = duet
        self.screen = screen
        self.stage = stage
        self.pk = pk
        self.challenge = challenge
        self.mediaEpoch = mediaEpoch
    }
}

extension RoomSnapshot {
    package enum CodingKeys: String, CodingKey {
        case room, epoch, seq, chat, info, seats, me, members, memberCount, ownerAbsentUntil, heir, invitations,
            moreInvitations, messages, likes, play, duet, screen, stage, pk, challenge, chatMute, gifts,
            attributes, mediaEpoch
    }

    /// What everybody is told alike who enters while nothing happens.
    package struct Shared: Encodable {
        fileprivate let snapshot: RoomSnapshot

        package func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(snapshot.room, forKey: .room)
            try fields.encode(snapshot.epoch, forKey: .epoch)
            try fields.encode(snapshot.seq, forKey: .seq)
            try fields.encode(snapshot.chat, forKey: .chat)
            try fields.encode(snapshot.seats, forKey: .seats)
            try fields.encode(snapshot.members, forKey: .members)
            try fields.encodeIfPresent(snapshot.ownerAbsentUntil, forKey: .ownerAbsentUntil)
            try fields.encodeIfPresent(snapshot.heir, forKey: .heir)
            try fields.encode(snapshot.messages, forKey: .messages)
            try fields.encode(snapshot.likes, forKey: .likes)
            try fields.encodeIfPresent(snapshot.play, forKey: .play)
            try fields.encodeIfPresent(snapshot.duet, forKey: .duet)
            try fields.encodeIfPresent(snapshot.screen, forKey: .screen)
            try fields.encodeIfPresent(snapshot.stage, forKey: .stage)
            try fields.encodeIfPresent(snapshot.pk, forKey: .pk)
            try fields.encodeIfPresent(snapshot.gifts, forKey: .gifts)
            try fields.encodeIfPresent(snapshot.attributes, forKey: .attributes)
            try fields.encode(snapshot.mediaEpoch, forKey: .mediaEpoch)
        }
    }

    /// The rest: what concerns the reader, and the counts, which each entry changes.
    package struct Personal: Encodable {
        fileprivate let snapshot: RoomSnapshot

        package func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(snapshot.info, forKey: .info)
            try fields.encode(snapshot.me, forKey: .me)
            try fields.encode(snapshot.memberCount, forKey: .memberCount)
            try fields.encode(snapshot.invitations, forKey: .invitations)
            try fields.encodeIfPresent(snapshot.moreInvitations, forKey: .moreInvitations)
            try fields.encodeIfPresent(snapshot.challenge, forKey: .challenge)
            try fields.encodeIfPresent(snapshot.chatMute, forKey: .chatMute)
        }
    }

    package var shared: Shared { Shared(snapshot: self) }
    package var personal: Personal { Personal(snapshot: self) }

    /// Both parts in one object.
    package func encode(to encoder: any Encoder) throws {
        try shared.encode(to: encoder)
        try personal.encode(to: encoder)
    }

    /// Whether the two differ in their personal parts at most.
    package func shares(with other: RoomSnapshot) -> Bool {
        var same = self
        same.info = other.info
        same.me = other.me
        same.memberCount = other.memberCount
        same.invitations = other.invitations
        same.moreInvitations = other.moreInvitations
        same.challenge = other.challenge
        same.chatMute = other.chatMute
        return same == other
    }
}

/// How far a client has seen a room.
package struct ResumePoint: Codable, Hashable, Sendable {
    /// Of the room when it was seen.
    package var epoch: UInt64
    /// Number of the last durable change seen.
    package var seq: UInt64
    /// Number of the last message seen.
    package var chat: UInt64

    /// Up to there.
    package init(epoch: UInt64, seq: UInt64, chat: UInt64) {
        self.epoch = epoch
        self.seq = seq
        self.chat = chat
    }
}

/// What somebody who comes back has missed, exactly.
package struct RoomResumption: Hashable, Sendable {
    /// The same as in the client's resume point.
    package var epoch: UInt64
    /// Number of the last durable change that is included.
    package var seq: UInt64
    /// Number of the last message that is included.
    package var chat: UInt64
    /// Durable changes after the client's `seq` and messages after its `chat`, in order.
    package var events: [RoomNewsEvent]
    /// Whether a durable change is not among them, since the client cannot read it.
    package var isUnreadable = false
    /// As it is now.
    package var state: PassingState
    /// If it differs from the last one seen, the media path is gone: offer anew.
    package var mediaEpoch: UInt64

    /// What no numbered event tells.
    package struct PassingState: Codable, Hashable, Sendable {
        /// How many people are in the room.
        package var memberCount: Int
        /// Of everybody seated.
        package var presence: [SeatedPresence]
        /// Waiting ones that concern the reader, oldest first, as many as fit.
        package var invitations: [Invitation]
        /// Where the page after those begins; absent if they are all.
        package var moreInvitations: String?
        /// The last ones that concern the reader and have been settled, how and by whom: some are known to the reader, others
        /// were settled meanwhile. Absent from servers that do not tell.
        package var settled: [InvitationNews]?
        /// Of the room's whole life.
        package var likes: UInt64
        /// Milliseconds since 1970; present while the owner is away.
        package var ownerAbsentUntil: Int64?
        /// Who would inherit the room now, while the owner is away.
        package var heir: UserID?
        /// How the PK's points stand; absent without one.
        package var points: PKPoints?
        /// The challenge that waits; for the owner alone.
        package var challenge: PKChallenge?
        /// Keeps the reader from writing; absent while nothing does.
        package var chatMute: Restriction?

        /// Creates the value from its parts.
        package init(
            memberCount: Int, presence: [SeatedPresence], invitations: [Invitation],
            moreInvitations: String? = nil, settled: [InvitationNews]? = nil, likes: UInt64, ownerAbsentUntil: Int64?,
            heir: UserID?, points: PKPoints? = nil, challenge: PKChallenge? = nil, chatMute: Restriction? = nil
        ) {
            self.chatMute = chatMute
            self.points = points
            self.challenge = challenge
            self.settled = settled
            self.memberCount = memberCount
            self.presence = presence
            self.invitations = invitations
            self.moreInvitations = moreInvitations
            self.likes = likes
            self.ownerAbsentUntil = ownerAbsentUntil
            self.heir = heir
        }
    }

    /// Whether somebody seated is there.
    package struct SeatedPresence: Codable, Hashable, Sendable {
        /// Who sits.
        package var user: UserID
        /// Whether their connection is there.
        package var presence: Presence

        /// That person is, or is waited for.
        package init(user: UserID, presence: Presence) {
            self.user = user
            self.presence = presence
        }
    }

    /// Creates the value from its parts.
    package init(
        epoch: UInt64, seq: UInt64, chat: UInt64, events: [RoomNewsEvent], state: PassingState, mediaEpoch: UInt64
    ) {
        self.epoch = epoch
        self.seq = seq
        self.chat = chat
        self.events = events
        self.state = state
        self.mediaEpoch = mediaEpoch
    }
}

/// The answer to entering a room.
package enum RoomEntry: Hashable, Sendable {
    /// The room as a whole.
    case snapshot(RoomSnapshot)
    /// The room still had the gap since the client's resume point.
    case resumed(RoomResumption)
}
