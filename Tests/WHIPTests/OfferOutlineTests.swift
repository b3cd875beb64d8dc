import SeededRandom
import Testing

@testable import WHIP

@Suite struct OfferOutlineTests {
    @Test("sections, their mids and directions, the credentials and the first section's candidates")
    func outline() {
        let outline = OfferOutline(
            """
            v=0\r
            a=ice-ufrag:one\r
            a=ice-pwd:two\r
            m=audio 9 UDP/TLS/RTP/SAVPF 111\r
            a=candidate:1 1 udp 1 192.0.2.1 7882 typ host\r
            a=mid:0\r
            a=sendonly\r
            m=video 0 UDP/TLS/RTP/SAVPF 96\r
            a=candidate:2 1 udp 1 192.0.2.2 7882 typ host\r
            a=ice-ufrag:three\r

            """)
        #expect(outline.sections.map(\.kind) == ["audio", "video"])
        #expect(outline.sections.map(\.port) == ["9", "0"])
        #expect(outline.sections.map(\.mid) == ["0", nil])
        #expect(outline.sections.map(\.sends) == [true, true] && outline.sections.map(\.receives) == [false, true])
        #expect(outline.ufrag == "one" && outline.password == "two")
        #expect(outline.candidates == ["a=candidate:1 1 udp 1 192.0.2.1 7882 typ host"])
    }

    @Test("a restart changes the credentials wherever they stand, and nothing else")
    func restarted() {
        let text = "v=0\r\na=ice-ufrag:one\r\na=ice-pwd:two\r\nm=audio 9 X 1\r\na=ice-ufrag:one\r\na=mid:0\r\n"
        let again = OfferOutline.restarted(text, ufrag: "three", password: "four")
        #expect(again == text.replacing("one", with: "three").replacing("two", with: "four"))
    }

    @Test("any text is read without a trap", arguments: 0..<300)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "m=", "m=audio", " 9", "a=mid:", "a=ice-ufrag:", "a=candidate:", "a=sendonly", "\r\n", "\n", "é", " ", "\0",
        ]
        let text = (0..<Int(random.next() % 60)).map { _ in words[Int(random.next() % UInt64(words.count))] }.joined()
        let outline = OfferOutline(text)
        #expect(outline.sections.count <= text.utf8.count)
        _ = OfferOutline.restarted(text, ufrag: "a", password: "b")
    }
}
