import Foundation

/// Finds out what a type looks like in JSON by letting it decode itself from a decoder that has whatever is asked for, and notes what
/// that was. What the type asks for on some ways only (a field that may be absent, one that goes with a word of an enumeration) is found
/// by trying the ways.
final class TypeRecorder {
    /// When a field counts as one that is always there, and what the names of objects end with.
    enum Direction: String {
        /// Its encoder writes it, whatever the value: readers of old journals take less than is sent.
        case sent = ""
        /// Its decoder does not do without it.
        case taken = "Given"
    }

    struct Field {
        var name: String
        var type: String
        var isOptional = false

        /// It is of that type too: a number of seats, or a list of them.
        mutating func take(_ other: String) {
            guard !other.isEmpty, other != type else { return }
            var types = type.isEmpty ? [] : type.components(separatedBy: " | ")
            types += other.components(separatedBy: " | ").filter { !types.contains($0) }
            type = types.joined(separator: " | ")
        }
    }

    /// Objects by the names of their types.
    private(set) var objects: [String: [Field]] = [:]
    private var scalars: [String: String] = [:]
    private let direction: Direction

    init(_ direction: Direction) { self.direction = direction }

    /// As JavaScript calls it.
    func type(of type: any Decodable.Type) throws -> String {
        switch type {
        case is String.Type: return "string"
        // In base64.
        case is Data.Type: return "string"
        case is Bool.Type: return "boolean"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: return "number"
        case let list as any ListType.Type:
            let element = try self.type(of: list.element)
            return element.contains(" | ") ? "(\(element))[]" : element + "[]"
        case let table as any TableType.Type: return "Record<string, \(try self.type(of: table.value))>"
        case let words as any Words.Type: return words.union
        default: break
        }
        let name = String(describing: type) + direction.rawValue
        if objects[name] == nil, scalars[name] == nil {
            let shape = try shape(of: type)
            if !shape.scalars.isEmpty {
                scalars[name] = shape.union
            } else if shape.isWhole {
                objects[name] = shape.fields
            } else {
                scalars[name] = "Record<string, any>"
            }
        }
        return scalars[name] ?? name
    }

    /// The fields that its decoder asks for.
    func fields(of type: any Decodable.Type) throws -> [Field] { try shape(of: type).fields }

    private struct Shape {
        var fields: [Field] = []
        var scalars: [String] = []
        /// Whether it was read to its end on some way: a word may be missing that nobody can guess.
        var isWhole = false

        var union: String { scalars.joined(separator: " | ") }

        mutating func take(_ asked: Way.Asked) {
            if let scalar = asked.scalar, !scalars.contains(scalar) { scalars.append(scalar) }
            for field in asked.fields {
                guard let index = fields.firstIndex(where: { $0.name == field.name }) else {
                    fields.append(field)
                    continue
                }
                fields[index].take(field.type)
            }
        }
    }

    private func shape(of type: any Decodable.Type) throws -> Shape {
        var shape = Shape()
        var taken: [Way.Asked] = []
        var written: [Set<String>] = []
        var failure: (any Error)?
        func attempt(_ hasOptional: Bool, without absent: String?) {
            for takesNumbers in [true, false] {
                for word in 0..<Way.words {
                    let way = Way(
                        hasOptional: hasOptional, absent: absent, takesNumbers: takesNumbers, word: word, recorder: self
                    )
                    do {
                        let value = try type.init(from: way.decoder())
                        if let value = value as? any Encodable { written.append(try Self.keys(of: value)) }
                        taken.append(way.asked)
                        shape.isWhole = true
                    } catch {
                        // It asks for what it refuses too: a picture that is none.
                        failure = error
                    }
                    shape.take(way.asked)
                }
            }
        }
        for hasOptional in [true, false] { attempt(hasOptional, without: nil) }
        // One may be given only where another is not.
        for field in shape.fields { attempt(true, without: field.name) }
        if shape.fields.isEmpty, shape.scalars.isEmpty, taken.isEmpty, let failure { throw failure }
        for index in shape.fields.indices {
            let name = shape.fields[index].name
            shape.fields[index].isOptional =
                switch direction {
                case .sent: !written.allSatisfy { $0.contains(name) }
                case .taken: !taken.allSatisfy { $0.fields.contains { $0.name == name && !$0.isOptional } }
                }
        }
        return shape
    }

    private static func keys(of value: any Encodable) throws -> Set<String> {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value), options: .fragmentsAllowed)
        return Set((json as? [String: Any] ?? [:]).keys)
    }
}

/// One way of decoding.
private final class Way {
    struct Asked {
        var fields: [TypeRecorder.Field] = []
        var scalar: String?
    }

    /// At least as many as an enumeration has.
    static let words = 12

    let hasOptional: Bool
    /// A field that is not there, though others that may be absent are.
    let absent: String?
    let takesNumbers: Bool
    let word: Int
    let recorder: TypeRecorder
    var asked = Asked()

    init(hasOptional: Bool, absent: String?, takesNumbers: Bool, word: Int, recorder: TypeRecorder) {
        self.hasOptional = hasOptional
        self.absent = absent
        self.takesNumbers = takesNumbers
        self.word = word
        self.recorder = recorder
    }

    func decoder() -> any Decoder { AnyWay(way: self) }
    func has(_ key: any CodingKey) -> Bool { hasOptional && key.stringValue != absent }

    func note(_ key: any CodingKey, _ type: String, isOptional: Bool) {
        let name = key.stringValue
        if let index = asked.fields.firstIndex(where: { $0.name == name }) {
            asked.fields[index].take(type)
        } else {
            asked.fields.append(TypeRecorder.Field(name: name, type: type, isOptional: isOptional))
        }
    }

    private struct NoList: Error {}

    /// One that its decoder takes.
    func value<Value: Decodable>(_: Value.Type) throws -> Value {
        // Some take a number in place of a list.
        if Value.self is any ListType.Type, word % 4 == 3 { throw NoList() }
        if let words = Value.self as? any Words.Type, let value = words.word(word) as? Value { return value }
        let other = Way(
            hasOptional: hasOptional, absent: nil, takesNumbers: takesNumbers, word: word, recorder: recorder)
        return try Value(from: other.decoder())
    }
}

private struct AnyWay: Decoder {
    var way: Way
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields<Key>(way: way))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { EmptyList() }
    func singleValueContainer() -> any SingleValueDecodingContainer { Scalar(way: way) }
}

private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    var way: Way
    var codingPath: [any CodingKey] { [] }
    /// A table has no entries.
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool {
        way.note(key, "", isOptional: true)
        return way.has(key)
    }
    func decodeNil(forKey: Key) -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        way.note(key, try way.recorder.type(of: type), isOptional: false)
        return try way.value(type)
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        way.note(key, try way.recorder.type(of: type), isOptional: true)
        return way.has(key) ? try way.value(type) : nil
    }

    private struct Unforeseen: Error {}
    func nestedContainer<Nested>(keyedBy: Nested.Type, forKey: Key) throws -> KeyedDecodingContainer<Nested> {
        throw Unforeseen()
    }
    func nestedUnkeyedContainer(forKey: Key) throws -> any UnkeyedDecodingContainer { throw Unforeseen() }
    func superDecoder() throws -> any Decoder { throw Unforeseen() }
    func superDecoder(forKey: Key) throws -> any Decoder { throw Unforeseen() }
}

private struct Scalar: SingleValueDecodingContainer {
    private struct NoNumber: Error {}

    var way: Way
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode(_: Bool.Type) -> Bool { noted("boolean", !way.word.isMultiple(of: 2)) }
    func decode(_: String.Type) -> String { noted("string", "a") }
    func decode(_: Double.Type) throws -> Double { try number() }
    func decode(_: Float.Type) throws -> Float { try number() }
    func decode(_: Int.Type) throws -> Int { try number() }
    func decode(_: Int8.Type) throws -> Int8 { try number() }
    func decode(_: Int16.Type) throws -> Int16 { try number() }
    func decode(_: Int32.Type) throws -> Int32 { try number() }
    func decode(_: Int64.Type) throws -> Int64 { try number() }
    func decode(_: UInt.Type) throws -> UInt { try number() }
    func decode(_: UInt8.Type) throws -> UInt8 { try number() }
    func decode(_: UInt16.Type) throws -> UInt16 { try number() }
    func decode(_: UInt32.Type) throws -> UInt32 { try number() }
    func decode(_: UInt64.Type) throws -> UInt64 { try number() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        way.asked.scalar = try way.recorder.type(of: type)
        return try way.value(type)
    }

    private func noted<Value>(_ type: String, _ value: Value) -> Value {
        way.asked.scalar = type
        return value
    }

    private func number<Value: ExpressibleByIntegerLiteral>() throws -> Value {
        guard way.takesNumbers else { throw NoNumber() }
        return noted("number", 1)
    }
}

private struct EmptyList: UnkeyedDecodingContainer {
    private struct End: Error {}

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }

    func decodeNil() throws -> Bool { throw End() }
    func decode<Value: Decodable>(_: Value.Type) throws -> Value { throw End() }
    func nestedContainer<Nested>(keyedBy: Nested.Type) throws -> KeyedDecodingContainer<Nested> { throw End() }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw End() }
    func superDecoder() throws -> any Decoder { throw End() }
}

// MARK: - Types of types

private protocol ListType { static var element: any Decodable.Type { get } }
extension Array: ListType where Element: Decodable {
    fileprivate static var element: any Decodable.Type { Element.self }
}

private protocol TableType { static var value: any Decodable.Type { get } }
extension Dictionary: TableType where Key == String, Value: Decodable {
    fileprivate static var value: any Decodable.Type { Value.self }
}

private typealias Words = CaseIterable & RawRepresentable

extension CaseIterable where Self: RawRepresentable {
    /// Its words; where a newer server may say others, any text.
    fileprivate static var union: String {
        let words = allCases.compactMap { $0.rawValue as? String }
        guard !words.isEmpty else { return "number" }
        let isOpen = ("?" as? RawValue).map { Self(rawValue: $0) != nil } ?? false
        return isOpen ? "string" : words.map { "'\($0)'" }.joined(separator: " | ")
    }

    fileprivate static func word(_ index: Int) -> Any {
        let words = Array(allCases)
        return words[index % words.count]
    }
}
