import Logging
import Texts

/// What a command says: names and texts of people are in it, and a terminal obeys control characters. In this module it takes the place of
/// the standard library's.
func print(_ text: String, terminator: String = "\n") {
    Swift.print(TerminalText.escaped(text, lines: true), terminator: terminator)
}

/// Lines for people, each on one line of the terminal whatever is in it.
struct EscapingLogHandler: LogHandler {
    private var handler: any LogHandler

    init(_ handler: any LogHandler) { self.handler = handler }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }
    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(TerminalText.escaped("\(event.message)"))"
        event.metadata = event.metadata?.mapValues { .string(TerminalText.escaped("\($0)")) }
        handler.log(event: event)
    }
}
