package import RoomModel

// What the journal has of people: who owns the room, what they ask each other, and what they may not.

extension Journal {
    package struct OwnerChanged: Hashable, Sendable, JournalPayload {
        package var owner: UserProfile
        package var reason: OwnerChangeReason

        package init(_ owner: UserProfile, _ reason: OwnerChangeReason) {
            self.owner = owner
            self.reason = reason
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(owner, forKey: .owner)
            try fields.encode(reason, forKey: .reason)
        }
    }

    package struct InvitationSettled: Hashable, Sendable, JournalPayload {
        package var id: String
        package var state: InvitationState
        package var reason: String?

        package init(id: String, _ state: InvitationState, reason: String?) {
            self.id = id
            self.state = state
            self.reason = reason
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(id, forKey: .id)
            try fields.encode(state, forKey: .state)
            try fields.encodeIfPresent(reason, forKey: .reason)
        }
    }

    /// The time in which an accepted invitation lets somebody sit down is over.
    package struct ConsentLapsed: Hashable, Sendable, JournalPayload {
        package var user: UserID

        package init(_ user: UserID) { self.user = user }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(user, forKey: .user)
        }
    }

    package struct RestrictionLifted: Hashable, Sendable, JournalPayload {
        package var kind: RestrictionKind
        package var user: UserID

        package init(_ kind: RestrictionKind, of user: UserID) {
            self.kind = kind
            self.user = user
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(kind, forKey: .kind)
            try fields.encode(user, forKey: .user)
        }
    }

    /// Merged: `users` are up to three of those who sent them.
    package struct Liked: Hashable, Sendable, JournalPayload {
        package var count: UInt64
        package var users: [UserID]

        package init(count: UInt64, users: [UserID]) {
            self.count = count
            self.users = users
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(count, forKey: .count)
            try fields.encode(users, forKey: .users)
        }
    }

    /// Paid in the ledger before; in the order of their numbers.
    package struct Gifted: Hashable, Sendable, JournalPayload {
        package var gifts: [SentGift]

        package init(_ gifts: [SentGift]) { self.gifts = gifts }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(gifts, forKey: .gifts)
        }
    }

    /// The operator has erased a person: the room knows neither name nor words of theirs any more.
    package struct PersonErased: Hashable, Sendable, JournalPayload {
        package var user: UserID

        package init(_ user: UserID) { self.user = user }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(user, forKey: .user)
        }
    }
}
