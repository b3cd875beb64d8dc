/// What the bearer of a privateMapKey may do in its room.
public struct RoomPrivileges: OptionSet, Hashable, Sendable {
    /// One bit for each privilege.
    public var rawValue: UInt32
    /// Those whose bits are set.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// To create the room.
    public static let createRoom = RoomPrivileges(rawValue: 1)
    /// To enter it.
    public static let enterRoom = RoomPrivileges(rawValue: 2)
    /// To be heard.
    public static let sendAudio = RoomPrivileges(rawValue: 4)
    /// To hear.
    public static let receiveAudio = RoomPrivileges(rawValue: 8)
    /// To be seen.
    public static let sendVideo = RoomPrivileges(rawValue: 16)
    /// To see.
    public static let receiveVideo = RoomPrivileges(rawValue: 32)
    /// To share a screen or another second picture.
    public static let sendSubStream = RoomPrivileges(rawValue: 64)
    /// To see what is shared.
    public static let receiveSubStream = RoomPrivileges(rawValue: 128)
    /// All of them.
    public static let all = RoomPrivileges(rawValue: 255)
    /// Enter, hear and see only.
    public static let listen: RoomPrivileges = [.enterRoom, .receiveAudio, .receiveVideo]
}

/// The userbuf of a privateMapKey ticket: a room, and what its bearer may do there until when.
public struct PrivateMapKey: Hashable, Sendable {
    /// The number 123 and the string "123" are different rooms.
    public enum Room: Hashable, Sendable {
        /// A room whose id is a number.
        case number(UInt32)
        /// At most 64 bytes.
        case string(String)
    }

    /// The application (SDKAppID).
    public var application: UInt32
    /// Whose it is.
    public var user: String
    /// The only room where it is good.
    public var room: Room
    /// Seconds since 1970.
    public var expiresAt: UInt32
    /// What its bearer may do.
    public var privileges: RoomPrivileges

    /// For so long, there, and that much.
    public init(application: UInt32, user: String, room: Room, expiresAt: UInt32, privileges: RoomPrivileges) {
        self.application = application
        self.user = user
        self.room = room
        self.expiresAt = expiresAt
        self.privileges = privileges
    }

    /// Version byte (0: number, 1: string), user, application, room number, expiry, privileges, account type 0,
    /// and for version 1 the room's text; big-endian, texts with a 16-bit length before them.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        func appendInteger<T: FixedWidthInteger>(_ value: T) {
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }
        func appendText(_ text: String) {
            let utf8 = text.utf8.prefix(Int(UInt16.max))
            appendInteger(UInt16(utf8.count))
            bytes.append(contentsOf: utf8)
        }
        var number: UInt32 = 0
        var name: String?
        switch room {
        case .number(let value): number = value
        case .string(let value): name = value
        }
        appendInteger(UInt8(name == nil ? 0 : 1))
        appendText(user)
        appendInteger(application)
        appendInteger(number)
        appendInteger(expiresAt)
        appendInteger(privileges.rawValue)
        appendInteger(UInt32(0))
        if let name { appendText(name) }
        return bytes
    }

    /// `nil` if the bytes are not a privateMapKey's, or have anything left over.
    public init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func integer<T: FixedWidthInteger>(_: T.Type) -> T? {
            let size = MemoryLayout<T>.size
            guard rest.count >= size else { return nil }
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size).reduce(0) { (value: T, byte) in value << 8 | T(truncatingIfNeeded: byte) }
        }
        func text() -> String? {
            guard let length = integer(UInt16.self), rest.count >= Int(length) else { return nil }
            defer { rest = rest.dropFirst(Int(length)) }
            let bytes = rest.prefix(Int(length))
            let text = String(decoding: bytes, as: UTF8.self)
            // What is no UTF-8 was replaced.
            return text.utf8.elementsEqual(bytes) ? text : nil
        }
        guard let version = integer(UInt8.self), version <= 1, let user = text(),
            let application = integer(UInt32.self), let number = integer(UInt32.self),
            let expiresAt = integer(UInt32.self), let privileges = integer(UInt32.self), integer(UInt32.self) != nil
        else { return nil }
        let room: Room
        if version == 0 {
            room = .number(number)
        } else {
            guard let name = text() else { return nil }
            room = .string(name)
        }
        guard rest.isEmpty else { return nil }
        self.init(
            application: application, user: user, room: room, expiresAt: expiresAt,
            privileges: RoomPrivileges(rawValue: privileges))
    }
}
