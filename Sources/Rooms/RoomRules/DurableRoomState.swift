package import Commerce
package import RoomEvents
package import RoomModel

/// Everything about a room that outlives the process: exactly what applying its journal gives. Who is connected is not
/// in it.
package struct DurableRoomState: Equatable, Sendable {
    package enum Phase: String, Hashable, Sendable, Codable {
        /// Known by its id only. → `open`
        case unborn
        /// → `ended`
        case open
        /// A room that is created again with the same id is another room, with a journal of its own.
        case ended
    }

    package var room: RoomID
    package var phase: Phase = .unborn
    /// Number of accepted commands since the first; the position of the last journal entry.
    package var position: UInt64 = 0
    /// Number of the last numbered event.
    package var seq: UInt64 = 0
    /// Number of the last message.
    package var chat: UInt64 = 0
    package var kind: RoomKind = .voice
    package var settings = RoomSettings(name: "")
    package var owner: UserProfile
    /// What the app keeps with the room, by name.
    package var attributes: [String: String] = [:]
    /// In the order of their appointment, which is the order of inheritance.
    package var admins: [UserID] = []
    package var seats = Seats()
    package var invitations = Invitations()
    package var likes: UInt64 = 0
    package var gifts = GiftBook()
    package var restrictions = Restrictions()
    package var chorus = Chorus()
    package var stage = LiveStage()
    package var links = HostLinks()
    /// Most people at once.
    package var peak = 0
    /// Milliseconds since 1970.
    package var createdAt: Int64 = 0
    /// Whether it goes on while its owner is away.
    package var lasts = false
    /// The epoch in which it was created.
    package var createdIn: UInt64 = 0
    package var answers = AnswerLedger()
    /// The answer to the command that created the room, if it came with a key.
    package var creation: KeyedAnswer?

    package init(room: RoomID) {
        self.room = room
        self.owner = UserProfile(id: .nobody)
    }

    package func role(of user: UserID) -> Role {
        if user == owner.id { .owner } else if admins.contains(user) { .admin } else { .member }
    }

    /// Whether that user is the owner or an admin.
    package func runs(_ user: UserID) -> Bool { role(of: user) != .member }

    package func seat(of user: UserID) -> Int? { seats.seat(of: user) }

    /// Who would own the room if the owner did not come back: the first appointed admin who is connected.
    package func heir(among people: [UserID: DecisionContext.Person]) -> UserProfile? {
        for admin in admins {
            if let person = people[admin], person.presence == .online { return person.profile }
        }
        return nil
    }
}

extension UserID {
    /// Stands for the owner of a room that nobody has created yet; nothing is asked of such a room.
    fileprivate static let nobody: UserID = {
        guard let id = UserID("_") else { preconditionFailure("a literal that UserID accepts") }
        return id
    }()
}
