/// An application of this server (the published SDKAppID: references.md).
public struct ApplicationID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number.
    public var rawValue: UInt32
    /// Creates the id of an application.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
    public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(UInt32.self) }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
    public var description: String { String(rawValue) }
}

/// A user within an application: 1…32 of `A-Z a-z 0-9 _ -`. Where it tells who did something, it may also be an operator's program: `@` and the
/// name of its key.
public struct UserID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The id as text.
    public let rawValue: String

    /// Returns `nil` if the text is empty, longer than 32 characters, or has other characters.
    public init?(_ rawValue: String) {
        guard Self.isPerson(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// What an operator's program is known by, beside what it does: the name of its key behind a sign that no person's id has.
    package static func program(_ name: UserID) -> UserID {
        name.isProgram ? name : UserID(checked: sign + name.rawValue)
    }

    /// Whoever did something: a person, or an operator's program.
    package static func author(_ text: String) -> UserID? {
        isPerson(text.hasPrefix(sign) ? String(text.dropFirst()) : text) ? UserID(checked: text) : nil
    }

    private init(checked rawValue: String) { self.rawValue = rawValue }

    private static let sign = "@"

    /// Whether it stands for an operator's program, which is nobody's account.
    package var isProgram: Bool { rawValue.hasPrefix(Self.sign) }

    /// The name alone, for people to read.
    package var plainName: String { isProgram ? String(rawValue.dropFirst()) : rawValue }

    private static func isPerson(_ rawValue: String) -> Bool {
        (1...32).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
                default: false
                }
            })
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = UserID.author(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
        }
        self = id
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
    public var description: String { rawValue }
}

/// What may stand between two slashes of an address.
package enum PathSegment {
    /// Clients and gateways take `.` and `..` out of every address, however they are encoded (RFC 3986 §5.2.4).
    package static func isUsable(_ text: String) -> Bool { text != "." && text != ".." }
}

/// A room within an application. The number 123 and the string "123" are different rooms (references.md, e-commerce guide).
public enum RoomID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// 1…4294967294
    case number(UInt32)
    /// 1…64 bytes of letters, digits, space and ``!#$%&()+-:;<=.>?@[]^_{}~,|``, but not `.` or `..`
    case string(String)

    /// `nil` for 0 and 4294967295, which the published interfaces exclude.
    public init?(number: UInt32) {
        guard number != 0, number != .max else { return nil }
        self = .number(number)
    }

    /// Returns `nil` if the text is empty, longer than 64 bytes, has other characters, or is `.` or `..`: these are no
    /// part of an address (RFC 3986 §5.2.4).
    public init?(string: String) {
        guard PathSegment.isUsable(string) else { return nil }
        self.init(stored: string)
    }

    /// Of a room that there is. Its id may be one that no new room can have.
    package init?(stored string: String) {
        guard (1...64).contains(string.utf8.count), string.utf8.allSatisfy(RoomID.allows) else { return nil }
        self = .string(string)
    }

    /// Whether an address can hold it, so that a call may name it.
    package var isAddressable: Bool {
        switch self {
        case .number: true
        case .string(let string): PathSegment.isUsable(string)
        }
    }

    private static let punctuation = Set(" !#$%&()+-:;<=.>?@[]^_{}~,|".utf8)

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: punctuation.contains(byte)
        }
    }

    /// Takes what journals hold; a call's ids are looked at once more (`isAddressable`).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(UInt32.self), let id = RoomID(number: number) {
            self = id
        } else if let string = try? container.decode(String.self), let id = RoomID(stored: string) {
            self = id
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a room id is 1…4294967294 or a string of 1…64 allowed characters")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        }
    }

    public var description: String {
        switch self {
        case .number(let number): String(number)
        case .string(let string): "\"\(string)\""
        }
    }
}

/// A user's profile.
public struct UserProfile: Hashable, Sendable, Codable {
    /// The user's id.
    public var id: UserID
    /// The name that others see.
    public var name: String
    /// An `https:`, `http:` or relative URL, or empty.
    public var avatar: String
    /// A few sentences about the user. Sent only in answer to a request for the profile, and left out if empty.
    public var bio: String

    /// Creates a profile; the defaults are empty.
    public init(id: UserID, name: String = "", avatar: String = "", bio: String = "") {
        self.id = id
        self.name = name
        self.avatar = avatar
        self.bio = bio
    }

    /// As rooms know people: without what only a profile page shows.
    public var brief: UserProfile { UserProfile(id: id, name: name, avatar: avatar) }

    private enum CodingKeys: String, CodingKey { case id, name, avatar, bio }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UserID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        avatar = try container.decode(String.self, forKey: .avatar)
        bio = try container.decodeIfPresent(String.self, forKey: .bio) ?? ""
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(avatar, forKey: .avatar)
        if !bio.isEmpty { try container.encode(bio, forKey: .bio) }
    }
}

/// A room of one application. Rooms of different applications never meet.
package struct RoomKey: Hashable, Sendable {
    package var application: ApplicationID
    package var room: RoomID
    package init(application: ApplicationID, room: RoomID) {
        self.application = application
        self.room = room
    }
}
