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
    package var seats: [SeatPlace] = []
    /// The waiting ones, in the order in which they came.
    package var invitations: [Invitation] = []
    package var consents: [Consent] = []
    package var likes: UInt64 = 0
    package var gifts = GiftBook()
    /// The newest last. Those whose time is over may still be among them.
    package var restrictions: [Restriction] = []
    /// What a chorus room sings.
    package var play: SongPlay?
    /// Who leads in a chorus room; nobody: all sing at once. Whoever leads has a seat.
    package var leader: UserID?
    /// Whose screen a live room sees. Whoever shares one has a seat.
    package var screen: UserID?
    /// How the stage of a live room is arranged. Whoever is large has a seat.
    package var stage = StageLayout()
    /// Links to other rooms, and the PK with them.
    package var pk = PKState()
    /// Of this room's host to another one, or the other way round.
    package var challenge: PKChallenge?
    /// When this room's host last challenged another one, in milliseconds since 1970.
    package var challengedAt: Int64?
    /// Who is not to challenge this room's host for the time being.
    package var pauses: [ChallengePause] = []
    /// Who has told this room's host so.
    package var refusals: [ChallengePause] = []
    package var mail = RoomMail()
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

    /// Somebody who may sit down although the room wants to be asked.
    package struct Consent: Hashable, Sendable {
        package var user: UserID
        /// When it was given, in milliseconds since 1970.
        package var since: Int64
    }

    package init(room: RoomID) {
        self.room = room
        self.owner = UserProfile(id: .nobody)
    }

    package var duet: DuetMode { leader.map { .leadFollow(leader: $0) } ?? .together }

    package func role(of user: UserID) -> Role {
        if user == owner.id { .owner } else if admins.contains(user) { .admin } else { .member }
    }

    /// Whether that user is the owner or an admin.
    package func runs(_ user: UserID) -> Bool { role(of: user) != .member }

    package func seat(of user: UserID) -> Int? {
        seats.firstIndex { $0.occupant?.profile.id == user }
    }

    /// Sessions with other rooms that are not over.
    var activeSessions: Set<String> {
        Set(pk.links.map(\.id)).union(mail.outbox.map(\.session)).union([challenge?.id].compactMap { $0 })
    }

    package func hasConsent(_ user: UserID) -> Bool { consents.contains { $0.user == user } }

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
