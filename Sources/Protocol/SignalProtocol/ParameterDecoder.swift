import Foundation
import RoomModel

/// Reads the parameters of a call by name, wherever they stand. Whatever is missing or does not fit becomes the `RoomError` that names the
/// field and says what it takes. Unknown fields are ignored.
///
/// One container is opened for all that a call is made of, however many values are read from it.
struct ParameterDecoder: Decoder {
    struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    fileprivate let object: KeyedDecodingContainer<Name>?
    /// What stands elsewhere, and goes before what the object says.
    fileprivate let apart: [String: ParameterApart]
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [.readsNewerWords: false] }

    /// A call without `params` has none; anything but an object is refused.
    init<Outer: CodingKey>(_ outer: KeyedDecodingContainer<Outer>, key: Outer) throws {
        object = outer.contains(key) ? try outer.nestedContainer(keyedBy: Name.self, forKey: key) : nil
        apart = [:]
    }

    /// - Parameter object: where the parameters stand that do not stand apart; `nil`: all do.
    init(_ object: KeyedDecodingContainer<Name>?, _ apart: [String: ParameterApart]) {
        self.object = object
        self.apart = apart
    }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields(decoder: self))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.noObject }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.noObject }

    private static let noObject = RoomError(.invalidParams, "params is an object", field: "params")

    /// Reads and judges a value of several parameters.
    func payload<Payload: CallPayload>(_: Payload.Type = Payload.self) throws -> Payload {
        let payload = try Payload(from: self)
        try payload.check()
        return payload
    }

    private func given(_ name: String) -> ParameterApart? { apart.isEmpty ? nil : apart[name] }

    fileprivate func has(_ name: String) -> Bool {
        if let given = given(name) { return given != .absent }
        return object?.contains(Name(name)) == true
    }

    fileprivate func isNull(_ name: String) throws -> Bool {
        guard given(name) == nil, let object else { return false }
        return try object.decodeNil(forKey: Name(name))
    }

    fileprivate func value<T: Decodable>(_ type: T.Type, _ name: String) throws -> T {
        let value: T
        do {
            if let given = given(name) {
                guard given != .absent else { throw Self.missing(name) }
                value = try T(from: given)
            } else if let object {
                value = try object.decode(type, forKey: Name(name))
            } else {
                throw Self.missing(name)
            }
        } catch let error as RoomError {
            throw error
        } catch {
            throw refusal(error, of: type, name)
        }
        // Nothing is asked about programs.
        if type == UserID.self, (value as? UserID)?.isProgram == true { throw RoomError(.userIDInvalid, field: name) }
        if type == RoomID.self, (value as? RoomID)?.isAddressable == false {
            throw RoomError(.roomIDInvalid, field: name)
        }
        return value
    }

    // MARK: refusals

    private static func missing(_ name: String) -> RoomError { .invalid(name, "the parameter \(name) is missing") }

    private func refusal<T>(_ error: any Error, of type: T.Type, _ name: String) -> RoomError {
        if !has(name) || (try? isNull(name)) == true { return Self.missing(name) }
        let unfit = RoomError.invalid(name, "\(name) is of the wrong type or out of range")
        // Foundation reports a number that does not fit its type by errors of its own.
        guard let error = error as? DecodingError else { return unfit }
        if type == UserID.self || type == [UserID].self { return RoomError(.userIDInvalid, field: name) }
        if type == RoomID.self || type == [RoomID].self { return RoomError(.roomIDInvalid, field: name) }
        if let choice = type as? any CaseIterable.Type, let words = Self.words(of: choice) {
            return .invalid(name, "\(name) is one of \(words.joined(separator: ", "))")
        }
        if case .dataCorrupted(let context) = error, context.codingPath.isEmpty {
            // What the type says of itself, where only the type has spoken.
            return apart[name] == nil ? unfit : .invalid(name, context.debugDescription)
        }
        let refusal = Self.refusal(error, below: object?.codingPath.count ?? 0)
        return refusal.field == nil || refusal.field == "params" ? unfit : refusal
    }

    private static func words<Choice: CaseIterable>(of: Choice.Type) -> [String]? {
        let words = Choice.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        return words.isEmpty ? nil : words
    }

    /// The refusal for a parameter of the wrong type, by its path inside `params`.
    static func refusal(_ error: DecodingError, below depth: Int = 1) -> RoomError {
        let context: DecodingError.Context
        var missing: String?
        switch error {
        case .keyNotFound(let key, let found): (missing, context) = (key.stringValue, found)
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        @unknown default: return RoomError(.invalidParams)
        }
        let path =
            (context.codingPath.dropFirst(depth).map { $0.intValue.map(String.init) ?? $0.stringValue }
                + [missing].compactMap { $0 })
        guard !path.isEmpty else { return noObject }
        return RoomError.invalid(path.joined(separator: "."), missing == nil ? context.debugDescription : "is missing")
    }
}

/// The fields of one value, among all parameters.
private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ParameterDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { (decoder.object?.allKeys ?? []).compactMap { Key(stringValue: $0.stringValue) } }

    func contains(_ key: Key) -> Bool { decoder.has(key.stringValue) }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder.isNull(key.stringValue) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.value(type, key.stringValue) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder.value(type, key.stringValue) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.value(type, key.stringValue) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder.value(type, key.stringValue) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder.value(type, key.stringValue) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.value(type, key.stringValue) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder.value(type, key.stringValue) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder.value(type, key.stringValue) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder.value(type, key.stringValue) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder.value(type, key.stringValue) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder.value(type, key.stringValue) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder.value(type, key.stringValue) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder.value(type, key.stringValue) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder.value(type, key.stringValue) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder.value(type, key.stringValue) }

    // A call's objects are values of their own.
    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Self.unsupported }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Self.unsupported }
    func superDecoder() throws -> any Decoder { throw Self.unsupported }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Self.unsupported }

    private static var unsupported: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "parameters are read by name"))
    }
}

/// A parameter that stands outside an object of parameters: in the path of a request, its query or its header.
package enum ParameterApart: Hashable, Sendable {
    case text(String)
    case number(Int)
    /// It would stand there, and does not: what the object says under its name does not count.
    case absent
}

extension ParameterApart: Decoder, SingleValueDecodingContainer {
    package var codingPath: [any CodingKey] { [] }
    package var userInfo: [CodingUserInfoKey: Any] { [.readsNewerWords: false] }

    package func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> { throw unfit }
    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unfit }
    package func singleValueContainer() -> any SingleValueDecodingContainer { self }

    package func decodeNil() -> Bool { false }
    package func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
    package func decode(_: Bool.Type) throws -> Bool { throw unfit }
    package func decode(_: String.Type) throws -> String {
        guard case .text(let text) = self else { throw unfit }
        return text
    }
    package func decode(_: Double.Type) throws -> Double { Double(try number(Int.self)) }
    package func decode(_: Float.Type) throws -> Float { Float(try number(Int.self)) }
    package func decode(_ type: Int.Type) throws -> Int { try number(type) }
    package func decode(_ type: Int8.Type) throws -> Int8 { try number(type) }
    package func decode(_ type: Int16.Type) throws -> Int16 { try number(type) }
    package func decode(_ type: Int32.Type) throws -> Int32 { try number(type) }
    package func decode(_ type: Int64.Type) throws -> Int64 { try number(type) }
    package func decode(_ type: UInt.Type) throws -> UInt { try number(type) }
    package func decode(_ type: UInt8.Type) throws -> UInt8 { try number(type) }
    package func decode(_ type: UInt16.Type) throws -> UInt16 { try number(type) }
    package func decode(_ type: UInt32.Type) throws -> UInt32 { try number(type) }
    package func decode(_ type: UInt64.Type) throws -> UInt64 { try number(type) }

    private func number<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
        guard case .number(let given) = self, let number = Number(exactly: given) else { throw unfit }
        return number
    }

    private struct Unfit: Error {}
    private var unfit: Unfit { Unfit() }
}
