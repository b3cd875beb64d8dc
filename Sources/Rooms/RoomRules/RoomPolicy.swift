import RoomModel

/// What the operator decides about all rooms of an application, with the defaults of the product.
package struct RoomPolicy: Hashable, Sendable {
    /// `enforced` makes `needsRequest` a rule of the server; `advisory` leaves it to the client, as the published
    /// components do.
    package enum Consent: String, Hashable, Sendable { case enforced, advisory }

    package var consent: Consent
    /// For how long an accepted invitation lets somebody sit down.
    package var consentSeconds: Int
    /// For how long a lost connection keeps its seat.
    package var seatGraceSeconds: Int
    /// For how long a room waits for its owner. 120 s is also how long the clients try to reconnect before they give
    /// up, so an owner whose client comes back at all comes back to the room.
    package var ownerAbsenceSeconds: Int
    /// How many people a room holds.
    package var maxMembers: Int
    /// How many rooms one person may have open. A room outlives its owner's exit by `ownerAbsenceSeconds`, so a script could
    /// otherwise keep thousands.
    package var maxRoomsPerOwner: Int
    package var messages: MessageLimits
    /// How many times a second one person may delete, mute, ban, or give and take roles, thirty times as often at once: each time is noted in
    /// the audit trail. Whoever works through a list makes two strokes a second.
    package var actionsPerSecond = 2

    package init(
        consent: Consent = .enforced, consentSeconds: Int = 60, seatGraceSeconds: Int = 15,
        ownerAbsenceSeconds: Int = 120, maxMembers: Int = 20_000, maxRoomsPerOwner: Int = 20,
        messages: MessageLimits = MessageLimits()
    ) {
        self.consent = consent
        self.consentSeconds = consentSeconds
        self.seatGraceSeconds = seatGraceSeconds
        self.ownerAbsenceSeconds = ownerAbsenceSeconds
        self.maxMembers = maxMembers
        self.maxRoomsPerOwner = maxRoomsPerOwner
        self.messages = messages
    }
}

/// What a room lets through of its messages, and what it tells of them.
package struct MessageLimits: Hashable, Sendable {
    /// How many messages a second a room lets through. Nobody reads more, and each goes to everybody.
    package var room: Int
    /// How many of them may be one person's who does not run the room. Who types writes one a second; the rest is what apps send
    /// beside it.
    package var person: Int
    /// How many of the last messages somebody who enters is told, as far as they fit (256 KiB).
    package var onEntry: Int

    package init(room: Int = 40, person: Int = 5, onEntry: Int = 200) {
        self.room = room
        self.person = person
        self.onEntry = onEntry
    }
}

/// Sizes that no setting changes: what fits a screen, a queue and a message.
package enum RoomLimits {
    /// A seat is a receive slot of every client's peer connection, and of those a client has 16.
    package static let seats = 1...16
    package static let nameCharacters = 1...64
    /// 64 characters of four bytes.
    package static let nameBytes = 256
    package static let urlBytes = 500
    package static let tags = 5
    /// Of what is given, with repeats: more is looked at by nobody.
    package static let tagsGiven = 16
    package static let tagCharacters = 1...24
    /// Attributes on the wire, after escaping: they are JSON as a rule, whose quotation marks double. Everybody who enters is told them.
    package static let attributesWireBytes = 2 * AttributesDraft.bytes + 1_024
    /// Changes in a second, whoever makes them: each goes to everybody.
    package static let attributeChangesPerSecond = 5
    /// Around a command and a text.
    private static let quotationMarks = 4
    /// Text of a message, or command and text together (the reference systems' 12 KiB).
    package static let messageBytes = 12 * 1024
    /// The same on the wire, after escaping: JSON in JSON doubles its quotation marks, control characters grow sixfold and are no
    /// message.
    package static let messageWireBytes = 2 * messageBytes + quotationMarks
    package static let commandBytes = 64
    package static let invitationContentBytes = 4 * 1024
    package static let invitationContentWireBytes = 2 * invitationContentBytes + quotationMarks
    /// A few words to whoever answers: one line beside a name.
    package static let invitationWordsCharacters = 60
    /// A client's own id of a message or an invitation.
    package static let clientIDBytes = 64
    package static let rejectReasonBytes = 500
    package static let rejectReasonWireBytes = 2 * rejectReasonBytes + quotationMarks
    package static let invitationTimeoutSeconds = 0...3600
    /// Waiting invitations by one person: more is not a conversation.
    package static let invitationsPerPerson = 32
    /// Waiting invitations in a room; bounds the room's state.
    package static let invitationsPerRoom = 1_000
    package static let admins = 50
    package static let likesPerCall = 1...100
    /// Between two messages of one person, in seconds: an hour.
    package static let slowSeconds = 0...3_600
    /// A ban of 0 s is a removal.
    package static let restrictionSeconds = 0...Restriction.longestSeconds
    /// Of one room, with those of the last hour whose time is over. A room with more of them is better closed for a while: 500 stand in
    /// its snapshot with 150 KiB.
    package static let restrictions = 500
    /// Three digits fit a button.
    package static let giftsPerCall = 1...999
    /// A room shows its own host and three others.
    package static let links = 3
    static let pkSeconds = 60...600
    static let forfeitSeconds = 0...180
    static let forfeitCharacters = 60
    /// Hosts whose challenges are refused for the time being; more is settled by taking none at all.
    static let challengePauses = 32
    static let songIDBytes = 1...64
    static let songTitleCharacters = 1...100
    static let songTitleBytes = 400
    /// An hour: a medley, not an audio book.
    static let songDurationMs: ClosedRange<Int64> = 1...3_600_000
    /// Between two moves of one person (the reference component's limit).
    package static let moveIntervalMs: Int64 = 1_000
    /// Between two challenges of one host.
    package static let challengeIntervalMs: Int64 = 1_000
}
