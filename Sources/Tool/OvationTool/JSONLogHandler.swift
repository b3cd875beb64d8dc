import Foundation
import Logging
import Texts

/// One JSON object on each line of standard error, for collectors: `time`, `level`, `message`, `label`, and what the line says besides.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info
    private let label: String

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line: [String: String] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) { line[key] = "\(value)" }
        line["time"] = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        line["level"] = event.level.rawValue
        line["message"] = "\(event.message)"
        line["label"] = label
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(line) else { return }
        let readable = Data((TerminalText.escapedJSON(String(decoding: text, as: UTF8.self)) + "\n").utf8)
        // Short enough for one write, so that lines of several threads do not mix.
        FileHandle.standardError.write(readable)
    }
}

extension Logger {
    /// Whether lines are for collectors, by `log.format`.
    static func writesJSON(_ format: String) -> Bool {
        format == "json" || (format == "auto" && isatty(STDERR_FILENO) == 0)
    }

    /// As `log.format` wants it.
    static func server(_ format: String) -> Logger {
        let isJSON = writesJSON(format)
        return Logger(label: "ovation") { label -> any LogHandler in
            if isJSON { return JSONLogHandler(label: label) }
            return EscapingLogHandler(StreamLogHandler.standardError(label: label))
        }
    }
}
