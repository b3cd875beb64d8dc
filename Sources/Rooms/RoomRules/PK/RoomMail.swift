package import RoomEvents
package import RoomModel

/// What a room has said to others and has heard from them: letters on their way, and how far each session has come.
package struct RoomMail: Equatable, Sendable {
    /// Sessions that are remembered after their end: a letter that comes once more must find that it has been heard.
    static let remembered = 32
    /// So many letters may wait when somebody new is asked: rooms that do not hear leave no pile.
    static let waiting = 32

    package struct Session: Equatable, Sendable {
        package var id: String
        /// The last step that was said.
        package var sent: UInt64 = 0
        /// The last step that was heard.
        package var heard: UInt64 = 0
    }

    /// In the order in which they were said; what the other room has stored is gone.
    package var outbox: [RoomLetter] = []
    /// Those that were used last at the end.
    package var sessions: [Session] = []

    package init() {}

    package func sent(in session: String) -> UInt64 { sessions.last { $0.id == session }?.sent ?? 0 }
    package func heard(in session: String) -> UInt64 { sessions.last { $0.id == session }?.heard ?? 0 }

    /// Whether something of the session waits until the other room has stored it.
    package func isWaiting(in session: String) -> Bool { outbox.contains { $0.session == session } }

    /// The step up to which the other room has stored what was said, as far as something of the session waits.
    package func confirmed(in session: String) -> UInt64 {
        outbox.first { $0.session == session }.map { max($0.step, 1) - 1 } ?? 0
    }

    mutating func post(_ letter: RoomLetter, keeping active: Set<String>) {
        outbox.append(letter)
        touch(letter.session, keeping: active) { $0.sent = letter.step }
    }

    mutating func hear(_ step: UInt64, in session: String, keeping active: Set<String>) {
        touch(session, keeping: active) { $0.heard = step }
    }

    mutating func deliver(_ step: UInt64, of session: String) {
        outbox.removeAll { $0.session == session && $0.step <= step }
    }

    /// The other room has stored the letters up to that one.
    func delivered(_ session: String, _ step: UInt64) -> Decision {
        outbox.contains { $0.session == session && $0.step <= step }
            ? Decision([.lettersDelivered(.init(session: session, step: step))]) : .nothing
    }

    mutating func giveUp(_ session: String) { outbox.removeAll { $0.session == session } }

    /// Of those that are over, the one that was used longest ago is forgotten first.
    private mutating func touch(_ id: String, keeping active: Set<String>, _ change: (inout Session) -> Void) {
        var session = Session(id: id)
        if let index = sessions.firstIndex(where: { $0.id == id }) { session = sessions.remove(at: index) }
        change(&session)
        sessions.append(session)
        let oldest = sessions.firstIndex { $0.id != id && !active.contains($0.id) }
        if sessions.count > Self.remembered, let oldest { sessions.remove(at: oldest) }
    }
}

/// A host who wants no challenges for a while.
package struct ChallengePause: Equatable, Sendable {
    /// By whom; `nil`: by anybody.
    package var host: UserID?
    /// Milliseconds since 1970.
    package var until: Int64
}
