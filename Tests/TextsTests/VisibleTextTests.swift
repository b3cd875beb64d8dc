import Foundation
import Testing

@testable import Texts

@Suite struct VisibleTextTests {
    @Test("what is not seen, or only lengthens a word, is told from letters, spaces and signs")
    func unseen() {
        let unseen: [Unicode.Scalar] = [
            "\u{0}", "\u{7f}", "\u{9b}", "\u{ad}", "\u{640}", "\u{7fa}", "\u{115f}", "\u{180e}", "\u{200b}", "\u{200e}",
            "\u{202e}", "\u{2060}", "\u{2800}", "\u{3164}", "\u{fe0f}", "\u{feff}", "\u{ffa0}", "\u{fffc}",
            "\u{e0041}",
        ]
        for scalar in unseen { #expect(VisibleText.isUnseen(scalar), "U+\(String(scalar.value, radix: 16))") }
        for scalar in "aé한方ا -.\t\n\u{85}\u{a0}\u{3000}🙂\u{301}".unicodeScalars {
            #expect(!VisibleText.isUnseen(scalar), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("a content's escapes are read as an app reads them, nested ones too, to a limit")
    func escapes() {
        #expect(JSONEscapes.readings(of: "plain") == ["plain"])
        #expect(JSONEscapes.readings(of: #"{"a":"bad\u0077ord"}"#).last == #"{"a":"badword"}"#)
        #expect(JSONEscapes.readings(of: #"{"a":"{\"b\":\"bad\\u0077ord\"}"}"#).contains { $0.contains("badword") })
        #expect(JSONEscapes.readings(of: #"\ud83d\ude42"#).last == "🙂")
        for broken in [#"\"#, #"\u"#, #"\u12"#, #"\uzzzz"#, #"\ud83d"#] { _ = JSONEscapes.readings(of: broken) }
        #expect(JSONEscapes.readings(of: String(repeating: "\\", count: 1_000)).count <= JSONEscapes.depth + 1)
    }

    @Test("no terminal obeys a text: controls, marks of direction and line breaks are written out, and JSON stays JSON")
    func terminal() throws {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}b\nc\u{7}\u{2028}d\u{e0041}"
        let escaped = TerminalText.escaped(hostile)
        #expect(escaped == #"a\u{1b}[2J\u{9b}31m\u{202e}b\u{a}c\u{7}\u{2028}d\u{e0041}"#)
        #expect(TerminalText.escaped("a\tb\n", lines: true) == "a\tb\n")
        #expect(TerminalText.escaped("민지 🏳️‍🌈 हिन्दी") == "민지 🏳️‍🌈 हिन्दी")
        let json = String(decoding: try JSONEncoder().encode(["name": hostile]), as: UTF8.self)
        let readable = TerminalText.escapedJSON(json)
        #expect(!readable.unicodeScalars.contains { $0.value == 0x9b || $0.value == 0x202e || $0.value == 0xe0041 })
        #expect(try JSONDecoder().decode([String: String].self, from: Data(readable.utf8)) == ["name": hostile])
    }
}
