/// Removes a message.
package struct DeleteMessage: CommandPayload {
    package static let name = RoomCommand.Name.deleteMessage
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}/messages/{chat}") }
    package var asCommand: RoomCommand { .deleteMessage(self) }

    /// Its number.
    package var chat: UInt64

    package init(_ chat: UInt64) {
        self.chat = chat
    }
}

/// Lifts a restriction before its time.
package struct LiftRestriction: CommandPayload {
    package static let name = RoomCommand.Name.liftRestriction
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}/restrictions/{user}/{kind}") }
    package var asCommand: RoomCommand { .liftRestriction(self) }

    package var kind: RestrictionKind
    package var user: UserID

    package init(_ kind: RestrictionKind, of user: UserID) {
        self.kind = kind
        self.user = user
    }
}

/// What a room's chat takes, and from whom. Owner and admins keep to none of it.
public struct ChatSettings: Codable, Hashable, Sendable {
    /// How many seconds one person waits between two messages, 0…3,600. 0: not at all.
    package var slowSeconds: Int
    /// Whether only the owner and the admins write.
    public var hostsOnly: Bool
    /// Whether messages with links are refused.
    public var noLinks: Bool

    /// What is not given is off: everybody writes what they like.
    package init(slowSeconds: Int = 0, hostsOnly: Bool = false, noLinks: Bool = false) {
        self.slowSeconds = slowSeconds
        self.hostsOnly = hostsOnly
        self.noLinks = noLinks
    }

    /// Whether everybody writes what they like.
    public var isOpen: Bool { self == ChatSettings() }

    private enum CodingKeys: String, CodingKey { case slowSeconds, hostsOnly, noLinks }

    // By hand, since settings stand in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            slowSeconds: try fields.decodeIfPresent(Int.self, forKey: .slowSeconds) ?? 0,
            hostsOnly: try fields.decodeIfPresent(Bool.self, forKey: .hostsOnly) ?? false,
            noLinks: try fields.decodeIfPresent(Bool.self, forKey: .noLinks) ?? false)
    }
}

/// What somebody may not do in a room for the time being.
@nonexhaustive public enum RestrictionKind: Codable, Hashable, Sendable, CaseIterable, RawRepresentable {
    /// Write messages.
    case chatMute
    /// Be in the room.
    case ban
    /// Something that this version does not know, with its wire name.
    case unknown(String)

    /// The kinds that this version knows.
    public static let allCases: [RestrictionKind] = [.chatMute, .ban]

    /// The wire name.
    public var rawValue: String {
        switch self {
        case .chatMute: "chat_mute"
        case .ban: "ban"
        case .unknown(let name): name
        }
    }
}

/// Somebody who may not do something in a room for the time being.
public struct Restriction: Codable, Hashable, Sendable {
    /// What they may not do.
    public var kind: RestrictionKind
    /// Whom it concerns.
    public var user: UserID
    /// Their name at that time.
    public var name: String
    /// Until when, in milliseconds since 1970. nil: a mute until the room ends, a ban for good.
    package var until: Int64?
    /// Whether a ban holds for all rooms of the host, those to come included.
    public var everywhere: Bool
    /// Who decided it.
    public var by: UserID
    /// Why, in up to 200 characters, if they said so. The one concerned reads it too.
    public var reason: String?

    /// Creates the value from its parts.
    package init(
        _ kind: RestrictionKind, user: UserID, name: String, until: Int64?, everywhere: Bool = false, by: UserID,
        reason: String? = nil
    ) {
        self.kind = kind
        self.user = user
        self.name = name
        self.until = until
        self.everywhere = everywhere
        self.by = by
        self.reason = reason
    }

    /// A year, in seconds; longer is for good.
    package static let longestSeconds = 31_536_000
    package static let reasonCharacters = 200
    package static let reasonBytes = 800

    /// Whether people can read it, as far as it goes.
    package static func isReason(_ text: String) -> Bool {
        text.utf8.count <= reasonBytes && text.count <= reasonCharacters
            && (text.isEmpty || ReadableName.isReadable(text))
    }

    /// Whether it holds at that time, in milliseconds since 1970.
    package func holds(at time: Int64) -> Bool { until.map { time < $0 } ?? true }

    private enum CodingKeys: String, CodingKey { case kind, user, name, until, everywhere, by, reason }

    // By hand, since restrictions stand in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(RestrictionKind.self, forKey: .kind), user: try fields.decode(UserID.self, forKey: .user),
            name: try fields.decodeIfPresent(String.self, forKey: .name) ?? "",
            until: try fields.decodeIfPresent(Int64.self, forKey: .until),
            everywhere: try fields.decodeIfPresent(Bool.self, forKey: .everywhere) ?? false,
            by: try fields.decode(UserID.self, forKey: .by),
            reason: try fields.decodeIfPresent(String.self, forKey: .reason))
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(user, forKey: .user)
        try fields.encode(name, forKey: .name)
        try fields.encodeIfPresent(until, forKey: .until)
        if everywhere { try fields.encode(true, forKey: .everywhere) }
        try fields.encode(by, forKey: .by)
        try fields.encodeIfPresent(reason, forKey: .reason)
    }
}

/// A restriction that was set, or lifted before its time.
public struct RestrictionNews: EventPayload, Codable, Hashable, Sendable {
    /// The restriction.
    public var restriction: Restriction
    /// Whether it holds no more.
    public var lifted: Bool

    /// News of it.
    public init(_ restriction: Restriction, lifted: Bool) {
        self.restriction = restriction
        self.lifted = lifted
    }

    private enum CodingKeys: String, CodingKey { case type, restriction }

    /// The type of the event tells whether it was lifted.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(Restriction.self, forKey: .restriction),
            lifted: try fields.decode(EventType.self, forKey: .type) == .restrictionLifted)
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(type, forKey: .type)
        try fields.encode(restriction, forKey: .restriction)
    }

    package var type: EventType { lifted ? .restrictionLifted : .restrictionSet }
    package var wireSize: Int { WireSize.object + restriction.wireSize }
}

/// One page of the restrictions of a room.
package struct RestrictionsPage: Codable, Hashable, Sendable {
    /// Those of this page, the newest first.
    package var restrictions: [Restriction]

    /// A page.
    package init(restrictions: [Restriction]) { self.restrictions = restrictions }
}

/// Whose rooms a restriction that outlives rooms is about.
package enum RestrictionScope: Hashable, Sendable {
    /// All rooms of that host.
    case host(UserID)
    /// Everything of the application. The operator decides it.
    case application

    /// How many of one scope hold at the same time. All are in memory, with up to a kilobyte each. What one host has banned others pay
    /// for; an operator is to be able to keep out each account of a wave of spam.
    package var limit: Int {
        switch self {
        case .host: 1_000
        case .application: 100_000
        }
    }
}

/// What somebody who runs the room wants to keep another person from.
package struct RestrictionDraft: CommandPayload {
    package static let name = RoomCommand.Name.setRestriction
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/restrictions/{user}/{kind}") }
    package var asCommand: RoomCommand { .setRestriction(self) }

    package var kind: RestrictionKind
    package var user: UserID
    /// `nil`: a mute until the room ends, a ban for good. 0: a ban from one room that is over at once.
    package var seconds: Int?
    package var everywhere: Bool
    package var reason: String?

    package init(
        _ kind: RestrictionKind, of user: UserID, seconds: Int? = nil, everywhere: Bool = false, reason: String? = nil
    ) {
        self.kind = kind
        self.user = user
        self.seconds = seconds
        self.everywhere = everywhere
        self.reason = reason
    }

    /// Whether it puts somebody out who may come back at once.
    package var isRemoval: Bool { kind == .ban && seconds == 0 && !everywhere }

    package var texts: [SaidText] { reason.map { [SaidText(.restrictionReason, $0, "reason")] } ?? [] }

    private enum CodingKeys: String, CodingKey { case kind, user, seconds, everywhere, reason }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(RestrictionKind.self, forKey: .kind), of: try fields.decode(UserID.self, forKey: .user),
            seconds: try fields.decodeIfPresent(Int.self, forKey: .seconds),
            everywhere: try fields.decodeIfPresent(Bool.self, forKey: .everywhere) ?? false,
            reason: try fields.decodeIfPresent(String.self, forKey: .reason))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(user, forKey: .user)
        try fields.encodeIfPresent(seconds, forKey: .seconds)
        if everywhere { try fields.encode(true, forKey: .everywhere) }
        try fields.encodeIfPresent(reason, forKey: .reason)
    }
}

extension RoomError {
    /// What somebody is told whose text a mute stops.
    package init(muted mute: Restriction, at time: Int64) {
        self.init(.chatMuted, retryAfterMs: mute.until.map { Int(clamping: $0 - time) }, reason: mute.reason)
    }
}

/// Stops texts that must not be read by others. Its time grows with the text alone, however many words it knows.
package protocol TextFilter: Sendable {
    /// What of the text is stopped; `nil`: nothing.
    func stopped(in text: String) -> String?
}
