import Texts

/// What a name may consist of that other people read: of a person, a room, a tag, a song.
///
/// Refused are characters that nobody sees and that change how what stands around them reads: controls, line and paragraph separators,
/// and those that turn the direction of text (UAX #9 §2), join nothing (U+200B, U+2060, U+FEFF) or hide text (tags outside of a flag).
/// The two joiners stay: Persian, Hindi and many emoji need them. So do the two marks that give punctuation a direction, which keyboards
/// of Arabic and Hebrew type (`DirectionMarks`).
package enum ReadableName {
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]
    /// The letters that follow a black flag: 🏴󠁧󠁢󠁳󠁣󠁴󠁿.
    private static let tags: ClosedRange<Unicode.Scalar> = "\u{E0020}"..."\u{E007F}"
    private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"

    /// Whether it shows what it is, and shows anything at all.
    package static func isReadable(_ name: String) -> Bool {
        name.contains { !$0.isWhitespace && !isInvisible($0) }
            && name.allSatisfy { character in
                character.unicodeScalars.allSatisfy { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: false
                    case .format:
                        joiners.contains(scalar) || DirectionMarks.isMark(scalar)
                            || tags.contains(scalar) && character.unicodeScalars.first == blackFlag
                    default: true
                    }
                }
            }
    }

    /// Equal for names that people take for the same: without capitals, spaces at the ends and what is not seen, wide letters as narrow
    /// ones; what Unicode counts as one letter written in two ways is one. Letters of different scripts that look alike differ.
    package static func key(_ name: String) -> String {
        let seen = name.unicodeScalars.lazy.filter { !VisibleText.isUnseen($0) }.map(VisibleText.narrow)
        let key = String(String.UnicodeScalarView(seen)).lowercased()
        return key.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func isInvisible(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy(VisibleText.isUnseen)
    }
}
