package import RoomModel

// What the journal has of other rooms, beside the letters themselves.

extension Journal {
    /// The host takes no challenges until then, by that host or by anybody; without a time: takes them again.
    package struct ChallengesPaused: Hashable, Sendable, JournalPayload {
        package var user: UserID?
        /// Milliseconds since 1970.
        package var until: Int64?

        package init(by user: UserID?, until: Int64?) {
            self.user = user
            self.until = until
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encodeIfPresent(user, forKey: .user)
            try fields.encodeIfPresent(until, forKey: .until)
        }
    }

    /// The other room has stored all letters of the session up to that one.
    package struct LettersDelivered: Hashable, Sendable, JournalPayload {
        package var session: String
        package var step: UInt64

        package init(session: String, step: UInt64) {
            self.session = session
            self.step = step
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(session, forKey: .session)
            try fields.encode(step, forKey: .step)
        }
    }

    /// There is nobody any more who would read the session's letters.
    package struct LettersGivenUp: Hashable, Sendable, JournalPayload {
        package var session: String

        package init(session: String) { self.session = session }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(session, forKey: .session)
        }
    }

    package struct LetterHeard: Hashable, Sendable, JournalPayload {
        package var session: String
        package var step: UInt64

        package init(session: String, step: UInt64) {
            self.session = session
            self.step = step
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(session, forKey: .session)
            try fields.encode(step, forKey: .step)
        }
    }
}
