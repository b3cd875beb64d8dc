/// Sizes that no setting changes: what fits a screen, a queue and a message.
package enum RoomLimits {
    /// A seat is a receive slot of every client's peer connection, and of those a client has 16.
    package static let seats = 1...16
    package static let nameCharacters = 1...64
    /// 64 characters of four bytes.
    package static let nameBytes = 256
    /// 300 characters of four bytes.
    package static let bioBytes = 1_200
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
    /// Text of a message, or command and text together (the published 12 KiB).
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
    package static let pkSeconds = 60...600
    package static let forfeitSeconds = 0...180
    package static let forfeitCharacters = 60
    /// Hosts whose challenges are refused for the time being; more is settled by taking none at all.
    package static let challengePauses = 32
    package static let songIDBytes = 1...64
    package static let songTitleCharacters = 1...100
    package static let songTitleBytes = 400
    /// An hour: a medley, not an audio book.
    package static let songDurationMs: ClosedRange<Int64> = 1...3_600_000
    /// Between two moves of one person (the published limit).
    package static let moveIntervalMs: Int64 = 1_000
    /// Between two challenges of one host.
    package static let challengeIntervalMs: Int64 = 1_000

    /// Whether a client may call a message or an invitation so.
    package static func isClientID(_ id: String) -> Bool {
        (1...clientIDBytes).contains(id.utf8.count) && id.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}
