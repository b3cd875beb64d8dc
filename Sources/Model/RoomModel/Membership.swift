/// Makes somebody an admin, or a member again.
package struct SetRole: CommandPayload {
    package static let name = RoomCommand.Name.setRole
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/members/{user}/role") }
    package var asCommand: RoomCommand { .setRole(self) }

    package var user: UserID
    package var role: Role

    package init(_ user: UserID, _ role: Role) {
        self.user = user
        self.role = role
    }

    /// `owner` can be nobody's new role: a room is handed on by its own rule.
    package func check() throws(RoomError) {
        guard role != .owner else { throw .invalid("role", "role is one of member, admin") }
    }
}

/// Hands the room over.
package struct SetOwner: CommandPayload {
    package static let name = RoomCommand.Name.setOwner
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/owner") }
    package var asCommand: RoomCommand { .setOwner(self) }

    package var user: UserID

    package init(_ user: UserID) {
        self.user = user
    }
}

/// Leaves the room.
package struct ExitRoom: CommandPayload {
    package static let name = RoomCommand.Name.exitRoom
    package static let allowance = ChangeAllowance.notNeeded
    package var asCommand: RoomCommand { .exitRoom }

    package init() {}
}

/// Ends the room.
package struct DestroyRoom: CommandPayload {
    package static let name = RoomCommand.Name.destroyRoom
    package static let allowance = ChangeAllowance.notNeeded
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}") }
    package var asCommand: RoomCommand { .destroyRoom }

    package init() {}
}

/// Changes of the settings; what is absent stays.
package struct RoomUpdate: CommandPayload {
    package static let name = RoomCommand.Name.updateRoom
    package static var operatorPath: OperatorPath? { OperatorPath(.patch, "rooms/{room}") }
    package var asCommand: RoomCommand { .updateRoom(self) }

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

    package var texts: [SaidText] {
        [name.map { SaidText(.roomName, $0, "name") }, cover.map { SaidText(.pictureAddress, $0, "cover") }]
            .compactMap { $0 } + (tags ?? []).said()
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

    package var texts: [SaidText] {
        var texts = [
            SaidText(.roomName, settings.name, "name"), SaidText(.pictureAddress, settings.cover, "cover"),
        ]
        texts += settings.tags.said()
        if case .string(let id) = room { texts.append(SaidText(.roomID, id, "room")) }
        return texts
    }
}

/// Whether listeners have to ask before they sit down is a rule of the server, where the application has it so, or left to the clients.
package enum ConsentWord: String, Codable, Hashable, Sendable, CaseIterable { case enforced, advisory }

extension RoomCreation: CallPayload {
    private enum CodingKeys: String, CodingKey {
        case room, kind, name, cover, tags, needsRequest, consent, seats, pictureFormat
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try fields.decodeIfPresent(RoomKind.self, forKey: .kind) ?? .voice
        var settings = RoomSettings(
            name: try fields.decode(String.self, forKey: .name),
            cover: try fields.decodeIfPresent(String.self, forKey: .cover) ?? "",
            tags: try fields.decodeIfPresent([String].self, forKey: .tags) ?? [],
            needsRequest: try fields.decodeIfPresent(Bool.self, forKey: .needsRequest) ?? false,
            pictureFormat: try fields.decodeIfPresent(PictureFormat.self, forKey: .pictureFormat) ?? .vp8)
        settings.isAdvisory = try fields.decodeIfPresent(ConsentWord.self, forKey: .consent) == .advisory
        let seats: [SeatSetup]
        // A list that says how each starts out, or the number of plain ones.
        if let list = try? fields.decodeIfPresent([SeatSetup].self, forKey: .seats) {
            seats = list
        } else {
            let count = try fields.decodeIfPresent(Int.self, forKey: .seats) ?? (kind == .chorus ? 2 : 8)
            try RoomError.check(count, in: Self.seatCounts, "seats")
            seats = Array(repeating: SeatSetup(), count: count)
        }
        self.init(
            room: try fields.decodeIfPresent(RoomID.self, forKey: .room), kind: kind, settings: settings, seats: seats)
    }

    private static let seatCounts = 1...16

    package func check() throws(RoomError) {
        guard kind.isKnown else { throw .invalid("kind", "there is no such kind of room") }
        guard settings.pictureFormat.isKnown else {
            throw .invalid("pictureFormat", "pictures come as vp8, h264, vp9 or av1")
        }
        guard Self.seatCounts.contains(seats.count) else { throw .invalid("seats", "a room has 1…16 seats") }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(room, forKey: .room)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(settings.name, forKey: .name)
        try fields.encode(settings.cover, forKey: .cover)
        try fields.encode(settings.tags, forKey: .tags)
        try fields.encode(settings.needsRequest, forKey: .needsRequest)
        if settings.isAdvisory { try fields.encode(ConsentWord.advisory, forKey: .consent) }
        try fields.encode(seats, forKey: .seats)
        if kind == .live { try fields.encode(settings.pictureFormat, forKey: .pictureFormat) }
    }
}
