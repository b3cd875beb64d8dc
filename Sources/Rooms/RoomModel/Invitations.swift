public enum InvitationState: String, Codable, Hashable, Sendable {
    case waiting, accepted, rejected, cancelled, expired
}

/// One person asks another for something: to come to a seat, to be let onto one, or whatever the command word means to
/// the application.
public struct Invitation: Codable, Hashable, Sendable {
    /// Unique in the room; chosen by the inviter's client or by the server.
    public var id: String
    public var room: RoomID
    public var from: UserID
    public var to: UserID
    /// The application's command word, such as `ENTER_SEAT`.
    public var command: String
    public var content: String
    public var state: InvitationState
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// Milliseconds since 1970; absent if the invitation waits for ever.
    public var expiresAt: Int64?
    /// What the invitee said when rejecting.
    public var reason: String?

    public init(
        id: String, room: RoomID, from: UserID, to: UserID, command: String, content: String,
        state: InvitationState = .waiting, createdAt: Int64, expiresAt: Int64? = nil, reason: String? = nil
    ) {
        self.id = id
        self.room = room
        self.from = from
        self.to = to
        self.command = command
        self.content = content
        self.state = state
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.reason = reason
    }
}

/// What somebody wants to send as an invitation.
package struct InvitationDraft: Hashable, Sendable {
    package var to: UserID
    package var command: String
    package var content: String
    /// 0: no timeout.
    package var timeoutSeconds: Int
    /// The client's own id, if it chose one.
    package var id: String?

    package init(to: UserID, command: String, content: String = "", timeoutSeconds: Int = 0, id: String? = nil) {
        self.to = to
        self.command = command
        self.content = content
        self.timeoutSeconds = timeoutSeconds
        self.id = id
    }
}
