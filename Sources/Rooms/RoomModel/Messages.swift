/// What a message carries: a text, or a custom command with its text.
public enum MessageBody: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A command of the application, with its text.
    case custom(command: String, message: String)
}

/// How much a message matters. When a room has more to say than its budget of messages a second, those that matter less are refused first.
public enum MessagePriority: String, Hashable, Sendable, Codable, CaseIterable {
    /// What must arrive: products, announcements.
    case high
    /// What people write.
    case normal
    /// What comes in large numbers.
    case low
}

/// A message to everybody in the room. On the wire and in the journal:
/// `{chat, id?, from, text, time}` or `{chat, id?, from, command, message, time}`.
public struct Message: Hashable, Sendable, Codable {
    /// The message's number; consecutive within the room.
    public var chat: UInt64
    /// The id that the sender gave the message.
    public var id: String?
    /// The sender.
    public var from: UserProfile
    /// The content.
    public var body: MessageBody
    /// Milliseconds since 1970.
    public var time: Int64
    /// Whether somebody who runs the room removed it; then its text is empty.
    public var deleted = false

    /// Creates the value from its parts.
    public init(chat: UInt64, id: String? = nil, from: UserProfile, body: MessageBody, time: Int64) {
        self.chat = chat
        self.id = id
        self.from = from
        self.body = body
        self.time = time
    }

    /// What is left of it when it is removed.
    package var withoutText: Message {
        var message = Message(chat: chat, id: id, from: from, body: .text(""), time: time)
        message.deleted = true
        return message
    }

    private enum CodingKeys: String, CodingKey { case chat, id, from, text, command, message, time, deleted }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        chat = try container.decode(UInt64.self, forKey: .chat)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        from = try container.decode(UserProfile.self, forKey: .from)
        time = try container.decode(Int64.self, forKey: .time)
        deleted = try container.decodeIfPresent(Bool.self, forKey: .deleted) ?? false
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            body = .text(text)
        } else {
            body = .custom(
                command: try container.decode(String.self, forKey: .command),
                message: try container.decode(String.self, forKey: .message))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(chat, forKey: .chat)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encode(from, forKey: .from)
        switch body {
        case .text(let text): try container.encode(text, forKey: .text)
        case .custom(let command, let message):
            try container.encode(command, forKey: .command)
            try container.encode(message, forKey: .message)
        }
        try container.encode(time, forKey: .time)
        if deleted { try container.encode(true, forKey: .deleted) }
    }
}

/// What somebody wants to say.
package struct MessageDraft: Hashable, Sendable {
    package var body: MessageBody
    /// The client's own id, echoed to everybody.
    package var id: String?
    package var priority: MessagePriority

    package init(_ body: MessageBody, id: String? = nil, priority: MessagePriority = .normal) {
        self.body = body
        self.id = id
        self.priority = priority
    }
}
