import Foundation

/// A song's words and when each is sung.
///
/// Read from LRC (plain, or with a time for each word), from WebVTT (with times inside a cue), and from lines that give offset and
/// duration of each word as `<offset,duration,0>word`. What is no lyrics has no lines; nothing is an error.
public struct Lyrics: Sendable, Hashable {
    /// A word, or what a file times as one: with the space that follows it.
    public struct Word: Sendable, Hashable {
        /// As it is to be shown.
        public var text: String
        /// The position in the song from which it is sung.
        public var start: Duration
        /// The position at which it ends.
        public var end: Duration
    }

    /// A line, sung from `start` until `end`. One without times of its words has a single word.
    public struct Line: Sendable, Hashable {
        /// The position in the song from which it is sung.
        public var start: Duration
        /// The position at which it ends; at most 12 s later where the file does not say.
        public var end: Duration
        /// In the order in which they are sung.
        public var words: [Word]

        /// The whole line.
        public var text: String { words.map(\.text).joined().trimmingCharacters(in: .whitespaces) }
    }

    /// Where in the words a position is.
    public struct Place: Sendable, Hashable {
        /// The index of the line.
        public var line: Int
        /// The index of the word in it; `nil` before the line's first word.
        public var word: Int?
        /// How much of the word is sung, 0…1.
        public var share: Double
    }

    /// A song of an hour has fewer.
    static let mostLines = 5_000

    /// In the order in which they are sung; a text that is sung several times is there as often.
    public let lines: [Line]

    /// Whether words have times of their own.
    public var isTimedByWord: Bool { lines.contains { $0.words.count > 1 } }

    /// Reads the text of an LRC or WebVTT file.
    public init(_ text: String) {
        let text = text.replacing("\u{feff}", with: "").replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let read = text.hasPrefix("WEBVTT") ? LyricReader.lines(ofVTT: text) : LyricReader.lines(ofLRC: text)
        let sorted = read.filter { $0.words.contains { !LyricReader.isBlank($0.text) } }.sorted { $0.start < $1.start }
        let kept = Array(sorted.prefix(Self.mostLines))
        lines = kept.indices.map { index in
            kept[index].closed(before: kept.indices.contains(index + 1) ? kept[index + 1].start : nil)
        }
    }

    /// What is sung at this position of the song; `nil` before the first line.
    public func place(at position: Duration) -> Place? {
        guard let line = lines.lastIndex(where: { $0.start <= position }) else { return nil }
        let words = lines[line].words
        guard let index = words.lastIndex(where: { $0.start <= position }) else {
            return Place(line: line, word: nil, share: 0)
        }
        let word = words[index]
        let share = word.end > word.start ? min(1, (position - word.start) / (word.end - word.start)) : 1
        return Place(line: line, word: index, share: share)
    }

    /// The line that is sung at this position; `nil` before the first and in the pause after a line's end.
    public func line(at position: Duration) -> Line? {
        guard let place = place(at: position), position < lines[place.line].end else { return nil }
        return lines[place.line]
    }
}

/// A line as files give it: ends are often left open.
struct OpenLine {
    struct Word {
        var text: String
        var start: Duration
        var end: Duration?
    }

    /// A line without an end is sung for at most so long.
    private static let longest = Duration.seconds(12)

    var start: Duration
    var end: Duration?
    var words: [Word]

    /// Every word ends with the next one, with the line, or with the next line.
    func closed(before next: Duration?) -> Lyrics.Line {
        var lineEnd = min(next ?? start + Self.longest, start + Self.longest)
        if let end, end > start { lineEnd = end }
        let closed = words.indices.map { index in
            let word = words[index]
            let following = words.indices.contains(index + 1) ? words[index + 1].start : lineEnd
            let end = word.end.flatMap { $0 >= word.start ? $0 : nil } ?? following
            return Lyrics.Word(text: word.text, start: word.start, end: max(end, word.start))
        }
        return Lyrics.Line(start: start, end: lineEnd, words: closed)
    }

    func shifted(by shift: Duration) -> OpenLine {
        func moved(_ at: Duration) -> Duration { max(.zero, at + shift) }
        return OpenLine(
            start: moved(start), end: end.map(moved),
            words: words.map { Word(text: $0.text, start: moved($0.start), end: $0.end.map(moved)) })
    }
}

/// The formats that words come in.
enum LyricReader {
    private typealias Word = OpenLine.Word

    static func isBlank(_ text: some StringProtocol) -> Bool { text.allSatisfy(\.isWhitespace) }

    // MARK: LRC

    static func lines(ofLRC text: String) -> [OpenLine] {
        var found: [OpenLine] = []
        var shift = Duration.zero
        for line in text.split(separator: "\n") {
            if let tag = line.firstMatch(of: /^\s*\[[Oo][Ff][Ff][Ss][Ee][Tt]:\s*([+-]?\d{1,6})\s*\]/) {
                // A positive offset shows the words sooner.
                shift = .milliseconds(-(Int(tag.1) ?? 0))
                continue
            }
            if let ranged = line.firstMatch(of: /^\s*\[(\d{1,8}),(\d{1,7})\](.*)$/) {
                let start = Duration.milliseconds(Int(ranged.1) ?? 0)
                found.append(offsets(ranged.3, from: start, until: start + .milliseconds(Int(ranged.2) ?? 0)))
                continue
            }
            var rest = line.drop(while: \.isWhitespace)
            var starts: [Duration] = []
            while let time = rest.prefixMatch(of: /\[(\d{1,3}):(\d{1,2}(?:[.:]\d{1,3})?)\]\s*/) {
                starts.append(duration(minutes: time.1, seconds: time.2))
                rest = rest[time.range.upperBound...]
            }
            found += starts.map { timedWords(rest, from: $0) }
        }
        return shift == .zero ? found : found.map { $0.shifted(by: shift) }
    }

    /// `<00:12.30>word <00:12.80>word<00:13.10>`.
    private static func timedWords(_ text: Substring, from start: Duration) -> OpenLine {
        if text.prefixMatch(of: /\s*<-?\d+,\d+(,\d+)?>/) != nil { return offsets(text, from: start, until: nil) }
        var words: [Word] = []
        var end: Duration?
        var begin = start
        var at = text.startIndex
        func take(_ piece: Substring, isTimed: Bool) {
            if !isBlank(piece) {
                words.append(Word(text: String(piece), start: begin, end: nil))
            } else if isTimed {
                end = begin
            }
        }
        var isTimed = false
        for time in text.matches(of: /<(\d{1,3}):(\d{1,2}(?:[.:]\d{1,3})?)>/) {
            take(text[at..<time.range.lowerBound], isTimed: isTimed)
            begin = duration(minutes: time.1, seconds: time.2)
            if !words.isEmpty { words[words.count - 1].end = words[words.count - 1].end ?? begin }
            at = time.range.upperBound
            isTimed = true
        }
        take(text[at...], isTimed: isTimed)
        return OpenLine(start: start, end: end, words: words)
    }

    /// `<offset,duration,0>word`, in milliseconds from the line's start.
    private static func offsets(_ text: Substring, from start: Duration, until end: Duration?) -> OpenLine {
        let words = text.matches(of: /<(-?\d{1,7}),(\d{1,7})(?:,\d+)?>([^<]*)/).map { match in
            let at = max(.zero, start + .milliseconds(Int(match.1) ?? 0))
            return Word(text: String(match.3), start: at, end: at + .milliseconds(Int(match.2) ?? 0))
        }
        guard let last = words.last else {
            let plain = String(text).trimmingCharacters(in: .whitespaces)
            return OpenLine(start: start, end: end, words: [Word(text: plain, start: start, end: end)])
        }
        return OpenLine(start: start, end: end ?? last.end, words: words)
    }

    /// Seconds with a fraction after `.` or, as some write, `:`.
    private static func duration(minutes: Substring, seconds: Substring) -> Duration {
        let seconds = Double(seconds.replacing(":", with: ".")) ?? 0
        return .milliseconds((Int(minutes) ?? 0) * 60_000 + Int((seconds * 1_000).rounded()))
    }

    // MARK: WebVTT

    static func lines(ofVTT text: String) -> [OpenLine] {
        text.split(separator: /\n{2,}/).compactMap { block in
            let lines = block.split(separator: "\n")
            guard let at = lines.firstIndex(where: { $0.contains("-->") }),
                let times = lines[at].prefixMatch(
                    of: /\s*((?:\d{1,4}:)?\d{2}:\d{2}\.\d{3})\s+-->\s+((?:\d{1,4}:)?\d{2}:\d{2}\.\d{3})/)
            else { return nil }
            let text = lines[(at + 1)...].joined(separator: " ")
            let (start, end) = (duration(times.1), duration(times.2))
            return text.firstMatch(of: /<-?\d+,\d+(,\d+)?>/) != nil
                ? offsets(text[...], from: start, until: end) : cue(text, from: start, until: end)
        }
    }

    /// `Never <00:02.500>drink`; other markup is no text.
    private static func cue(_ text: String, from start: Duration, until end: Duration) -> OpenLine {
        var words: [Word] = []
        var begin = start
        var at = text.startIndex
        func take(_ piece: Substring) {
            let plain = unescaped(String(piece.replacing(/<[^<>]*>/, with: "")))
            if !isBlank(plain) {
                words.append(Word(text: plain, start: begin, end: nil))
            } else if !words.isEmpty {
                words[words.count - 1].text += plain
            }
        }
        for time in text.matches(of: /<((?:\d{1,4}:)?\d{2}:\d{2}\.\d{3})>/) {
            take(text[at..<time.range.lowerBound])
            begin = duration(time.1)
            if !words.isEmpty { words[words.count - 1].end = words[words.count - 1].end ?? begin }
            at = time.range.upperBound
        }
        take(text[at...])
        return OpenLine(start: start, end: end, words: words)
    }

    /// `mm:ss.mmm` or `h:mm:ss.mmm`.
    private static func duration(_ text: Substring) -> Duration {
        let parts = text.split(separator: ":")
        let minutes = parts.dropLast().reduce(0) { $0 * 60 + (Int($1) ?? 0) }
        return .milliseconds(minutes * 60_000 + Int(((Double(parts.last ?? "0") ?? 0) * 1_000).rounded()))
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&nbsp;", with: "\u{a0}")
            .replacing("&amp;", with: "&")
    }
}
