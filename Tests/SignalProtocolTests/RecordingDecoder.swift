import Foundation
import RoomModel

/// Has a value for everything that is asked for, and notes what was asked for as text, by its path inside the parameters.
final class RecordingDecoder: Decoder {
    final class Record {
        /// Paths of texts; `{}` stands for the names of an object whose names are the client's own, `[]` for the members of a list.
        var texts: Set<String> = []
        var asked: Set<String> = []
        /// Words where a call takes one of a few.
        var words: [String: String] = [:]
        /// What the call leaves out.
        var absent: Set<String> = []
    }

    let record: Record
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ record: Record, _ path: [any CodingKey] = []) {
        self.record = record
        codingPath = path
    }

    fileprivate var path: String { codingPath.map(\.stringValue).joined(separator: ".") }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(decoder: self))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A room's id that is a text, a picture, or whatever the type makes of its parts.
    fileprivate func value<T: Decodable>(_ type: T.Type) throws -> T {
        switch type {
        case is String.Type: if let text = text() as? T { return text }
        case is RoomID.Type:
            _ = text()
            if let id = RoomID.number(1) as? T { return id }
        default: break
        }
        return try T(from: self)
    }

    fileprivate func text() -> String {
        record.texts.insert(path)
        return record.words[path] ?? "a"
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: RecordingDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        /// Only objects whose names are the client's own are asked for all their names.
        var allKeys: [Key] {
            decoder.record.texts.insert(decoder.path + ".{}")
            return [Key(stringValue: "a")].compactMap { $0 }
        }

        private func below(_ key: Key) -> RecordingDecoder {
            let isOwn = decoder.record.texts.contains(decoder.path + ".{}")
            let below = RecordingDecoder(
                decoder.record, decoder.codingPath + [isOwn ? Name(stringValue: "*") : key as any CodingKey])
            decoder.record.asked.insert(below.path)
            return below
        }

        func contains(_ key: Key) -> Bool { !decoder.record.absent.contains(below(key).path) }
        func decodeNil(forKey key: Key) -> Bool { !contains(key) }
        func decode(_ type: Bool.Type, forKey key: Key) -> Bool { true }
        func decode(_ type: String.Type, forKey key: Key) -> String { below(key).text() }
        func decode(_ type: Double.Type, forKey key: Key) -> Double { 1 }
        func decode(_ type: Float.Type, forKey key: Key) -> Float { 1 }
        func decode(_ type: Int.Type, forKey key: Key) -> Int { 1 }
        func decode(_ type: Int8.Type, forKey key: Key) -> Int8 { 1 }
        func decode(_ type: Int16.Type, forKey key: Key) -> Int16 { 1 }
        func decode(_ type: Int32.Type, forKey key: Key) -> Int32 { 1 }
        func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { 1 }
        func decode(_ type: UInt.Type, forKey key: Key) -> UInt { 1 }
        func decode(_ type: UInt8.Type, forKey key: Key) -> UInt8 { 1 }
        func decode(_ type: UInt16.Type, forKey key: Key) -> UInt16 { 1 }
        func decode(_ type: UInt32.Type, forKey key: Key) -> UInt32 { 1 }
        func decode(_ type: UInt64.Type, forKey key: Key) -> UInt64 { 1 }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try below(key).value(type) }
        func nestedContainer<Nested: CodingKey>(
            keyedBy: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> { below(key).container(keyedBy: keyedBy) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { below(key).unkeyedContainer() }
        func superDecoder() -> any Decoder { decoder }
        func superDecoder(forKey key: Key) -> any Decoder { below(key) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: RecordingDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { 1 }
        var currentIndex = 0
        var isAtEnd: Bool { currentIndex > 0 }

        init(decoder: RecordingDecoder) { self.decoder = decoder }

        private mutating func below() -> RecordingDecoder {
            currentIndex += 1
            return RecordingDecoder(decoder.record, decoder.codingPath + [Name(stringValue: "[]")])
        }

        mutating func decodeNil() -> Bool { false }
        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try below().value(type) }
        mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedDecodingContainer<Nested> {
            below().container(keyedBy: keyedBy)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { below().unkeyedContainer() }
        mutating func superDecoder() -> any Decoder { below() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: RecordingDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        func decodeNil() -> Bool { false }
        func decode(_ type: Bool.Type) -> Bool { true }
        func decode(_ type: String.Type) -> String { decoder.text() }
        func decode(_ type: Double.Type) -> Double { 1 }
        func decode(_ type: Float.Type) -> Float { 1 }
        func decode(_ type: Int.Type) -> Int { 1 }
        func decode(_ type: Int8.Type) -> Int8 { 1 }
        func decode(_ type: Int16.Type) -> Int16 { 1 }
        func decode(_ type: Int32.Type) -> Int32 { 1 }
        func decode(_ type: Int64.Type) -> Int64 { 1 }
        func decode(_ type: UInt.Type) -> UInt { 1 }
        func decode(_ type: UInt8.Type) -> UInt8 { 1 }
        func decode(_ type: UInt16.Type) -> UInt16 { 1 }
        func decode(_ type: UInt32.Type) -> UInt32 { 1 }
        func decode(_ type: UInt64.Type) -> UInt64 { 1 }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
    }
}
