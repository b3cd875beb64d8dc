import Testing

@testable import RoomModel

@Suite struct ReadableNameTests {
    @Test(
        "A08-S names of all scripts are taken, with the joiners and flags that they need",
        arguments: ["Kim", "김민수", "小明", "محمد‌رضا", "क्‍ष", "👩‍👩‍👧", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "O’Brien-Łęcki Jr.", "a b"])
    func good(name: String) { #expect(ReadableName.isReadable(name)) }

    @Test(
        "A08-S names that show something else than they are, or nothing, are refused",
        arguments: [
            "", "  ", "\u{200D}", "\u{3164}", "\u{2800}", "\u{FE0F}", "a\u{202E}b", "a\u{2066}b\u{2069}", "\u{200F}",
            "\u{200E} ",
            "a\u{200B}",
            "\u{FEFF}a", "a\u{2060}b", "a\nb", "a\u{0}b", "a\u{2028}b", "a\u{E0041}b", "so\u{AD}ft",
        ])
    func bad(name: String) { #expect(!ReadableName.isReadable(name), "\(name.debugDescription)") }

    @Test("A04-S names that are taken for the same have one key, others do not")
    func keys() {
        let kim = ReadableName.key("Kim Lee")
        for name in [
            "kim lee", "KIM  LEE", " Kim Lee ", "Ki\u{200D}m Lee", "Kim\u{FE0F} Lee", "Kim\u{2800} Lee", "Ｋｉｍ Lee",
        ] {
            #expect(ReadableName.key(name) == kim, "\(name.debugDescription)")
        }
        #expect(ReadableName.key("e\u{301}") == ReadableName.key("É"))
        #expect(ReadableName.key("Kim Le") != kim && ReadableName.key("KimLee") != kim)
    }

    @Test(
        "A08-S the marks that keyboards of Arabic and Hebrew leave go where they change nothing, and stay where they do",
        arguments: [
            ("\u{200E}Kim", "Kim"), ("Kim\u{200F}", "Kim"), ("\u{200F}Kim", "Kim"), ("Ki\u{200E}m", "Kim"),
            ("محمد\u{200F}", "محمد"), ("\u{200F}محمد\u{200F}", "محمد"), ("محمد\u{200F} رضا", "محمد رضا"),
            ("שלום\u{200F}", "שלום"),
            ("שלום\u{200F}! רון", "שלום! רון"), ("שלום\u{200F} 12 רון", "שלום 12 רון"), ("a\u{200E}\u{200E}b", "ab"),
            ("Kim", "Kim"),
            // Without the mark the punctuation would stand on the other side.
            ("Kim!\u{200F}", "Kim!\u{200F}"), ("שלום!\u{200E}", "שלום!\u{200E}"), ("\u{200F}Kim!", "\u{200F}Kim!"),
            ("Kim \u{200F}(רון)", "Kim \u{200F}(רון)"), ("محمد\u{200F} 12-3", "محمد\u{200F} 12-3"),
            ("\u{200F}12", "\u{200F}12"),
            ("\u{200E}12", "12"), ("C++\u{200E} שלום", "C++\u{200E} שלום"),
        ])
    func marks(text: String, kept: String) {
        #expect(DirectionMarks.withoutIdle(text) == kept)
        #expect(Array(DirectionMarks.withoutIdle(text).unicodeScalars) == Array(kept.unicodeScalars))
        #expect(ReadableName.isReadable(kept))
        #expect(ReadableName.key(text) == ReadableName.key(kept), "two people cannot differ by a mark")
    }

    @Test("A08-S a text of marks alone costs nothing and is no name")
    func onlyMarks() {
        #expect(DirectionMarks.withoutIdle(String(repeating: "\u{200F}", count: 600)).isEmpty)
        let long = String(repeating: "\u{200F}", count: 30_000)
        #expect(DirectionMarks.withoutIdle(long).utf8.count == long.utf8.count)
        #expect(!ReadableName.isReadable("\u{200F}\u{200E}"))
    }
}
