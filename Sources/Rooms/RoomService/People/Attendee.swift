package import RoomModel
package import RoomPorts

/// A session that wants into a room: who it is and where its news go.
package struct Attendee: Sendable {
    package var session: SessionToken
    package var profile: UserProfile
    package var outbox: any Outbox
    /// What it may do there.
    package var rights: RoomRights
    /// Whether the session still has the right to enter: asked in the room's turn, so that who was replaced while the call was on its
    /// way stays out.
    package var mayEnter: @Sendable () -> Bool
    /// Takes one message out of what the session's address may send, or tells why it may not. Asked in the room's turn for each message that
    /// the room itself would let through, so that one who floods takes nothing from the others behind the address.
    package var takeMessage: @Sendable () -> RoomError?
    /// Called in the room's turn, before the entry's answer: the session is in the room, by this stay. The same number again when it
    /// attached anew without having left.
    package var entered: @Sendable (StayNumber) -> Void
    /// Called in the room's turn when that stay is over, whatever the reason, once for each that was told as entered. A later stay of
    /// the same session is not meant.
    package var departed: @Sendable (StayNumber, Departure) -> Void
    /// Called in the room's turn when the session's media path has ended by itself, or never came about.
    package var pathClosed: @Sendable () -> Void

    package init(
        session: SessionToken, profile: UserProfile, outbox: any Outbox, rights: RoomRights = .all,
        mayEnter: @escaping @Sendable () -> Bool = { true },
        takeMessage: @escaping @Sendable () -> RoomError? = { nil },
        entered: @escaping @Sendable (StayNumber) -> Void = { _ in },
        departed: @escaping @Sendable (StayNumber, Departure) -> Void,
        pathClosed: @escaping @Sendable () -> Void = {}
    ) {
        self.session = session
        self.profile = profile
        self.outbox = outbox
        self.rights = rights
        self.mayEnter = mayEnter
        self.takeMessage = takeMessage
        self.entered = entered
        self.departed = departed
        self.pathClosed = pathClosed
    }
}

/// One stay of a session in a room, from entering to leaving. Whoever leaves and enters again has another one: what belongs to the
/// earlier stay (an exit on its way, a grace time, a media path) touches no later one.
package struct StayNumber: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Why a session is no longer in a room.
package enum Departure: Hashable, Sendable {
    /// By its own will.
    case exited
    /// It did not come back within the grace time.
    case lost
    /// The room has ended.
    case ended
    /// The same person signed in elsewhere.
    case replaced
    /// Somebody who runs the room put its person out.
    case removed(Restriction)
}

/// Why a connection no longer listens to a room.
package enum DetachReason: Hashable, Sendable {
    /// The connection broke: the session has the grace time to come back.
    case lost
    /// The ticket ran out: as `lost`, but without sound in the meantime, since the right to it is gone.
    case expired
    /// The same person signed in elsewhere: the session is over, the person has the grace time to enter again.
    case replaced
    /// The session signed out: it leaves the room now.
    case left
}

/// How a call is answered: called exactly once, in the room's turn, in the order of the room,
/// before the news that the call caused are put into anybody's outbox. Must neither wait nor call back into the room.
package typealias Reply<Value> = @Sendable (Result<Value, RoomError>) -> Void

/// Where a session's media path belongs.
package struct MediaPlace: Hashable, Sendable {
    package var stage: StageID
    package var peer: PeerID
    /// What may come and go by it.
    package var rights: RoomRights

    package init(stage: StageID, peer: PeerID, rights: RoomRights = .all) {
        self.stage = stage
        self.peer = peer
        self.rights = rights
    }
}
