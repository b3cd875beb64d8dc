import Foundation

/// A JSON value, for tests that look at what really stands on the wire.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    package init(parsing bytes: some Sequence<UInt8>) throws {
        self = try JSONParser.parse(bytes)
    }

    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }

    package subscript(key: String) -> JSON {
        if case .object(let fields) = self { fields[key] ?? .null } else { .null }
    }

    package subscript(index: Int) -> JSON {
        if case .array(let items) = self, items.indices.contains(index) { items[index] } else { .null }
    }

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var int: Int? { if case .number(let value) = self { Int(exactly: value) } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSON] { if case .array(let items) = self { items } else { [] } }
    package var keys: [String] { if case .object(let fields) = self { fields.keys.sorted() } else { [] } }
    package var isNull: Bool { self == .null }
}

extension JSON: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringInterpolation
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    package init(nilLiteral: ()) { self = .null }
}
