/// Text from outside as it may be printed: a terminal obeys control characters, and marks of direction reorder what stands around them.
package enum TerminalText {
    /// Everything that a terminal or a reader's eye could take for something else stands as `\u{202e}`.
    /// - Parameter lines: whether line breaks and tabs stay as they are.
    package static func escaped(_ text: String, lines: Bool = false) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isPlain(scalar, lines: lines) {
                output.append(scalar)
            } else {
                output.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(output)
    }

    /// The same for JSON, which stays JSON: such characters stand in strings alone.
    package static func escapedJSON(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 == 0x0a || (0x20..<0x7f).contains($0) }) { return text }
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isPlain(scalar, lines: true) {
                output.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    output.append(contentsOf: escape.unicodeScalars)
                }
            }
        }
        return String(output)
    }

    private static func isPlain(_ scalar: Unicode.Scalar, lines: Bool) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a: return lines
        // The joiners of Persian, Hindi and many emoji.
        case 0x200c, 0x200d: return true
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
