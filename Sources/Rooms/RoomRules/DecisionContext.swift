package import RoomEvents
package import RoomModel

/// What a decision depends on besides the room's durable state. The rules read no clock and no connection: they are
/// told.
package struct DecisionContext: Sendable {
    /// Milliseconds since 1970.
    package var now: Int64
    /// Everybody in the room.
    package var people: [UserID: Person]
    package var policy: RoomPolicy
    /// Most people at once since the room was loaded.
    package var peak: Int
    /// The other room that the command is about, as the directory shows it; `nil`: there is none.
    package var target: RoomInfo?
    /// The gift that the command is about, from the catalogue; `nil`: there is none.
    package var gift: Gift?
    /// Whether the invitee, who is not in the room, can be reached elsewhere.
    package var reach = Reach.away
    /// The message that the command is about; `nil`: it is not kept any more.
    package var message: Message?
    /// Whom the host of the room has banned everywhere; the command is about that person.
    package var hostBan: Restriction?
    /// How many people the host of the room has banned everywhere.
    package var hostBanCount = 0
    /// The operator's mute of the caller, who says something.
    package var standingMute: Restriction?

    package struct Person: Hashable, Sendable {
        package var profile: UserProfile
        package var presence: Presence
        package init(profile: UserProfile, presence: Presence) {
            self.profile = profile
            self.presence = presence
        }
    }

    package init(now: Int64, people: [UserID: Person], policy: RoomPolicy, peak: Int = 0) {
        self.now = now
        self.people = people
        self.policy = policy
        self.peak = max(peak, people.count)
    }
}

/// What a command does if it is accepted. No events: it is accepted, and nothing changes (the seat was muted already).
package struct Decision: Hashable, Sendable {
    package var events: [RoomEvent]
    package var result: CommandResult

    package init(_ events: [RoomEvent], _ result: CommandResult = .done) {
        self.events = events
        self.result = result
    }

    package static let nothing = Decision([])

    /// Whether that person, who sits, sits no more after it.
    func leavesUnseated(_ person: UserID) -> Bool {
        var isSeated = true
        for event in events {
            switch event {
            case .seatLeft(let left) where left.user.id == person: isSeated = false
            case .seatTaken(let taken) where taken.user.id == person: isSeated = true
            default: break
            }
        }
        return !isSeated
    }
}

/// What happens to a room without anybody asking: timers that ran out, people who are gone, the operator.
package enum ServerCommand: Hashable, Sendable {
    /// Somebody is no longer in the room (`exited` or `lost`).
    case departed(UserID, SeatLeaveReason)
    /// The session by which somebody's camera or screen came is gone; its user is still there by another one.
    case picturesGone(UserID, camera: Bool, screen: Bool)
    case ownerAbsenceOver
    case invitationTimedOut(id: String)
    case consentTimedOut(UserID)
    case songOver
    /// Something between rooms may be due.
    case pkTimeOver
    /// The owner's connection has been lost for longer than a PK waits.
    case hostLost
    /// Another room says something.
    case letter(RoomLetter, from: RoomID)
    /// Another room's people have made so many points so far.
    case points(UInt64, session: String)
    /// The other room has stored the letters up to that one.
    case delivered(session: String, step: UInt64)
    /// There is nobody who would read the session's letters.
    case partnerGone(session: String)
    /// The operator dismisses the room.
    case dismissed
}
