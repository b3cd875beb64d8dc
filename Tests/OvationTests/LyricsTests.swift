import Foundation
import SeededRandom
import Testing

@testable import Ovation

@Suite struct LyricsTests {
    private func words(_ line: Lyrics.Line) -> [String] {
        line.words.map { "\($0.text)|\(milliseconds($0.start))|\(milliseconds($0.end))" }
    }

    private func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    @Test(
        "D05-K plain LRC gives lines, each sung until the next; one text may have several times, and an offset moves all"
    )
    func plain() {
        let lyrics = Lyrics(
            "[ti:Song]\r\n[offset:+500]\r\n[00:10.5][1:20.00]La la\n[00:12:25] second\n[00:15]\nno time\n")
        #expect(!lyrics.isTimedByWord)
        #expect(lyrics.lines.map(\.text) == ["La la", "second", "La la"])
        #expect(lyrics.lines.map { milliseconds($0.start) } == [10_000, 11_750, 79_500])
        #expect(lyrics.lines.map { milliseconds($0.end) } == [11_750, 23_750, 91_500])
    }

    @Test("D05-K LRC with times of words gives each word its own, the last one until the time at the end")
    func enhanced() {
        let lyrics = Lyrics("[00:01.00]<00:01.00>Hello <00:01.50>my <00:02.25>world<00:03.00>\n[00:09]x")
        #expect(lyrics.isTimedByWord)
        #expect(words(lyrics.lines[0]) == ["Hello |1000|1500", "my |1500|2250", "world|2250|3000"])
        #expect(lyrics.lines[0].end == .seconds(3))
        #expect(lyrics.line(at: .seconds(2))?.text == "Hello my world")
        #expect(lyrics.line(at: .seconds(5)) == nil)
    }

    @Test(
        "D05-K offsets and durations after each tag are read in lines of LRC, of milliseconds and of WebVTT",
        arguments: [
            "[00:05.00]<0,200,0>I <200,300,0>am", "[5000,600]<0,200>I <200,300>am",
            "WEBVTT\n\n00:05.000 --> 00:06.000\n<0,200,0>I <200,300,0>am\n",
        ])
    func relative(text: String) {
        #expect(Lyrics(text).lines.map(words) == [["I |5000|5200", "am|5200|5500"]])
    }

    @Test("D05-K WebVTT cues have times inside, classes and hours; markup is never text")
    func cues() {
        let lyrics = Lyrics(
            "WEBVTT - song\n\nNOTE x\n\n1\n00:01.000 --> 00:04.000 align:start\n<c.a>Never </c><00:02.500><c>drink</c>\n"
                + "<01:00:00.000><b>a &lt;tea&gt;</b>\n\n01:00:02.000 --> 01:00:03.500\nlate\n")
        #expect(words(lyrics.lines[0]).prefix(2) == ["Never |1000|2500", "drink |2500|3600000"])
        #expect(lyrics.lines[0].words[2].text == "a <tea>")
        #expect(milliseconds(lyrics.lines[1].start) == 3_602_000)
        #expect(milliseconds(lyrics.lines[1].end) == 3_603_500)
    }

    @Test("D05-K the place in the words is exact at every boundary, and outside of them")
    func places() {
        let lyrics = Lyrics("[00:01.00]<00:01.00>a<00:02.00>b<00:03.00>\n[00:10.00]c")
        #expect(lyrics.place(at: .milliseconds(999)) == nil)
        #expect(lyrics.place(at: .seconds(1)) == Lyrics.Place(line: 0, word: 0, share: 0))
        #expect(lyrics.place(at: .milliseconds(1_500)) == Lyrics.Place(line: 0, word: 0, share: 0.5))
        #expect(lyrics.place(at: .seconds(2)) == Lyrics.Place(line: 0, word: 1, share: 0))
        #expect(lyrics.place(at: .milliseconds(9_999)) == Lyrics.Place(line: 0, word: 1, share: 1))
        #expect(lyrics.place(at: .seconds(10))?.line == 1)
        #expect(Lyrics("").place(at: .seconds(5)) == nil)
    }

    @Test(
        "D05-K anything that is no lyrics gives none, words never end before they begin, lines are in order",
        arguments: 0..<20)
    func anything(seed: UInt64) {
        for text in ["", "la la", "\0", "[", "[99:99", "<>", "WEBVTT", "WEBVTT\n\n-->", "[00:01.00]", "[1,2]"] {
            #expect(Lyrics(text).lines.isEmpty, "\(text)")
        }
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "[00:01.00]", "[00:03]", "<00:02.00>", "<1,2,0>", "<-9999999,1>", "la ", "\n", "\n\n", "-->", "WEBVTT", "[",
            ">",
            "00:01.000 --> 00:02.000\n", "&lt;", "[offset:-999999]", "[99999999,9999999]",
        ]
        for _ in 0..<100 {
            let text = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let lines = Lyrics(text).lines
            #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.start <= $1.start }, "\(text)")
            for line in lines {
                #expect(line.start >= .zero && line.end >= line.start, "\(text)")
                #expect(line.words.allSatisfy { $0.end >= $0.start && $0.start >= .zero }, "\(text)")
            }
        }
    }

    @Test("D05-K the words of the server's own songs are timed one by one, in order")
    func builtIn() throws {
        let songs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Web/songs", directoryHint: .isDirectory).standardized
        let folders = try FileManager.default.contentsOfDirectory(at: songs, includingPropertiesForKeys: nil)
            .filter { FileManager.default.fileExists(atPath: $0.appending(path: "lyrics.lrc").path) }
        #expect(folders.count >= 3)
        for folder in folders {
            let lyrics = Lyrics(try String(contentsOf: folder.appending(path: "lyrics.lrc"), encoding: .utf8))
            #expect(lyrics.isTimedByWord && lyrics.lines.count >= 7)
            let words = lyrics.lines.flatMap(\.words)
            #expect(words.allSatisfy { $0.end > $0.start })
            #expect(zip(words, words.dropFirst()).allSatisfy { $0.end <= $1.start })
        }
    }
}
