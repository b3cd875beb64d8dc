package import RoomModel

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
