/// How long things are on the wire, after escaping: limits and budgets count what is sent, not what was typed. Close to what is really
/// sent, and never less.
package enum WireSize {
    /// A string in JSON (RFC 8259 §7), quotes included. Control characters take six bytes, which is what a flood is made of.
    package static func of(_ text: String) -> Int {
        var size = 2
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5c, 0x2f, 0x08, 0x09, 0x0a, 0x0c, 0x0d: size += 2
            case 0..<0x20: size += 6
            default: size += 1
            }
        }
        return size
    }

    /// An object of texts.
    package static func of(_ texts: [String: String]) -> Int {
        texts.reduce(2) { $0 + of($1.key) + of($1.value) + 2 }
    }

    package static func of(_ text: String?) -> Int { text.map { of($0) } ?? 0 }

    /// Names of fields, numbers and punctuation of an object with a handful of fields.
    package static let object = 128
}
