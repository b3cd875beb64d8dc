package import RoomModel
package import RoomPorts

/// A session that wants into a room: who it is and where its news go.
package struct Attendee: Sendable {
    package var session: SessionToken
    package var profile: UserProfile
    package var outbox: any Outbox
    /// Called in the room's turn when the session is no longer in the room, whatever the reason, once for each session
    /// that was let in (not for each time that it attached again). The gateway notes that the session is free to enter
    /// another room.
    package var departed: @Sendable (Departure) -> Void

    package init(
        session: SessionToken, profile: UserProfile, outbox: any Outbox,
        departed: @escaping @Sendable (Departure) -> Void
    ) {
        self.session = session
        self.profile = profile
        self.outbox = outbox
        self.departed = departed
    }
}

/// Why a session is no longer in a room.
package enum Departure: Hashable, Sendable {
    /// By its own will.
    case exited
    /// It did not come back within the grace time.
    case lost
    /// The room has ended.
    case ended
}

/// Why a connection no longer listens to a room.
package enum DetachReason: Hashable, Sendable {
    /// The connection broke: the session has the grace time to come back.
    case lost
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

    package init(stage: StageID, peer: PeerID) {
        self.stage = stage
        self.peer = peer
    }
}
