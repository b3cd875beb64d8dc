package import RoomModel

// How a room speaks to connections without ever waiting for one: frames are encoded once per room and tick,
// and outboxes hold references to them.

/// Something ready to be written to many connections; made by a `NewsEncoder`, read only by the gateway that made it.
package protocol NewsFrame: AnyObject, Sendable {}

/// Turns news into what connections send. Called in the room's turn: it must be quick and must not wait.
package protocol NewsEncoder: Sendable {
    /// `news.events` of a frame are all of one lane and of one room. Chat numbers of the messages in it are ascending, so that whoever
    /// sheds the frame can announce the hole.
    func frame(_ news: RoomNews) -> any NewsFrame
}

/// Which queue of a connection a frame waits in.
package enum NewsLane: Hashable, Sendable {
    /// Answers, seats, roles, invitations, room ends: never shed. A connection that cannot keep up is closed and
    /// resumes.
    case control
    /// Chat, likes, levels, counts: leaves when no control waits, shed oldest first; holes in chat are announced by the outbox's
    /// owner.
    case chatter
}

/// The sending side of one connection: bounded and lock-guarded, filled by rooms inside their turn, drained by one
/// writer.
package protocol Outbox: AnyObject, Sendable {
    /// Never blocks and never suspends. Frames of one lane leave in the order in which they came, control before chatter.
    func enqueue(_ frame: any NewsFrame, lane: NewsLane)
}

/// One session of the gateway, for as long as the process lives; it stays the same when a connection is resumed. Not
/// the secret.
package struct SessionToken: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
