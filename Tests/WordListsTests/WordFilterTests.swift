import Foundation
import RoomModel
import SeededRandom
import Testing

@testable import WordLists

/// G03: which texts a list of words stops.
@Suite struct WordFilterTests {
    private static let filter = WordFilter([
        "ass", "bad word", "bull*", "*crap", "Straße", "시발", "병신*", "傻逼", "A片", "バカ", "คนเลว", "ёлка", "***", "café",
        "كلب", "",
    ])

    @Test(
        "G03-S a word is found however it is written, and not inside another word where words have spaces",
        arguments: [
            ("you ass!", "ass"), ("ASS", "ass"), ("ＡＳＳ", "ass"), ("a\u{200b}s\u{ad}s", "ass"), ("(ass)", "ass"),
            ("class", nil), ("asset", nil), ("as s", nil), ("bad word", "bad word"), ("BAD, word.", "bad word"),
            ("bad", nil), ("bad words", nil), ("bullish", "bull*"), ("the bull", "bull*"), ("abull", nil),
            ("holycrap", "*crap"), ("craps", nil), ("STRASSE", nil), ("straße", "Straße"), ("Ёлка", "ёлка"),
            ("cafe\u{301}", "café"), ("cafe", nil), ("ass을", "ass"), ("", nil), ("*", nil),
            // Korean: inside a word, through signs, not across a space.
            ("시발", "시발"), ("아시발진짜", "시발"), ("시.발", "시발"), ("시@발", "시발"), ("다시 발견", nil),
            ("\u{1109}\u{1175}\u{1107}\u{1161}\u{11af}", "시발"), ("병신들", "병신*"),
            // Chinese: spaces mean nothing.
            ("你这个傻逼啊", "傻逼"), ("傻 逼", "傻逼"), ("傻-逼", "傻逼"), ("傻瓜", nil), ("看A片吗", "A片"), ("看Ａ片吗", "A片"),
            ("a\u{0}s\u{7f}s", "ass"), ("as\u{2800}s", "ass"), ("a\u{fffc}ss", "ass"), ("كـــلب", "كلب"),
            // As an app reads its own JSON.
            (#"{"t":"\u0061ss"}"#, "ass"), (#"{"t":"{\"u\":\"a\\u0073s\"}"}"#, "ass"), (#"a\nss"#, nil),
            ("バカだ", "バカ"), ("ﾊﾞｶ", "バカ"), ("เป็นคนเลวมาก", "คนเลว"),
        ] as [(String, String?)])
    func found(_ text: String, _ word: String?) {
        #expect(Self.filter.stopped(in: text) == word)
    }

    @Test("G03-S a letter under a pile of marks is still a letter, and the pile costs no more than as many letters")
    func piles() {
        let pile = String(repeating: "\u{0301}\u{0316}", count: 3_000)
        #expect(Self.filter.stopped(in: "a\(pile)s\(pile)s") == "ass")
        #expect(PlainText(pile).scalars.count <= 2)
    }

    @Test("R05-S letters that stand for sentences cost no more than others, and hide no word")
    func sentences() {
        #expect(PlainText(String(repeating: "\u{fdfa}", count: 4_000)).scalars.count <= 2)
        #expect(Self.filter.stopped(in: "\u{fdfa}ass\u{fdfb}") == "ass")
    }

    @Test("G03-S a list without words stops nothing")
    func empty() {
        #expect(WordFilter([]).isEmpty && WordFilter(["*", "!!", " "]).isEmpty)
        #expect(WordFilter([]).stopped(in: "anything") == nil)
    }

    @Test("G03-S the filter finds what a search for each single word finds", arguments: 1...40 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Few letters, so that words overlap, end in one another and fall back far.
        let alphabet = Array(seed % 2 == 0 ? "가나 다" : "ab 傻逼.")
        func text(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 1...most, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a"
                })
        }
        let words = (0..<Int.random(in: 1...30, using: &random)).map { _ in text(6) }
        let filter = WordFilter(words)
        for _ in 0..<200 {
            let text = text(40)
            let plain = PlainText(text).scalars
            let expected = words.filter { word in
                guard let pattern = PlainText(word: word)?.scalars, pattern.count <= plain.count else { return false }
                return (0...plain.count - pattern.count).contains {
                    plain[$0..<$0 + pattern.count].elementsEqual(pattern)
                }
            }
            let found = filter.stopped(in: text)
            #expect((found == nil) == expected.isEmpty, "seed \(seed): \(text) \(words)")
            if let found { #expect(expected.contains(found), "seed \(seed): \(text)") }
        }
    }

    @Test("G03-S each of 100,000 words is found, and no text makes the filter fall back without an end")
    func large() {
        var random = SeededGenerator(seed: 7)
        let syllables: [UInt32] = Array(0xac00...0xd7a3)
        func syllable() -> Character {
            Character(Unicode.Scalar(syllables.randomElement(using: &random) ?? 0xac00) ?? "가")
        }
        var words = (0..<100_000).map { _ in String((0..<Int.random(in: 2...6, using: &random)).map { _ in syllable() })
        }
        // What falls back most: long words of one letter.
        words += (2...60).map { String(repeating: "가", count: $0) + "나" }
        let filter = WordFilter(words)
        for word in words.prefix(5_000) + words.suffix(59) {
            #expect(filter.stopped(in: "말 \(word)!") != nil)
        }
        #expect(filter.stopped(in: String(repeating: "가", count: 4_000)) == nil)
    }
}
