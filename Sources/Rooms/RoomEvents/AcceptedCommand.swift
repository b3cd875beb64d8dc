package import RoomModel

/// One accepted command: what is stored whole or not at all, and applied whole.
package struct AcceptedCommand: Hashable, Sendable, Codable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// Who asked; `nil` for the server itself.
    package var by: UserID?
    package var events: [RoomEvent]
    /// The answer, if the command came with an idempotency key.
    package var answer: KeyedAnswer?
    /// Most people at once so far, when it has risen since the last entry.
    package var peak: Int?

    package init(time: Int64, by: UserID?, events: [RoomEvent], answer: KeyedAnswer? = nil, peak: Int? = nil) {
        self.time = time
        self.by = by
        self.events = events
        self.answer = answer
        self.peak = peak
    }

    private enum CodingKeys: String, CodingKey { case time, by, events, answer, peak }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            time: try fields.decode(Int64.self, forKey: .time),
            by: try fields.decodeIfPresent(UserID.self, forKey: .by),
            events: try fields.decode([RoomEvent].self, forKey: .events),
            answer: try fields.decodeIfPresent(KeyedAnswer.self, forKey: .answer),
            peak: try fields.decodeIfPresent(Int.self, forKey: .peak))
    }
}

/// The first accepted answer to an idempotency key.
package struct KeyedAnswer: Hashable, Sendable, Codable {
    package var user: UserID
    package var key: String
    /// Of the command's body: the same key with another body is an error.
    package var fingerprint: UInt64
    package var result: CommandResult
    /// Of an earlier release, in which a program had the keys of the person of its name.
    package private(set) var isShared = false

    package init(user: UserID, key: String, fingerprint: UInt64, result: CommandResult) {
        self.user = user
        self.key = key
        self.fingerprint = fingerprint
        self.result = result
    }

    private enum CodingKeys: String, CodingKey { case user, key, fingerprint, result, v }
    private static let version = 2

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            user: try fields.decode(UserID.self, forKey: .user), key: try fields.decode(String.self, forKey: .key),
            fingerprint: try fields.decode(UInt64.self, forKey: .fingerprint),
            result: try fields.decodeIfPresent(CommandResult.self, forKey: .result) ?? .done)
        isShared = try fields.decodeIfPresent(Int.self, forKey: .v) ?? 1 < Self.version
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(user, forKey: .user)
        try fields.encode(key, forKey: .key)
        try fields.encode(fingerprint, forKey: .fingerprint)
        try fields.encode(result, forKey: .result)
        if !isShared { try fields.encode(Self.version, forKey: .v) }
    }
}

extension CommandResult: Codable {
    private enum CodingKeys: String, CodingKey { case invitation, position, chat, time, total, startAt, gift, balance }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let id = try fields.decodeIfPresent(String.self, forKey: .invitation) {
            self = .invited(id: id, position: try fields.decode(Int.self, forKey: .position))
        } else if let chat = try fields.decodeIfPresent(UInt64.self, forKey: .chat) {
            self = .sent(chat: chat, time: try fields.decode(Int64.self, forKey: .time))
        } else if let total = try fields.decodeIfPresent(UInt64.self, forKey: .total) {
            self = .liked(total: total)
        } else if let startAt = try fields.decodeIfPresent(Int64.self, forKey: .startAt) {
            self = .scheduled(startAt: startAt)
        } else if let number = try fields.decodeIfPresent(Int64.self, forKey: .gift) {
            self = .gifted(number: number, balance: try fields.decode(Int64.self, forKey: .balance))
        } else {
            self = .done
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .done: break
        case .invited(let id, let position):
            try fields.encode(id, forKey: .invitation)
            try fields.encode(position, forKey: .position)
        case .sent(let chat, let time):
            try fields.encode(chat, forKey: .chat)
            try fields.encode(time, forKey: .time)
        case .liked(let total): try fields.encode(total, forKey: .total)
        case .scheduled(let startAt): try fields.encode(startAt, forKey: .startAt)
        case .gifted(let number, let balance):
            try fields.encode(number, forKey: .gift)
            try fields.encode(balance, forKey: .balance)
        }
    }
}
