/// The marks U+200E and U+200F, which the keyboards of Arabic and Hebrew type and nobody sees: they give a direction to the punctuation and
/// the digits beside them (UAX #9).
package enum DirectionMarks {
    static let leftToRight: Unicode.Scalar = "\u{200E}"
    static let rightToLeft: Unicode.Scalar = "\u{200F}"

    /// Longer texts are refused as names anyhow.
    private static let byteLimit = 2_000

    /// The text without the marks that change nothing of how it is shown.
    package static func withoutIdle(_ text: String) -> String {
        guard text.utf8.count <= byteLimit, text.unicodeScalars.contains(where: isMark) else { return text }
        var scalars = Array(text.unicodeScalars)
        var directions = scalars.map(Direction.init)
        var index = 0
        while index < scalars.count {
            if isMark(scalars[index]), !hasEffect(at: index, in: directions) {
                scalars.remove(at: index)
                directions.remove(at: index)
            } else {
                index += 1
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    static func isMark(_ scalar: Unicode.Scalar) -> Bool { scalar == leftToRight || scalar == rightToLeft }

    /// Whether the direction of anything else depends on the mark there, to be on the safe side.
    private static func hasEffect(at index: Int, in all: [Direction]) -> Bool {
        let mark = all[index]
        let (before, after) = (all[..<index], all[(index + 1)...])
        let rest = before + after
        // The first letter decides the direction of the whole (P2, P3); without one it is from left to right.
        let whole = rest.first(where: \.isStrong) ?? .left
        if !before.contains(where: \.isStrong), !mark.isLike(whole) {
            return !rest.allSatisfy { $0.isStrong && $0.isLike(whole) }
        }
        let (last, next) = (before.last, after.first)
        if last?.isStrong ?? true, next?.isStrong ?? true { return false }
        let former = before.last(where: \.isStrong) ?? whole
        let following = after.first(where: \.isStrong) ?? whole
        guard mark.isLike(former), mark.isLike(following) else { return true }
        // Digits behind an Arabic letter are laid out otherwise than behind a Hebrew one or the mark (W2).
        return former == .arabic && after.prefix { !$0.isStrong }.contains(.number)
    }

    /// What a character has of the classes of UAX #9, as far as names need them.
    private enum Direction {
        case left
        case right
        /// From right to left too.
        case arabic
        case number
        /// Punctuation, spaces, symbols, accents.
        case weak

        var isStrong: Bool { self == .left || self == .right || self == .arabic }

        func isLike(_ other: Direction) -> Bool { (self == .left) == (other == .left) }

        init(_ scalar: Unicode.Scalar) {
            switch scalar.properties.generalCategory {
            case .decimalNumber: self = .number
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark:
                self = Self.ofLetter(scalar.value)
            default: self = scalar == leftToRight ? .left : scalar == rightToLeft ? .right : .weak
            }
        }

        /// By the blocks that Unicode keeps for scripts from right to left.
        private static func ofLetter(_ value: UInt32) -> Direction {
            switch value {
            case 0x0600...0x07BF, 0x0860...0x08FF, 0xFB50...0xFDFF, 0xFE70...0xFEFF, 0x10D00...0x10D3F,
                0x1EC70...0x1ECBF,
                0x1ED00...0x1ED4F, 0x1EE00...0x1EEFF:
                .arabic
            case 0x0590...0x08FF, 0xFB1D...0xFB4F, 0x10800...0x10FFF, 0x1E800...0x1EFFF: .right
            default: .left
            }
        }
    }
}
