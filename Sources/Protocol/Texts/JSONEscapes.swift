/// Escapes of JSON in a text that may be JSON: an app's own content, in which `\u0062ad` is read as a word.
package enum JSONEscapes {
    /// JSON in JSON in JSON is as far as apps nest it.
    package static let depth = 3

    /// The text as it is, then with its escapes resolved once, twice and so on, as long as that changes something.
    package static func readings(of text: String) -> [String] {
        var readings = [text]
        while readings.count <= depth, let next = resolved(readings[readings.count - 1]) { readings.append(next) }
        return readings
    }

    /// - Returns: `nil` if there is no escape in it.
    private static func resolved(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return nil }
        var output: [UInt16] = []
        output.reserveCapacity(text.utf8.count)
        var units = Array(text.utf16)[...]
        while let unit = units.popFirst() {
            guard unit == UInt16(UInt8(ascii: "\\")), let sign = units.popFirst() else {
                output.append(unit)
                continue
            }
            switch UInt8(exactly: sign) {
            case UInt8(ascii: "u"):
                if let value = UInt16(String(decoding: units.prefix(4), as: UTF16.self), radix: 16), units.count >= 4 {
                    output.append(value)
                    units.removeFirst(4)
                } else {
                    output.append(sign)
                }
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): output.append(0x20)
            // Nobody sees a backspace or a form feed.
            case UInt8(ascii: "b"), UInt8(ascii: "f"): break
            default: output.append(sign)
            }
        }
        return String(decoding: output, as: UTF16.self)
    }
}
