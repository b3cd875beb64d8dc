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
            "", "  ", "\u{200D}", "\u{3164}", "\u{2800}", "\u{FE0F}", "a\u{202E}b", "a\u{2066}b\u{2069}", "\u{200F}a",
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
}
