/// What people see of a text. One rule for all who compare what is seen: the word filter, the rule against links, names that are taken
/// for one another.
package enum VisibleText {
    /// Whether a scalar takes no place of its own, or one that looks empty or like a longer letter: joiners, marks of direction, fillers,
    /// controls, the empty Braille cell, the place of an object that is not there, and the strokes that lengthen Arabic and N'Ko words.
    package static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d: return false
        case ..<0x20, 0x7f: return true
        case ..<0x80: return false
        case 0x0640, 0x07fa, 0x2800, 0xfffc: return true
        default: break
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        return switch scalar.properties.generalCategory {
        case .format: true
        case .control: !scalar.properties.isWhitespace
        default: false
        }
    }

    /// The narrow form of a letter or sign that is written wide (U+FF01 to U+FF5E), and a full stop for those of East Asia.
    package static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0xff01...0xff5e: Unicode.Scalar(scalar.value - 0xfee0) ?? scalar
        case 0x3002, 0xff61: "."
        default: scalar
        }
    }
}
