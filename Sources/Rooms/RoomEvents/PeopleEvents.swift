package import RoomModel

// What the journal has of people: who owns the room, what they ask each other, and what they may not.

extension RoomEvent {
    package struct OwnerChanged: Hashable, Sendable, Codable {
        package var owner: UserProfile
        package var reason: OwnerChangeReason

        package init(_ owner: UserProfile, _ reason: OwnerChangeReason) {
            self.owner = owner
            self.reason = reason
        }
    }

    package struct InvitationSettled: Hashable, Sendable, Codable {
        package var id: String
        package var state: InvitationState
        package var reason: String?

        package init(id: String, _ state: InvitationState, reason: String?) {
            self.id = id
            self.state = state
            self.reason = reason
        }
    }

    /// The time in which an accepted invitation lets somebody sit down is over.
    package struct ConsentLapsed: Hashable, Sendable, Codable {
        package var user: UserID

        package init(_ user: UserID) { self.user = user }
    }

    package struct RestrictionLifted: Hashable, Sendable, Codable {
        package var kind: RestrictionKind
        package var user: UserID

        package init(_ kind: RestrictionKind, of user: UserID) {
            self.kind = kind
            self.user = user
        }
    }

    /// Merged: `users` are up to three of those who sent them.
    package struct Liked: Hashable, Sendable, Codable {
        package var count: UInt64
        package var users: [UserID]

        package init(count: UInt64, users: [UserID]) {
            self.count = count
            self.users = users
        }
    }

    /// Paid in the ledger before; in the order of their numbers.
    package struct Gifted: Hashable, Sendable, Codable {
        package var gifts: [SentGift]

        package init(_ gifts: [SentGift]) { self.gifts = gifts }
    }

    /// The operator has erased a person: the room knows neither name nor words of theirs any more.
    package struct PersonErased: Hashable, Sendable, Codable {
        package var user: UserID

        package init(_ user: UserID) { self.user = user }
    }
}
