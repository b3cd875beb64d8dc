/// What an operator sees of a room.
package struct RoomOverview: Codable, Hashable, Sendable {
    /// Name, cover, tags, owner, rules, counts.
    package var info: RoomInfo
    /// Grows when the room was read anew from the disk.
    package var epoch: UInt64
    /// Number of the last durable change.
    package var seq: UInt64
    /// Number of the last message.
    package var chat: UInt64
    /// By index.
    package var seats: [Seat]
    package var admins: [UserID]
    /// Of the room's whole life.
    package var likes: UInt64
    /// Milliseconds since 1970; absent while the owner is here.
    package var ownerAbsentUntil: Int64?
    /// Who would inherit the room now, while the owner is away.
    package var heir: UserID?
    /// What is sung; absent while nothing is.
    package var play: SongPlay?
    /// How those who sit sing; in chorus rooms.
    package var duet: DuetMode?
    /// Who shares a screen; absent while nobody does.
    package var screen: UserID?
    /// How the stage is arranged; absent as long as nobody has arranged it.
    package var stage: StageLayout?
    /// Links to other rooms and the PK with them; absent while there is neither.
    package var pk: PKState?
    /// What the room has been given; absent while nothing was.
    package var gifts: GiftStanding?
    /// What the app keeps with the room, by name; absent while it keeps nothing.
    package var attributes: [String: String]?

    package init(
        info: RoomInfo, epoch: UInt64, seq: UInt64, chat: UInt64, seats: [Seat], admins: [UserID], likes: UInt64,
        ownerAbsentUntil: Int64? = nil, heir: UserID? = nil, play: SongPlay? = nil, duet: DuetMode? = nil,
        screen: UserID? = nil,
        stage: StageLayout? = nil, pk: PKState? = nil, gifts: GiftStanding? = nil,
        attributes: [String: String]? = nil
    ) {
        self.info = info
        self.epoch = epoch
        self.seq = seq
        self.chat = chat
        self.seats = seats
        self.admins = admins
        self.likes = likes
        self.ownerAbsentUntil = ownerAbsentUntil
        self.heir = heir
        self.play = play
        self.duet = duet
        self.screen = screen
        self.stage = stage
        self.pk = pk
        self.gifts = gifts
        self.attributes = attributes
    }
}
