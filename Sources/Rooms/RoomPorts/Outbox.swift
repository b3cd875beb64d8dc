// How a room speaks to connections without ever waiting for one: frames are encoded once per room and tick,
// and outboxes hold references to them.

/// Something ready to be written to many connections; made by a `NewsEncoder`, read only by the gateway that made it.
package protocol NewsFrame: AnyObject, Sendable {}

/// Which queue of a connection a frame waits in.
package enum NewsLane: Hashable, Sendable {
    /// Answers, seats, roles, invitations, room ends: never shed. A connection that cannot keep up is closed and resumes.
    case control
    /// Chat, likes, levels, presence of listeners: shed oldest first; holes in chat are announced by the outbox's owner.
    case chatter
}

/// The sending side of one connection: bounded and lock-guarded, filled by rooms inside their turn, drained by one writer.
package protocol Outbox: AnyObject, Sendable {
    /// Never blocks and never suspends. Frames of one lane leave in the order in which they came, and a chatter frame never overtakes
    /// a control frame that came before it.
    func enqueue(_ frame: any NewsFrame, lane: NewsLane)
}
