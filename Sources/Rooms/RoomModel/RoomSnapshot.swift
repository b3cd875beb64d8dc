/// All that somebody who enters a room needs to see.
public struct RoomSnapshot: Codable, Hashable, Sendable {
    public var room: RoomID
    public var epoch: UInt64
    /// Number of the last durable change that is included.
    public var seq: UInt64
    /// Number of the last message that is included.
    public var chat: UInt64
    public var info: RoomInfo
    public var seats: [Seat]
    public var me: Member
    /// The owner, the admins and the seated who are here, then others in the order in which they came, 50 at first.
    public var members: [Member]
    public var memberCount: Int
    /// Milliseconds since 1970; present while the owner is away.
    public var ownerAbsentUntil: Int64?
    /// Who would inherit the room now, while the owner is away.
    public var heir: UserID?
    /// Waiting ones that concern the reader.
    public var invitations: [Invitation]
    /// The last ones, oldest first.
    public var messages: [Message]
    public var likes: UInt64
    /// What is sung; absent while nothing is.
    public var play: SongPlay?
    /// If it differs from the last one seen, the media path is gone: offer anew.
    public var mediaEpoch: UInt64

    public init(
        room: RoomID, epoch: UInt64, seq: UInt64, chat: UInt64, info: RoomInfo, seats: [Seat], me: Member,
        members: [Member], memberCount: Int, ownerAbsentUntil: Int64?, heir: UserID?, invitations: [Invitation],
        messages: [Message], likes: UInt64, play: SongPlay? = nil, mediaEpoch: UInt64
    ) {
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
        self.messages = messages
        self.likes = likes
        self.play = play
        self.mediaEpoch = mediaEpoch
    }
}

/// How far a client has seen a room.
public struct ResumePoint: Codable, Hashable, Sendable {
    public var epoch: UInt64
    public var seq: UInt64
    public var chat: UInt64

    public init(epoch: UInt64, seq: UInt64, chat: UInt64) {
        self.epoch = epoch
        self.seq = seq
        self.chat = chat
    }
}

/// What somebody who comes back has missed, exactly.
public struct RoomResumption: Hashable, Sendable {
    public var epoch: UInt64
    public var seq: UInt64
    public var chat: UInt64
    /// Durable changes after the client's `seq` and messages after its `chat`, in order.
    public var events: [RoomNewsEvent]
    public var state: PassingState
    public var mediaEpoch: UInt64

    /// What no numbered event tells.
    public struct PassingState: Codable, Hashable, Sendable {
        public var memberCount: Int
        /// Of everybody seated.
        public var presence: [SeatedPresence]
        /// Waiting ones that concern the reader.
        public var invitations: [Invitation]
        public var likes: UInt64
        public var ownerAbsentUntil: Int64?
        public var heir: UserID?

        public init(
            memberCount: Int, presence: [SeatedPresence], invitations: [Invitation], likes: UInt64,
            ownerAbsentUntil: Int64?, heir: UserID?
        ) {
            self.memberCount = memberCount
            self.presence = presence
            self.invitations = invitations
            self.likes = likes
            self.ownerAbsentUntil = ownerAbsentUntil
            self.heir = heir
        }
    }

    public struct SeatedPresence: Codable, Hashable, Sendable {
        public var user: UserID
        public var presence: Presence

        public init(user: UserID, presence: Presence) {
            self.user = user
            self.presence = presence
        }
    }

    public init(
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
public enum RoomEntry: Hashable, Sendable {
    case snapshot(RoomSnapshot)
    /// The room still had the gap since the client's resume point.
    case resumed(RoomResumption)
}
