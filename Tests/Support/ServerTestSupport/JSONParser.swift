/// A small JSON parser (RFC 8259). Of our own, because a decoder that tries one type after the other throws for each miss,
/// and the test library records a backtrace with every throw: hundreds of clients would spend their time on that.
struct JSONParser {
    struct Failure: Error {
        var offset: Int
    }

    private let bytes: [UInt8]
    private var at = 0

    static func parse(_ bytes: some Sequence<UInt8>) throws -> JSON {
        var parser = JSONParser(bytes: Array(bytes))
        let value = try parser.value()
        parser.space()
        guard parser.at == parser.bytes.count else { throw Failure(offset: parser.at) }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func space() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard at + length <= bytes.count else { return false }
        for offset in 0..<length where bytes[at + offset] != text.utf8Start[offset] { return false }
        at += length
        return true
    }

    private mutating func value() throws -> JSON {
        space()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): if take("true") { return .bool(true) }
        case UInt8(ascii: "f"): if take("false") { return .bool(false) }
        case UInt8(ascii: "n"): if take("null") { return .null }
        default: return .number(try number())
        }
        throw Failure(offset: at)
    }

    private mutating func object() throws -> JSON {
        at += 1
        var fields: [String: JSON] = [:]
        space()
        if take("}") { return .object(fields) }
        while true {
            space()
            guard next == UInt8(ascii: "\"") else { throw Failure(offset: at) }
            let key = try string()
            space()
            guard take(":") else { throw Failure(offset: at) }
            fields[key] = try value()
            space()
            if take("}") { return .object(fields) }
            guard take(",") else { throw Failure(offset: at) }
        }
    }

    private mutating func array() throws -> JSON {
        at += 1
        var items: [JSON] = []
        space()
        if take("]") { return .array(items) }
        while true {
            items.append(try value())
            space()
            if take("]") { return .array(items) }
            guard take(",") else { throw Failure(offset: at) }
        }
    }

    private mutating func number() throws -> Double {
        let start = at
        while let byte = next, "+-.0123456789eE".utf8.contains(byte) { at += 1 }
        guard let number = Double(String(decoding: bytes[start..<at], as: UTF8.self)) else {
            throw Failure(offset: start)
        }
        return number
    }

    private mutating func string() throws -> String {
        at += 1
        var text: [UInt8] = []
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            default: text.append(byte)
            }
        }
        throw Failure(offset: at)
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        guard let byte = next else { throw Failure(offset: at) }
        at += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "u"):
            var unit = try hex()
            if (0xd800..<0xdc00).contains(unit), take("\\u") {
                unit = try 0x10000 + ((unit &- 0xd800) << 10) + (hex() &- 0xdc00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw Failure(offset: at) }
            text += Array(String(Character(scalar)).utf8)
        default: text.append(byte)
        }
    }

    private mutating func hex() throws -> UInt32 {
        guard at + 4 <= bytes.count, let unit = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
        else { throw Failure(offset: at) }
        at += 4
        return unit
    }
}
