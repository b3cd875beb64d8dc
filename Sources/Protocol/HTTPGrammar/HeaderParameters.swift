import Texts

/// A header's value with parameters behind it (RFC 9110 §5.6.6): `form-data; name=title; filename="a.mp3"`.
package struct HeaderParameters: Sendable {
    /// In lower case.
    package let value: String
    private let parameters: [(name: String, value: String)]
    /// More than any header has that we read.
    private static let limit = 16

    /// - Returns: `nil` for what is no such value, has 17 parameters, or names one twice.
    package init?(_ text: some Sequence<UInt8>) {
        var reader = Reader(bytes: Array(text))
        value = Self.lowercased(reader.untilSemicolon())
        var parameters: [(name: String, value: String)] = []
        while reader.skipSemicolon() {
            // RFC 9110 lets a semicolon stand alone.
            guard !reader.isAtParameterEnd else { continue }
            guard let (name, value) = reader.parameter() else { return nil }
            guard parameters.count < Self.limit, !parameters.contains(where: { $0.name == name }) else { return nil }
            parameters.append((name, value))
        }
        guard reader.isAtEnd, !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        self.parameters = parameters
    }

    /// - Parameter name: in lower case.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Of what somebody lists as what they take: a weight of nothing, in any spelling, refuses it (RFC 9110 §12.4.2).
    package var isTaken: Bool {
        self["q"].map { !$0.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") } } ?? true
    }

    /// The parameter in its extended form, `name*=UTF-8''na%C3%AFve` (RFC 8187), which comes first, else the plain one.
    package func extended(_ name: String) -> String? { self[name + "*"].flatMap(Self.decoded) ?? self[name] }

    /// - Returns: `nil` for another character set and for broken encodings: then the plain form counts.
    private static func decoded(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, lowercased(Array(parts[0])) == "utf-8" else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(parts[2])[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return StreamSafeText.holds(bytes) ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    fileprivate static func lowercased(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

private struct Reader {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }
    var isAtParameterEnd: Bool { isAtEnd || bytes[index] == UInt8(ascii: ";") }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private mutating func skipSpace() { while !isAtEnd, Self.isSpace(bytes[index]) { index += 1 } }

    /// Up to the next semicolon, without spaces around it.
    mutating func untilSemicolon() -> [UInt8] {
        skipSpace()
        let start = index
        while !isAtParameterEnd { index += 1 }
        var end = index
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        return Array(bytes[start..<end])
    }

    /// Whether another parameter may follow; moves before it.
    mutating func skipSemicolon() -> Bool {
        skipSpace()
        guard !isAtEnd, bytes[index] == UInt8(ascii: ";") else { return false }
        index += 1
        skipSpace()
        return true
    }

    mutating func parameter() -> (name: String, value: String)? {
        let start = index
        while !isAtParameterEnd, bytes[index] != UInt8(ascii: "=") { index += 1 }
        guard !isAtParameterEnd, index > start else { return nil }
        let name = HeaderParameters.lowercased(Array(bytes[start..<index]))
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 }) else { return nil }
        index += 1
        if !isAtEnd, bytes[index] == UInt8(ascii: "\"") {
            index += 1
            return quoted().map { (name, $0) }
        }
        let value = untilSemicolon()
        guard !value.contains(UInt8(ascii: "\"")) else { return nil }
        return (name, String(decoding: value, as: UTF8.self))
    }

    /// A quoted string from behind its first quotation mark on. Browsers write a backslash as it is and a quotation mark as `%22`, others
    /// escape both with a backslash (RFC 9110 §5.6.4): a mark ends the string where the parameter ends with it.
    private mutating func quoted() -> String? {
        var value: [UInt8] = []
        while !isAtEnd {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\"") where endsParameter(at: index):
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\") where !isAtEnd && isEscaped(at: index):
                value.append(bytes[index])
                index += 1
            default: value.append(byte)
            }
        }
        return nil
    }

    private func isEscaped(at place: Int) -> Bool {
        switch bytes[place] {
        case UInt8(ascii: "\\"): true
        case UInt8(ascii: "\""): !endsParameter(at: place + 1)
        default: false
        }
    }

    private func endsParameter(at place: Int) -> Bool {
        var place = place
        while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
        return place == bytes.count || bytes[place] == UInt8(ascii: ";")
    }
}
