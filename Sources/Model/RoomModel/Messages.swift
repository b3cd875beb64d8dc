/// Likes the room, as often as somebody has tapped.
package struct SendLikes: CommandPayload {
    package static let name = RoomCommand.Name.sendLikes
    package static let allowance = ChangeAllowance.measuredByRoom
    package static var answer: CommandResult.Form { .liked }
    package var asCommand: RoomCommand { .sendLikes(self) }

    /// 1…100
    package var count: Int

    package init(_ count: Int) {
        self.count = count
    }

    package func check() throws(RoomError) { try RoomError.check(count, in: 1...100, "count") }
}

/// What a message carries: a text, or a custom command with its text.
@nonexhaustive public enum MessageBody: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A command of the application, with its text.
    case custom(command: String, message: String)
}

/// `text`, or `command` and `message`, among the fields of what carries it.
extension MessageBody: Codable {
    private enum CodingKeys: String, CodingKey { case text, command, message }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            self = .text(text)
        } else if decoder.readsNewerWords == true, !container.contains(.command) {
            // Of a kind that a newer server has. Apps pass over commands that are not their own.
            self = .custom(command: "", message: "")
        } else {
            self = .custom(
                command: try container.decode(String.self, forKey: .command),
                message: try container.decode(String.self, forKey: .message))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .text(let text): try container.encode(text, forKey: .text)
        case .custom(let command, let message):
            try container.encode(command, forKey: .command)
            try container.encode(message, forKey: .message)
        }
    }
}

extension MessageBody {
    /// All that people may read of it.
    package var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .custom(let command, let message): [command, message]
        }
    }

    /// Whether it can be told as it is, under that id of the sender's.
    package func check(id: String?) throws(RoomError) {
        switch self {
        case .text(let text):
            guard !text.isEmpty else { throw .invalid("text", "a message says something") }
        case .custom(let command, _):
            guard (1...RoomLimits.commandBytes).contains(command.utf8.count) else {
                throw .invalid("command", "a command word has 1…64 bytes")
            }
        }
        guard texts.reduce(0, { $0 + $1.utf8.count }) <= RoomLimits.messageBytes,
            texts.reduce(0, { $0 + WireSize.of($1) }) <= RoomLimits.messageWireBytes
        else { throw RoomError(.messageTooLarge) }
        if let id, !RoomLimits.isClientID(id) {
            throw .invalid("id", "an id has 1…64 printable ASCII characters")
        }
    }
}

/// How much a message matters. When a room has more to say than its budget of messages a second, those that matter less are refused first.
@nonexhaustive public enum MessagePriority: String, Hashable, Sendable, Codable, CaseIterable {
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
    package var time: Int64
    /// Whether somebody who runs the room removed it; then its text is empty.
    public var deleted = false

    /// Creates the value from its parts.
    package init(chat: UInt64, id: String? = nil, from: UserProfile, body: MessageBody, time: Int64) {
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

    private enum CodingKeys: String, CodingKey { case chat, id, from, time, deleted }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        chat = try container.decode(UInt64.self, forKey: .chat)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        from = try container.decode(UserProfile.self, forKey: .from)
        time = try container.decode(Int64.self, forKey: .time)
        deleted = try container.decodeIfPresent(Bool.self, forKey: .deleted) ?? false
        body = try MessageBody(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(chat, forKey: .chat)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encode(from, forKey: .from)
        try body.encode(to: encoder)
        try container.encode(time, forKey: .time)
        if deleted { try container.encode(true, forKey: .deleted) }
    }
}

extension MessageBody {
    package func said(id: String?) -> [SaidText] {
        let said =
            switch self {
            case .text(let text): [SaidText(.messageText, text, "text")]
            case .custom(let command, let message):
                [SaidText(.messageCommand, command, "command"), SaidText(.messageContent, message, "message")]
            }
        return said + [id.said()].compactMap { $0 }
    }
}

/// What somebody wants to say.
package struct MessageDraft: CommandPayload {
    package static let name = RoomCommand.Name.sendMessage
    package static let allowance = ChangeAllowance.measuredByRoom
    package static var operatorPath: OperatorPath? { OperatorPath(.post, "rooms/{room}/messages") }
    package static var answer: CommandResult.Form { .sent }
    package var asCommand: RoomCommand { .sendMessage(self) }

    package var body: MessageBody
    /// The client's own id, echoed to everybody.
    package var id: String?
    package var priority: MessagePriority

    package init(_ body: MessageBody, id: String? = nil, priority: MessagePriority = .normal) {
        self.body = body
        self.id = id
        self.priority = priority
    }

    package var texts: [SaidText] { body.said(id: id) }

    private enum CodingKeys: String, CodingKey { case id, priority }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try MessageBody(from: decoder), id: try fields.decodeIfPresent(String.self, forKey: .id),
            priority: try fields.decodeIfPresent(MessagePriority.self, forKey: .priority) ?? .normal)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try body.encode(to: encoder)
        try fields.encodeIfPresent(id, forKey: .id)
        if priority != .normal { try fields.encode(priority, forKey: .priority) }
    }
}

// MARK: - Events

extension Message: EventPayload {
    package var type: EventType { .message }
}

/// The text of a message was removed.
public struct MessageDeleted: StoredPayload, Codable, Hashable, Sendable {
    /// The number of the message.
    public var chat: UInt64
    /// Who removed it.
    public var by: UserID?

    /// The message of that number is without its text.
    public init(_ chat: UInt64, by: UserID? = nil) {
        self.chat = chat
        self.by = by
    }

    package var type: EventType { .messageDeleted }
}

/// Messages that this connection will not get.
package struct MessagesDropped: EventPayload {
    /// The first and the last of them.
    package var from: UInt64
    package var to: UInt64

    package init(from: UInt64, to: UInt64) {
        self.from = from
        self.to = to
    }

    private enum CodingKeys: String, CodingKey { case from, to }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            from: try fields.decode(UInt64.self, forKey: .from), to: try fields.decode(UInt64.self, forKey: .to))
        guard from <= to else {
            throw DecodingError.dataCorruptedError(
                forKey: .to, in: fields, debugDescription: "a hole in the chat ends after its beginning")
        }
    }

    package var type: EventType { .dropped }
}

/// Likes since the last such news.
public struct LikesNews: Codable, Hashable, Sendable {
    /// Of the room's life, exact.
    public var total: UInt64
    /// Since the last such news.
    public var added: UInt64
    /// Up to three of those who sent them.
    public var users: [UserID]

    /// Creates the value from its parts.
    public init(total: UInt64, added: UInt64, users: [UserID]) {
        self.total = total
        self.added = added
        self.users = users
    }
}

extension LikesNews: EventPayload {
    package var type: EventType { .likes }
}
