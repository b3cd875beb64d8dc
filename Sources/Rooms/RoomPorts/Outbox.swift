package import RoomModel

// How a room speaks to connections without ever waiting for one.

/// Which queue of a connection news wait in.
package enum NewsLane: Hashable, Sendable {
    /// Answers, seats, roles, invitations, room ends: never shed. A connection that cannot keep up is closed and
    /// resumes.
    case control
    /// Chat, likes, levels, counts: leaves when no control waits, shed oldest first; holes in chat are announced by the
    /// connection's owner.
    case chatter
}

/// The sending side of one connection: bounded, filled by rooms inside their turn, drained by one writer.
package protocol Outbox: AnyObject, Sendable {
    /// Never blocks and never suspends. News of one lane leave in the order in which they came, control before chatter. Those of one
    /// call are of one room; chat numbers of the messages in it are ascending, so that whoever sheds it can announce the hole.
    func enqueue(_ news: RoomNews, lane: NewsLane)
}

/// One session of the gateway, for as long as the process lives; it stays the same when a connection is resumed. Not
/// the secret.
package struct SessionToken: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
