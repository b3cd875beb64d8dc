import Testing

@testable import RoomRules

@Suite struct ChatLinksTests {
    @Test(
        "G06-S an address is a link whatever its ending is",
        arguments: [
            "192.0.2.1/x", "look at 192.0.2.1:8080", "192.0.2.1/", "http://192.0.2.1", "192.0.2.1/a1.2",
            "shop.example/buy",
            "Shop.Example/Buy", "ｓｈｏｐ．ｅｘａｍｐｌｅ／ｂｕｙ", "go to shop.example/?id=1", "shop.example?id=1",
            "shop.example:8080/x", "my.shop.example/x", "봐shop.example/buy로 가", "xn--e1afmkfd.xn--p1ai/x", "a.shop/x",
            "[2001:db8::1]/x", "[2001:db8::1]:8080", "shop.example/~me", "(shop.example/buy)", "example.com",
            "www.example",
        ])
    func found(_ text: String) { #expect(ChatLinks.hasLink(text)) }

    @Test(
        "G06-S a link is one with an accent or something unseen in it, at the end of a long text too",
        arguments: ["exa\u{AD}mple.com", "e\u{301}xample.com", "exam\u{200B}ple.com/x"])
    func disguised(_ text: String) {
        #expect(ChatLinks.hasLink(text))
        #expect(ChatLinks.hasLink(String(repeating: "a/", count: 5_000) + " " + text))
        #expect(ChatLinks.hasLink("[" + String(repeating: ":", count: 10_000) + " " + text))
    }

    /// Nobody counts here what they cost, but they end: what each costs is counted by `test_text_work`.
    @Test(
        "G06-S texts that look like the beginning of many links are none",
        arguments: ["[:", ":", "a/", "a.b/", "a.b:", "[1:", "\u{301}\u{AD}"])
    func beginnings(_ unit: String) {
        #expect(!ChatLinks.hasLink("[" + String(repeating: unit, count: 12_000 / unit.utf8.count)))
    }

    /// What people write who do not mean a link. Whatever is changed in the rule leaves these alone.
    @Test(
        "G06-S what people write with dots and slashes is no link",
        arguments: [
            "and/or", "he/she", "24/7", "w/o", "10/10", "1.5/2.0", "3.14", "v1.2.3.4", "1.2.3.4/1.2.3.5", "1.1.1.1",
            "10.0.0.0/8", "12:30", "9.30-10.15", "1.2.3.4:5", "a.m./p.m.", "e.g./i.e.", "U.S.A./U.K.", "node.js/react",
            "Vue.js/Next.js", "notes.txt/pdf", "song.mp3/flac", "Mr.Kim/Ms.Lee", "Dr.Who/Sherlock", "feat.Mina/Jun",
            "J.Cole/Drake", "vol.two/three", "well...no/yes", "wait...what/why", "Ok...me/you", "all right...to",
            "좋아요...네/아니요",
            "한국어.영어/중국어", "네.아니요/몰라요", "好的...是/不是", "今天。明天/后天", "さあ。はい/いいえ", "1.노래 2.춤", "final.score:10",
            "half.time:45",
            "is it so.really?yes", "no.why?", "[1:2]", "[12:30:15] hello", "[::]", "a:b/c", "50%/50%", "...", "./.",
            "x./y",
            "3.5/5 stars", "0.5/1", "2024.01.02/03", "Wow.So good/bad", "T.T/ㅠ.ㅠ", "^.^/", "o.O/O.o",
        ])
    func harmless(_ text: String) { #expect(!ChatLinks.hasLink(text)) }
}
