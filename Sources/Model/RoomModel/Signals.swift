/// Something for one person, who hears it on each client on which they are signed in. The server keeps none of it. On the wire:
/// `{id?, from, text, time}` or `{id?, from, command, message, time}`.
public struct Signal: Hashable, Sendable, Codable {
    /// The id that the sender gave it.
    public var id: String?
    /// The sender. An operator's program that names nobody has the name of its key.
    public var from: UserProfile
    /// The content.
    public var body: MessageBody
    /// Milliseconds since 1970.
    package var time: Int64

    /// Creates the value from its parts.
    package init(id: String? = nil, from: UserProfile, body: MessageBody, time: Int64) {
        self.id = id
        self.from = from
        self.body = body
        self.time = time
    }

    private enum CodingKeys: String, CodingKey { case id, from, time }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        from = try container.decode(UserProfile.self, forKey: .from)
        time = try container.decode(Int64.self, forKey: .time)
        body = try MessageBody(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encode(from, forKey: .from)
        try body.encode(to: encoder)
        try container.encode(time, forKey: .time)
    }
}

/// What somebody wants to tell one person.
package struct SignalDraft: Hashable, Sendable {
    package var to: UserID
    package var body: MessageBody
    /// The client's own id, told with it.
    package var id: String?

    package init(to user: UserID, _ body: MessageBody, id: String? = nil) {
        to = user
        self.body = body
        self.id = id
    }
}
