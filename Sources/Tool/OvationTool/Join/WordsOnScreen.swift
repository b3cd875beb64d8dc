import Ovation
import Synchronization

/// The line of the song that is sung now.
final class WordsOnScreen: Sendable {
    private let client: OvationClient
    private let report: JoinReport
    private let known = Mutex<(song: Song, lines: LyricLines)?>(nil)

    init(_ client: OvationClient, _ report: JoinReport) {
        self.client = client
        self.report = report
    }

    /// Reads a song's words. Without them there is nothing to show, and the singing goes on.
    func fetch(_ song: Song) {
        guard song.lyrics != nil, known.withLock({ $0?.song != song }) else { return }
        known.withLock { $0 = (song, LyricLines("")) }
        Task {  // ends with the answer, or its time limit
            do throws(OvationError) {
                guard let text = try await client.lyrics(of: song) else { return }
                known.withLock { if $0?.song == song { $0 = (song, LyricLines(text)) } }
            } catch {
                report.tell("lyrics_failed", ["song": .text(song.id), "message": .text(error.message)])
            }
        }
    }

    func line(of progress: SongProgress) -> String? {
        known.withLock { $0?.song == progress.song ? $0?.lines.line(at: progress.position) : nil }
    }
}

/// Lines of words by when they are sung, from LRC or WebVTT. Times of single words are passed over.
struct LyricLines: Sendable {
    private var lines: [(start: Duration, text: String)] = []
    private var offset = Duration.zero

    init(_ text: String) {
        let text = text.replacing("\u{feff}", with: "").replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let isVTT = text.hasPrefix("WEBVTT")
        var cue: Duration?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isVTT {
                if let arrow = line.firstRange(of: "-->") {
                    cue = Self.time(line[..<arrow.lowerBound].filter { !$0.isWhitespace })
                } else if line.allSatisfy(\.isWhitespace) {
                    cue = nil
                } else if let start = cue {
                    add(start, line)
                }
            } else {
                addLRC(line)
            }
        }
        // A positive offset shows the words sooner.
        if offset != .zero { lines = lines.map { (max(.zero, $0.start - offset), $0.text) } }
        // One text may be sung at several times, which stand in one line.
        lines.sort { $0.start < $1.start }
    }

    /// What is sung then; `nil` before the first line, and in a pause that is marked as one.
    func line(at position: Duration) -> String? {
        guard let found = lines.last(where: { $0.start <= position }), !found.text.isEmpty else { return nil }
        return found.text
    }

    private mutating func addLRC(_ line: Substring) {
        if let tag = line.lowercased().firstMatch(of: /^\s*\[offset:\s*([+-]?\d{1,6})\s*\]/), let shift = Int(tag.1) {
            return offset = .milliseconds(shift)
        }
        var rest = line.drop(while: \.isWhitespace)
        var starts: [Duration] = []
        while rest.first == "[", let end = rest.firstIndex(of: "]"),
            let start = Self.time(String(rest[rest.index(after: rest.startIndex)..<end]))
        {
            starts.append(start)
            rest = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
        }
        for start in starts { add(start, rest) }
    }

    private mutating func add(_ start: Duration, _ text: Substring) {
        let plain = text.replacing(/<[^>]*>/, with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // A cue of several lines is one line here.
        if let last = lines.last, last.start == start, !last.text.isEmpty, !plain.isEmpty {
            lines[lines.count - 1].text += " " + plain
        } else {
            lines.append((start, plain))
        }
    }

    /// `mm:ss`, `mm:ss.xx`, `hh:mm:ss.xxx`; in LRC also `start,duration` in milliseconds.
    private static func time(_ text: String) -> Duration? {
        let pair = text.split(separator: ",", omittingEmptySubsequences: false)
        if pair.count == 2, let start = Int(pair[0]), Int(pair[1]) != nil, start >= 0 { return .milliseconds(start) }
        let parts = text.replacing(",", with: ".").split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let seconds = Double(parts[parts.count - 1]), seconds >= 0,
            parts.dropLast().allSatisfy({ $0.count <= 3 && Int($0) ?? -1 >= 0 })
        else { return nil }
        let minutes = parts.dropLast().reduce(0) { $0 * 60 + (Int($1) ?? 0) }
        return .seconds(minutes * 60) + .seconds(min(seconds, 86_400))
    }
}
