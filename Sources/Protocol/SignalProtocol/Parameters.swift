import Foundation
import RoomModel

/// The `params` of a call, read by name. Whatever is missing or wrong becomes the `RoomError` that names the field.
struct Parameters {
    private let container: KeyedDecodingContainer<Key>?

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A call without `params` has none; anything but an object is refused.
    init<Outer: CodingKey>(_ outer: KeyedDecodingContainer<Outer>, key: Outer) throws {
        container = outer.contains(key) ? try outer.nestedContainer(keyedBy: Key.self, forKey: key) : nil
    }

    private init(container: KeyedDecodingContainer<Key>) { self.container = container }

    func required<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        guard let container, container.contains(Key(name)) else {
            throw RoomError.invalid(name, "the parameter \(name) is missing")
        }
        return try reading(name) { try container.decode(T.self, forKey: Key(name)) }
    }

    func optional<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T? {
        try reading(name) { try container?.decodeIfPresent(T.self, forKey: Key(name)) }
    }

    /// Foundation reports a number that does not fit its type by an error of its own, which would pass for broken JSON.
    private func reading<T>(_ name: String, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as DecodingError {
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty { throw unfit(name) }
            throw error
        } catch let error as RoomError {
            throw error
        } catch {
            throw unfit(name)
        }
    }

    private func unfit(_ name: String) -> RoomError { .invalid(name, "\(name) is of the wrong type or out of range") }

    /// An integer within bounds.
    func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int? = nil) throws -> Int {
        let value = try fallback == nil ? required(name, as: Int.self) : optional(name, as: Int.self) ?? fallback
        guard let value, range.contains(value) else {
            throw RoomError.invalid(name, "\(name) is \(range.lowerBound)…\(range.upperBound)")
        }
        return value
    }

    /// The same, of what may be left out.
    func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let value = try optional(name, as: Int.self) else { return nil }
        guard range.contains(value) else {
            throw RoomError.invalid(name, "\(name) is \(range.lowerBound)…\(range.upperBound)")
        }
        return value
    }

    /// A text whose length nothing else checks.
    func text(_ name: String, _ kind: TextKind) throws -> String? {
        let text: String? = try optional(name)
        try [SaidText(kind, text ?? "", name)].checkSizes()
        return text
    }

    func object(_ name: String) throws -> Parameters? {
        guard let container, container.contains(Key(name)), try !container.decodeNil(forKey: Key(name)) else {
            return nil
        }
        return Parameters(container: try container.nestedContainer(keyedBy: Key.self, forKey: Key(name)))
    }

    // What many calls have.

    func room(_ name: String = "room") throws -> RoomID {
        guard let room = try optionalRoom(name) else {
            throw RoomError.invalid(name, "the parameter \(name) is missing")
        }
        return room
    }

    func optionalRoom(_ name: String = "room") throws -> RoomID? {
        let room: RoomID?
        do { room = try optional(name) } catch is DecodingError { throw RoomError(.roomIDInvalid, field: name) }
        guard room?.isAddressable ?? true else { throw RoomError(.roomIDInvalid, field: name) }
        return room
    }

    func user(_ name: String = "user") throws -> UserID {
        guard let user = try optionalUser(name) else {
            throw RoomError.invalid(name, "the parameter \(name) is missing")
        }
        return user
    }

    /// What somebody wants to be called.
    func personName() throws -> String? {
        let name: String? = try optional("name")
        return name.map(DirectionMarks.withoutIdle)
    }

    /// Nothing is asked about programs.
    func optionalUser(_ name: String) throws -> UserID? {
        let user: UserID?
        do { user = try optional(name) } catch is DecodingError { throw RoomError(.userIDInvalid, field: name) }
        if user?.isProgram == true { throw RoomError(.userIDInvalid, field: name) }
        return user
    }

    /// At most 100 ids.
    func ids<ID: Decodable>(_ name: String, wrong code: RoomError.Code) throws -> [ID]? {
        let ids: [ID]?
        do { ids = try optional(name) } catch is DecodingError { throw RoomError(code, field: name) }
        guard ids?.count ?? 0 <= 100 else { throw RoomError.invalid(name, "at most 100") }
        return ids
    }

    func rooms() throws -> [RoomID] {
        let rooms: [RoomID] = try ids("rooms", wrong: .roomIDInvalid) ?? []
        guard rooms.allSatisfy(\.isAddressable) else { throw RoomError(.roomIDInvalid, field: "rooms") }
        return rooms
    }

    func still(_ field: String = "picture", byteLimit: Int = StillPicture.byteLimit) throws -> StillPicture? {
        let jpeg: Data?
        // Foundation reports what is no base64 as corrupted JSON.
        do { jpeg = try optional(field) } catch is DecodingError {
            throw RoomError.invalid(field, "a still is a JPEG in base64")
        }
        return try jpeg.map { try StillPicture(jpeg: Array($0), byteLimit: byteLimit, field: field) }
    }

    func seat() throws -> Int { try integer("seat", in: 0...Int(UInt16.max)) }

    /// Of what moves money.
    func requiredKey() throws -> IdempotencyKey {
        guard let key = try key() else { throw RoomError.invalid("key", "a key is needed") }
        return key
    }

    func gift() throws -> GiftDraft {
        let to: String? = try optional("to")
        let receiver = try to.map { text throws(RoomError) in
            guard let user = UserID(text) else { throw RoomError(.userIDInvalid) }
            return user
        }
        return GiftDraft(gift: try required("gift"), count: try integer("count", in: 1...999, default: 1), to: receiver)
    }

    func statement() throws -> StatementQuery {
        let name: String? = try optional("account")
        guard let account = name.map(StatementQuery.Account.init(rawValue:)) ?? .wallet else {
            throw RoomError.invalid("account", "an account is wallet or earnings")
        }
        return StatementQuery(
            account: account, before: try NumberedPlace.read(try optional("cursor"))?.number,
            limit: try integer("limit", in: 1...100, default: 50))
    }

    func key() throws -> IdempotencyKey? {
        guard let text: String = try optional("key") else { return nil }
        guard let key = IdempotencyKey(text) else {
            throw RoomError.invalid("key", "a key is 1…64 printable ASCII characters")
        }
        return key
    }

    /// The refusal for a parameter of the wrong type, by its path inside `params`.
    static func refusal(_ error: DecodingError) -> RoomError {
        let context: DecodingError.Context
        var missing: String?
        switch error {
        case .keyNotFound(let key, let found): (missing, context) = (key.stringValue, found)
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        @unknown default: return RoomError(.invalidParams)
        }
        let path =
            (context.codingPath.dropFirst().map { $0.intValue.map(String.init) ?? $0.stringValue }
                + [missing].compactMap { $0 })
        guard !path.isEmpty else { return RoomError(.invalidParams, "params is an object", field: "params") }
        return RoomError.invalid(path.joined(separator: "."), missing == nil ? context.debugDescription : "is missing")
    }
}
