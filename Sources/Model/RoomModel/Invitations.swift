/// Says yes.
package struct AcceptInvitation: CommandPayload {
    package static let name = RoomCommand.Name.acceptInvitation
    package var asCommand: RoomCommand { .acceptInvitation(self) }

    package var id: String

    package init(id: String) {
        self.id = id
    }

    package var texts: [SaidText] { [SaidText(.wordOfTheProtocol, id, "id")] }
}

/// Says no.
package struct RejectInvitation: CommandPayload {
    package static let name = RoomCommand.Name.rejectInvitation
    package var asCommand: RoomCommand { .rejectInvitation(self) }

    package var id: String
    package var reason: String?

    package init(id: String, reason: String?) {
        self.id = id
        self.reason = reason
    }

    package var texts: [SaidText] {
        [SaidText(.wordOfTheProtocol, id, "id")] + (reason.map { [SaidText(.rejectionReason, $0, "reason")] } ?? [])
    }
}

/// Takes back what one asked.
package struct CancelInvitation: CommandPayload {
    package static let name = RoomCommand.Name.cancelInvitation
    package var asCommand: RoomCommand { .cancelInvitation(self) }

    package var id: String

    package init(id: String) {
        self.id = id
    }

    package var texts: [SaidText] { [SaidText(.wordOfTheProtocol, id, "id")] }
}

/// The state of an invitation.
@nonexhaustive public enum InvitationState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Not answered yet.
    case waiting
    /// The invitee accepted.
    case accepted
    /// The invitee rejected it.
    case rejected
    /// The inviter cancelled it.
    case cancelled
    /// Nobody answered in time.
    case expired
}

/// An invitation from one user to another: to take a seat, to be given one, or whatever the command means to the application.
public struct Invitation: Codable, Hashable, Sendable {
    /// Unique in the room; chosen by the inviter's client or by the server.
    public var id: String
    /// The room that it belongs to.
    public var room: RoomID
    /// The inviter.
    public var from: UserID
    /// The invitee.
    public var to: UserID
    /// The application's command, such as `ENTER_SEAT`.
    public var command: String
    /// What goes with the command, such as the number of a seat.
    public var content: String
    /// A few words to whoever answers it, up to 60 characters.
    public var words: String?
    /// Whether a still of the inviter came along. Only who may answer gets it, by `invitation.still`, as long as the invitation waits.
    public var hasStill: Bool
    /// The state.
    public var state: InvitationState
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// Milliseconds since 1970; `nil` if the invitation does not expire.
    package var expiresAt: Int64?
    /// The reason that the invitee gave when rejecting.
    public var reason: String?

    /// Creates the value from its parts.
    package init(
        id: String, room: RoomID, from: UserID, to: UserID, command: String, content: String, words: String? = nil,
        hasStill: Bool = false, state: InvitationState = .waiting, createdAt: Int64, expiresAt: Int64? = nil,
        reason: String? = nil
    ) {
        self.id = id
        self.room = room
        self.from = from
        self.to = to
        self.command = command
        self.content = content
        self.words = words
        self.hasStill = hasStill
        self.state = state
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case id, room, from, to, command, content, words, hasStill, state, createdAt, expiresAt, reason
    }

    // By hand, since invitations stand in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try fields.decode(String.self, forKey: .id), room: try fields.decode(RoomID.self, forKey: .room),
            from: try fields.decode(UserID.self, forKey: .from), to: try fields.decode(UserID.self, forKey: .to),
            command: try fields.decode(String.self, forKey: .command),
            content: try fields.decodeIfPresent(String.self, forKey: .content) ?? "",
            words: try fields.decodeIfPresent(String.self, forKey: .words),
            hasStill: try fields.decodeIfPresent(Bool.self, forKey: .hasStill) ?? false,
            state: try fields.decodeIfPresent(InvitationState.self, forKey: .state) ?? .waiting,
            createdAt: try fields.decode(Int64.self, forKey: .createdAt),
            expiresAt: try fields.decodeIfPresent(Int64.self, forKey: .expiresAt),
            reason: try fields.decodeIfPresent(String.self, forKey: .reason))
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(room, forKey: .room)
        try fields.encode(from, forKey: .from)
        try fields.encode(to, forKey: .to)
        try fields.encode(command, forKey: .command)
        try fields.encode(content, forKey: .content)
        try fields.encodeIfPresent(words, forKey: .words)
        // Most come without: nothing is said then.
        if hasStill { try fields.encode(true, forKey: .hasStill) }
        try fields.encode(state, forKey: .state)
        try fields.encode(createdAt, forKey: .createdAt)
        try fields.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try fields.encodeIfPresent(reason, forKey: .reason)
    }
}

/// Whether somebody who is not in the room can be asked something now.
package enum Reach: Hashable, Sendable {
    /// Not signed in, or without a connection.
    case away
    case there
    /// They have been asked much of late.
    case busy(retryAfterMs: Int)
}

/// One page of the waiting invitations that concern the reader.
package struct InvitationsPage: Codable, Hashable, Sendable {
    /// Those of this page, oldest first.
    package var invitations: [Invitation]
    /// Give it back to get the next page; absent on the last.
    package var cursor: String?

    /// A page, and where the next one begins.
    package init(invitations: [Invitation], cursor: String? = nil) {
        self.invitations = invitations
        self.cursor = cursor
    }
}

/// What somebody wants to send as an invitation.
package struct InvitationDraft: CommandPayload {
    package static let name = RoomCommand.Name.sendInvitation
    package static var answer: CommandResult.Form { .invited }
    package var asCommand: RoomCommand { .sendInvitation(self) }

    package var to: UserID
    package var command: String
    package var content: String
    package var words: String?
    /// What the inviter looks like now. It lives in memory alone, and no longer than the invitation waits.
    package var still: StillPicture?
    /// 0: no timeout.
    package var timeoutSeconds: Int
    /// The client's own id, if it chose one.
    package var id: String?

    package init(
        to: UserID, command: String, content: String = "", words: String? = nil, still: StillPicture? = nil,
        timeoutSeconds: Int = 0, id: String? = nil
    ) {
        self.to = to
        self.command = command
        self.content = content
        self.words = words
        self.still = still
        self.timeoutSeconds = timeoutSeconds
        self.id = id
    }

    package func check() throws(RoomError) { try RoomError.check(timeoutSeconds, in: 0...3_600, "timeoutSeconds") }

    package var texts: [SaidText] {
        [
            SaidText(.invitationCommand, command, "command"), SaidText(.invitationContent, content, "content"),
            words.map { SaidText(.invitationWords, $0, "words") }, id.said(),
        ].compactMap { $0 }
    }

    private enum CodingKeys: String, CodingKey { case user, command, content, words, still, timeoutSeconds, id }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            to: try fields.decode(UserID.self, forKey: .user),
            command: try fields.decode(String.self, forKey: .command),
            content: try fields.decodeIfPresent(String.self, forKey: .content) ?? "",
            words: try fields.decodeIfPresent(String.self, forKey: .words),
            still: try StillPicture(ifPresentIn: fields, .still, byteLimit: StillPicture.requestByteLimit),
            timeoutSeconds: try fields.decodeIfPresent(Int.self, forKey: .timeoutSeconds) ?? 0,
            id: try fields.decodeIfPresent(String.self, forKey: .id))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(to, forKey: .user)
        try fields.encode(command, forKey: .command)
        try fields.encode(content, forKey: .content)
        try fields.encodeIfPresent(words, forKey: .words)
        try fields.encodeIfPresent(still?.base64, forKey: .still)
        try fields.encode(timeoutSeconds, forKey: .timeoutSeconds)
        try fields.encodeIfPresent(id, forKey: .id)
    }
}

/// `invitation.state` tells which of the five it is: waiting = received.
public struct InvitationNews: Codable, Hashable, Sendable {
    /// The invitation as it stands now.
    public var invitation: Invitation
    /// Who sent, answered or cancelled it; absent when it timed out.
    public var by: UserID?

    /// News of it, and who caused them.
    public init(invitation: Invitation, by: UserID?) {
        self.invitation = invitation
        self.by = by
    }
}

extension InvitationNews: EventPayload {
    package var type: EventType {
        switch invitation.state {
        case .waiting: .invitationReceived
        case .accepted: .invitationAccepted
        case .rejected: .invitationRejected
        case .cancelled: .invitationCancelled
        case .expired: .invitationExpired
        }
    }
    package var wireSize: Int { WireSize.object + invitation.wireSize }
}
