import ArgumentParser
import ServerApp

/// `ovation audit`: what those did who run rooms, and what was refused.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what hosts did about people and messages, and what was refused.",
        discussion: """
            One line each, the newest first, with tabs between: number, time, who (role), room, action, whom, outcome, details as JSON,
            reason. Works while the server runs. Lines are kept as long as store.retention_days says.

            ovation audit --app 1400000002 --room 48213 --user mina --limit 20
            """)

    @Option(help: "Application (SDKAppID).")
    var app: UInt32
    @Option(help: "How many lines, at most 10,000.")
    var limit = 50
    @Option(help: "Only lines before that number: the next page.")
    var before: Int64?
    @Option(help: "Only what happened in that room (~ before a text of digits).")
    var room: String?
    @Option(
        help: """
            Only what that person did, and what was done to them. For a program: @ and the name of its key; for the command line: @ and \
            the account, such as @root.
            """)
    var user: String?
    @OptionGroup var folder: DataFolder

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1…10,000") }
    }

    func run() async throws {
        try await reporting {
            let records = RecordsAdmin(data: folder.data, application: app)
            for line in try records.audit(limit: limit, before: before, room: room, user: user) { print(line) }
        }
    }
}

/// `ovation report`: what people reported.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Show what people reported, and note what was done about it.",
        subcommands: [List.self, Settle.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the reports that wait, the oldest first.",
            discussion: """
                One line each, with tabs between: number, time, room, who reports whom, cause, their words, what the server itself saw as
                JSON (name, seat, last messages). Works while the server runs.
                """)

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "How many, at most 10,000.")
        var limit = 50
        @Option(help: "Only those after that number: the next page.")
        var after: Int64 = 0
        @Flag(help: "Those that are settled too.")
        var all = false
        @OptionGroup var folder: DataFolder

        func validate() throws {
            guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1…10,000") }
        }

        func run() async throws {
            try await reporting {
                let admin = RecordsAdmin(data: folder.data, application: app)
                for line in try admin.reports(limit: limit, after: after, all: all) { print(line) }
            }
        }
    }

    struct Settle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Note that you have looked at a report.",
            discussion: "Stop the server that uses the data folder first.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Argument(help: "The report's number.")
        var number: Int64
        @Option(help: "Who you are.")
        var by = "operator"
        @Option(help: "What you did.")
        var note = ""
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                try await RecordsAdmin(data: folder.data, application: app).settle(number, by: by, words: note)
            }
        }
    }
}
