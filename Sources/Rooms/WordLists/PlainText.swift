import Foundation
import Texts

/// A text as words are looked for in it: compatibility forms are one (NFKC: full width and half width, ligatures, composed letters),
/// capitals are small, and what nobody sees is gone.
///
/// Two ways of writing are told apart. Letters that are written with spaces between words (Latin, Cyrillic, Greek, digits) stand between
/// boundaries, so that `ass` is not found in `class`. Korean, Chinese, Japanese, Thai and the like have none: a word is found inside
/// others, and signs put between its letters do not hide it. A space parts words in Korean, in Chinese it means nothing.
struct PlainText {
    /// Stands where a word begins or ends. No scalar of a text is this one.
    static let boundary: UInt32 = 0

    private(set) var scalars: [UInt32] = []

    private enum Letter { case spaced, han, joined }
    private enum Gap { case none, signs, space }

    /// A text begins and ends with a boundary.
    init(_ text: String) {
        scalars.reserveCapacity(text.utf8.count + 2)
        scalars.append(Self.boundary)
        read(text)
        if scalars.last != Self.boundary { scalars.append(Self.boundary) }
    }

    /// - Parameter line: a word, or several, of the list. A `*` at an end says that the word may go on there.
    /// - Returns: nil if there is no letter in it.
    init?(word line: some StringProtocol) {
        var word = Substring(line)
        let (isOpenBefore, isOpenAfter) = (word.hasPrefix("*"), word.hasSuffix("*"))
        while word.hasPrefix("*") { word.removeFirst() }
        while word.hasSuffix("*") { word.removeLast() }
        let letters = Self.letters(of: String(word))
        guard let head = letters.first, let tail = letters.last else { return nil }
        if Self.letter(head) == .spaced, !isOpenBefore { scalars.append(Self.boundary) }
        read(String(word))
        // `read` leaves no boundary at the end.
        if Self.letter(tail) == .spaced, !isOpenAfter { scalars.append(Self.boundary) }
    }

    private mutating func read(_ text: String) {
        var former: Letter?
        var gap = Gap.none
        for scalar in Self.folded(text) {
            if Self.isUnseen(scalar) { continue }
            guard let letter = Self.letter(scalar) else {
                gap = scalar.properties.isWhitespace || gap == .space ? .space : .signs
                continue
            }
            if let former, Self.isParted(former, letter, by: gap), scalars.last != Self.boundary {
                scalars.append(Self.boundary)
            }
            scalars.append(scalar.value)
            former = letter
            gap = .none
        }
    }

    private static func isParted(_ before: Letter, _ after: Letter, by gap: Gap) -> Bool {
        switch (before, after) {
        case (.spaced, .spaced): gap != .none
        case (.spaced, _), (_, .spaced): true
        case (.han, .han): false
        default: gap == .space
        }
    }

    private static func folded(_ text: String) -> String.UnicodeScalarView {
        // What is plain already costs nothing: most of it is.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased().unicodeScalars }
        // Twice: Foundation's compatibility form leaves apart what it has taken apart (half-width kana).
        return withoutPiles(text).precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
            .lowercased().unicodeScalars
    }

    /// A letter that carries more marks than any language puts on one carries none: they are there to hide it. Marks are also sorted before
    /// they are composed, which takes a time that grows faster than their number. A sign that stands for whole sentences hides no word: it
    /// parts words, as a space does, instead of becoming 18 letters.
    private static func withoutPiles(_ text: String) -> String {
        var pile: [Unicode.Scalar] = []
        var kept = String.UnicodeScalarView()
        func settle() {
            if pile.count <= mostMarks { kept.append(contentsOf: pile) }
            pile.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            if scalar.properties.canonicalCombiningClass == .notReordered {
                settle()
                kept.append(sentences.contains(scalar) ? " " : scalar)
            } else {
                pile.append(scalar)
            }
        }
        settle()
        return String(kept)
    }

    /// The two Arabic ligatures whose compatibility form has more than six letters.
    private static let sentences: ClosedRange<Unicode.Scalar> = "\u{FDFA}"..."\u{FDFB}"

    /// Vietnamese has two, Hebrew three.
    private static let mostMarks = 3

    private static func letters(of text: String) -> [Unicode.Scalar] {
        folded(text).filter { !isUnseen($0) && letter($0) != nil }
    }

    /// Also accents that stand alone.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        if VisibleText.isUnseen(scalar) { return true }
        guard scalar.value >= 0x300 else { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func letter(_ scalar: Unicode.Scalar) -> Letter? {
        switch scalar.value {
        case 0x30...0x39, 0x61...0x7a: return .spaced
        case 0..<0x80: return nil
        // Han, with its extensions and compatibility forms.
        case 0x3005, 0x3007, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfaff, 0x20000...0x3ffff: return .han
        // Thai, Lao, Burmese, Khmer; kana; Hangul.
        case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x3041...0x30fe, 0x31f0...0x31ff, 0x1100...0x11ff,
            0x3131...0x318e, 0xac00...0xd7a3:
            return scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? .joined : nil
        default: return scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? .spaced : nil
        }
    }
}
