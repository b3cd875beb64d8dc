import Foundation
import SeededRandom
import Testing

@testable import Texts

@Suite struct StreamSafeTextTests {
    private func isNonStarter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.canonicalCombiningClass != .notReordered
    }

    /// `count` marks of different classes, in an order that must be changed to be canonical.
    private func marks(_ count: Int) -> String {
        String(String.UnicodeScalarView((0..<count).map { ["\u{345}", "\u{301}", "\u{327}"][$0 % 3] }))
    }

    @Test("a scalar counts as the marks that it begins with in any normal form, for all of Unicode")
    func everyScalar() {
        var wrong: [String] = []
        for value: UInt32 in 0...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let apart = String(scalar).decomposedStringWithCompatibilityMapping.unicodeScalars
            let leading = apart.prefix(while: isNonStarter).count
            if StreamSafeText.marks(in: value) < leading { wrong.append(String(value, radix: 16)) }
            // A scalar that ended in more would make a run longer than it is counted.
            if leading == 0, apart.reversed().prefix(while: isNonStarter).count > 3 {
                wrong.append("\(String(value, radix: 16)) ends in marks")
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test(
        "30 marks on a letter and 64 flags in a row pass, one more of either does not, wherever they stand",
        arguments: ["", "plain text before ", "방 ", "🇰🇷x"])
    func limits(before: String) {
        for after in ["", "e", " and after", "한"] {
            #expect(StreamSafeText.holds(before + "a" + marks(30) + after))
            #expect(!StreamSafeText.holds(before + "a" + marks(31) + after))
            #expect(StreamSafeText.holds(before + "." + String(repeating: "🇰🇷", count: 64) + after))
            #expect(!StreamSafeText.holds(before + "." + String(repeating: "🇰🇷", count: 65) + after))
        }
        #expect(StreamSafeText.holds(before + "a" + marks(30) + "a" + marks(30)))
    }

    @Test("texts of every kind of writing pass")
    func languages() {
        for text in [
            "Tiếng Việt: ngữ, đường, ặ", "עִבְרִית: שָׁלוֹם", "العَرَبِيَّة", "ไทย: น้ำ ก็ ที่", "བོད་སྐད་ ཧཱུྃ", "हिन्दी: क्ष्म्य", "한국어 방",
            "日本語 か゛ ﾊﾟﾋﾟ",
            "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇩🇪🇫🇷", "Z̸̨̛a̴̡̛l̶̢̛g̷̡̛o̸̢̕",
        ] {
            #expect(StreamSafeText.holds(text), "\(text)")
        }
    }

    @Test(
        "however a text is written, as UTF-8, as JSON with escapes, in a URI, it is judged alike", arguments: 0..<40)
    func notations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", "\\", "%", "\"", "u", "0", " ", "\u{301}", "\u{345}", "\u{1d165}", "\u{f73}", "\u{ff9e}", "é", "方",
            "🇰", "🙂",
        ]
        for _ in 0..<200 {
            let mostly = alphabet.randomElement(using: &random)!
            let text = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...150, using: &random)).map { _ in
                        Int.random(in: 0..<20, using: &random) > 0 ? mostly : alphabet.randomElement(using: &random)!
                    }))
            let expected = judgedSlowly(text)
            #expect(StreamSafeText.holds(text) == expected, "\(text)")
            #expect(StreamSafeText.holds(json(text, &random), in: .json) == expected, "\(text)")
            #expect(StreamSafeText.holds(percent(text, &random), in: .percentEncoded) == expected, "\(text)")
        }
    }

    @Test("an escaped backslash begins no escape, and half of one at the end is nothing")
    func escapes() {
        let written = String(repeating: "\\\\u0301", count: 100)
        #expect(StreamSafeText.holds(written, in: .json))
        #expect(!StreamSafeText.holds(String(repeating: "\\u0301", count: 31), in: .json))
        #expect(StreamSafeText.holds(String(repeating: "\\u0301", count: 31), in: .plain))
        for end in ["\\", "\\u", "\\u0", "\\ud834", "\\ud834\\", "\\ud834\\u", "%", "%C", "%CC", "%CC%"] {
            #expect(StreamSafeText.holds("a" + end, in: .json))
            #expect(StreamSafeText.holds("a" + end, in: .percentEncoded))
        }
    }

    @Test("bytes that are no text are judged without a trap, and hide no run", arguments: 0..<20)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for notation: StreamSafeText.Notation in [.plain, .json, .percentEncoded] {
                _ = StreamSafeText.holds(bytes, in: notation)
                // A letter between: what stands before cannot be the beginning of what follows.
                #expect(!StreamSafeText.holds(bytes + Array(("ab" + marks(40)).utf8), in: notation))
            }
        }
    }

    /// The definition, on scalars.
    private func judgedSlowly(_ text: String) -> Bool {
        var (marks, flags) = (0, 0)
        for scalar in text.unicodeScalars {
            let apart = String(scalar).decomposedStringWithCompatibilityMapping.unicodeScalars
            marks = apart.allSatisfy(isNonStarter) ? marks + apart.count : 0
            flags = (0x1f1e6...0x1f1ff).contains(scalar.value) ? flags + 1 : 0
            if marks > 30 || flags > 128 { return false }
        }
        return true
    }

    private func json(_ text: String, _ random: inout SeededGenerator) -> String {
        var written = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": written += "\\" + String(scalar)
            case _ where Bool.random(using: &random):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                    written += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: written.unicodeScalars.append(scalar)
            }
        }
        return written
    }

    private func percent(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
        var written: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "%") || Bool.random(using: &random) {
                let digits = String(byte, radix: 16, uppercase: Bool.random(using: &random))
                written += Array(("%" + (digits.count == 1 ? "0" : "") + digits).utf8)
            } else {
                written.append(byte)
            }
        }
        return written
    }
}
